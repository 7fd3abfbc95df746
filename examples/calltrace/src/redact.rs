//! Which values are secret: by what they are called, their types, their attributes.

use corprof_calls::Redact;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// What is redacted unless the user says otherwise: parameters, fields and properties with these words in their names, and
/// results of methods and properties that are called so. `key` alone is not among them: it is what every dictionary calls
/// what it is looked up by.
const OBVIOUS: [&str; 14] = [
    "*password*",
    "*passwd*",
    "*passphrase*",
    "pwd",
    "*secret*",
    "token",
    "*{access,api,auth,bearer,csrf,id,refresh,sas,security,session}token",
    "*api{,_}key*",
    "*{access,account,encryption,private,shared,signing}{,_}key*",
    "authorization",
    "*credential*",
    "*connection{,_}string*",
    "cookie",
    "type:System.Security.SecureString",
];

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct Redaction {
    names: GlobSet,
    types: GlobSet,
    attributes: Vec<String>,
}

/// A pattern that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{name} has a pattern that cannot be used, {pattern:?}: {source}")]
pub(crate) struct RedactionError {
    name: &'static str,
    pattern: String,
    source: globset::Error,
}

impl Redaction {
    /// The patterns of a setting, with the obvious ones unless they are turned off. `type:` begins a pattern for names of
    /// types, `attribute:` the full name of an attribute of a parameter.
    pub(crate) fn new(obvious: bool, (name, list): (&'static str, &str)) -> Result<Self, RedactionError> {
        let (mut names, mut types) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let mut attributes = Vec::new();
        let obvious = OBVIOUS.into_iter().filter(|_| obvious);
        for pattern in obvious.chain(list.split(';').map(str::trim)).filter(|pattern| !pattern.is_empty()) {
            if let Some(attribute) = pattern.strip_prefix("attribute:") {
                attributes.push(attribute.to_owned());
                continue;
            }
            let (set, glob) = match pattern.strip_prefix("type:") {
                Some(glob) => (&mut types, glob),
                None => (&mut names, pattern),
            };
            let failed = |source| RedactionError { name, pattern: pattern.to_owned(), source };
            let glob = GlobBuilder::new(glob)
                .case_insensitive(true)
                .literal_separator(false)
                .empty_alternates(true)
                .build();
            set.add(glob.map_err(failed)?);
        }
        let failed = |source| RedactionError { name, pattern: list.to_owned(), source };
        Ok(Self { names: names.build().map_err(failed)?, types: types.build().map_err(failed)?, attributes })
    }

    fn is_secret(&self, name: &str, type_name: &str) -> bool {
        // A cancellation token is what `token` usually is.
        if type_name.ends_with("CancellationToken") {
            return false;
        }
        self.names.is_match(name.trim_start_matches('_')) || self.types.is_match(type_name)
    }
}

impl Redact for Redaction {
    fn field(&self, name: &str, type_name: &str) -> bool {
        self.is_secret(name.strip_prefix("m_").unwrap_or(name), type_name)
    }

    fn parameter(&self, name: &str, type_name: &str) -> bool {
        self.is_secret(name, type_name)
    }

    fn result(&self, method: &str, type_name: &str) -> bool {
        let name = method.rsplit('.').next().unwrap_or(method);
        let noun = ["get_", "Get", "Read"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
        // A method that does something with a secret returns something else.
        noun.is_some_and(|noun| self.names.is_match(noun.trim_start_matches('_'))) && type_name != "bool"
            || self.types.is_match(type_name)
    }

    fn attributes(&self) -> &[String] {
        &self.attributes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_obvious_is_secret() {
        let redaction = Redaction::new(true, ("X", "")).unwrap();
        for name in [
            "password",
            "newPassword",
            "_secret",
            "clientSecret",
            "token",
            "accessToken",
            "apiKey",
            "api_key",
        ] {
            assert!(redaction.parameter(name, "string"), "{name}");
        }
        for name in
            ["Authorization", "ConnectionString", "defaultConnectionString", "Credentials", "m_password"]
        {
            assert!(redaction.field(name, "string"), "{name}");
        }
        assert!(redaction.parameter("x", "System.Security.SecureString"));
        assert!(redaction.result("get_Password", "string") && redaction.result("GetSecret", "string"));
    }

    #[test]
    fn the_harmless_is_not() {
        let redaction = Redaction::new(true, ("X", "")).unwrap();
        for name in ["user", "keys", "keyboard", "monkey", "tokens", "tokenizer", "length", "passed"] {
            assert!(!redaction.parameter(name, "string"), "{name}");
        }
        assert!(!redaction.parameter("token", "System.Threading.CancellationToken"));
        assert!(!redaction.result("CheckPassword", "bool") && !redaction.result("get_Length", "int"));
        assert!(!Redaction::new(false, ("X", "")).unwrap().parameter("password", "string"));
    }

    #[test]
    fn patterns_are_for_names_types_and_attributes() {
        let redaction =
            Redaction::new(false, ("X", "pin; type:Shop.Card*; attribute:Shop.SecretAttribute")).unwrap();
        assert!(redaction.parameter("PIN", "int") && redaction.parameter("a", "Shop.CardNumber"));
        assert!(!redaction.parameter("pins", "int"));
        assert_eq!(redaction.attributes(), ["Shop.SecretAttribute"]);
        let error = Redaction::new(false, ("X", "a{b")).unwrap_err().to_string();
        assert!(error.contains("X has a pattern") && error.contains("a{b"), "{error}");
    }
}
