//! The metadata of a module: rows of the tables that profilers read (ECMA-335 II.22), each with its owner.

/// The state of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Defined,
    Loaded,
    Gone,
}

/// A module, which is an assembly of its own.
pub(crate) struct Module {
    pub(crate) assembly: String,
    pub(crate) path: String,
    pub(crate) version: [u16; 4],
    /// The bytes in the order of the GUID's text.
    pub(crate) mvid: [u8; 16],
    /// `COR_PRF_MODULE_FLAGS`.
    pub(crate) flags: u32,
    pub(crate) state: State,
    /// Whether `ModuleAttachedToAssembly` has been called.
    pub(crate) is_attached: bool,
    pub(crate) type_defs: Vec<TypeDefRow>,
    pub(crate) type_refs: Vec<TypeRef>,
    pub(crate) assembly_refs: Vec<AssemblyRef>,
    pub(crate) type_specs: Vec<Box<[u8]>>,
    pub(crate) methods: Vec<MethodRow>,
    pub(crate) params: Vec<Param>,
    pub(crate) fields: Vec<Field>,
    pub(crate) generic_params: Vec<GenericParam>,
    pub(crate) interface_impls: Vec<(u32, u32)>,
    pub(crate) attributes: Vec<Attribute>,
}

/// II.22.37.
pub(crate) struct TypeDefRow {
    pub(crate) name: String,
    pub(crate) attributes: u32,
    pub(crate) extends: u32,
    /// The enclosing type's row; 0 for none.
    pub(crate) enclosing: u32,
    pub(crate) is_value: bool,
    /// The base type as given to the builder.
    pub(crate) parent: Option<super::Type>,
}

/// II.22.38.
pub(crate) struct TypeRef {
    pub(crate) scope: u32,
    pub(crate) name: String,
}

/// II.22.5.
pub(crate) struct AssemblyRef {
    /// The index of the referenced module.
    pub(crate) module: usize,
    pub(crate) name: String,
    pub(crate) version: [u16; 4],
}

/// II.22.26.
pub(crate) struct MethodRow {
    pub(crate) type_def: u32,
    pub(crate) name: String,
    pub(crate) attributes: u32,
    pub(crate) impl_flags: u32,
    pub(crate) signature: Box<[u8]>,
    pub(crate) il: Box<[u8]>,
    /// The IL that the profiler has set before the method was compiled.
    pub(crate) replaced: Option<Box<[u8]>>,
    pub(crate) returns: super::Type,
    pub(crate) takes: Vec<super::Type>,
}

/// II.22.33.
pub(crate) struct Param {
    pub(crate) method: u32,
    pub(crate) sequence: u32,
    pub(crate) name: String,
    pub(crate) attributes: u32,
}

/// II.22.15.
pub(crate) struct Field {
    pub(crate) type_def: u32,
    pub(crate) name: String,
    pub(crate) attributes: u32,
    pub(crate) signature: Box<[u8]>,
    pub(crate) ty: super::Type,
    /// The element type of a literal, and its value as a blob of the heap: a length of one byte, and the bytes.
    pub(crate) constant: Option<(u32, Box<[u8]>)>,
}

/// II.22.20.
pub(crate) struct GenericParam {
    pub(crate) owner: u32,
    pub(crate) number: u32,
    pub(crate) name: String,
}

/// II.22.10, with the name of the attribute's type in place of its constructor.
pub(crate) struct Attribute {
    pub(crate) of: u32,
    pub(crate) name: String,
    pub(crate) value: Box<[u8]>,
}

impl Module {
    pub(crate) fn new(assembly: &str, path: &str, index: usize) -> Self {
        // A random one in form (version 4), and another for each module.
        let [.., high, low] = index.to_be_bytes();
        let mvid = [0xD0, 0x0B, 0x1E, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, high, low];
        Self {
            assembly: assembly.to_owned(),
            path: path.to_owned(),
            version: [1, 0, 0, 0],
            mvid,
            flags: corprof::ModuleFlags::DISK.bits(),
            state: State::Defined,
            is_attached: false,
            // The first type is the one that global members belong to (II.22.37).
            type_defs: vec![TypeDefRow {
                name: "<Module>".to_owned(),
                attributes: 0,
                extends: 0,
                enclosing: 0,
                is_value: false,
                parent: None,
            }],
            type_refs: Vec::new(),
            assembly_refs: Vec::new(),
            type_specs: Vec::new(),
            methods: Vec::new(),
            params: Vec::new(),
            fields: Vec::new(),
            generic_params: Vec::new(),
            interface_impls: Vec::new(),
            attributes: Vec::new(),
        }
    }

    /// The row of a token of this table: `0x02` for TypeDef.
    pub(crate) fn row<T>(rows: &[T], table: u32, token: u32) -> Option<&T> {
        if token >> 24 != table {
            return None;
        }
        rows.get((token & 0x00FF_FFFF).checked_sub(1)? as usize)
    }

    pub(crate) fn type_def(&self, token: u32) -> Option<&TypeDefRow> {
        Self::row(&self.type_defs, 0x02, token)
    }

    pub(crate) fn method(&self, token: u32) -> Option<&MethodRow> {
        Self::row(&self.methods, 0x06, token)
    }

    pub(crate) fn field(&self, token: u32) -> Option<&Field> {
        Self::row(&self.fields, 0x04, token)
    }

    /// The tokens of the rows that `keep` accepts.
    pub(crate) fn tokens<T>(rows: &[T], table: u32, keep: impl Fn(&T) -> bool) -> Vec<u32> {
        let kept = (1..).zip(rows).filter(|(_, row)| keep(row));
        kept.map(|(rid, _): (u32, _)| table << 24 | rid).collect()
    }

    pub(crate) fn add_generic_params(&mut self, owner: u32, names: &[&str]) {
        for (number, name) in (0..).zip(names) {
            self.generic_params.push(GenericParam { owner, number, name: (*name).to_owned() });
        }
    }

    pub(crate) fn add_attribute(&mut self, of: u32, name: &str, value: &[u8]) {
        self.attributes.push(Attribute { of, name: name.to_owned(), value: value.into() });
    }

    /// The number of generic parameters of a row.
    pub(crate) fn arity(&self, owner: u32) -> usize {
        self.generic_params.iter().filter(|param| param.owner == owner).count()
    }

    /// The token for the next row of a table.
    pub(crate) fn next<T>(rows: &[T], table: u32) -> u32 {
        table << 24 | (u32::try_from(rows.len()).unwrap_or(0) + 1)
    }
}
