//! Values as what serde reads from.

use crate::Error;
use crate::value::{Key, Kind, Value};
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use std::slice::Iter;

impl Value {
    /// The error of a value that is of another kind than expected.
    fn unexpected(&self, expected: &dyn Expected) -> Error {
        let found = match &self.kind {
            Kind::Null => Unexpected::Other("nothing"),
            Kind::Switch(on) => Unexpected::Bool(*on),
            Kind::Integer(number) => match i64::try_from(*number) {
                Ok(number) => Unexpected::Signed(number),
                Err(_) => Unexpected::Other("an integer of more than 64 bits"),
            },
            Kind::Number(number) => Unexpected::Float(*number),
            Kind::Text(text) => Unexpected::Str(text),
            Kind::List(_) => Unexpected::Seq,
            Kind::Table(_) => Unexpected::Map,
        };
        Error::invalid_type(found, expected)
    }

    /// The values of a list; a key without a value is an empty one.
    fn items(&self, expected: &dyn Expected) -> Result<&[Value], Error> {
        match &self.kind {
            Kind::List(items) => Ok(items),
            Kind::Null => Ok(&[]),
            _ => Err(self.unexpected(expected)),
        }
    }

    /// The entries of a table; a key without a value is an empty one.
    fn entries(&self, expected: &dyn Expected) -> Result<&[(Key, Value)], Error> {
        match &self.kind {
            Kind::Table(entries) => Ok(entries),
            Kind::Null => Ok(&[]),
            _ => Err(self.unexpected(expected)),
        }
    }
}

/// Methods that do what another one does.
macro_rules! as_another {
    ($($method:ident as $other:ident;)*) => {$(
        fn $method<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
            self.$other(visitor)
        }
    )*};
}

impl<'v> Deserializer<'v> for &'v Value {
    type Error = Error;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.kind {
            Kind::Null => visitor.visit_unit(),
            Kind::Switch(on) => visitor.visit_bool(*on),
            Kind::Integer(_) => self.deserialize_i64(visitor),
            Kind::Number(number) => visitor.visit_f64(*number),
            Kind::Text(text) => visitor.visit_borrowed_str(text),
            Kind::List(_) => self.deserialize_seq(visitor),
            Kind::Table(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.kind {
            Kind::Switch(on) => visitor.visit_bool(on),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_i64<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        let Kind::Integer(number) = self.kind else { return Err(self.unexpected(&visitor)) };
        match (i64::try_from(number), u64::try_from(number)) {
            (Ok(number), _) => visitor.visit_i64(number),
            (_, Ok(number)) => visitor.visit_u64(number),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_f64<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.kind {
            Kind::Number(number) => visitor.visit_f64(number),
            Kind::Integer(number) => visitor.visit_f64(number as f64),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.kind {
            Kind::Text(text) => visitor.visit_borrowed_str(text),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.kind {
            Kind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        let items = self.items(&visitor)?;
        let mut rest = items.iter();
        let read = visitor.visit_seq(Items(&mut rest))?;
        match rest.len() {
            0 => Ok(read),
            more => Err(Error::custom(format!("{} values, where {} are expected", items.len(), items.len() - more))),
        }
    }

    fn deserialize_map<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        let entries = self.entries(&visitor)?.iter();
        visitor.visit_map(Entries { entries, value: None })
    }

    fn deserialize_unit<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.kind {
            Kind::Null => visitor.visit_unit(),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'v>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_unit_struct<V: Visitor<'v>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_tuple<V: Visitor<'v>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match &self.kind {
            Kind::Text(text) => visitor.visit_enum(Variant { name: text, settings: None }),
            Kind::Table(entries) => match &entries[..] {
                [(key, settings)] => visitor
                    .visit_enum(Variant { name: &key.name, settings: Some(settings) })
                    .map_err(|error| error.at(&key.at)),
                several => Err(Error::custom(format!("a table of {} kinds, where one is expected", several.len()))),
            },
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    as_another! {
        deserialize_i8 as deserialize_i64;
        deserialize_i16 as deserialize_i64;
        deserialize_i32 as deserialize_i64;
        deserialize_u8 as deserialize_i64;
        deserialize_u16 as deserialize_i64;
        deserialize_u32 as deserialize_i64;
        deserialize_u64 as deserialize_i64;
        deserialize_f32 as deserialize_f64;
        deserialize_char as deserialize_str;
        deserialize_string as deserialize_str;
        deserialize_identifier as deserialize_str;
        deserialize_bytes as deserialize_any;
        deserialize_byte_buf as deserialize_any;
    }
}

/// The values of a list that were not read yet.
struct Items<'i, 'v>(&'i mut Iter<'v, Value>);

impl<'v> SeqAccess<'v> for Items<'_, 'v> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(value) = self.0.next() else { return Ok(None) };
        seed.deserialize(value).map(Some).map_err(|error| error.at(&value.at))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The entries of a table that were not read yet.
struct Entries<'v> {
    entries: Iter<'v, (Key, Value)>,
    /// The value of the key that was read.
    value: Option<&'v Value>,
}

impl<'v> MapAccess<'v> for Entries<'v> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'v>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        let name: StrDeserializer<'_, Error> = key.name.as_str().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|error| error.at(&key.at))
    }

    fn next_value_seed<V: DeserializeSeed<'v>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let value = self.value.take().ok_or_else(|| Error::custom("a value without its key"))?;
        seed.deserialize(value).map_err(|error| error.at(&value.at))
    }
}

/// One of several kinds: its name alone, or with its settings.
struct Variant<'v> {
    name: &'v str,
    settings: Option<&'v Value>,
}

