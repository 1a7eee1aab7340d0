//! Markdown of all dialects: signs stay signs, text stays text.

use metaphrase_document::{Answer, FileFormat, Options, SegmentedFile};
use pulldown_cmark::{Event, Options as Extensions, Parser};

/// The file with each sentence translated by a function that leaves the things to copy alone.
fn translated(input: &str, translate: fn(&str) -> String) -> (String, Vec<String>) {
    let Ok(file) = SegmentedFile::new(input.as_bytes().to_vec(), FileFormat::Markdown, &Options::default()) else {
        return (input.to_owned(), Vec::new());
    };
    let mut sentences = Vec::new();
    let answer = |source: metaphrase_document::Source<'_>| {
        let (mut text, mut kept, mut last) = (String::new(), Vec::new(), 0);
        for span in source.kept {
            text.push_str(&translate(&source.text[last..span.range.start]));
            let start = text.len();
            text.push_str(&source.text[span.range.clone()]);
            kept.push(Some(start..text.len()));
            last = span.range.end;
        }
        text.push_str(&translate(&source.text[last..]));
        Some(Answer { text, kept, links: vec![] })
    };
    for source in file.sentences() {
        sentences.push(source.text.clone().into_owned());
    }
    let answers: Vec<Option<Answer>> = file.sentences().map(answer).collect();
    (String::from_utf8(file.finish(&answers).unwrap().bytes).unwrap(), sentences)
}

fn capitals(text: &str) -> String {
    text.to_uppercase()
}

/// The elements that a parser finds, without text.
fn elements(text: &str) -> Vec<String> {
    let others = Extensions::ENABLE_OLD_FOOTNOTES
        | Extensions::ENABLE_SMART_PUNCTUATION
        | Extensions::ENABLE_SUBSCRIPT
        | Extensions::ENABLE_SUPERSCRIPT;
    let parser = Parser::new_ext(text, (Extensions::all() - others) | Extensions::ENABLE_FOOTNOTES);
    let kind = |event| match event {
        Event::Text(_) | Event::SoftBreak => None,
        Event::Start(tag) => Some(format!("{:?}", tag.to_end())),
        event => Some(format!("{event:?}")),
    };
    parser.filter_map(kind).collect()
}

