//! Identities in data: as their text.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;

use super::{MethodIdentity, Mvid, TypeIdentity};

macro_rules! as_text {
    ($($name:ty),*) => { $(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )* };
}

as_text!(MethodIdentity, TypeIdentity, Mvid);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_texts() {
        let text = "\"00112233445566778899aabbccddeeff!06000001<int>\"";
        let identity: MethodIdentity = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&identity).unwrap(), text);
        let error = serde_json::from_str::<TypeIdentity>("\"integer\"").unwrap_err();
        assert!(error.to_string().contains("byte 0 should be a type"), "{error}");
    }
}
