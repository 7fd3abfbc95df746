//! Values that are not read because of their names.

use argvalues::Position;
use corprof::clrnames::metadata::Metadata as _;
use corprof::{Instance, Names};

/// Decides which values are secret. Called once for each, when its type or method is first seen.
///
/// A secret is not read. Its place in the output is marked as [redacted](argvalues::elided::REDACTED).
pub trait Redact: Send + Sync {
    /// Returns whether a field of an object is secret, by its name and the name of its type.
    fn field(&self, name: &str, type_name: &str) -> bool;

    /// Returns whether a parameter is.
    fn parameter(&self, name: &str, type_name: &str) -> bool;

    /// Returns whether the result of a method is, by the method's name.
    fn result(&self, method: &str, type_name: &str) -> bool;

    /// The full names of attributes that make a parameter secret.
    fn attributes(&self) -> &[String] {
        &[]
    }
}

/// Returns whether a value of a method's call is secret.
pub(super) fn is_secret(redact: &dyn Redact, names: &Names, instance: &Instance, value: Position) -> bool {
    match value {
        Position::This => false,
        Position::Parameter(index) => {
            let named = instance.parameters.get(index);
            named.is_some_and(|parameter| redact.parameter(&parameter.name, &parameter.type_name))
                || has_attribute(redact.attributes(), names, instance, index)
        }
        Position::Return => {
            let type_name = instance.return_type.as_deref().unwrap_or_default();
            redact.result(&instance.method.name, type_name)
        }
    }
}

/// Returns whether a parameter has one of these attributes. One whose attributes cannot be read is taken to have.
fn has_attribute(attributes: &[String], names: &Names, instance: &Instance, index: usize) -> bool {
    let Some(token) = instance.method.token.filter(|_| !attributes.is_empty()) else { return false };
    let look = || -> corprof::Result<bool> {
        let metadata = names.metadata(instance.method.module)?;
        // Parameter 0 is the result.
        let sequence = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let Some(parameter) = metadata.param_at(token, sequence)? else { return Ok(false) };
        for attribute in attributes {
            if metadata.has_custom_attribute(parameter.into(), attribute)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    look().unwrap_or(true)
}
