//! The crates that need nothing else, without their default features: signatures, names, values, profiles.

/// Writes a method's signature as ILAsm has it.
///
/// # Errors
/// If it is none.
pub fn signature(blob: &[u8]) -> Result<String, sigparse::Error> {
    Ok(sigparse::MethodSig::parse(blob)?.to_string())
}

#[cfg(test)]
mod tests {
    use argvalues::Primitive;
    use clrnames::MethodIdentity;
    use corprof_profile::Unit;

    #[test]
    fn a_signature_is_printed() {
        // II.23.2.1: HASTHIS, two parameters, string, ref long, int.
        let blob = [0x20, 0x02, 0x0E, 0x08, 0x10, 0x0A];
        assert_eq!(super::signature(&blob).unwrap(), "instance string (int32, int64&)");
    }

    #[test]
    fn the_other_crates_are_there() {
        let identity: MethodIdentity = "5f2a6d0c9b1e4c37a8d40e6f7b3c1a29!06000123<int>".parse().unwrap();
        assert_eq!(identity.to_string(), "5f2a6d0c9b1e4c37a8d40e6f7b3c1a29!06000123<int>");
        assert_ne!(Primitive::I32, Primitive::I64);
        assert_ne!(Unit::Count, Unit::Nanoseconds);
    }
}
