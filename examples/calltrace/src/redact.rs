//! Secret values, which are not read.

use corprof_calls::Redact;
use method_filter::Secrets;

/// The patterns of secret values.
#[derive(Debug, Default)]
pub(crate) struct Redaction(pub(crate) Secrets);

impl Redact for Redaction {
    fn field(&self, name: &str, type_name: &str) -> bool {
        self.0.has_field(name, type_name)
    }

    fn parameter(&self, name: &str, type_name: &str) -> bool {
        self.0.has_parameter(name, type_name)
    }

    fn result(&self, method: &str, type_name: &str) -> bool {
        self.0.has_result(method, type_name)
    }

    fn attributes(&self) -> &[String] {
        self.0.attributes()
    }
}
