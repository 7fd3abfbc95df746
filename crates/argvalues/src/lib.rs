//! Argument and return memory of .NET methods, decoded to values