/// Inputs, and what is in capitals in their translations.
const CASES: &[(&str, &str)] = &[
    ("> [!NOTE]\n> This is important.\n", "> [!NOTE]\n> THIS IS IMPORTANT.\n"),
    ("> [!tip]- A title\n> Text here.\n", "> [!tip]- A TITLE\n> TEXT HERE.\n"),
    (":::note\nThis is important.\n:::\n", ":::note\nTHIS IS IMPORTANT.\n:::\n"),
    (":::note[My title]\n\nText *here*.\n\n:::\n", ":::note[MY TITLE]\n\nTEXT *HERE*.\n\n:::\n"),
    ("::: tip My title\nText.\n:::\n", "::: tip MY TITLE\nTEXT.\n:::\n"),
    (
        "::::{.columns}\n:::{.column width=\"40%\"}\nText.\n:::\n::::\n",
        "::::{.columns}\n:::{.column width=\"40%\"}\nTEXT.\n:::\n::::\n",
    ),
    (
        "!!! note \"My title\"\n    This is *important*.\n\n    More text.\n\nThe end.\n",
        "!!! note \"MY TITLE\"\n    THIS IS *IMPORTANT*.\n\n    MORE TEXT.\n\nTHE END.\n",
    ),
    (
        "!!! warning\n\n    Mind the gap.\n\n        code stays\n",
        "!!! warning\n\n    MIND THE GAP.\n\n        code stays\n",
    ),
    ("???+ note\n    Text.\n\n=== \"A tab\"\n\n    Text.\n", "???+ note\n    TEXT.\n\n=== \"A TAB\"\n\n    TEXT.\n"),
    ("{% note %}\nThis is important.\n{% endnote %}\n", "{% note %}\nTHIS IS IMPORTANT.\n{% endnote %}\n"),
    (
        "{{< figure src=\"a.png\" title=\"A house\" >}}\n\nText.\n",
        "{{< figure src=\"a.png\" title=\"A HOUSE\" >}}\n\nTEXT.\n",
    ),
    (
        "See [the page]({{< ref \"a.md\" >}}) and {{% x %}} now.\n",
        "SEE [THE PAGE]({{< ref \"a.md\" >}}) AND {{% x %}} NOW.\n",
    ),
    (
        "import X from 'y'\nexport const a = {\n  b: 'some text',\n}\n\n# A *title*\n\n<Tabs>\n<TabItem value=\"a\" label=\"One tab\">\n\nText.\n\n</TabItem>\n</Tabs>\n",
        "import X from 'y'\nexport const a = {\n  b: 'some text',\n}\n\n# A *TITLE*\n\n<Tabs>\n<TabItem value=\"a\" label=\"ONE TAB\">\n\nTEXT.\n\n</TabItem>\n</Tabs>\n",
    ),
    ("Import duties are high, and\nimport them from here.\n", "IMPORT DUTIES ARE HIGH, AND IMPORT THEM FROM HERE.\n"),
    (
        "<Card style={{a: 1}} onClick={() => x}>\n  Text here.\n</Card>\n\nA <B c={d}>word</B> here.\n",
        "<Card style={{a: 1}} onClick={() => x}>\n  TEXT HERE.\n</Card>\n\nA <B c={d}>WORD</B> HERE.\n",
    ),
    ("The value $x^2$ is $$E = mc^2$$ here.\n", "THE VALUE $x^2$ IS $$E = mc^2$$ HERE.\n"),
    (
        "$$\n\\text{a word}\n$$\n\nIt costs US$5 or CA$6 today.\n",
        "$$\n\\text{a word}\n$$\n\nIT COSTS US\\$5 OR CA\\$6 TODAY.\n",
    ),
    ("Formulas \\(x_1 = y\\) stay.\n", "FORMULAS \\(x_1 = y\\) STAY.\n"),
    (
        "See [[House|the house]] and [[House]] and ![[a.png]].\n",
        "SEE [[House|THE HOUSE]] AND [[House]] AND ![[a.png]].\n",
    ),
    ("[[Paper]](https://a.example) is good.\n", "[[PAPER]](https://a.example) IS GOOD.\n"),
    ("Some ==marked text== here, ++new++.\n", "SOME ==MARKED TEXT== HERE, ++NEW++.\n"),
    ("Text.\n\n*[HTML]: Hyper Text\n*[CSS]: Style Sheets\n", "TEXT.\n\n*[HTML]: HYPER TEXT\n*[CSS]: STYLE SHEETS\n"),
    ("Term\n: A place to live.\n: Another.\n", "TERM\n: A PLACE TO LIVE.\n: ANOTHER.\n"),
    ("# The house {#the-house .big}\n", "# THE HOUSE {#the-house .big}\n"),
    (
        "A [house](a.html \"A red house\") and ![a picture](b.png 'It is \"red\"').\n",
        "A [HOUSE](a.html \"A RED HOUSE\") AND ![A PICTURE](b.png 'IT IS \"RED\"').\n",
    ),
    (
        "See [the house][ref] and [ref] and [Ref][].\n\n[ref]: https://a.example \"The house\"\n",
        "SEE [THE HOUSE][ref] AND [REF][ref] AND [REF][Ref].\n\n[ref]: https://a.example \"THE HOUSE\"\n",
    ),
    (
        "See [`Foo`] and [`bar`][].\n\n[`Foo`]: x\n[`bar`]: y\n",
        "SEE [`Foo`] AND [`bar`][].\n\n[`Foo`]: x\n[`bar`]: y\n",
    ),
    ("The house.[^1]\n\n[^1]: It is very old.\n", "THE HOUSE.[^1]\n\n[^1]: IT IS VERY OLD.\n"),
    (
        "| Name | Colour |\n|:--|--:|\n| House | Red \\| blue |\n| `a\\|b` | **Green** |\n",
        "| NAME | COLOUR |\n|:--|--:|\n| HOUSE | RED \\| BLUE |\n| `a\\|b` | **GREEN** |\n",
    ),
    (
        "Line ends with a backslash.\\\nSecond line  \nthird line.\n",
        "LINE ENDS WITH A BACKSLASH.\\\nSECOND LINE  \nTHIRD LINE.\n",
    ),
    ("**bold  \nlines** here\n", "**BOLD  \nLINES** HERE\n"),
    ("A [b] c, 5 * 3, snake_case, ~5, R&B, 5 < 6 and x^2.\n", "A [B] C, 5 * 3, snake_case, ~5, R&B, 5 < 6 AND X^2.\n"),
    (
        "\\*not italic\\* and \\_this\\_ \\`x\\` \\[a](b) \\# 1\\. \\<b> &lt;b> &amp;copy;\n",
        "\\*NOT ITALIC\\* AND \\_THIS\\_ \\`x\\` \\[A\\](B) \\# 1. \\<B\\> \\<B\\> \\&COPY;\n",
    ),
    (
        "1986\\. A great year.\n\n\\- no item\n\n\\# no title\n",
        "1986\\. A GREAT YEAR.\n\n\\- NO ITEM\n\n\\# NO TITLE\n",
    ),
    (
        "- [ ] Buy milk\n- [x] Write a letter\n1. First step\n   - Nested item\n     with continued text\n",
        "- [ ] BUY MILK\n- [x] WRITE A LETTER\n1. FIRST STEP\n   - NESTED ITEM WITH CONTINUED TEXT\n",
    ),
    ("Hello :smile: friend :+1:! At 12:30:45 too.\n", "HELLO :smile: FRIEND :+1:! AT 12:30:45 TOO.\n"),
    ("{: .note }\nText.\n\n[TOC]\n\n%% a comment %%\n", "{: .note }\nTEXT.\n\n[TOC]\n\n%% a comment %%\n"),
    (
        "Text\n\n```\n:::note\n!!! note \"x\"\n{% x %} ==a==\n```\n\n    import a from 'b'\n",
        "TEXT\n\n```\n:::note\n!!! note \"x\"\n{% x %} ==a==\n```\n\n    import a from 'b'\n",
    ),
    ("Code `a ==b== [[c]] {% d %} :e:` stays.\n", "CODE `a ==b== [[c]] {% d %} :e:` STAYS.\n"),
    (
        "---\ntitle: \"Our house\"\ndescription: The house is old. # not this\nsidebar_label: 'It''s old'\ntags: [house, garden]\ndate: 2024-01-01\nsummary: >\n  Two lines\n  of text.\nintro: |\n  One.\n  Two.\nhero:\n  title: A title\ndraft: true\n---\n\nText.\n",
        "---\ntitle: \"OUR HOUSE\"\ndescription: \"THE HOUSE IS OLD.\" # not this\nsidebar_label: 'IT''S OLD'\ntags: [house, garden]\ndate: 2024-01-01\nsummary: >\n  TWO LINES OF TEXT.\nintro: |\n  ONE.\n  TWO.\nhero:\n  title: \"A TITLE\"\ndraft: true\n---\n\nTEXT.\n",
    ),
    (
        "+++\ntitle = \"The \\\"house\\\"\"\ndate = 2024-01-01\n[params]\nsubtitle = 'It is old'\nslug = \"the-house\"\n+++\n\nText.\n",
        "+++\ntitle = \"THE \\\"HOUSE\\\"\"\ndate = 2024-01-01\n[params]\nsubtitle = \"IT IS OLD\"\nslug = \"the-house\"\n+++\n\nTEXT.\n",
    ),
];

