//! Secret values: patterns of names, types and attributes.

use corprof_calls::Redact;
use globset::GlobSet;
use method_filter::PatternError;

/// The default patterns: for the names of parameters, fields and properties, and of methods and properties with a secret
/// result. `key` alone is not among them: it is the parameter of every dictionary.
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

/// The patterns of secret values.
#[derive(Debug, Default)]
pub(crate) struct Redaction {
    names: GlobSet,
    types: GlobSet,
    attributes: Vec<String>,
}

impl Redaction {
    /// Compiles the patterns of a setting, with the default ones if `obvious` is set. `type:` begins a pattern for names of
    /// types, `attribute:` the full name of an attribute of a parameter.
    pub(crate) fn new(obvious: bool, (setting, list): (&str, &str)) -> Result<Self, PatternError> {
        let (mut names, mut types, mut attributes) = (Vec::new(), Vec::new(), Vec::new());
        for pattern in OBVIOUS.into_iter().filter(|_| obvious).chain(method_filter::split(list)) {
            if let Some(attribute) = pattern.strip_prefix("attribute:") {
                attributes.push(attribute.to_owned());
            } else if let Some(glob) = pattern.strip_prefix("type:") {
                types.push(glob);
            } else {
                names.push(pattern);
            }
        }
        let compile = |patterns| method_filter::compile_globs(setting, true, patterns);
        Ok(Self { names: compile(names)?, types: compile(types)?, attributes })
    }

    fn is_secret(&self, name: &str, type_name: &str) -> bool {
        // `token` usually names a cancellation token.
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
        // `CheckPassword` returns no secret; `GetPassword` does.
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
        assert!(error.contains("X has a malformed pattern") && error.contains("a{b"), "{error}");
    }
}
