//! Every kind of signature as text, twice: through the borrowed views, and through a walk.
//!
//! The text shows the structure only. A type is its element type, what it carries after a colon,
//! and what it nests in parentheses; modifiers come first.

use std::fmt::Write as _;

use sigparse::{
    ArrayShape, ElementType, Error, FieldSig, LocalVarSig, MethodSig, MethodSpecSig, Modifier, PropertySig,
    SigHeader, Type, TypeDefOrRef, TypeSig, TypeSpecSig, Visitor, walk,
};

/// Which entry point reads a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Method,
    Field,
    Property,
    Locals,
    TypeSpec,
    MethodSpec,
}

pub(crate) const KINDS: [Kind; 6] =
    [Kind::Method, Kind::Field, Kind::Property, Kind::Locals, Kind::TypeSpec, Kind::MethodSpec];

/// The text of a blob by the views. Trailing bytes are an error.
pub(crate) fn by_views(kind: Kind, blob: &[u8]) -> Result<String, Error> {
    let mut out = String::new();
    match kind {
        Kind::Method => {
            let sig = MethodSig::parse(blob)?;
            sig.validate()?;
            method(sig, &mut out)?;
        }
        Kind::Field => {
            let sig = FieldSig::parse(blob)?;
            sig.validate()?;
            ty(sig.sig(), &mut out)?;
        }
        Kind::Property => {
            let sig = PropertySig::parse(blob)?;
            sig.validate()?;
            push(&mut out, format_args!("{} ", sig.header()));
            ty(sig.property_type(), &mut out)?;
            out.push_str(" (");
            for (index, param) in sig.params().enumerate() {
                separate(&mut out, index);
                ty(param?.sig(), &mut out)?;
            }
            out.push(')');
        }
        Kind::Locals => {
            let sig = LocalVarSig::parse(blob)?;
            sig.validate()?;
            out.push('(');
            for (index, local) in sig.locals().enumerate() {
                separate(&mut out, index);
                ty(local?.sig(), &mut out)?;
            }
            out.push(')');
        }
        Kind::TypeSpec => {
            let sig = TypeSpecSig::parse(blob)?;
            sig.validate()?;
            ty(sig.sig(), &mut out)?;
        }
        Kind::MethodSpec => {
            let sig = MethodSpecSig::parse(blob)?;
            sig.validate()?;
            out.push('<');
            for (index, arg) in sig.args().enumerate() {
                separate(&mut out, index);
                ty(arg, &mut out)?;
            }
            out.push('>');
        }
    }
    Ok(out)
}

pub(crate) fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = out.write_fmt(text);
}

pub(crate) fn separate(out: &mut String, index: usize) {
    if index > 0 {
        out.push_str(", ");
    }
}

pub(crate) fn head(out: &mut String, header: SigHeader, generic_params: u32) {
    push(out, format_args!("{header} "));
    if generic_params > 0 {
        push(out, format_args!("<{generic_params}> "));
    }
}

fn method(sig: MethodSig<'_>, out: &mut String) -> Result<(), Error> {
    head(out, sig.header(), sig.generic_param_count());
    ty(sig.return_type(), out)?;
    out.push_str(" (");
    let mut vararg = false;
    for (index, param) in sig.params().enumerate() {
        let param = param?;
        assert_eq!(param.index() as usize, index);
        separate(out, index);
        if param.is_vararg() && !vararg {
            vararg = true;
            out.push_str("... ");
        }
        ty(param.sig(), out)?;
    }
    out.push(')');
    Ok(())
}

pub(crate) fn modifier(out: &mut String, modifier: Modifier) {
    match modifier {
        Modifier::Required(ty) => push(out, format_args!("reqd:{ty} ")),
        Modifier::Optional(ty) => push(out, format_args!("opt:{ty} ")),
        Modifier::Internal { required, handle } => {
            push(out, format_args!("{}:{handle:X} ", if required { "reqd" } else { "opt" }));
        }
    }
}

fn shape(out: &mut String, shape: ArrayShape<'_>) {
    push(out, format_args!(" rank={}", shape.rank()));
    if shape.sizes().len() > 0 {
        push(out, format_args!(" sizes={:?}", shape.sizes()));
    }
    if shape.lower_bounds().len() > 0 {
        push(out, format_args!(" lower={:?}", shape.lower_bounds()));
    }
}