impl<'v> EnumAccess<'v> for Variant<'v> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'v>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let name: StrDeserializer<'_, Error> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'v> Variant<'v> {
    fn settings(&self) -> Result<&'v Value, Error> {
        self.settings.ok_or_else(|| Error::custom(format!("`{0}` has settings: write {{ {0} = {{ … }} }}", self.name)))
    }
}

impl<'v> VariantAccess<'v> for Variant<'v> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.settings.map(|settings| &settings.kind) {
            None | Some(Kind::Null) => Ok(()),
            Some(Kind::Table(entries)) if entries.is_empty() => Ok(()),
            Some(_) => Err(Error::custom(format!("`{}` has no settings", self.name))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'v>>(self, seed: T) -> Result<T::Value, Error> {
        let settings = self.settings()?;
        seed.deserialize(settings).map_err(|error| error.at(&settings.at))
    }

    fn tuple_variant<V: Visitor<'v>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        let settings = self.settings()?;
        settings.deserialize_seq(visitor).map_err(|error| error.at(&settings.at))
    }

    fn struct_variant<V: Visitor<'v>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        let settings = self.settings()?;
        settings.deserialize_map(visitor).map_err(|error| error.at(&settings.at))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Error, from_toml, from_yaml};
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "kebab-case", deny_unknown_fields)]
    struct Recipe {
        seed: u64,
        rate: f32,
        name: Option<String>,
        #[serde(default)]
        sizes: Vec<usize>,
        pair: [u8; 2],
        cell: Cell,
        other_cell: Cell,
        value: Flag,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Cell {
        Gru,
        Lstm(Lstm),
        Wide { width: usize },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Lstm {
        layers: usize,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Flag {
        Switch(bool),
        Number(f32),
        Text(String),
    }

    const TOML: &str = "seed = 18446744073709551615\nrate = 1\nname = \"a\"\nsizes = [1, 0x10]\npair = [1, 2]\n\
        cell = \"gru\"\nvalue = 0.5\n[other-cell.lstm]\nlayers = 2\n";

    fn recipe() -> Recipe {
        Recipe {
            seed: u64::MAX,
            rate: 1.0,
            name: Some("a".into()),
            sizes: vec![1, 16],
            pair: [1, 2],
            cell: Cell::Gru,
            other_cell: Cell::Lstm(Lstm { layers: 2 }),
            value: Flag::Number(0.5),
        }
    }

    #[test]
    fn both_formats_give_all_kinds_of_values() {
        assert_eq!(from_toml::<Recipe>(TOML), Ok(recipe()));
        let yaml = "seed: 18446744073709551615\nrate: 1\nname: ~\nsizes:\npair: [1, 2]\ncell: {wide: {width: 3}}\n\
            other-cell: {gru: {}}\nvalue: on\n";
        let (name, sizes) = (None, vec![]);
        let (cell, other_cell, value) = (Cell::Wide { width: 3 }, Cell::Gru, Flag::Text("on".into()));
        assert_eq!(from_yaml(yaml), Ok(Recipe { name, sizes, cell, other_cell, value, ..recipe() }));
    }

    #[test]
    fn an_error_is_that_of_the_innermost_value() {
        let with = |from: &str, to: &str| {
            let text = TOML.replace(from, to);
            assert_ne!(text, TOML);
            let error: Error = from_toml::<Recipe>(&text).expect_err(to);
            let span = error.span().map(|span| text[span].to_owned());
            (error.message().to_owned(), error.line(&text), span.unwrap_or_default())
        };
        let cases = [
            ("sizes = [1, 0x10]", "sizes = [1, -1]", "invalid value: integer `-1`, expected usize", 4, "-1"),
            ("name = \"a\"", "name = 1", "invalid type: integer `1`, expected a string", 3, "1"),
            ("[1, 2]", "[1, 2, 3]", "3 values, where 2 are expected", 5, "[1, 2, 3]"),
            ("[1, 2]", "[1]", "invalid length 1, expected an array of length 2", 5, "[1]"),
            ("\"gru\"", "\"grue\"", "unknown variant `grue`, expected one of `gru`, `lstm`, `wide`", 6, "\"grue\""),
            ("\"gru\"", "\"lstm\"", "`lstm` has settings: write { lstm = { … } }", 6, "\"lstm\""),
            ("\"gru\"", "{ gru = 1 }", "`gru` has no settings", 6, "gru"),
            ("layers", "layer", "unknown field `layer`, expected `layers`", 9, "layer"),
            ("cell = \"gru\"\n", "", "missing field `cell`", 1, ""),
            (
                "rate = 1",
                "rate = 1979-05-27",
                "a date, where no setting is one; put text in quotation marks",
                2,
                "1979-05-27",
            ),
            ("seed = 1", "seed = 999999999991", "invalid type: an integer of more than 64 bits, expected u64", 1, ""),
        ];
        for (from, to, message, line, span) in cases {
            let found = with(from, to);
            assert_eq!((found.0.as_str(), found.1), (message, line));
            assert!(span.is_empty() || found.2 == span, "{found:?}");
        }
        let error = from_yaml::<Recipe>("seed: 1\nrate: fast\n").expect_err("a word");
        assert_eq!(
            (error.line("seed: 1\nrate: fast\n"), error.message()),
            (2, "invalid type: string \"fast\", expected f32")
        );
    }
}
