//! Words that translations must and must not contain, line by line and from a glossary:
//! `cargo run --release -p metaphrase --example terms`

use metaphrase::{Case, Glossary, Request, Translator};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Source term, tab, target term; further target terms if any of them will do.
    let glossary = Glossary::parse("house\tGebäude\tBau\nstation\tBahnhof\n", Case::Ignore)?;
    let translator = Translator::builder().model("en-de").glossary(glossary).build()?;
    let options = translator.options();
    let requests = vec![
        Request::translate("The house is old."),
        Request::translate("He took a cab home.").require(["Taxi"]).avoid("fuhr"),
        Request::translate("Where is the station?").prefix("Bitte"),
        Request::translate("Good morning!").require(["Guten Morgen", "Guten Tag"]),
    ];
    for translation in translator.run(&options, requests)? {
        println!("{}", translation.text());
        for met in translation.hypotheses.iter().flat_map(|best| &best.met) {
            println!("    term {} stands at piece {}", met.term, met.first);
        }
        for number in &translation.missing {
            println!("    term {number} is missing");
        }
        for note in &translation.notes {
            println!("    {note}");
        }
    }
    Ok(())
}
