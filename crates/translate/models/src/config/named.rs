//! Members of a closed set, written by their names.

use metaphrase_base::Choice;
use serde::{Deserialize, Deserializer, Serializer, de};

#[expect(clippy::ref_option, reason = "serde passes fields by reference")]
pub(super) fn serialize<T: Choice, S: Serializer>(choice: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    match choice {
        Some(choice) => serializer.serialize_some(choice.name()),
        None => serializer.serialize_none(),
    }
}

pub(super) fn deserialize<'de, T: Choice, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    name.map(|name| T::from_name(&name).map_err(de::Error::custom)).transpose()
}
