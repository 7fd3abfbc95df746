//! The arguments that inserted code passes to native functions.
#![forbid(unsafe_code)]

use cilbody::Opcode;
use corprof::clrnames::csharp::csharp_keyword;
use corprof::token::MethodDef;
use corprof::{Metadata, Result};
use corprof_rewrite::{LiveModule, Method};
use method_filter::Secrets;
use sigparse::Type;

use crate::callbacks::Callback;
use crate::edit::NativeCall;

/// How an argument is passed to a native function.
pub(crate) struct Argument {
    pub(crate) number: u16,
    pub(crate) convert: Option<Convert>,
    pub(crate) call: NativeCall,
}

pub(crate) enum Convert {
    By(Opcode),
    Pin,
}

/// Returns the arguments of a method. Secret ones are not passed.
pub(crate) fn arguments(
    method: &Method<'_>,
    module: &LiveModule,
    secrets: &Secrets,
) -> corprof_rewrite::Result<Vec<Argument>> {
    let sig = method.signature();
    let mut arguments = Vec::new();
    let first = u16::from(sig.has_this() && !sig.explicit_this());
    for ((number, sequence), param) in (first..).zip(1..).zip(sig.params()) {
        let param = param.map_err(corprof_rewrite::RewriteError::Signature)?;
        let ty = param.sig().ty();
        // A parameter that cannot be read may be secret.
        let is_secret = is_secret(secrets, module.metadata(), method.token(), sequence, ty);
        let (convert, callback) = match ty {
            _ if is_secret.unwrap_or(true) => (None, Callback::redacted()),
            Type::I1 | Type::I2 | Type::I4 | Type::I8 | Type::I => {
                (Some(Convert::By(Opcode::CONV_I8)), Callback::integer())
            }
            Type::Boolean | Type::Char | Type::U1 | Type::U2 | Type::U4 | Type::U8 | Type::U => {
                (Some(Convert::By(Opcode::CONV_U8)), Callback::integer())
            }
            Type::R4 | Type::R8 => (Some(Convert::By(Opcode::CONV_R8)), Callback::number()),
            Type::String => (Some(Convert::Pin), Callback::text()),
            _ => (None, Callback::other()),
        };
        arguments.push(Argument { number, convert, call: NativeCall::new(callback, module)? });
    }
    Ok(arguments)
}

/// Returns whether a parameter is secret, by its name, its type or its attributes.
fn is_secret(
    secrets: &Secrets,
    metadata: &Metadata,
    method: MethodDef,
    sequence: u32,
    ty: Type<'_>,
) -> Result<bool> {
    // Other types are not logged.
    let type_name = csharp_keyword(ty.element_type()).unwrap_or_default();
    let Some(parameter) = metadata.param_at(method, sequence)? else {
        return Ok(secrets.has_parameter("", type_name));
    };
    if secrets.has_parameter(&metadata.param(parameter)?.name, type_name) {
        return Ok(true);
    }
    for attribute in secrets.attributes() {
        if metadata.has_custom_attribute(parameter, attribute)? {
            return Ok(true);
        }
    }
    Ok(false)
}
