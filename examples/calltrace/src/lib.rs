//! Prints every method call of a .NET program.
