//! The arguments that inserted code passes to native functions.

use cil::Opcode;
use corprof::clrnames::csharp::csharp_keyword;
use corprof::token::{MethodDef, StandAloneSig};
use corprof::{Metadata, Result};
use corprof_rewrite::{LiveModule, Method};
use method_filter::Secrets;
use sigparse::Type;

use crate::callbacks;

// Signatures of unmanaged functions (ECMA-335 II.23.2.3): cdecl, the number of parameters, the result, the parameters.
const INTEGER: [u8; 4] = [0x01, 1, 0x01, 0x0A];
const NUMBER: [u8; 4] = [0x01, 1, 0x01, 0x0D];
const TEXT: [u8; 4] = [0x01, 1, 0x01, 0x18];
const OTHER: [u8; 3] = [0x01, 0, 0x01];

/// How an argument is passed to a native function.
pub(crate) struct Argument {
    pub(crate) number: u16,
    pub(crate) convert: Option<Convert>,
    pub(crate) function: usize,
    pub(crate) site: StandAloneSig,
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
        let (convert, function, sig): (_, _, &[u8]) = match ty {
            _ if is_secret.unwrap_or(true) => {
                (None, (callbacks::redacted as extern "C" fn()) as usize, &OTHER)
            }
            Type::I1 | Type::I2 | Type::I4 | Type::I8 | Type::I => (
                Some(Convert::By(Opcode::CONV_I8)),
                (callbacks::integer as extern "C" fn(i64)) as usize,
                &INTEGER,
            ),
            Type::Boolean | Type::Char | Type::U1 | Type::U2 | Type::U4 | Type::U8 | Type::U => (
                Some(Convert::By(Opcode::CONV_U8)),
                (callbacks::integer as extern "C" fn(i64)) as usize,
                &INTEGER,
            ),
            Type::R4 | Type::R8 => (
                Some(Convert::By(Opcode::CONV_R8)),
                (callbacks::number as extern "C" fn(f64)) as usize,
                &NUMBER,
            ),
            Type::String => {
                (Some(Convert::Pin), (callbacks::text as unsafe extern "C" fn(*const u8)) as usize, &TEXT)
            }
            _ => (None, (callbacks::other as extern "C" fn()) as usize, &OTHER),
        };
        arguments.push(Argument { number, convert, function, site: module.call_site(sig)? });
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
