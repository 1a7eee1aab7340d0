//! What people write inside sentences comes back whole: inputs from the field, and more of their kinds.
//!
//! The translation of a word is the word in capitals, so that what was kept shows.

use crate::files::{archive, part};
use metaphrase_document::{Answer, FileFormat, Format, Link, Options, SegmentedFile, SegmentedText, Source};

/// A sentence in capitals, as models write: blanks are single, and no blank stands before punctuation.
fn capitals(source: &Source<'_>) -> Answer {
    let text = source.text.as_ref();
    let (mut out, mut kept, mut links) = (String::new(), Vec::new(), Vec::new());
    let mut word: Option<(usize, usize)> = None;
    let mut end_word = |word: &mut Option<(usize, usize)>, at: usize, out: &str| {
        if let Some((from, to)) = word.take() {
            links.push(Link { source: from..at, target: to..out.len(), weight: 1.0 });
        }
    };
    let mut things = source.kept.iter().peekable();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if let Some(thing) = things.next_if(|thing| thing.range.start == at) {
            end_word(&mut word, at, &out);
            kept.push(Some(out.len()..out.len() + thing.range.len()));
            word = Some((at, out.len()));
            out.push_str(&text[thing.range.clone()]);
            at = thing.range.end;
            end_word(&mut word, at, &out);
            continue;
        }
        let next = at + c.len_utf8();
        let ends = text[next..].chars().next().is_none_or(char::is_whitespace);
        if c.is_whitespace() {
            end_word(&mut word, at, &out);
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if c.is_alphanumeric() {
            word = word.or(Some((at, out.len())));
            out.extend(c.to_uppercase());
        } else {
            end_word(&mut word, at, &out);
            if matches!(c, '.' | ',' | '!' | '?' | ';' | ':') && ends {
                out.truncate(out.trim_end().len());
            }
            word = Some((at, out.len()));
            out.push(c);
            end_word(&mut word, next, &out);
        }
        at = next;
    }
    end_word(&mut word, at, &out);
    Answer { text: out.trim().to_owned(), kept, links }
}

fn translated(input: &str, format: Format) -> String {
    let text = SegmentedText::new(input, &Options { format, ..Options::default() }).unwrap();
    let answers: Vec<_> = text.sentences().map(|source| Some(capitals(&source))).collect();
    text.finish(&answers).text
}

fn translated_file(input: &str, format: FileFormat) -> String {
    let file = SegmentedFile::new(input.as_bytes().to_vec(), format, &Options::default()).unwrap();
    let answers: Vec<_> = file.sentences().map(|source| Some(capitals(&source))).collect();
    String::from_utf8(file.finish(&answers).unwrap().bytes).unwrap()
}

/// Reports all lines that come back in another way, not the first one alone.
fn all_come_back(cases: &[(&str, &str)], translate: impl Fn(&str) -> String) {
    let wrong = |(input, expected): &(&str, &str)| {
        let found = translate(input);
        (found != *expected).then(|| format!("{input}\n  expected {expected}\n  found    {found}\n"))
    };
    let wrong: Vec<String> = cases.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.concat());
}

#[test]
fn pictures_keep_their_blanks() {
    let cases = [
        ("I love dogs 🐶!", "I LOVE DOGS 🐶!"),
        ("Hello 👦, how are you?", "HELLO 👦, HOW ARE YOU?"),
        ("I love you ❤️.", "I LOVE YOU ❤️."),
        ("Good morning ☕!", "GOOD MORNING ☕!"),
        ("Great job 👍🏽 everyone 👩‍👩‍👧‍👦, see you in 🇩🇪 soon.", "GREAT JOB 👍🏽 EVERYONE 👩‍👩‍👧‍👦, SEE YOU IN 🇩🇪 SOON."),
        ("1️⃣ First step", "1️⃣ FIRST STEP"),
        ("Press 2️⃣ or #️⃣ now", "PRESS 2️⃣ OR #️⃣ NOW"),
        ("❤️ Thank you ☺️", "❤️ THANK YOU ☺️"),
        ("Meet at 5 ⏰ – don’t be late ⚠️", "MEET AT 5 ⏰ – DON’T BE LATE ⚠️"),
        ("🎉🎉🎉", "🎉🎉🎉"),
        ("🌷🌷🌷 🌷", "🌷🌷🌷 🌷"),
        ("Play ▶️ or pause ⏸️ the song", "PLAY ▶️ OR PAUSE ⏸️ THE SONG"),
        ("Go ➡️ right, ↩️ back, ⤴️ up", "GO ➡️ RIGHT, ↩️ BACK, ⤴️ UP"),
        ("Acme™️ and Beta©️ win", "ACME™️ AND BETA©️ WIN"),
        ("Stars ⭐⭐⭐ here", "STARS ⭐⭐⭐ HERE"),
        ("Wait ⌛ or ⏳ now ⌚", "WAIT ⌛ OR ⏳ NOW ⌚"),
        ("What‼️ Really⁉️", "WHAT‼️ REALLY⁉️"),
        ("Flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿 and 🏳️‍🌈 here", "FLAG 🏴󠁧󠁢󠁥󠁮󠁧󠁿 AND 🏳️‍🌈 HERE"),
        ("Wave 👋🏿👋🏻 to 👨🏾‍🚀!", "WAVE 👋🏿👋🏻 TO 👨🏾‍🚀!"),
        ("She said “hi 😀” twice", "SHE SAID “HI 😀” TWICE"),
        ("(nice 😀) day", "(NICE 😀) DAY"),
        ("yes😀no", "YES😀NO"),
        ("Hello 😀 🎉 world", "HELLO 😀 🎉 WORLD"),
        ("Hello 😀🎉 world", "HELLO 😀🎉 WORLD"),
        ("Melting 🫠, dotted 🫥 and goose 🪿", "MELTING 🫠, DOTTED 🫥 AND GOOSE 🪿"),
        ("Happy birthday, 🎂, my friend.", "HAPPY BIRTHDAY, 🎂, MY FRIEND."),
        ("I like 🍕, 🍔 and 🍟.", "I LIKE 🍕, 🍔 AND 🍟."),
        ("✅ Task done ❌ Task not done", "✅ TASK DONE ❌ TASK NOT DONE"),
        ("🏠House 🌳Garden", "🏠HOUSE 🌳GARDEN"),
        ("He said \"I love you 😍\" and left.", "HE SAID \"I LOVE YOU 😍\" AND LEFT."),
        ("Dinner 🍽️ at 7, bring 🍷!", "DINNER 🍽️ AT 7, BRING 🍷!"),
        ("㊗️ Congratulations Ⓜ️ line", "㊗️ CONGRATULATIONS Ⓜ️ LINE"),
    ];
    all_come_back(&cases, |input| translated(input, Format::Text));
}