fn ty(sig: TypeSig<'_>, out: &mut String) -> Result<(), Error> {
    sig.modifiers().for_each(|found| modifier(out, found));
    assert_eq!(sig.element_type(), sig.ty().element_type());
    match sig.ty() {
        Type::Class(ty) => push(out, format_args!("CLASS:{ty}")),
        Type::ValueType(ty) => push(out, format_args!("VALUETYPE:{ty}")),
        Type::Var(number) => push(out, format_args!("VAR:{number}")),
        Type::MVar(number) => push(out, format_args!("MVAR:{number}")),
        Type::Internal(handle) => push(out, format_args!("INTERNAL:{handle:X}")),
        Type::Ptr(target) => nested("PTR", target, out)?,
        Type::ByRef(target) => nested("BYREF", target, out)?,
        Type::SzArray(target) => nested("SZARRAY", target, out)?,
        Type::Pinned(target) => nested("PINNED", target, out)?,
        Type::Array(array) => {
            out.push_str("ARRAY(");
            ty(array.element(), out)?;
            shape(out, array.shape());
            out.push(')');
        }
        Type::GenericInst(inst) => {
            out.push_str("GENERICINST(");
            match inst.definition() {
                Type::Class(ty) => push(out, format_args!("CLASS:{ty}")),
                Type::ValueType(ty) => push(out, format_args!("VALUETYPE:{ty}")),
                Type::Internal(handle) => push(out, format_args!("INTERNAL:{handle:X}")),
                other => unreachable!("{other:?}"),
            }
            out.push_str(" | ");
            for (index, arg) in inst.args().enumerate() {
                separate(out, index);
                ty(arg, out)?;
            }
            out.push(')');
        }
        Type::FnPtr(sig) => {
            out.push_str("FNPTR(");
            method(sig, out)?;
            out.push(')');
        }
        leaf => push(out, format_args!("{}", leaf.element_type())),
    }
    Ok(())
}

fn nested(name: &str, target: TypeSig<'_>, out: &mut String) -> Result<(), Error> {
    push(out, format_args!("{name}("));
    ty(target, out)?;
    out.push(')');
    Ok(())
}

/// The text of a blob by a walk. Trailing bytes are an error.
pub(crate) fn by_walk(kind: Kind, blob: &[u8]) -> Result<String, Error> {
    let mut dump = Dump { out: String::new(), open: Vec::new(), modified: false };
    let read = match kind {
        Kind::Method => walk::method(blob, &mut dump)?,
        Kind::Field => walk::field(blob, &mut dump)?,
        Kind::Property => walk::property(blob, &mut dump)?,
        Kind::Locals => walk::locals(blob, &mut dump)?,
        Kind::TypeSpec => walk::ty(blob, &mut dump)?,
        Kind::MethodSpec => walk::method_spec(blob, &mut dump)?,
    };
    if read < blob.len() {
        // The views know the error; the walk only knows that it applies.
        let error = by_views(kind, blob).expect_err("the walk read less than the views");
        assert_eq!(error.offset, read);
        return Err(error);
    }
    match kind {
        Kind::Method => assert!(dump.out.ends_with(')')),
        Kind::Property if dump.open.pop() == Some(Open::Property { params: true }) => dump.out.push(')'),
        Kind::Property => dump.out.push_str(" ()"),
        Kind::Locals => dump.out.push(')'),
        Kind::MethodSpec => dump.out.push('>'),
        Kind::Field | Kind::TypeSpec => {}
    }
    Ok(dump.out)
}

/// What a walk has entered and not left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// PTR and its like, closed by the end of the type inside.
    Prefix,
    Array,
    /// So many arguments have been told.
    GenericInst(usize),
    /// The arguments of a MethodSpec.
    MethodSpec(usize),
    Method {
        fn_ptr: bool,
        params: bool,
        vararg: bool,
    },
    FnPtr,
    Property {
        params: bool,
    },
}

struct Dump {
    out: String,
    open: Vec<Open>,
    /// The last event was a modifier, so the type has begun already.
    modified: bool,
}

impl Dump {
    /// Puts what comes between two types of a list before the second.
    fn begin(&mut self) {
        if std::mem::take(&mut self.modified) {
            return;
        }
        if let Some(Open::GenericInst(index) | Open::MethodSpec(index)) = self.open.last_mut() {
            separate(&mut self.out, *index);
            *index += 1;
        }
    }

    /// Closes the prefixes that end with a type.
    fn end(&mut self) {
        while self.open.last() == Some(&Open::Prefix) {
            self.open.pop();
            self.out.push(')');
        }
    }

