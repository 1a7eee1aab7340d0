//! TOML as values.

use crate::Error;
use crate::serialize;
use crate::value::{Key, Kind, Value};
use serde::de::{self, DeserializeOwned};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads the settings in a TOML text.
///
/// # Errors
/// If the text is not TOML, or if a value does not fit `T`.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let table = DeTable::parse(text)?;
    from_table(table.get_ref(), table.span())
}

impl From<toml::de::Error> for Error {
    fn from(error: toml::de::Error) -> Self {
        Self { at: error.span(), ..de::Error::custom(error.message()) }
    }
}

/// Reads settings from the table of a TOML text. `at`: the bytes of the text, the place of keys that the table lacks.
///
/// # Errors
/// If a value does not fit `T`.
pub fn from_table<T: DeserializeOwned>(table: &DeTable<'_>, at: Range<usize>) -> Result<T, Error> {
    let table = Value { at, kind: Kind::Table(entries(table)?) };
    T::deserialize(&table).map_err(|error| error.at(&table.at))
}

fn entries(table: &DeTable<'_>) -> Result<Vec<(Key, Value)>, Error> {
    let entry = |(name, of): (&Spanned<Cow<'_, str>>, _)| {
        let key = Key { name: name.get_ref().clone().into_owned(), at: name.span() };
        Ok((key, value(of)?))
    };
    table.iter().map(entry).collect()
}

fn value(value: &Spanned<DeValue<'_>>) -> Result<Value, Error> {
    let at = value.span();
    let wrong = |what: &str| Error::new(what, at.clone());
    let kind = match value.get_ref() {
        DeValue::String(text) => Kind::Text(text.clone().into_owned()),
        DeValue::Boolean(on) => Kind::Switch(*on),
        DeValue::Integer(digits) => {
            let number = i128::from_str_radix(digits.as_str(), digits.radix());
            Kind::Integer(number.map_err(|_| wrong("the integer is too large"))?)
        }
        DeValue::Float(digits) => Kind::Number(digits.as_str().parse().map_err(|_| wrong("this is not a number"))?),
        DeValue::Datetime(_) => return Err(wrong("a date, where no setting is one; put text in quotation marks")),
        DeValue::Array(list) => Kind::List(list.iter().map(self::value).collect::<Result<_, _>>()?),
        DeValue::Table(table) => Kind::Table(entries(table)?),
    };
    Ok(Value { at, kind })
}

/// Writes settings as a TOML text. A setting that is `None` is left out.
///
/// # Errors
/// If the settings are not those of a table, or have values without a form in TOML, such as a list with an empty place.
pub fn to_toml(settings: &impl Serialize) -> Result<String, Error> {
    let value = serialize::value(settings)?;
    toml::to_string(&value).map_err(de::Error::custom)
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.kind {
            Kind::Null => serializer.serialize_none(),
            Kind::Switch(on) => serializer.serialize_bool(*on),
            Kind::Integer(number) => match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => serializer.serialize_i64(number),
                (_, Ok(number)) => serializer.serialize_u64(number),
                _ => Err(S::Error::custom("an integer of more than 64 bits")),
            },
            Kind::Number(number) => serializer.serialize_f64(*number),
            Kind::Text(text) => serializer.serialize_str(text),
            Kind::List(items) => serializer.collect_seq(items),
            Kind::Table(entries) => {
                let mut table = serializer.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|(key, value)| table.serialize_entry(&key.name, value))?;
                table.end()
            }
        }
    }
}