/// Models read no blank before punctuation, a name for a noun, and one sentence after each picture of a list.
#[test]
fn pictures_leave_readable_sentences() {
    let read = |text: &str| {
        let text = SegmentedText::new(text, &Options::default()).unwrap();
        text.sentences().map(|source| source.text.into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(read("I love you 😍!"), ["I love you!"]);
    assert_eq!(read("I like 🍕, 🍔 and 🍟."), ["I like X1, X2 and X3."]);
    assert_eq!(read("✅ Task done ❌ Task not done"), ["Task done", "Task not done"]);
    assert_eq!(read("Ich mag das 😀 Haus"), ["Ich mag das  Haus"]);
    let other = |source: &str, target: &str, links: &[(&str, &str)]| {
        let text = SegmentedText::new(source, &Options::default()).unwrap();
        let shown = text.source(0).unwrap().text.into_owned();
        let place = |text: &str, word: &str| text.find(word).map(|at| at..at + word.len());
        let link = |(from, to): &(&str, &str)| {
            Some(Link { source: place(&shown, from)?, target: place(target, to)?, weight: 1.0 })
        };
        let links = links.iter().filter_map(link).collect();
        text.finish(&[Some(Answer { text: target.into(), links, ..Answer::default() })]).text
    };
    // A comma of the source is missing.
    let links = [("Happy", "Alles"), ("birthday", "Gute"), ("my", "mein"), ("friend", "Freund")];
    assert_eq!(other("Happy birthday, 🎂, my friend", "Alles Gute, mein Freund", &links), "Alles Gute 🎂, mein Freund");
    // Before the last mark in the source: before the last mark of the translation, wherever the word before it goes.
    let links = [("Is", "Regnet"), ("it", "es"), ("raining", "Regnet")];
    assert_eq!(other("Is it raining ☔?", "Regnet es?", &links), "Regnet es ☔?");
    let links = [("meet", "treffen"), ("at", "um"), ("noon", "zwölf")];
    assert_eq!(other("We meet at noon ⏰...", "Um zwölf Uhr...", &links), "Um zwölf Uhr ⏰...");
    let links = [("Meeting", "Reunião"), ("Monday", "segunda"), ("now", "agora")];
    assert_eq!(other("Meeting Monday 📅 now", "Reunião segunda-feira agora", &links), "Reunião segunda-feira 📅 agora");
}

#[test]
fn characters_that_no_reader_sees_do_not_reach_the_model() {
    let cases = [
        ("The inter\u{ad}national associ\u{ad}ation meets to\u{ad}day.", "THE INTERNATIONAL ASSOCIATION MEETS TODAY."),
        ("zero\u{200b}width and\u{2060} join\u{feff}er", "ZEROWIDTH AND JOINER"),
        ("a\u{ad}\u{ad}b \u{ad}", "AB "),
    ];
    all_come_back(&cases, |input| translated(input, Format::Text));
    let html = "<p>The inter&shy;national <b>to&#173;day</b>&#8203; x</p>";
    assert_eq!(translated(html, Format::Html), "<p>THE INTERNATIONAL <b>TODAY</b> X</p>");
    let text = SegmentedText::new("to\u{ad}day {x\u{ad}y} \u{200b}", &Options::default()).unwrap();
    assert_eq!(text.sentences().next().unwrap().text, "today {xy}");
    assert_eq!(text.finish(&[]).text, "to\u{ad}day {x\u{ad}y} \u{200b}");
}

#[test]
fn things_of_programs_stay() {
    let cases = [
        ("Run `git commit -m \"message\"` to save.", "RUN `git commit -m \"message\"` TO SAVE."),
        ("Use ``code`` and :ref:`the house <house>`.", "USE ``code`` AND :ref:`THE HOUSE <house>`."),
        ("See `our page <https://example.org>`_ please.", "SEE `OUR PAGE <https://example.org>`_ PLEASE."),
        ("The :class:`Foo` and |version| here", "THE :class:`Foo` AND |version| HERE"),
        ("The function printf(\"%d\\n\", x) prints.", "THE FUNCTION printf(\"%d\\n\", x) PRINTS."),
        ("Use the --force option or -v.", "USE THE --force OPTION OR -v."),
        ("Use --output=file.txt now", "USE --output=file.txt NOW"),
        ("Open C:\\Program Files\\App\\readme.txt.", "OPEN C:\\Program Files\\App\\readme.txt."),
        ("The path is C:\\\\temp\\\\new now", "THE PATH IS C:\\\\temp\\\\new NOW"),
        ("Copy \\\\server\\share\\new to D:\\", "COPY \\\\server\\share\\new TO D:\\"),
        ("Edit /etc/nginx/nginx.conf and restart.", "EDIT /etc/nginx/nginx.conf AND RESTART."),
        ("See ~/.bashrc, ./run.sh or ../lib/x.", "SEE ~/.bashrc, ./run.sh OR ../lib/x."),
        ("Open src/main.rs and config.yaml, please", "OPEN src/main.rs AND config.yaml, PLEASE"),
        ("Set MAX_CONNECTIONS=100 in the file.", "SET MAX_CONNECTIONS=100 IN THE FILE."),
        ("The variable user_name is not defined.", "THE VARIABLE user_name IS NOT DEFINED."),
        ("Call foo.bar(x) or run() first.", "CALL foo.bar(x) OR run() FIRST."),
        ("Hello [[user]]!", "HELLO [[user]]!"),
        ("User %%name%% not found", "USER %%name%% NOT FOUND"),
        ("Hello %name% and __NAME__, __init__", "HELLO %name% AND __NAME__, __init__"),
        ("Dear $firstName$,", "DEAR $firstName$,"),
        ("Press {{Ctrl}}+{{C}} now", "PRESS {{Ctrl}}+{{C}} NOW"),
        ("On {day}/{month}/{year} at {h}:{m}", "ON {day}/{month}/{year} AT {h}:{m}"),
        ("Hello :name, you have :count messages", "HELLO :name, YOU HAVE :count MESSAGES"),
        ("<%= user.name %> has joined", "<%= user.name %> HAS JOINED"),
        ("Hi <?php echo $x; ?> there", "HI <?php echo $x; ?> THERE"),
        ("{% if user %}Welcome back{% endif %}", "{% if user %}WELCOME BACK{% endif %}"),
        ("{% if a %}Yes{% else %}No{% endif %}", "{% if a %}YES{% else %}NO{% endif %}"),
        ("Hi {{#if x}}dear {{name}}{{/if}}, bye", "HI {{#if x}}DEAR {{name}}{{/if}}, BYE"),
        ("<% if x %>Hello<% end %> world", "<% if x %>HELLO<% end %> WORLD"),
        ("First line\\nSecond line", "FIRST LINE\\nSECOND LINE"),
        ("Tab\\there", "TAB\\tHERE"),
        ("One.\\r\\nTwo.", "ONE.\\r\\nTWO."),
        ("It\\'s a \\\"test\\\"", "IT\\'S A \\\"TEST\\\""),
        ("Press \\u00a9 now", "PRESS \\u00a9 NOW"),
        ("Salt &amp; pepper", "SALT &amp; PEPPER"),
        ("It&#39;s a nice day.", "IT&#39;S A NICE DAY."),
        ("Press &lt;Enter&gt; to continue.", "PRESS &lt;ENTER&gt; TO CONTINUE."),
        ("5 &gt; 3 &amp;&amp; 2 &lt; four", "5 &gt; 3 &amp;&amp; 2 &lt; FOUR"),
        ("&copy; 2021 All rights reserved", "&copy; 2021 ALL RIGHTS RESERVED"),
        ("&nbsp;Hello AT&T", "&nbsp;HELLO AT&T"),
        ("Run `a. B` or `why? c` now", "RUN `a. B` OR `why? c` NOW"),
        ("Call `a`/`b` or `array[1]` here", "CALL `a`/`b` OR `array[1]` HERE"),
        ("See %APPDATA%\\App and 0x1F, #ff8800", "SEE %APPDATA%\\App AND 0x1F, #ff8800"),
        ("Loaded %.2f%% of %s, 100%% sure", "LOADED %.2f%% OF %s, 100%% SURE"),
        ("Follow @anna_b or @a@example.social #MeToo!", "FOLLOW @anna_b OR @a@example.social #MeToo!"),
        ("Go to example.org/a, or docs.example.com.", "GO TO example.org/a, OR docs.example.com."),
        ("Press <kbd>Ctrl</kbd> + <b>s</b> <code>a b</code>", "PRESS <kbd>Ctrl</kbd> + <b>S</b> <code>a b</code>"),
        ("A **bold word** and *old*, ***all***.", "A **BOLD WORD** AND *OLD*, ***ALL***."),
        ("An _old one_ and __new {x} words__ ~~gone~~", "AN _OLD ONE_ AND __NEW {x} WORDS__ ~~GONE~~"),
        ("A [b]bold[/b] {link}word here{/link} [x] {name}", "A [b]BOLD[/b] {link}WORD HERE{/link} [X] {name}"),
        ("Hello <0>{{name}}</0>, click <1>here</1>.", "HELLO <0>{{name}}</0>, CLICK <1>HERE</1>."),
        ("Press <Enter> to go, or <Esc>.", "PRESS <Enter> TO GO, OR <Esc>."),
        ("The option '--%s' is new", "THE OPTION '--%s' IS NEW"),
        ("See [our page](https://a.example/b) now", "SEE [OUR PAGE](https://a.example/b) NOW"),
    ];
    all_come_back(&cases, |input| translated(input, Format::Text));
}

#[test]
fn elements_of_pages_divide_texts() {
    let cases = [
        ("Thank you.<br>Good night", "THANK YOU.<br>GOOD NIGHT"),
        ("Line one<br/>Line two<BR />Three", "LINE ONE<br/>LINE TWO<BR />THREE"),
        ("<p>The first.</p><p>The second.</p>", "<p>THE FIRST.</p><p>THE SECOND.</p>"),
        ("<ul><li>Open it</li><li>Close it</li></ul>", "<ul><li>OPEN IT</li><li>CLOSE IT</li></ul>"),
        ("<h1>Our house</h1>It is old.", "<h1>OUR HOUSE</h1>IT IS OLD."),
        (
            "<div class=\"a\">Click <b>here</b> now.</div><br/>It is new",
            "<div class=\"a\">CLICK <b>HERE</b> NOW.</div><br/>IT IS NEW",
        ),
    ];
    let read = |text: &str| {
        let text = SegmentedText::new(text, &Options::default()).unwrap();
        text.sentences().map(|source| source.text.into_owned()).collect::<Vec<_>>()
    };
    all_come_back(&cases, |input| translated(input, Format::Text));
    assert_eq!(read(cases[2].0), ["The first.", "The second."]);
    assert_eq!(read("Please <link>click here</link> now"), ["Please click here now"]);
    assert_eq!(read("One<x id=\"lb\" ctype=\"lb\"/>two"), ["One", "two"]);
    assert_eq!(read("<x id=\"START_LINK\"/>here<x id=\"CLOSE_LINK\"/> is <x id=\"a\"/>"), ["here is X1"]);
    let quoted = |text: &str| format!("{{\"a\": \"{}\"}}", text.replace('"', "\\\""));
    let cases = cases.map(|(source, target)| (quoted(source), quoted(target)));
    for (source, target) in &cases {
        assert_eq!(&translated_file(source, FileFormat::Json), target);
    }
}

#[test]
fn arguments_that_are_numbers_are_read_as_numbers() {
    let read = |text: &str| {
        let text = SegmentedText::new(text, &Options::default()).unwrap();
        text.sentences().map(|source| source.text.into_owned()).collect::<Vec<_>>()
    };
    let cases = [
        ("Delete %d files?", "Delete 17 files?", "DELETE %d FILES?"),
        ("{count} of {total} at 17", "23 of 35 at 17", "{count} OF {total} AT 17"),
        ("%d%% of %s", "17% of %s", "%d%% OF %s"),
        ("100%% sure", "100% sure", "100%% SURE"),
        ("{name} has {{ item_count }} items", "{name} has 17 items", "{name} HAS {{ item_count }} ITEMS"),
        ("Version v{n} of {n}px", "Version v{n} of {n}px", "VERSION v{n} OF {n}px"),
        (
            "The {{ .Site.Title }} page is {{ $x }}.",
            "The {{ .Site.Title }} page is {{ $x }}.",
            "THE {{ .Site.Title }} PAGE IS {{ $x }}.",
        ),
        ("Hi ${user.name ?? \"you\"}!", "Hi ${user.name ?? \"you\"}!", "HI ${user.name ?? \"you\"}!"),
        (
            "Use {{{html}}} or $${sum}, $t(a:b) and $(c)",
            "Use {{{html}}} or $${sum}, $t(a:b) and $(c)",
            "USE {{{html}}} OR $${sum}, $t(a:b) AND $(c)",
        ),
        ("Give $1 the $2", "Give $1 the $2", "GIVE $1 THE $2"),
        (
            "Press Ctrl+Shift+V && :smile: *.txt",
            "Press Ctrl+Shift+V && :smile: *.txt",
            "PRESS Ctrl+Shift+V && :smile: *.txt",
        ),
        ("fix(parser): see 4.2(b)(iii)", "fix(parser): see 4.2(b)(iii)", "fix(parser): SEE 4.2(b)(iii)"),
        ("At 02:14:55 u/tom has p < 0.05", "At 02:14:55 u/tom has p < 0.05", "AT 02:14:55 u/tom HAS p < 0.05"),
        (
            "Pay DE89 3704 0044 0532 0130 00 now",
            "Pay DE89 3704 0044 0532 0130 00 now",
            "PAY DE89 3704 0044 0532 0130 00 NOW",
        ),
        ("Take 2 1/2 cups", "Take 2 cups", "TAKE 2 1/2 CUPS"),
        ("Some 10⁶ or 3 × 10⁻⁹, 1 1/2 cups", "Some 106 or 3 × 109, 2 cups", "SOME 10⁶ OR 3 × 10⁻⁹, 1 1/2 CUPS"),
        ("A 5 m² room, 2½ cups, ½ hour, x²", "A 5 m2 room, 2 cups, 1/2 hour, x2", "A 5 m² ROOM, 2½ CUPS, ½ HOUR, x²"),
        (
            "Run `curl https://a.example/b | sh` now",
            "Run `curl https://a.example/b | sh` now",
            "RUN `curl https://a.example/b | sh` NOW",
        ),
        (
            "At 12:30:45.123 or 2024-01-31T10:00:00Z",
            "At 12:30:45.123 or 2024-01-31T10:00:00Z",
            "AT 12:30:45.123 OR 2024-01-31T10:00:00Z",
        ),
        ("Set text/html and utf-8", "Set text/html and utf-8", "SET text/html AND utf-8"),
        ("Key AKIAIOSFODNN7EXAMPLE2 here", "Key AKIAIOSFODNN7EXAMPLE2 here", "KEY AKIAIOSFODNN7EXAMPLE2 HERE"),
        ("I am happy :-), really", "I am happy, really", "I AM HAPPY :-), REALLY"),
        ("Acme™ of 1–10", "Acme of 1–10", "ACME™ OF 1–10"),
        ("Wait… here", "Wait… here", "WAIT… HERE"),
        ("Write YYYY-MM-DD here", "Write YYYY-MM-DD here", "WRITE YYYY-MM-DD HERE"),
    ];
    for (source, shown, target) in cases {
        assert_eq!(read(source), [shown]);
        assert_eq!(translated(source, Format::Text), target);
    }
    assert_eq!(read("Home · News | Contact us"), ["Home", "News", "Contact us"]);
    assert_eq!(read("bread; two fresh eggs; old cheese"), ["bread", "two fresh eggs", "old cheese"]);
    assert_eq!(read("yes / no"), ["yes", "no"]);
    assert_eq!(read("Introduction ........... 3"), ["Introduction"]);
    assert_eq!(read("Introduction...... 3"), ["Introduction"]);
    assert_eq!(read("I do not know......"), ["I do not know......"]);
    assert_eq!(translated("Name: ________ Date: ____", Format::Text), "NAME: ________ DATE: ____");
    assert_eq!(
        translated("Old house . . . . . . . 12\n=== The end ===", Format::Text),
        "OLD HOUSE . . . . . . . 12\n=== THE END ==="
    );
    for whole in ["__init__ is old", "So... we wait", "He said -- well -- no."] {
        assert_eq!(read(whole).len(), 1, "{whole}");
    }
    for whole in ["He came; he saw.", "It is old; we like it; so we stay there", "Open / close the door and go"] {
        assert_eq!(read(whole), [whole]);
    }
    assert_eq!(translated("Home · News | Contact us", Format::Text), "HOME · NEWS | CONTACT US");
    assert_eq!(read("Your code is <x/>, or <br/>."), ["Your code is X1, or"]);
    let message = "{n, plural, one {# file} other {these # files}}";
    assert_eq!(read(message), ["1 file", "these 17 files"]);
    assert_eq!(translated(message, Format::Text), "{n, plural, one {# FILE} other {THESE # FILES}}");
}

/// What is read for a thing is never printed.
#[test]
fn names_of_things_are_not_printed() {
    let text = SegmentedText::new("Delete (<x id=\"0\"/>)?", &Options::default()).unwrap();
    assert_eq!(text.source(0).unwrap().text, "Delete (X1)?");
    for (answer, kept, expected) in [
        ("Löschen (X1)? X1?", Some(10..12), "Löschen (<x id=\"0\"/>)??"),
        ("Löschen X10 (X1)?", Some(14..16), "Löschen X10 (<x id=\"0\"/>)?"),
    ] {
        let answer = Answer { text: answer.into(), kept: vec![kept], links: Vec::new() };
        assert_eq!(text.finish(&[Some(answer)]).text, expected);
    }
}

/// What one line has says nothing about the others.
#[test]
fn lines_are_written_as_they_are() {
    let cases = [
        ("Salt &amp; pepper &gt; x\n\nRock & roll >= 3", "SALT &amp; PEPPER &gt; X\n\nROCK & ROLL >= 3"),
        (
            "Use {braces} or } alone, it's { too.\n{n, plural, one {a dog} other {it''s dogs}} here\nNo } more",
            "USE {braces} OR } ALONE, IT'S { TOO.\n{n, plural, one {A DOG} other {IT’S DOGS}} HERE\nNO } MORE",
        ),
    ];
    all_come_back(&cases, |input| translated(input, Format::Text));
}

/// Nothing of these is a thing of a program.
#[test]
fn prose_is_translated() {
    let cases = [
        "He/she and/or they saw AC/DC in a T-shirt :-) at 5:30, at home or w/o, 24/7.",
        "It was well-known -- he said--and left. 50% of 30 % is 15%.",
        "The `foo' and `bar' files, the (s) of file(s), e.g. km/h, 1/2, 100%ige Sache.",
        "Die Schüler_innen und eine_n Kolleg:in; Groß- und Kleinschreibung.",
        "Rock 'n' roll, O'Neill's, R&D; Q&A, 5 > 3 and 3 < 5, C++ and C#, Yes/No.",
        "A: yes. B: no. Re: your mail, P.S.: thanks (a lot), [sic] and option[s].",
        "2 * 3 * 4 is 24, 5*3*2 is 30, * a note *, so.it is, a_b.",
        "He said: \"no\". It costs $5 or 5$. Room #5, No. 7.",
    ];
    for text in cases {
        assert_eq!(translated(text, Format::Text), text.to_uppercase(), "{text}");
    }
}

#[test]
fn marks_of_lines_stay_outside() {
    let cases = [
        (
            "1. First, open the door.\n2) Then, go in.\n- Milk\n* Bread\n• Eggs",
            "1. FIRST, OPEN THE DOOR.\n2) THEN, GO IN.\n- MILK\n* BREAD\n• EGGS",
        ),
        (">> Next\n- [ ] to do\n[x] done\n→ go\n§ law", ">> NEXT\n- [ ] TO DO\n[x] DONE\n→ GO\n§ LAW"),
        ("a) press\n(b) wait\n– tea", "a) PRESS\n(b) WAIT\n– TEA"),
        ("...and then\n… we went", "...AND THEN\n… WE WENT"),
    ];
    all_come_back(&cases, |input| translated(input, Format::Text));
    let text = SegmentedText::new("a) Press it. b) Wait.\n  ii) Go.", &Options::default()).unwrap();
    let sentences: Vec<String> = text.sentences().map(|source| source.text.into_owned()).collect();
    assert_eq!(sentences, ["Press it. b) Wait.", "Go."]);
    let srt = "1\n00:00:01,000 --> 00:00:02,000\n>> hello\n\n2\n00:00:03,000 --> 00:00:04,000\n• eggs\n";
    assert_eq!(translated_file(srt, FileFormat::Srt), srt.replace("hello", "HELLO").replace("eggs", "EGGS"));
}

#[test]
fn marks_of_notes_stand_after_their_words() {
    let cases = [
        ("<p>The house<sup>1</sup> is old.</p>", "<p>THE HOUSE<sup>1</sup> IS OLD.</p>"),
        (
            "<p>big<a epub:type=\"noteref\" href=\"n\"><sup>1</sup></a> and green.<a href=\"n\"><sup>2</sup></a> End.</p>",
            "<p>BIG<a epub:type=\"noteref\" href=\"n\"><sup>1</sup></a> AND GREEN.<a href=\"n\"><sup>2</sup></a> END.</p>",
        ),
        ("<p>garden<sup>a</sup>, rebuilt.<sup>3</sup></p>", "<p>GARDEN<sup>a</sup>, REBUILT.<sup>3</sup></p>"),
        ("<p>word<sup><a href=\"#n\">[12]</a></sup> here</p>", "<p>WORD<sup><a href=\"#n\">[12]</a></sup> HERE</p>"),
        ("<p>Acme<sup>®</sup> wins</p>", "<p>ACME<sup>®</sup> WINS</p>"),
        (
            "<p>word<span class=\"superscript\">4</span> here</p>",
            "<p>WORD<span class=\"superscript\">4</span> HERE</p>",
        ),
        ("<p><sup>1</sup>The note</p>", "<p><sup>1</sup>THE NOTE</p>"),
        ("<p>A 5 M<sup>2</sup> room of H<sub>2</sub>O</p>", "<p>A 5 M<sup>2</sup> ROOM OF H<sub>2</sub>O</p>"),
        // Another word is not raised.
        ("<p>The 2<sup>nd</sup> of it</p>", "<p>THE 2ND OF IT</p>"),
        ("<p><span>First</span><span>Second</span></p>", "<p><span>FIRST</span><span>SECOND</span></p>"),
        ("<nav><a>Home</a> <a>News</a> <a>Contact</a></nav>", "<nav><a>HOME</a> <a>NEWS</a> <a>CONTACT</a></nav>"),
        ("<p><a>home</a><a>about</a></p>", "<p><a>HOME</a> <a>ABOUT</a></p>"),
        (
            "<p>Good <ruby>day<rp>(</rp><rt>x</rt><rp>)</rp></ruby> all</p>",
            "<p>GOOD <ruby>DAY<rp>(</rp><rt>x</rt><rp>)</rp></ruby> ALL</p>",
        ),
        (
            "<p>Dear <%= name \"a\" %>, <% if x %>hello<% end %></p>",
            "<p>DEAR <%= name \"a\" %>, <% if x %>HELLO<% end %></p>",
        ),
    ];
    all_come_back(&cases, |input| translated(input, Format::Html));
    let cases = [
        ("The house[1] is old.[2] The price* is high.", "THE HOUSE[1] IS OLD.[2] THE PRICE* IS HIGH."),
        ("The house<sup>1</sup> is old¹.", "THE HOUSE<sup>1</sup> IS OLD¹."),
    ];
    all_come_back(&cases, |input| translated(input, Format::Text));
    let read = |input: &str, format| {
        let text = SegmentedText::new(input, &Options { format, ..Options::default() }).unwrap();
        text.sentences().map(|source| source.text.into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(read("<p>house<sup>1</sup> of m<sup>2</sup></p>", Format::Html), ["house of m2"]);
    assert_eq!(read("<a>Home</a> <a>News</a>", Format::Html), ["Home", "News"]);
    assert_eq!(
        read("The old<br>house, and <br> the garden.<br>It is", Format::Html),
        ["The old house, and  the garden.", "It is"]
    );
    assert_eq!(read("<b>John</b> and <b>Mary</b> <b>Smith</b>", Format::Html), ["John and Mary Smith"]);
    assert_eq!(read("The house[1] and price*.", Format::Text), ["The house and price."]);
}

/// A translation of one sentence with other words.
fn one(input: &str, target: &str, pairs: &[(&str, &str)]) -> String {
    let text = SegmentedText::new(input, &Options { format: Format::Html, ..Options::default() }).unwrap();
    let source = text.source(0).unwrap().text.into_owned();
    let place = |text: &str, word: &str| text.find(word).map(|at| at..at + word.len());
    let link = |(from, to): &(&str, &str)| {
        Some(Link { source: place(&source, from)?, target: place(target, to)?, weight: 1.0 })
    };
    let links = pairs.iter().filter_map(link).collect();
    text.finish(&[Some(Answer { text: target.into(), links, ..Answer::default() })]).text
}

#[test]
fn marks_follow_words_that_move() {
    let found = one(
        "<p>The garden<sup>1</sup> is big.</p>",
        "Groß ist der Garten.",
        &[("The", "der"), ("garden", "Garten"), ("is", "ist"), ("big", "Groß")],
    );
    assert_eq!(found, "<p>Groß ist der Garten<sup>1</sup>.</p>");
    let pairs = [("The", "Das"), ("house", "Haus"), ("was", "war"), ("old", "alt")];
    let drop = |html: &str| one(html, "Das Haus war alt.", &pairs);
    assert_eq!(
        drop("<p><span class=\"dropcap\">T</span>he house was old.</p>"),
        "<p><span class=\"dropcap\">D</span>as Haus war alt.</p>"
    );
    assert_eq!(
        drop("<p><b>T</b><span class=\"sc\">he house</span> was old.</p>"),
        "<p><b>D</b><span class=\"sc\">as Haus</span> war alt.</p>"
    );
    let pairs = [("Read", "Lesen"), ("our", "Sie unsere"), ("page", "Seite")];
    let found = one("<p>Read <a>our page</a>.</p>", "Lesen Sie unsere Seite.", &pairs);
    assert_eq!(found, "<p>Lesen Sie <a>unsere Seite</a>.</p>");
    let pairs = [("Do", "Lesen"), ("you", "Sie"), ("read", "Lesen")];
    let found = one("<p>Do <b>you</b> read?</p>", "Lesen Sie?", &pairs);
    assert_eq!(found, "<p>Lesen <b>Sie</b>?</p>");
    assert_eq!(drop("<p><i><b>T</b>he house</i> was old.</p>"), "<p><i><b>D</b>as Haus</i> war alt.</p>");
}

#[test]
fn messages_of_gettext_keep_their_things() {
    let po = |source: &str, target: &str| format!("msgid \"{source}\"\nmsgstr \"{target}\"\n");
    let cases = [
        ("Click <img src=\\\"x\\\"/> is small 😀 now", "CLICK <img src=\\\"x\\\"/> IS SMALL 😀 NOW"),
        ("Use ``x`` or `a < b`\\nNext", "USE ``x`` OR `a < b`\\nNEXT"),
        ("{% if a == \\\"b\\\" %}Hello{% endif %}", "{% if a == \\\"b\\\" %}HELLO{% endif %}"),
        ("Caf&eacute; &copy; now", "CAFÉ &copy; NOW"),
        ("See the `page <http://a.b>`_ now", "SEE THE `PAGE <http://a.b>`_ NOW"),
    ];
    for (source, target) in cases {
        assert_eq!(translated_file(&po(source, ""), FileFormat::Po), po(source, target));
    }
    let flagged = |flag: &str, source: &str, target: &str| {
        let input = format!("#, fuzzy, {flag}\n{}", po(source, ""));
        assert_eq!(
            translated_file(&input, FileFormat::Po),
            input.replace("msgstr \"\"", &format!("msgstr \"{target}\""))
        );
    };
    flagged("qt-format", "Page %1 of %n pages", "PAGE %1 OF %n PAGES");
    flagged("boost-format", "Page %1% of it", "PAGE %1% OF IT");
    flagged("ruby-format", "Page %<number>d of it", "PAGE %<number>d OF IT");
    flagged("lisp-format", "Page ~a of it", "PAGE ~a OF IT");
    flagged("c-format", "Size % d of %<PRIu64> bytes", "SIZE % d OF %<PRIu64> BYTES");
}

/// The translation of the one text of an archive.
fn in_archive(format: FileFormat, name: &str, input: &str) -> String {
    let file = SegmentedFile::new(archive(&[(name, input)]), format, &Options::default()).unwrap();
    let answers: Vec<_> = file.sentences().map(|source| Some(capitals(&source))).collect();
    part(&file.finish(&answers).unwrap().bytes, name)
}

#[test]
fn office_documents_keep_blanks_and_marks() {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let word = |inner: &str| {
        let document = |inner: &str| format!("<w:document><w:body><w:p>{inner}</w:p></w:body></w:document>");
        let found = in_archive(FileFormat::Docx, "word/document.xml", &document(inner));
        found
            .strip_prefix("<w:document><w:body><w:p>")
            .unwrap()
            .strip_suffix("</w:p></w:body></w:document>")
            .unwrap()
            .to_owned()
    };
    let field = "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> REF a </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>Figure 1</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
    let math = "<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>";
    for thing in [field, math] {
        // The blanks stand on both sides, in runs of their own or in those of the words.
        let found = word(&[&run("See "), thing, &run(" for it.")].concat());
        let joined = |text: &str| text.replace("</w:t></w:r><w:r><w:t xml:space=\"preserve\">", "");
        assert_eq!(joined(&found), [&run("SEE "), thing, &run(" FOR IT.")].concat());
        let found = word(&[&run("See "), thing, &run(".")].concat());
        assert_eq!(joined(&found), [&run("SEE "), thing, &run(".")].concat());
    }
    let raised = "<w:r><w:rPr><w:vertAlign w:val=\"superscript\"/></w:rPr><w:t xml:space=\"preserve\">1</w:t></w:r>";
    assert_eq!(
        word(&[&run("The house"), raised, &run(" is old.")].concat()),
        [&run("THE HOUSE"), raised, &run(" IS OLD.")].concat()
    );
    let hyphens =
        "<w:r><w:t>The inter</w:t><w:softHyphen/><w:t>national meet</w:t><w:noBreakHyphen/><w:t>up.</w:t></w:r>";
    assert_eq!(word(hyphens), run("THE INTERNATIONAL MEET\u{2011}UP."));

    let slide = "<a:p><a:r><a:rPr lang=\"en\"/><a:t>The house</a:t></a:r><a:r><a:rPr baseline=\"30000\"/><a:t>1</a:t></a:r><a:r><a:rPr lang=\"en\"/><a:t> of </a:t></a:r><a:fld id=\"x\"><a:t>2</a:t></a:fld><a:r><a:rPr lang=\"en\"/><a:t> books</a:t></a:r></a:p>";
    let found = in_archive(FileFormat::Pptx, "ppt/slides/slide1.xml", slide);
    let expected = "<a:p><a:r><a:rPr lang=\"en\"/><a:t>THE HOUSE</a:t></a:r><a:r><a:rPr baseline=\"30000\"/><a:t>1</a:t></a:r><a:r><a:rPr lang=\"en\"/><a:t> OF </a:t></a:r><a:fld id=\"x\"><a:t>2</a:t></a:fld><a:r><a:rPr lang=\"en\"/><a:t> BOOKS</a:t></a:r></a:p>";
    assert_eq!(found, expected);

    let styles =
        "<style:style style:name=\"T1\"><style:text-properties style:text-position=\"super 58%\"/></style:style>";
    let odt = |text: &str| format!("<office:document>{styles}<text:p>{text}</text:p></office:document>");
    let writer = |text: &str| in_archive(FileFormat::Odt, "content.xml", &odt(text));
    let cases = [
        ("Page <text:page-number>1</text:page-number> of it", "PAGE <text:page-number>1</text:page-number> OF IT"),
        (
            "House<text:span text:style-name=\"T1\">1</text:span> is",
            "HOUSE<text:span text:style-name=\"T1\">1</text:span> IS",
        ),
        (
            "HOUSE<text:span text:style-name=\"B\">10</text:span> is",
            "HOUSE<text:span text:style-name=\"B\">10</text:span> IS",
        ),
    ];
    for (source, target) in cases {
        assert_eq!(writer(source), odt(target));
    }
}

/// Each of these took the square of its length, or might.
#[test]
fn hostile_lines_take_little_time() {
    let begun = std::time::Instant::now();
    for part in [
        "{%", "`", "a[1]", "*a", "a¹", "C:\\a ", "\\n", "&amp;", "<sup>1", "a</a><a>", "😀", "{{#a}}", "%a", "/a",
        "- ", "__a", "&a",
    ] {
        let text = part.repeat(30_000);
        for format in [Format::Text, Format::Html] {
            let _ = translated(&text, format);
        }
    }
    assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{:?}", begun.elapsed());
}

/// Models read a number for an argument. At the start of a line it is no mark of a list, which is copied as it is read.
#[test]
fn arguments_before_a_full_stop_or_a_bracket_are_no_marks() {
    let cases = [
        ("{count}. week", "{count}. WEEK"),
        ("{n}) Open the door", "{n}) OPEN THE DOOR"),
        ("- %d. door", "- %d. DOOR"),
        ("3. Close {count} doors", "3. CLOSE {count} DOORS"),
        ("({count}) Open", "({count}) OPEN"),
        (
            "{count, plural, one {{count}. Week} other {{count}. Weeks}}",
            "{count, plural, one {{count}. WEEK} other {{count}. WEEKS}}",
        ),
    ];
    all_come_back(&cases, |input| translated(input, Format::Text));
    let file = r#"{"week": "{count, plural, =1{1. Week} other{{count}. Week}}"}"#;
    assert_eq!(translated_file(file, FileFormat::Arb), file.replace("Week", "WEEK"));
}

#[test]
fn names_of_files_in_capitals_stay() {
    let cases = [
        ("See photo.JPG and Notes.TXT here", "SEE photo.JPG AND Notes.TXT HERE"),
        ("Open report_2025.pdf or IMG_1.HEIC", "OPEN report_2025.pdf OR IMG_1.HEIC"),
        ("He left.It was late.", "HE LEFT.IT WAS LATE."),
    ];
    all_come_back(&cases, |input| translated(input, Format::Text));
}
