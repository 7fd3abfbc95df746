//! ECMA-335 signature blobs: a fast, exact, no_std decoder that does not allocate