#[test]
fn signs_of_dialects_stay() {
    let wrong: Vec<String> = CASES
        .iter()
        .filter_map(|(input, expected)| {
            let (output, sentences) = translated(input, capitals);
            let (before, after) = (elements(input), elements(&output));
            // Money is no formula.
            let same_elements = before.len() == after.len() || input.contains("CA$");
            (output != *expected || !same_elements)
                .then(|| format!("{input}\n=> {output}\nnot {expected}\n{sentences:?}\n{before:?}\n{after:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n-----\n"));
}

/// Translations that look like signs do not become signs.
#[test]
fn translations_make_no_signs() {
    let hostile: &[fn(&str) -> String] = &[
        |_| "# 1. a".to_owned(),
        |_| "- *x* _y_ `z` [a](b) <c> ![d](e) | f".to_owned(),
        |_| "1) $a$ $$b$$ ~~c~~ [[d]] [^1] [x] http://e.example/_f_*".to_owned(),
        |_| "> [!NOTE] *** a".to_owned(),
        |_| "---".to_owned(),
        |_| "===".to_owned(),
        |_| "[ref] [house][ref] \\".to_owned(),
    ];
    let inputs = [
        "The house is old.\n",
        "- The house.\n- Two\n\n> Quoted text.\n",
        "| A | B |\n|---|---|\n| one | two **three** |\n",
        "# The house\n\nText with *emphasis* and a [link](x \"title here\").\n\n[ref]: x\n",
        "One\\\ntwo  \nthree\n\n1. four\n",
        "Term\n: place\n\nText[^1]\n\n[^1]: note\n",
    ];
    for input in inputs {
        for translate in hostile {
            let (output, _) = translated(input, *translate);
            let kinds = |text: &str| {
                let mut kinds = elements(text);
                kinds.sort();
                kinds
            };
            let (before, after) = (kinds(input), kinds(&output));
            assert_eq!(before, after, "{input}\n=> {output}");
        }
    }
}

/// Inputs of further dialects and of HTML in Markdown, and what is in capitals in their translations.
const MORE_CASES: &[(&str, &str)] = &[
    // Line breaks, and blocks of HTML inside paragraphs and cells.
    ("Line one<br>Line two<br/>line three.\n", "LINE ONE<br>LINE TWO<br/>LINE THREE.\n"),
    ("**First<br>second** part <BR /> third\n", "**FIRST<br>SECOND** PART <BR /> THIRD\n"),
    ("- The house<br>The garden\n- Two\n", "- THE HOUSE<br>THE GARDEN\n- TWO\n"),
    (
        "| A | B |\n|--|--|\n| one<br>two \\| 2 | <ul><li>red</li><li>blue</li></ul> |\n",
        "| A | B |\n|--|--|\n| ONE<br>TWO \\| 2 | <ul><li>RED</li><li>BLUE</li></ul> |\n",
    ),
    (
        "Press <kbd>Ctrl</kbd>+<kbd>C</kbd> and <b>hold</b> it.<sup>1</sup>\n",
        "PRESS <kbd>Ctrl</kbd>+<kbd>C</kbd> AND <b>HOLD</b> IT.<sup>1</sup>\n",
    ),
    // Blocks of HTML.
    (
        "<details>\n<summary>More <b>information</b></summary>\n\nText.\n\n</details>\n",
        "<details>\n<summary>MORE <b>INFORMATION</b></summary>\n\nTEXT.\n\n</details>\n",
    ),
    (
        "<p align=\"center\">\n  <img src=\"a.png\" alt=\"A house\">\n  It is <code>old</code> &amp; big.\n</p>\n",
        "<p align=\"center\">\n  <img src=\"a.png\" alt=\"A HOUSE\">\n  IT IS <code>old</code> &amp; BIG.\n</p>\n",
    ),
    ("> <p>The house</p>\n> <p>is old</p>\n", "> <p>THE HOUSE</p>\n> <p>IS OLD</p>\n"),
    (
        "<!-- a comment -->\n\n<pre>\nsome code\n</pre>\n\n<script>\nvar text\n</script>\n\nText\n",
        "<!-- a comment -->\n\n<pre>\nsome code\n</pre>\n\n<script>\nvar text\n</script>\n\nTEXT\n",
    ),
    ("See <img alt=\"a red house\" src=\"x\"> now.\n", "SEE <img alt=\"A RED HOUSE\" src=\"x\"> NOW.\n"),
    // Code and texts of templates.
    (
        "{% highlight ruby %}\nputs \"Good morning\"\n\n# A comment\n{% endhighlight %}\n\nText\n",
        "{% highlight ruby %}\nputs \"Good morning\"\n\n# A comment\n{% endhighlight %}\n\nTEXT\n",
    ),
    (
        "{{< highlight go >}}\nfmt.Println(\"Hi there\")\n{{< /highlight >}}\n\n{% raw %}\nHello {{ name }}!\n{% endraw %}\n\nText\n",
        "{{< highlight go >}}\nfmt.Println(\"Hi there\")\n{{< /highlight >}}\n\n{% raw %}\nHello {{ name }}!\n{% endraw %}\n\nTEXT\n",
    ),
    (
        "{% raw %}\nThe house.\n\n```\n{{ code }}\n```\n{% endraw %}\n",
        "{% raw %}\nTHE HOUSE.\n\n```\n{{ code }}\n```\n{% endraw %}\n",
    ),
    ("Use {% raw %}{% include a.html %}{% endraw %} here.\n", "USE {% raw %}{% include a.html %}{% endraw %} HERE.\n"),
    (
        "{% if page.x %}The house is old.{% else %}The house is new.{% endif %}\n",
        "{% if page.x %}THE HOUSE IS OLD.{% else %}THE HOUSE IS NEW.{% endif %}\n",
    ),
    ("{{< note >}}Mind the gap.{{< /note >}}\n", "{{< note >}}MIND THE GAP.{{< /note >}}\n"),
    // Raised and lowered letters.
    ("H~2~O and a~i~ and CO~2~ is a gas, x^2^ and m^2^.\n", "H~2~O AND a~i~ AND CO~2~ IS A GAS, x^2^ AND m^2^.\n"),
    ("The 20^th^ century, x^n^.\n", "THE 20TH CENTURY, x^n^.\n"),
    // Attributes.
    ("The house is old.\n{.class}\n\n- Item\n{: .x }\n", "THE HOUSE IS OLD.\n{.class}\n\n- ITEM\n{: .x }\n"),
    (
        "A [link](a.html){.btn target=\"_blank\"} and **bold**{.red} and `code`{.sh} and [some text]{.mark}.\n",
        "A [LINK](a.html){.btn target=\"_blank\"} AND **BOLD**{.red} AND `code`{.sh} AND [SOME TEXT]{.mark}.\n",
    ),
    ("![a house](a.png){width=50%}\n{#fig .big}\n", "![A HOUSE](a.png){width=50%}\n{#fig .big}\n"),
    // Reviews, keys, roles, embeds, commands, fields.
    (
        "The {==marked text==}{>>a comment<<} and {++added++} and {--removed--} and {~~old~>new~~}.\n",
        "THE {==MARKED TEXT==}{>>a comment<<} AND {++ADDED++} AND {--removed--} AND {~~old~>NEW~~}.\n",
    ),
    ("++ctrl+alt+del++ restarts, ++enter++ ends, ++new++.\n", "++ctrl+alt+del++ RESTARTS, ++enter++ ENDS, ++NEW++.\n"),
    ("See {ref}`the house <house>` and {doc}`garden`.\n", "SEE {ref}`THE HOUSE <house>` AND {doc}`garden`.\n"),
    ("See [[House]] and ![[a.png|200]].\n", "SEE [[House]] AND ![[a.png|200]].\n"),
    ("Text \\pagebreak here.\n\n\\newpage\n\nMore\n", "TEXT \\pagebreak HERE.\n\n\\newpage\n\nMORE\n"),
    ("Due date:: some day\n\nA [mood:: good] day\n", "Due date:: SOME DAY\n\nA [mood:: GOOD] DAY\n"),
    (
        "/// note | The title\nThe house.\n///\n\n+++ The accordion\nText\n+++\n",
        "/// note | THE TITLE\nTHE HOUSE.\n///\n\n+++ THE ACCORDION\nTEXT\n+++\n",
    ),
    (
        "\\begin{equation}\nE = mc^2 \\text{a word}\n\\end{equation}\n\nText\n",
        "\\begin{equation}\nE = mc^2 \\text{a word}\n\\end{equation}\n\nTEXT\n",
    ),
    ("<!-- a comment --> The old house\n", "<!-- a comment --> THE OLD HOUSE\n"),
    // Titles in bold.
    ("> **Note**\n> The door is open.\n", "> **NOTE**\n> THE DOOR IS OPEN.\n"),
    ("**Question:**\nWhy?\n**Answer**\nSo.\n", "**QUESTION:**\nWHY?\n**ANSWER**\nSO.\n"),
    ("This is a\n**very important**\nnote.\n", "THIS IS A **VERY IMPORTANT** NOTE.\n"),
];

#[test]
fn signs_of_further_dialects_stay() {
    let wrong: Vec<String> = MORE_CASES
        .iter()
        .filter_map(|(input, expected)| {
            let (output, sentences) = translated(input, capitals);
            (output != *expected).then(|| format!("{input}\n=> {output}\nnot {expected}\n{sentences:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n-----\n"));
}

/// What the translator reads of some paragraphs.
#[test]
fn texts_of_markdown_are_whole_sentences() {
    for (input, expected) in [
        ("One<br>two.\n", &["One", "two."][..]),
        ("H~2~O and x^2^ here.\n", &["H2O and x2 here."]),
        ("> **Note**\n> The door.\n", &["Note", "The door."]),
        ("See the page and ![[a.png]].\n", &["See the page and X1."]),
        ("{% if x %}Old.{% else %}New.{% endif %}\n", &["Old.", "New."]),
    ] {
        assert_eq!(translated(input, capitals).1, expected, "{input}");
    }
}

/// The Markdown of this repository: nothing but text changes.
#[test]
fn documentation_keeps_its_elements() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    for name in ["README.md", "ARCHITECTURE.md", "docs/text.md", "docs/serve.md", "docs/algorithms/cpu.md"] {
        let Ok(input) = std::fs::read_to_string(root.join(name)) else { continue };
        let (output, _) = translated(&input, str::to_owned);
        let (before, after) = (elements(&input), elements(&output));
        let first = before.iter().zip(&after).position(|(before, after)| before != after);
        assert_eq!(first.map(|at| (&before[at], &after[at])), None, "{name}");
        assert_eq!(before.len(), after.len(), "{name}");
    }
}

/// Signs without an end, one after the other.
#[test]
fn hostile_signs_take_little_time() {
    let begun = std::time::Instant::now();
    for sign in [
        "[",
        "![](x)",
        "{% ",
        "{% x %}",
        "<A {",
        "`",
        ":a:",
        "{{< ",
        "==a",
        "$a ",
        "| a ",
        "\\(",
        "\\[x",
        "> ",
        "- ",
        "<A b=\"",
        "[^1] ",
        "{n, plural, one {",
        "**a",
        "[a]: b \"c\"\n",
        ":::a\n",
        "!!! a\n",
        "{% raw %}\n",
        "{% raw %} ",
        "{==",
        "~a~",
        "a^b",
        "++a+",
        "{.a}",
        "]{.a}",
        "{a}`b <",
        "<b>",
        "<br>",
        "**a**\n",
        "<kbd>",
        "> <p>\n",
        "\\a{",
        "---\ntitle: >\n ",
    ] {
        let input = format!("The house is {}old.\n", sign.repeat(3000));
        let (output, _) = translated(&input, str::to_owned);
        assert!(output.contains("house"), "{sign}");
    }
    assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{:?}", begun.elapsed());
}
