//! Secret values: patterns of names, types and attributes.

use crate::patterns::{PatternError, split};
use crate::screened::ScreenedGlobs;

/// The default patterns: for the names of parameters, fields and properties, and of methods and properties with a secret
/// result. `key` alone is not among them: it is the parameter of every dictionary. Numbers are secrets too: a card has one.
const OBVIOUS: [&str; 13] = [
    "*password*",
    "*passwd*",
    "*passphrase*",
    "pwd",
    "*secret*",
    "*{access,api,auth,bearer,csrf,id,refresh,sas,security,session}token",
    "*api{,_}key*",
    "*{access,account,encryption,private,shared,signing}{,_}key*",
    "authorization",
    "*credential*",
    "*connection{,_}string*",
    "cookie",
    "type:System.Security.SecureString",
];

/// A name that is a secret only if the value is a text: parsers and compilers have tokens too, and so have value-task sources.
const TOKEN: &str = "token";

/// The C# names of types whose values are no secrets, whatever they are called: truth values, times.
const HARMLESS: [&str; 6] = [
    "bool",
    "void",
    "System.DateTime",
    "System.DateTimeOffset",
    "System.TimeSpan",
    "System.Threading.CancellationToken",
];

/// The C# names of the types of numbers, which say how long or how many a secret is if their name ends in a [measure](MEASURES).
const NUMBERS: [&str; 11] =
    ["sbyte", "byte", "short", "ushort", "int", "uint", "long", "ulong", "nint", "nuint", "double"];

/// What a number's name ends in that measures a secret and is none.
const MEASURES: [&str; 6] = ["length", "count", "size", "index", "version", "timeout"];

/// The C# names of types that hold a text.
const TEXTS: [&str; 10] = [
    "string",
    "object",
    "char[]",
    "byte[]",
    "System.ReadOnlySpan<char>",
    "System.Span<char>",
    "System.ReadOnlyMemory<char>",
    "System.Memory<char>",
    "System.ReadOnlySpan<byte>",
    "System.ReadOnlyMemory<byte>",
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
    /// The default patterns of names.
    obvious: ScreenedGlobs,
    has_obvious: bool,
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
        let (mut obvious_names, mut names, mut types, mut attributes) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let own = split(list).map(|pattern| (pattern, false));
        for (pattern, is_obvious) in
            OBVIOUS.into_iter().filter(|_| obvious).map(|pattern| (pattern, true)).chain(own)
        {
            if let Some(attribute) = pattern.strip_prefix("attribute:") {
                attributes.push(attribute.to_owned());
            } else if let Some(glob) = pattern.strip_prefix("type:") {
                types.push(glob);
            } else if is_obvious {
                obvious_names.push(pattern);
            } else {
                names.push(pattern);
            }
        }
        let compile = |patterns: Vec<_>| ScreenedGlobs::new(setting, &patterns);
        let (obvious_names, names, types) = (compile(obvious_names)?, compile(names)?, compile(types)?);
        Ok(Self { obvious: obvious_names, has_obvious: obvious, names, types, attributes })
    }

    /// Returns whether a name means a secret in a value of this type.
    fn has_name(&self, name: &str, type_name: &str) -> bool {
        let name = name.trim_start_matches('_');
        let held = type_name.strip_suffix('?').unwrap_or(type_name);
        let measures = || NUMBERS.contains(&held) && ends_in_measure(name);
        self.names.is_match(name)
            || (self.has_obvious && name.eq_ignore_ascii_case(TOKEN) && TEXTS.contains(&held))
            || (self.obvious.is_match(name) && !HARMLESS.contains(&held) && !measures())
    }

    /// Returns whether a parameter is secret, by its name and the C# name of its type.
    ///
    /// The default names are not for a `bool` or a time, nor for a number that measures (`passwordLength`), and `token` alone is for
    /// a text only. A name of the setting is for every type.
    #[must_use]
    pub fn has_parameter(&self, name: &str, type_name: &str) -> bool {
        self.has_name(name, type_name) || self.types.is_match(type_name)
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
        noun.is_some_and(|noun| self.has_name(noun, type_name)) && type_name != "bool"
            || self.types.is_match(type_name)
    }

    /// Returns the full names of the attributes that make a parameter secret.
    #[must_use]
    pub fn attributes(&self) -> &[String] {
        &self.attributes
    }
}

/// Returns whether a name ends in a measure, in any case.
fn ends_in_measure(name: &str) -> bool {
    let ends_in = |measure: &str| {
        let start = name.len().checked_sub(measure.len());
        start.and_then(|start| name.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(measure))
    };
    MEASURES.into_iter().any(ends_in)
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
        for type_name in ["string?", "char[]", "byte[]", "object", "System.ReadOnlySpan<char>"] {
            assert!(secrets.has_parameter("token", type_name), "{type_name}");
        }
        assert!(secrets.has_parameter("password", "System.Security.SecureString?"));
        assert!(secrets.has_parameter("credentials", "System.Net.NetworkCredential"));
        assert!(secrets.has_parameter("x", "System.Security.SecureString"));
        assert!(secrets.has_parameter("secretNumber", "int") && secrets.has_parameter("apiToken", "long?"));
        assert!(secrets.has_result("get_Password", "string") && secrets.has_result("GetSecret", "string"));
    }

    #[test]
    fn the_harmless_is_not() {
        let secrets = Secrets::new(true, ("X", "")).unwrap();
        for name in ["user", "keys", "keyboard", "monkey", "tokens", "tokenizer", "length", "passed"] {
            assert!(!secrets.has_parameter(name, "string"), "{name}");
        }
        assert!(!secrets.has_parameter("token", "System.Threading.CancellationToken"));
        // Of a value-task source, a compiler, a parser, a metadata reader.
        for type_name in
            ["short", "int", "Microsoft.CodeAnalysis.SyntaxToken", "Newtonsoft.Json.Linq.JToken", "uint?"]
        {
            assert!(!secrets.has_parameter("token", type_name), "{type_name}");
            assert!(
                !secrets.has_field("_token", type_name) && !secrets.has_result("get_Token", type_name),
                "{type_name}"
            );
        }
        for (name, type_name) in [
            ("requirePassword", "bool"),
            ("passwordLength", "int"),
            ("SecretCount", "long?"),
            ("secretExpires", "System.DateTime?"),
        ] {
            assert!(!secrets.has_parameter(name, type_name), "{name}");
        }
        // What the user names is for every type.
        let own = Secrets::new(true, ("X", "token; passwordLength")).unwrap();
        assert!(own.has_parameter("token", "short") && own.has_parameter("passwordLength", "int"));
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
