//! Signatures, and the tokens by which a module refers to types of other modules.

use sigparse::{FieldSigBuf, MethodSigBuilder, TypeDefOrRef, TypeSigBuf};

use super::rows::{AssemblyRef, TypeRef};
use super::{Model, Module, Type};

impl Model {
    /// The token by which a module refers to a type definition: the definition itself, or a TypeRef that is added at first
    /// use.
    pub(crate) fn definition_token(&mut self, from: usize, module: usize, rid: u32) -> u32 {
        if from == module {
            return 0x0200_0000 | rid;
        }
        let Some(row) = self.modules.get(module).and_then(|module| module.type_defs.get(rid as usize - 1))
        else {
            return 0;
        };
        let (name, enclosing) = (row.name.clone(), row.enclosing);
        let scope = if enclosing == 0 {
            self.assembly_ref(from, module)
        } else {
            self.definition_token(from, module, enclosing)
        };
        let Some(table) = self.modules.get_mut(from) else { return 0 };
        let known = Module::tokens(&table.type_refs, 0x01, |row| row.scope == scope && row.name == name);
        known.first().copied().unwrap_or_else(|| {
            let token = Module::next(&table.type_refs, 0x01);
            table.type_refs.push(TypeRef { scope, name });
            token
        })
    }

    fn assembly_ref(&mut self, from: usize, to: usize) -> u32 {
        let about = self.modules.get(to).map(|module| (module.assembly.clone(), module.version));
        let (Some((name, version)), Some(table)) = (about, self.modules.get_mut(from)) else { return 0 };
        let known = Module::tokens(&table.assembly_refs, 0x23, |known| known.module == to);
        known.first().copied().unwrap_or_else(|| {
            let token = Module::next(&table.assembly_refs, 0x23);
            table.assembly_refs.push(AssemblyRef { module: to, name, version });
            token
        })
    }

    /// The token by which a module refers to a type: TypeDef, TypeRef or TypeSpec.
    pub(crate) fn type_token(&mut self, from: usize, ty: &Type) -> u32 {
        match ty {
            Type::Class(row) if row.args.is_empty() => self.definition_token(from, row.module, row.rid),
            Type::Object => match self.core_rid("System.Object") {
                Some(rid) => self.definition_token(from, 0, rid),
                None => 0,
            },
            composed => {
                let signature = self.encode(from, |token| {
                    TypeSigBuf::build(|out| composed.encode(out, token)).map(|built| built.as_bytes().into())
                });
                let Some(table) = self.modules.get_mut(from) else { return 0 };
                let known = Module::tokens(&table.type_specs, 0x1B, |known| *known == signature);
                known.first().copied().unwrap_or_else(|| {
                    let token = Module::next(&table.type_specs, 0x1B);
                    table.type_specs.push(signature);
                    token
                })
            }
        }
    }

    fn core_rid(&self, name: &str) -> Option<u32> {
        let index = self.modules.first()?.type_defs.iter().position(|row| row.name == name)?;
        u32::try_from(index + 1).ok()
    }

    pub(crate) fn field_signature(&mut self, module: usize, ty: &Type) -> Box<[u8]> {
        self.encode(module, |token| {
            FieldSigBuf::build(|out| ty.encode(out, token)).map(|built| built.as_bytes().into())
        })
    }

    pub(crate) fn method_signature(
        &mut self,
        module: usize,
        is_static: bool,
        generic_params: usize,
        returns: &Type,
        takes: &[Type],
    ) -> Box<[u8]> {
        self.encode(module, |token| {
            let mut builder = MethodSigBuilder::new(|out| returns.encode(out, token));
            if !is_static {
                builder = builder.has_this();
            }
            if generic_params > 0 {
                builder = builder.generic_params(u32::try_from(generic_params).unwrap_or(u32::MAX));
            }
            for ty in takes {
                builder = builder.param(|out| ty.encode(out, token));
            }
            builder.finish().map(|built| built.as_bytes().into())
        })
    }

    /// Encodes a signature. One that nests too deep is empty, and malformed for its reader.
    fn encode(
        &mut self,
        from: usize,
        build: impl FnOnce(&mut dyn FnMut(usize, u32) -> TypeDefOrRef) -> Result<Box<[u8]>, sigparse::Error>,
    ) -> Box<[u8]> {
        let mut token = |module: usize, rid: u32| {
            // Definitions come from classes, which have one.
            crate::some(TypeDefOrRef::from_token(self.definition_token(from, module, rid)))
        };
        build(&mut token).unwrap_or_default()
    }
}
