//! The methods of the source that the methods of an assembly belong to.

use anyhow::Result;
use clrnames::Image;
use clrnames::metadata::{Accessed, Metadata as _};
use sigparse::Token;
use sigparse::token::{MethodDef, Table, TypeDef};

const EXCLUDED: &str = "System.Diagnostics.CodeAnalysis.ExcludeFromCodeCoverageAttribute";

/// A method of the source. Lambdas, local functions and state machines have the name of their method in angle brackets.
pub(crate) struct Source {
    method: MethodDef,
    /// The innermost type that is not compiler-generated.
    ty: Option<TypeDef>,
    /// The type, with those around it.
    pub(crate) class: String,
    /// The name of the method.
    pub(crate) name: String,
    /// Whether the compiler has made the method of a part of another one.
    is_generated: bool,
}

impl Source {
    /// Finds the source method of a method.
    pub(crate) fn of(image: &Image<&[u8]>, method: MethodDef) -> Result<Self> {
        let inner = |name: &str| {
            let (name, _) = name.strip_prefix('<')?.split_once('>')?;
            (!name.is_empty()).then(|| name.to_owned())
        };
        let props = image.method(method)?;
        let outer = inner(&props.name);
        let mut source = Self {
            method,
            ty: None,
            class: String::new(),
            is_generated: outer.is_some(),
            name: outer.unwrap_or(props.name),
        };
        let mut ty = props.declaring_type;
        while let Some(token) = ty {
            let own = image.type_def(token)?.name;
            ty = image.enclosing_type(token)?;
            if own.starts_with('<') && ty.is_some() {
                if let Some(inner) = inner(&own) {
                    (source.name, source.is_generated) = (inner, true);
                }
                continue;
            }
            source.ty = source.ty.or(Some(token));
            let own = own.split('`').next().unwrap_or(&own);
            source.class = match source.class.as_str() {
                "" => own.to_owned(),
                class => format!("{own}.{class}"),
            };
        }
        Ok(source)
    }

    /// Returns whether the method, its property or event, a type around it or the assembly has `ExcludeFromCodeCoverage`.
    pub(crate) fn is_excluded(&self, image: &Image<&[u8]>) -> Result<bool> {
        let has = |token: Token| image.has_custom_attribute(token, EXCLUDED);
        if has(Token::new(Table::ASSEMBLY, 1))? || has(self.method.into())? {
            return Ok(true);
        }
        let mut ty = self.ty;
        while let Some(token) = ty {
            if has(token.into())? {
                return Ok(true);
            }
            ty = image.enclosing_type(token)?;
        }
        let is_member_excluded = |method: MethodDef| -> Result<bool> {
            let member = image.accessed(method)?.map(|accessed| match accessed {
                Accessed::Property(property) => Token::from(property),
                Accessed::Event(event) => event.into(),
            });
            Ok(has(method.into())? || member.map_or(Ok(false), has)?)
        };
        // A part of a method has the name of its method alone: all methods of that name must be excluded.
        let Some(ty) = self.ty.filter(|_| self.is_generated) else { return is_member_excluded(self.method) };
        let named = image.methods_named(ty, &self.name)?;
        let excluded: Vec<bool> = named.into_iter().map(is_member_excluded).collect::<Result<_>>()?;
        Ok(!excluded.is_empty() && !excluded.contains(&false))
    }
}
