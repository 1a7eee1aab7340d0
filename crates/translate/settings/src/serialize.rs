//! Types that derive `serde::Serialize` as values.

use crate::Error;
use crate::value::{Key, Kind, Value};
use serde::ser::{
    self, Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// The value of a setting.
pub(crate) fn value(of: &(impl Serialize + ?Sized)) -> Result<Value, Error> {
    of.serialize(ToValue)
}

impl ser::Error for Error {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        <Self as serde::de::Error>::custom(message)
    }
}

fn unplaced(kind: Kind) -> Value {
    Value { at: 0..0, kind }
}

/// Values of integers of any size.
macro_rules! integers {
    ($($method:ident: $integer:ty),*) => {$(
        fn $method(self, number: $integer) -> Result<Value, Error> {
            Ok(unplaced(Kind::Integer(i128::from(number))))
        }
    )*};
}

struct ToValue;

impl Serializer for ToValue {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = List;
    type SerializeMap = Table;
    type SerializeStruct = Table;
    type SerializeStructVariant = Table;

    integers!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64);
    integers!(serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64);

    fn serialize_bool(self, on: bool) -> Result<Value, Error> {
        Ok(unplaced(Kind::Switch(on)))
    }

    fn serialize_f32(self, number: f32) -> Result<Value, Error> {
        // The shortest digits that identify a number of 32 bits, such as 0.1, are not those of the same number of 64
        // bits.
        Ok(unplaced(Kind::Number(number.to_string().parse().unwrap_or(f64::from(number)))))
    }

    fn serialize_f64(self, number: f64) -> Result<Value, Error> {
        Ok(unplaced(Kind::Number(number)))
    }

    fn serialize_char(self, letter: char) -> Result<Value, Error> {
        Ok(unplaced(Kind::Text(letter.to_string())))
    }

    fn serialize_str(self, text: &str) -> Result<Value, Error> {
        Ok(unplaced(Kind::Text(text.to_owned())))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Value, Error> {
        bytes.serialize(self)
    }

    fn serialize_none(self) -> Result<Value, Error> {
        Ok(unplaced(Kind::Null))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, some: &T) -> Result<Value, Error> {
        some.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(unplaced(Kind::Null))
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Error> {
        Ok(unplaced(Kind::Null))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<Value, Error> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, inner: &T) -> Result<Value, Error> {
        inner.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        settings: &T,
    ) -> Result<Value, Error> {
        Ok(tagged(Some(name), settings.serialize(self)?))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List, Error> {
        Ok(List { items: Vec::new(), variant: None })
    }

    fn serialize_tuple(self, _: usize) -> Result<List, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<List, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, name: &'static str, _: usize) -> Result<List, Error> {
        Ok(List { items: Vec::new(), variant: Some(name) })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Table, Error> {
        Ok(Table { entries: Vec::new(), name: None, variant: None })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Table, Error> {
        self.serialize_map(None)
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, name: &'static str, _: usize) -> Result<Table, Error> {
        Ok(Table { entries: Vec::new(), name: None, variant: Some(name) })
    }
}

/// Settings, with the name of their kind if they are those of one of several.
fn tagged(variant: Option<&str>, settings: Value) -> Value {
    match variant {
        Some(name) => unplaced(Kind::Table(vec![(key(name), settings)])),
        None => settings,
    }
}

fn key(name: &str) -> Key {
    Key { name: name.to_owned(), at: 0..0 }
}

/// A list that is being written.
struct List {
    items: Vec<Value>,
    variant: Option<&'static str>,
}

impl List {
    fn add(&mut self, item: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.items.push(value(item)?);
        Ok(())
    }

    fn done(self) -> Value {
        tagged(self.variant, unplaced(Kind::List(self.items)))
    }
}

/// A table that is being written. A setting that is absent has no key.
struct Table {
    entries: Vec<(Key, Value)>,
    /// The key whose value comes next.
    name: Option<String>,
    variant: Option<&'static str>,
}

impl Table {
    fn add(&mut self, name: &str, setting: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        let setting = value(setting)?;
        if setting.kind != Kind::Null {
            self.entries.push((key(name), setting));
        }
        Ok(())
    }

    fn done(self) -> Value {
        tagged(self.variant, unplaced(Kind::Table(self.entries)))
    }
}

/// The traits of lists, which differ in the name of one method.
macro_rules! lists {
    ($($kind:ident::$method:ident),*) => {$(
        impl $kind for List {
            type Ok = Value;
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Error> {
                self.add(item)
            }

            fn end(self) -> Result<Value, Error> {
                Ok(self.done())
            }
        }
    )*};
}

lists!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

/// The traits of tables whose keys are known.
macro_rules! tables {
    ($($kind:ident),*) => {$(
        impl $kind for Table {
            type Ok = Value;
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, setting: &T) -> Result<(), Error> {
                self.add(name, setting)
            }

            fn end(self) -> Result<Value, Error> {
                Ok(self.done())
            }
        }
    )*};
}

tables!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Table {
    type Ok = Value;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<(), Error> {
        self.name = match value(name)?.kind {
            Kind::Text(name) => Some(name),
            Kind::Integer(number) => Some(number.to_string()),
            _ => return Err(Error::custom("a key that is no text")),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, setting: &T) -> Result<(), Error> {
        let name = self.name.take().unwrap_or_default();
        self.add(&name, setting)
    }

    fn end(self) -> Result<Value, Error> {
        Ok(self.done())
    }
}

#[cfg(test)]
mod tests {
    use crate::{from_toml, to_toml};
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    struct Settings {
        seed: u64,
        rate: f32,
        absent: Option<u8>,
        sizes: (u8, i64),
        kinds: Vec<Kind>,
        names: BTreeMap<String, f64>,
        dropout: f32,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        Plain,
        Wide { width: usize },
        Named(String),
        Pair(bool, char),
    }

    #[test]
    fn what_is_written_is_read_again() {
        let kinds = vec![Kind::Plain, Kind::Wide { width: 3 }, Kind::Named("\"a\"".into()), Kind::Pair(true, 'ä')];
        let names = BTreeMap::from([("a b".into(), 1e-9), ("c".into(), f64::INFINITY)]);
        let settings =
            Settings { seed: u64::MAX, rate: 3e-4, absent: None, sizes: (1, -2), kinds, names, dropout: 0.1 };
        let text = to_toml(&settings).unwrap();
        assert_eq!(from_toml::<Settings>(&text).unwrap(), settings);
        for line in ["rate = 0.0003", "dropout = 0.1", "sizes = [1, -2]", "\"a b\" = 0.000000001", "[names]"] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        assert!(!text.contains("absent"));
    }

    #[test]
    fn what_toml_can_not_say_is_refused() {
        assert!(to_toml(&[1, 2]).is_err());
        assert!(to_toml(&BTreeMap::from([("list", [None, Some(1)])])).is_err());
    }
}
