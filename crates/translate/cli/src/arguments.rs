//! The arguments of the command line before they are parsed.

use clap::Command;
use std::ffi::OsString;

/// Lets no option take the text after it for its value: an option whose value may be left out moves to the end of the
/// options if the next argument has a blank in it, which no value of such an option has. So `--split "Good morning!"`
/// is an option and a text.
pub fn with_texts_apart(command: &Command, mut arguments: Vec<OsString>) -> Vec<OsString> {
    let names = names_without_value(command, &arguments);
    let (mut number, mut end) = (1, options_end(&arguments));
    // Each move makes the rest shorter by one.
    while number + 1 < end {
        let is_text = arguments[number + 1].to_str().is_some_and(|next| next.trim().contains(char::is_whitespace));
        if is_text && arguments[number].to_str().is_some_and(|argument| names.iter().any(|name| name == argument)) {
            let last = options_end(&arguments);
            arguments[number..last].rotate_left(1);
            end -= 1;
        } else {
            number += 1;
        }
    }
    arguments
}

/// The number of options and texts before `--`.
fn options_end(arguments: &[OsString]) -> usize {
    arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len())
}

/// The options of the command that these arguments name which go without a value, too, unless it is a file.
fn names_without_value(command: &Command, arguments: &[OsString]) -> Vec<String> {
    let named = arguments.iter().find_map(|argument| command.find_subcommand(argument.to_str()?));
    let optional = named.into_iter().flat_map(Command::get_arguments).filter(|argument| {
        let takes_any_text = argument.get_value_hint() == clap::ValueHint::FilePath;
        argument.get_num_args().is_some_and(|count| count.min_values() == 0 && count.max_values() == 1)
            && !takes_any_text
    });
    optional.filter_map(|argument| Some(format!("--{}", argument.get_long()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, CommandFactory};

    #[test]
    fn texts_are_no_values() {
        let arranged = |line: &[&str]| {
            let mut command = crate::Cli::command();
            command.build();
            let arguments = ["metaphrase", "translate"].iter().chain(line).map(OsString::from).collect();
            let arranged = with_texts_apart(&command, arguments);
            arranged[2..].iter().map(|argument| argument.to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        for (line, expected) in [
            (&["--split", "Good morning!"][..], &["Good morning!", "--split"][..]),
            (&["--split", "Good morning!", "I am tired."], &["Good morning!", "I am tired.", "--split"]),
            (&["--alignment", "a b", "-b", "2"], &["a b", "-b", "2", "--alignment"]),
            (&["--split", "--alignment", "a b", "--", "c d"], &["--split", "a b", "--alignment", "--", "c d"]),
            (&["--split", "wrapped", "a b"], &["--split", "wrapped", "a b"]),
            (&["--split"], &["--split"]),
            (&["--", "--split", "a b"], &["--", "--split", "a b"]),
            (&["--lmbr", "my folder/a.txt"], &["--lmbr", "my folder/a.txt"]),
            (&["-i", "a b.txt"], &["-i", "a b.txt"]),
        ] {
            assert_eq!(arranged(line), expected, "{line:?}");
        }
        let command = Command::new("a").subcommand(Command::new("b").arg(Arg::new("c").long("c").num_args(0..=1)));
        assert_eq!(names_without_value(&command, &["a".into()]), [""; 0]);
    }
}
