#!/usr/bin/env python3
"""Writes lines that are hard for tokenisers: hard.txt, and on request many random ones.

    python3 testdata/text/make_hard_lines.py                    writes testdata/text/hard.txt
    python3 testdata/text/make_hard_lines.py 20000 > random.en  random lines (fixed seed)
"""
import pathlib
import random
import sys

HARD = [
    "", " ", "\t", "\u00a0", ".", "..", "...", "....", "a..b", "a...", "...a", "'", "''", "'''", "' '", "\"", ",",
    ",,", ",,,,", "-", "--", "a-b-c", "a--b", "- a -", "well-known-thing", "3-4", "é-à",
    "Mr. Smith went to Washington. He met Dr. Jones, No. 5, on Jan. 3. etc. and so on.",
    "No. five; No. 5; Nr. 7; z.B. so; d.h. so; bzw. so; u.s.w. So; usw. So.",
    "M. Dupont, Mme. Durand, n°. 5, p. ex. cela; c.-à-d. cela. Etc.",
    "The U.S. and the U.K. left. A. B. Cee. e.g. this. i.e. That. 3.14. 5. Mai. ½. x.",
    "He said: \"It isn't 'done', is it?\" '90s rock 'n' roll, the Joneses' o'clock, 1990's, y'all'd've.",
    "L'homme d'aujourd'hui qu'il n'a pas l'a-t-il 'dit' l'« œuvre » 5'30 l'''x' s' 'l",
    "Wie geht's? Hans' Auto, „Zitat“, ‚halb‘, »fein«, ›so‹, ‹da›, “curly” ‘single’ „cs“ ``tex'' `x'",
    "1,000,000.50 1.000.000,50 1,a a,1 ,1 1, a , b 5,", "١,٢ ½,½ ²,a Ⅳ,Ⅴ 5,½", "5,300,", "5, 300",
    "http://example.org/a/b.c?d=e&f=g#h www.example.org, ftp://x.y/z. user.name@mail.example.org!",
    "@handle #hash_tag #1 @@x a@b a@b.c a@b.co @@ # @", "<b>bold</b> <br/> <a href=\"x y\">z</a> < b > <> a<b>c",
    "&amp; &lt; &#124; &apos; &quot; &nbsp; & a&b |x| [y] {z} &amp;lt;", "a|b <s> ||| -lrb- @-@ @,@",
    "control\u0001\u001f\u007f\u0085x\u001cy\u200bz\ufeff\u2028w\u2029v", "tab\tand\u00a0no-break\u202fnarrow\u3000wide",
    "l’homme ’s ‘tis don’t", "日本語のテキスト、です。「引用」（括弧）１２３ｶﾅ", "中文文本，没有空格。《书》 mixed 中 English 文", "한국어 텍스트, 입니다.",
    "Ελληνικά; Κύριος Α. Β. ΣΊΣΥΦΟΣ", "Привет, мир! т.е. так", "שלום, עולם.", "مرحبا، بالعالم؟", "हिन्दी में क़ लिखें।", "ไทยไม่มีช่องว่าง",
    "😀😃 👨‍👩‍👧 🇩🇪 ❤️ a😀b", "café café Å Å ſ K ﬁ ß ẞ İ ı ŉ", "€5 5€ $5.50 £3 ¥ ₿ 5 % 5% 20°C § 3 ¶ © ® ™",
    "$ 5 ( a ) [ b ] { c } ¿ que ? ¡ si !", "a . b , c ; d : e ! f ? g % h", "word.' word.'' word.\" word.) \"word.\" 'word.'",
    "DOTMULTI DOTDOTMULTI xDOTDOTMULTIy DOTDOT MULTI THISISPROTECTED000 THISISPROTECTEDX001 @x", "end.'", "end.' ", "…", "a…b", "- – — ― −",
    "(a)b)c( ( a) a ) .", "a (b) , c ( d ).", "1 000 000 5\u00a0000 %", "\"a\", \"b.\" \"c,\" d.\" e.\"<f> g...\" h", "«\u00a0a\u00a0» « b » «c»",
    "5 '' `` ' `", "x" * 200, "." * 50, "'" * 50, ", " * 50, "a'" * 50, "e.g." * 20, "A.B.C.", "a.b.", "1.", "1. a", "1. A", "i. Å", "x. ß", "Fr. Dr. med. 3.",
]

PIECES = list("aabbzZAÉéßſ019½²٣٤'''''\"\"`,,,,....---  \t\u00a0\u2028!?:;()[]{}<>&|@#$€%/\\*_+=~^´’‘“”„«»–—…") + [
    "Dr.", "No.", "z.B.", "usw.", "M.", "etc.", "e.g.", "U.S.", "DOT", "MULTI", "n't", "'s", "l'", "www.", "http://", "@-@", "&amp;",
    "&quot;", "&#91;", "中", "文", "あ", "ア", "한", "グ", "ก", "्", "़", "é", "😀", "\u200b", "\u0000", "\u0007", "\x1c", "0", "1", "5,", " ", " ", " ", ". ", "' ", " '",
    "word", "Word", "WORD", "ΑΣ", "İ", "nº", "ºC", "cm",
]


def random_lines(count):
    numbers = random.Random(1)
    for _ in range(count):
        yield "".join(numbers.choices(PIECES, k=numbers.randint(1, 25)))


def main(arguments):
    if arguments:
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        for line in random_lines(int(arguments[0])):
            print(line)
        return
    path = pathlib.Path(__file__).with_name("hard.txt")
    path.write_text("".join(line + "\n" for line in HARD), encoding="utf-8", newline="\n")


main(sys.argv[1:])
