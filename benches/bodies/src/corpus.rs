//! The method bodies of an assembly.

use std::io;
use std::path::Path;

use clrnames::metadata::Metadata as _;
use sigparse::token::Table;

use crate::assembly::Assembly;

/// The bodies, each with the signature of its method.
pub(crate) struct Corpus<'d> {
    pub(crate) bodies: Vec<Body<'d>>,
    /// The module that the bodies refer to.
    pub(crate) module: Assembly<'d>,
}

pub(crate) struct Body<'d> {
    pub(crate) bytes: &'d [u8],
    pub(crate) sig: &'d [u8],
}

impl<'d> Corpus<'d> {
    pub(crate) fn new(path: &Path, file: &'d [u8]) -> io::Result<Self> {
        let module = Assembly::open(path, file).ok_or_else(|| io::Error::other("this is not an assembly"))?;
        let mut bodies = Vec::with_capacity(module.image.row_count(Table::METHOD_DEF) as usize);
        for (method, bytes) in module.bodies() {
            let bytes = cilbody::MethodBody::parse(bytes).map_err(io::Error::other)?.bytes();
            let sig = module.image.method(method).map_err(io::Error::other)?.signature.to_vec().leak();
            bodies.push(Body { bytes, sig });
        }
        Ok(Self { bodies, module })
    }
}
