//! Options of a made-up struct.

use super::*;

#[derive(Debug, Default, Clone, PartialEq)]
struct Oven {
    on: bool,
    heat: f32,
    minutes: usize,
    longest: usize,
    fan: bool,
    grill: Option<f32>,
    mode: Option<bool>,
}

type Item = OptionItem<Oven>;

impl Oven {
    const ITEMS: &'static [Item] = &[
        Item::new("on", OptionGroup::Search, Field::Switch(|o| o.on, |o, on| o.on = on), "Switch it on"),
        Item::new("heat", OptionGroup::Search, Field::Number(|o| o.heat, |o, to| o.heat = to), "How hot it is")
            .range(NumberRange::between(0.0, 250.0))
            .needs("on", "", |o| o.on),
        Item::new("minutes", OptionGroup::Search, Field::Count(|o| o.minutes, |o, to| o.minutes = to), "How long")
            .range(NumberRange::at_least(1.0)),
        Item::new("longest", OptionGroup::Search, Field::Limit(|o| o.longest, |o, to| o.longest = to), "At most")
            .flag(Flag::Other("at-most")),
        Item::new("fan", OptionGroup::Search, Field::Switch(|o| o.fan, |o, on| o.fan = on), "Move the air").needs(
            "on",
            "really",
            |o| o.on,
        ),
        Item::new("grill", OptionGroup::Search, Field::OptionalNumber(|o| o.grill, |o, to| o.grill = to), "")
            .range(NumberRange::above(0.0)),
        Item::new("mode", OptionGroup::Search, Field::Text(|o| o.mode.map(|on| on.to_string()), set_mode), ""),
    ];
}

fn set_mode(oven: &mut Oven, text: Option<&str>) -> Result<(), UnknownName> {
    let parsed = text.map(|text| text.parse().map_err(|_| UnknownName::expected("true or false")));
    oven.mode = parsed.transpose()?;
    Ok(())
}

fn item(name: &str) -> &'static Item {
    Oven::ITEMS.iter().find(|item| item.facts.name == name).expect("an item")
}

#[test]
fn what_is_set_is_read_again() {
    let mut oven = Oven::default();
    for (name, value) in [
        ("on", OptionValue::Switch(true)),
        ("heat", OptionValue::Number(0.1)),
        ("minutes", OptionValue::Count(3)),
        ("longest", OptionValue::None),
        ("longest", OptionValue::Count(7)),
        ("grill", OptionValue::Number(2.5)),
        ("grill", OptionValue::None),
        ("mode", OptionValue::Text("true".into())),
    ] {
        assert_eq!(item(name).set(&mut oven, &value), Ok(()), "{name}");
        assert_eq!(item(name).get(&oven), value, "{name}");
    }
    let expected = Oven { on: true, heat: 0.1, minutes: 3, longest: 7, fan: false, grill: None, mode: Some(true) };
    assert_eq!(oven, expected);
    item("longest").set(&mut oven, &OptionValue::None).expect("no limit");
    assert_eq!(oven.longest, usize::MAX);
}

#[test]
fn faults_name_the_option_as_an_interface_does() {
    let mut oven = Oven::default();
    let set = |oven: &mut Oven, name, value: OptionValue| item(name).set(oven, &value).expect_err("a fault");
    let fault = set(&mut oven, "heat", OptionValue::Number(3.0));
    assert_eq!(fault.to_string(), "heat goes with on");
    assert_eq!(fault.sentence(|name| format!("--{name}")), "--heat goes with --on");
    assert_eq!(set(&mut oven, "fan", OptionValue::Switch(true)).to_string(), "fan goes with on really");
    item("fan").set(&mut oven, &OptionValue::Switch(false)).expect("a switch that is off needs nothing");
    assert_eq!(
        set(&mut oven, "minutes", OptionValue::Switch(true)).to_string(),
        "minutes is on; it must be a whole number of this option"
    );
    assert_eq!(
        set(&mut oven, "mode", OptionValue::Text("so".into())).to_string(),
        "mode is \"so\": expected true or false"
    );
    let flags = ["on", "longest"].map(|name| item(name).facts.long_flag());
    assert_eq!(flags, [Some("on".to_owned()), Some("at-most".to_owned())]);
}

#[test]
fn numbers_out_of_range_are_refused() {
    for (name, oven, expected) in [
        ("heat", Oven { heat: 251.0, ..Oven::default() }, "heat is 251; it must be a number from 0 to 250"),
        ("heat", Oven { heat: f32::NAN, ..Oven::default() }, "heat is NaN; it must be a number from 0 to 250"),
        ("minutes", Oven::default(), "minutes is 0; it must be a whole number from 1 up"),
        ("grill", Oven { grill: Some(0.0), ..Oven::default() }, "grill is 0; it must be a number above 0"),
    ] {
        assert_eq!(item(name).check(&oven).expect_err("a fault").to_string(), expected);
    }
    assert_eq!(item("grill").check(&Oven::default()), Ok(()));
    assert!(NumberRange::at_least_or_infinite(0.0).contains(f64::INFINITY));
    assert!(!NumberRange::at_least(0.0).contains(f64::INFINITY));
    assert_eq!(NumberRange::above(0.0).to(1.0).to_string(), "above 0 and at most 1");
    assert_eq!(NumberRange::at_least(0.0).below(1.0).to_string(), "from 0 up and below 1");
}
