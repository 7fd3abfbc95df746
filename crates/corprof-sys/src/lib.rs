//! Raw FFI of the .NET profiling and metadata APIs: corprof.h, cor.h, corhdr.h, corerror.h