    fn whole(&mut self, text: std::fmt::Arguments<'_>) {
        self.begin();
        push(&mut self.out, text);
        self.end();
    }

    fn prefix(&mut self, name: &str) {
        self.begin();
        push(&mut self.out, format_args!("{name}("));
        self.open.push(Open::Prefix);
    }
}

impl<'a> Visitor<'a> for Dump {
    fn leaf(&mut self, element: ElementType) {
        self.whole(format_args!("{element}"));
    }

    fn class(&mut self, ty: TypeDefOrRef) {
        self.whole(format_args!("CLASS:{ty}"));
    }

    fn value_type(&mut self, ty: TypeDefOrRef) {
        self.whole(format_args!("VALUETYPE:{ty}"));
    }

    fn var(&mut self, number: u32) {
        self.whole(format_args!("VAR:{number}"));
    }

    fn mvar(&mut self, number: u32) {
        self.whole(format_args!("MVAR:{number}"));
    }

    fn internal(&mut self, handle: usize) {
        self.whole(format_args!("INTERNAL:{handle:X}"));
    }

    fn modifier(&mut self, found: Modifier) {
        self.begin();
        self.modified = true;
        modifier(&mut self.out, found);
    }

    fn ptr(&mut self) {
        self.prefix("PTR");
    }

    fn by_ref(&mut self) {
        self.prefix("BYREF");
    }

    fn sz_array(&mut self) {
        self.prefix("SZARRAY");
    }

    fn pinned(&mut self) {
        self.prefix("PINNED");
    }

    fn begin_array(&mut self) {
        self.begin();
        self.out.push_str("ARRAY(");
        self.open.push(Open::Array);
    }

    fn end_array(&mut self, found: ArrayShape<'a>) {
        assert!(self.open.pop() == Some(Open::Array));
        shape(&mut self.out, found);
        self.out.push(')');
        self.end();
    }

    fn begin_generic_inst(&mut self) {
        self.begin();
        self.out.push_str("GENERICINST(");
        // Keeps the definition from being taken for an argument.
        self.open.push(Open::Array);
    }

    fn generic_args(&mut self, count: u32) {
        assert!(count > 0);
        match self.open.pop() {
            None => {
                self.out.push('<');
                self.open.push(Open::MethodSpec(0));
            }
            Some(_) => {
                self.out.push_str(" | ");
                self.open.push(Open::GenericInst(0));
            }
        }
    }

    fn end_generic_inst(&mut self) {
        assert!(matches!(self.open.pop(), Some(Open::GenericInst(_))));
        self.out.push(')');
        self.end();
    }

    fn fn_ptr(&mut self) {
        self.begin();
        self.out.push_str("FNPTR(");
        self.open.push(Open::FnPtr);
    }

    fn begin_method(&mut self, header: SigHeader, generic_params: u32, _params: u32) {
        let fn_ptr = self.open.last() == Some(&Open::FnPtr);
        if fn_ptr {
            self.open.pop();
        }
        head(&mut self.out, header, generic_params);
        self.open.push(Open::Method { fn_ptr, params: false, vararg: false });
    }

    fn param(&mut self, index: u32) {
        let vararg = match self.open.last_mut() {
            Some(Open::Method { params, vararg, .. }) => {
                *params = true;
                std::mem::take(vararg)
            }
            Some(Open::Property { params }) => {
                *params = true;
                false
            }
            _ => false,
        };
        self.out.push_str(if index == 0 { " (" } else { ", " });
        if vararg {
            self.out.push_str("... ");
        }
    }

    fn sentinel(&mut self) {
        if let Some(Open::Method { vararg, .. }) = self.open.last_mut() {
            *vararg = true;
        }
    }

    fn end_method(&mut self) {
        let Some(Open::Method { fn_ptr, params, .. }) = self.open.pop() else { panic!("no method is open") };
        self.out.push_str(if params { ")" } else { " ()" });
        if fn_ptr {
            self.out.push(')');
            self.end();
        }
    }

    fn begin_property(&mut self, header: SigHeader, _params: u32) {
        push(&mut self.out, format_args!("{header} "));
        self.open.push(Open::Property { params: false });
    }

    fn begin_locals(&mut self, _header: SigHeader, _count: u32) {
        self.out.push('(');
    }

    fn local(&mut self, index: u32) {
        separate(&mut self.out, index as usize);
    }
}
