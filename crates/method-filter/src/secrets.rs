//! Secret values: patterns of names, types and attributes.

use crate::patterns::{PatternError, split};
use crate::screened::ScreenedGlobs;

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

/// The patterns of values that are not shown, because they are secret.
///
/// ```
/// use method_filter::Secrets;
///
/// let secrets = Secrets::new(true, ("REDACT", "pin; type:Shop.Card*; attribute:Shop.SecretAttribute"))?;
/// assert!(secrets.has_parameter("newPassword", "string") && secrets.has_parameter("pin", "int"));
/// assert!(!secrets.has_parameter("user", "string"));
/// # Ok::<(), method_filter::PatternError>(())
/// ```
#[derive(Debug, Default)]
pub struct Secrets {
    names: ScreenedGlobs,
    types: ScreenedGlobs,
    attributes: Vec<String>,
}

impl Secrets {
    /// Compiles the patterns of a setting, with the default ones if `obvious` is set.
    ///
    /// `type:` begins a pattern for names of types, `attribute:` the full name of an attribute of a parameter.
    ///
    /// # Errors
    /// A pattern is not a glob. The message names the setting.
    pub fn new(obvious: bool, (setting, list): (&str, &str)) -> Result<Self, PatternError> {
        let (mut names, mut types, mut attributes) = (Vec::new(), Vec::new(), Vec::new());
        for pattern in OBVIOUS.into_iter().filter(|_| obvious).chain(split(list)) {
            if let Some(attribute) = pattern.strip_prefix("attribute:") {
                attributes.push(attribute.to_owned());
            } else if let Some(glob) = pattern.strip_prefix("type:") {
                types.push(glob);
            } else {
                names.push(pattern);
            }
        }
        let compile = |patterns: Vec<_>| ScreenedGlobs::new(setting, &patterns);
        Ok(Self { names: compile(names)?, types: compile(types)?, attributes })
    }

    /// Returns whether a parameter is secret, by its name and the name of its type.
    #[must_use]
    pub fn has_parameter(&self, name: &str, type_name: &str) -> bool {
        // `token` usually names a cancellation token.
        if type_name.ends_with("CancellationToken") {
            return false;
        }
        self.names.is_match(name.trim_start_matches('_')) || self.types.is_match(type_name)
    }

    /// Returns whether a field is secret, by its name and its type.
    #[must_use]
    pub fn has_field(&self, name: &str, type_name: &str) -> bool {
        self.has_parameter(name.strip_prefix("m_").unwrap_or(name), type_name)
    }

    /// Returns whether the result of a method is: `CheckPassword` returns no secret, `GetPassword` does.
    #[must_use]
    pub fn has_result(&self, method: &str, type_name: &str) -> bool {
        let name = method.rsplit('.').next().unwrap_or(method);
        let noun = ["get_", "Get", "Read"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
        noun.is_some_and(|noun| self.names.is_match(noun.trim_start_matches('_'))) && type_name != "bool"
            || self.types.is_match(type_name)
    }

    /// Returns the full names of the attributes that make a parameter secret.
    #[must_use]
    pub fn attributes(&self) -> &[String] {
        &self.attributes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_obvious_is_secret() {
        let secrets = Secrets::new(true, ("X", "")).unwrap();
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
            assert!(secrets.has_parameter(name, "string"), "{name}");
        }
        for name in
            ["Authorization", "ConnectionString", "defaultConnectionString", "Credentials", "m_password"]
        {
            assert!(secrets.has_field(name, "string"), "{name}");
        }
        assert!(secrets.has_parameter("x", "System.Security.SecureString"));
        assert!(secrets.has_result("get_Password", "string") && secrets.has_result("GetSecret", "string"));
    }

    #[test]
    fn the_harmless_is_not() {
        let secrets = Secrets::new(true, ("X", "")).unwrap();
        for name in ["user", "keys", "keyboard", "monkey", "tokens", "tokenizer", "length", "passed"] {
            assert!(!secrets.has_parameter(name, "string"), "{name}");
        }
        assert!(!secrets.has_parameter("token", "System.Threading.CancellationToken"));
        assert!(!secrets.has_result("CheckPassword", "bool") && !secrets.has_result("get_Length", "int"));
        assert!(!Secrets::new(false, ("X", "")).unwrap().has_parameter("password", "string"));
    }

    #[test]
    fn patterns_are_for_names_types_and_attributes() {
        let secrets =
            Secrets::new(false, ("X", "pin; type:Shop.Card*; attribute:Shop.SecretAttribute")).unwrap();
        assert!(secrets.has_parameter("PIN", "int") && secrets.has_parameter("a", "Shop.CardNumber"));
        assert!(!secrets.has_parameter("pins", "int"));
        assert_eq!(secrets.attributes(), ["Shop.SecretAttribute"]);
        let error = Secrets::new(false, ("X", "a{b")).unwrap_err().to_string();
        assert!(error.contains("X has a malformed pattern") && error.contains("a{b"), "{error}");
    }
}
