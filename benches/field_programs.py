"""Cases from public bug reports of other tools: servers, models, metrics and command lines. See `field.py`."""

import gzip
import json
import os
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Lines of characters that tools of pieces treat in different ways.
PIECES = [
    "The old house is red.", " two  blanks ", "", "a\u200db", "\u2047", "ﬁne ½ ① Ａ", "\ufe30 \ufe35", "e\u0301te\u0301", "\u00a0no\u00a0break\u00a0", "İstanbul ı",
    "👩\u200d👩\u200d👧 🇩🇪 1️⃣", "東京タワー", "привет, мир!", "مرحبا", "naïve café", "▁ \u2581x", "<s> </s> <unk> <pad>", "don't «stop» „jetzt“", "𝐁𝐨𝐥𝐝", "soft\u00adhyphen",
    "zero\u200bwidth", "\ufeffmark", "tab\there", "1,234.56 €", "https://example.org/a?b=c&d=%20", "ｶﾞ", "한국어", "ǆ Ǆ", "ß ẞ", "¨ ´ ¸", "…—–", "\u0000null".replace("\u0000", ""), "x" * 300,
]
JSON = {"Content-Type": "application/json"}
DEEPL = {"Authorization": "DeepL-Auth-Key any", **JSON}


class Server:
    """A server of the program, and requests to it."""

    def __init__(self, address: str):
        self.address = address

    def ask(self, path: str, body=None, headers=JSON, method=None) -> tuple[int, str, dict]:
        """The status, the body and the headers of an answer."""
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode("utf-8", "replace"), dict(answer.headers)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode("utf-8", "replace"), dict(error.headers)

    def translate(self, text: str, source="en", target="de", **more) -> tuple[int, dict]:
        """An answer of LibreTranslate's interface."""
        status, body, _ = self.ask("/translate", {"q": text, "source": source, "target": target, **more})
        return status, json.loads(body)

    def upload(self, path: str, fields: dict, headers: dict, text=b"Good morning.\n") -> tuple[int, dict]:
        """Sends a file in a form."""
        parts = [f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
        file = '--x\r\nContent-Disposition: form-data; name="file"; filename="Grüße a.txt"\r\n\r\n'
        body = "".join(parts).encode() + file.encode() + text + b"\r\n--x--\r\n"
        status, answer, _ = self.ask(path, body, {**headers, "Content-Type": "multipart/form-data; boundary=x"})
        return status, json.loads(answer)


@contextmanager
def serving(program: str, *options: str) -> Iterator[Server]:
    """A server on a free port."""
    process = subprocess.Popen([program, "serve", "--port", "0", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield Server(process.stdout.readline().split()[-1].rstrip("/"))
    finally:
        process.terminate()
        process.wait()


def run(program: str, *arguments: str, text: str | bytes = "", **more) -> subprocess.CompletedProcess:
    """A command of the program."""
    data = text.encode() if isinstance(text, str) else text
    done = subprocess.run([program, *arguments], input=data, capture_output=True, timeout=600, check=False, **more)
    done.out, done.err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    return done


def glossaries(server: Server) -> list[str]:
    """Two glossaries of DeepL's second interface."""
    found = []
    for entries in ("house\tGebäude", "door\tPforte"):
        body = {"name": "g", "source_lang": "en", "target_lang": "de", "entries": entries, "entries_format": "tsv"}
        found.append(json.loads(server.ask("/v2/glossaries", body, DEEPL)[1])["glossary_id"])
    return found


def of_server(program: str, server: Server) -> Iterator[tuple[int, str, bool]]:
    """A case, what is asked, and whether it is so."""
    ids, zero = glossaries(server), "00000000-0000-0000-0000-000000000000"
    sentence = {"text": ["The house has a door."], "source_lang": "EN", "target_lang": "DE"}
    status, body, _ = server.ask("/v2/translate", {**sentence, "glossary_ids": ids}, DEEPL)
    yield 82, "terms of all glossaries", status == 200 and "Gebäude" in body and "Pforte" in body
    yield 82, "unknown ids are refused", server.ask("/v2/translate", {**sentence, "glossary_ids": [zero]}, DEEPL)[0] == 404
    fields = {"target_lang": "DE", "source_lang": "EN"}
    yield 82, "of documents, too", server.upload("/v2/document", {**fields, "glossary_ids": zero}, DEEPL)[0] == 404
    status, body = server.translate("Good morning", target="en")
    yield 83, "the text comes back", (status, body.get("translatedText")) == (200, "Good morning")
    for text, language in [("hello handsome man", "en"), ("hello", "en"), ("cat", "en"), ("Best wishes", "en"), ("hallo", "de"), ("ja", "de"), ("Katze", "de")]:
        found = json.loads(server.ask("/detect", {"q": text})[1])[0]
        yield 84, f"{text} is {language}", found["language"] == language
    for text in ["La tua password non è corretta", "Доброе утро", "Mijn fiets staat bij het station"]:
        found = json.loads(server.ask("/detect", {"q": text})[1])
        yield 85, f"{text}: none", all(guess["confidence"] == 0 for guess in found)
        yield 85, f"{text}: refused", server.translate(text, source="auto")[0] == 400
    status, body = server.translate(["The cat", "Die Katze schläft im Garten"], source="auto")
    yield 86, "lists", status == 200 and [guess["language"] for guess in body["detectedLanguage"]] == ["en", "de"]
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "pub.example.org", "X-Forwarded-Prefix": "/mt"}
    with serving(program, "--trust-forwarded") as behind:
        status, body = behind.upload("/translate_file", {"source": "en", "target": "de"}, forwarded)
        yield 87, "the link has the prefix", body.get("translatedFileUrl", "").startswith("https://pub.example.org/mt/")
    if socket.has_ipv6:
        with serving(program, "--host", "::1") as other:
            yield 88, "IPv6", other.ask("/languages")[0] == 200
    with serving(program, "--host", "localhost") as other:
        yield 89, "a name", other.ask("/languages")[0] == 200
    plain = json.dumps({"q": "Good morning", "source": "en", "target": "de"}).encode()
    yield 90, "gzip is read", server.ask("/translate", gzip.compress(plain), {**JSON, "Content-Encoding": "gzip"})[0] == 200
    long = json.dumps({"q": "Good morning. " * 200, "source": "en", "target": "de"}).encode()
    raw = urllib.request.Request(server.address + "/translate", long, {**JSON, "Accept-Encoding": "gzip"})
    with urllib.request.urlopen(raw, timeout=60) as answer:
        yield 90, "gzip is written", answer.headers.get("Content-Encoding") == "gzip"
    yield 91, "a byte order mark", server.ask("/translate", b"\xef\xbb\xbf" + plain)[0] == 200
    status, body = server.upload("/translate_file", {"source": "en", "target": "de"}, {})
    link = body.get("translatedFileUrl", "")
    yield 92, "the file", link and server.ask(link.removeprefix(server.address), headers={})[1] == "Guten Morgen.\n"
    yield 92, "HEAD", link and server.ask(link.removeprefix(server.address), headers={}, method="HEAD")[0] == 200
    status, body = server.upload("/v2/document", fields, DEEPL)
    path, key = f"/v2/document/{body.get('document_id')}", {"document_key": body.get("document_key")}
    yield 93, "a bad key", server.ask(path, {"document_key": "x"}, DEEPL)[0] in (400, 403, 404)
    states = (json.loads(server.ask(path, key, DEEPL)[1]).get("status") for _ in range(200))
    yield 93, "the status", any(state == "done" for state in states)
    yield 93, "the result", server.ask(f"{path}/result", key, DEEPL)[1] == "Guten Morgen.\n"
    yield 94, "another format is refused", server.upload("/v2/document", {**fields, "output_format": "docx"}, DEEPL)[0] == 400
    for name, value in [("formality", "more"), ("style_id", "x"), ("custom_instructions", ["short"]), ("context", "a house")]:
        status, _, headers = server.ask("/v2/translate", {**sentence, name: value}, DEEPL)
        told = any(name in value.lower() for value in headers.values())
        yield 95, f"{name} is refused or told", status == 400 or told
    csv = {"name": "g", "source_lang": "en", "target_lang": "de", "entries": '"a, b","x ""y"""\n', "entries_format": "csv"}
    made = json.loads(server.ask("/v2/glossaries", csv, DEEPL)[1]).get("glossary_id")
    entries = server.ask(f"/v2/glossaries/{made}/entries", headers={**DEEPL, "Accept": "text/tab-separated-values"})[1]
    yield 96, "quoted csv", entries.strip() == 'a, b\tx "y"'
    yield 96, "deleted", server.ask(f"/v2/glossaries/{made}", headers=DEEPL, method="DELETE")[0] == 204
    status, _, _ = server.ask("/translate", b"q=Good+morning&source=en&target=DE-at", {"Content-Type": "application/x-www-form-urlencoded"})
    yield 97, "a form, a country, capitals", status == 200
    yield 98, "no CORS unless asked for", "access-control-allow-origin" not in {name.lower() for name in server.ask("/languages", headers={"Origin": "null"})[2]}
    with serving(program, "--cors", "https://a.example") as other:
        preflight = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
        headers = {name.lower(): value for name, value in other.ask("/translate", headers=preflight, method="OPTIONS")[2].items()}
        yield 98, "CORS", headers.get("access-control-allow-origin") == "https://a.example"
    body = {"source_lang": "en", "target_lang": "de", "text_list": ["Good morning", "The house"]}
    status, body, _ = server.ask("/imme", body)
    yield 99, "text_list", status == 200 and len(json.loads(body).get("translations", [])) == 2


def of_models(program: str, folder: Path, firefox: Path | None, scratch: Path) -> Iterator[tuple[int, str, bool]]:
    """Directories of models, and what the program makes of them."""
    if firefox:
        done = run(program, "translate", "-m", str(firefox), text="The house is old.\n")
        yield 100, "a student of Firefox", done.returncode == 0 and "casa" in done.out
        yield 101, "inspect finds no problem", run(program, "inspect", "--check", str(firefox)).returncode == 0
        packed = scratch / "gz"
        packed.mkdir()
        for path in firefox.iterdir():
            if path.suffix in (".bin", ".spm"):
                (packed / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), 1))
        done = run(program, "translate", "-m", str(packed), text="The house is old.\n")
        yield 102, "packed files", done.returncode == 0 and "casa" in done.out
        symbols = run(program, "translate", "-m", str(firefox), text="⌘ → ♠ ⌥ ⇧ ☂ ⚑ ◆ " * 5 + "\n").out
        yield 9, "no loop", symbols.strip() == ("⌘ → ♠ ⌥ ⇧ ☂ ⚑ ◆ " * 5).strip()
    named = {
        "ctranslate2": {"config.json": '{"add_source_bos": false}', "model.bin": "x", "shared_vocabulary.json": '["a"]'},
        "argos": {"metadata.json": "{}", "sentencepiece.model": "x", "model/model.bin": "x"},
        "m2m": {"config.json": '{"model_type":"m2m_100"}', "model.safetensors": "x"},
        "t5": {"config.json": '{"model_type":"t5"}', "model.safetensors": "x"},
        "onnx": {"config.json": '{"model_type":"marian"}', "encoder_model.onnx": "x"},
        "pickle": {"config.json": '{"model_type":"marian"}', "pytorch_model.bin": "x", "vocab.json": "{}"},
    }
    words = {"ctranslate2": "CTranslate2", "argos": "model", "m2m": "safetensors", "t5": "t5", "onnx": "ONNX", "pickle": "pytorch_model.bin"}
    for name, files in named.items():
        for path, text in files.items():
            (scratch / name / path).parent.mkdir(parents=True, exist_ok=True)
            (scratch / name / path).write_text(text)
        done = run(program, "translate", "-m", str(scratch / name), text="The house.\n")
        yield 103 if name == "pickle" else 104, f"{name} is named", done.returncode == 1 and words[name].lower() in done.err.lower()
    yield 105, "a target language per model", "--target-language" in run(program, "translate", "--help").out
    (scratch / "model.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    done = run(program, "translate", "-m", str(scratch / "model.zip"), text="The house.\n")
    yield 106, "an archive without a model is named", done.returncode == 1 and "zip" in done.err.lower()
    lines = "The house is old.\nGood morning!\nI love you.\n"
    alone = "".join(run(program, "translate", "-m", "en-de", text=line + "\n").out for line in lines.splitlines())
    yield 107, "the same alone and in a batch", run(program, "translate", "-m", "en-de", text=lines).out == alone
    for end, text in [("tsv", "door\tPforte\n"), ("csv", "en,de\ndoor,Pforte\n")]:
        terms = scratch / f"terms.{end}"
        terms.write_text(text)
        done = run(program, "translate", "-m", "en-de", "--glossary", str(terms), text="The house has a door.\n")
        yield 108 if end == "tsv" else 110, f"a term of {end} stands for its word", "Pforte" in done.out and "Tür" not in done.out
    terms.with_suffix(".tsv").write_text("C++\tC++\n.NET\t.NET\nNode.js\tNode.js\n")
    done = run(program, "translate", "-m", "en-de", "--glossary", str(scratch / "terms.tsv"), text="I like C++, .NET and Node.js.\n")
    yield 109, "signs in terms", all(word in done.out for word in ("C++", ".NET", "Node.js"))
    tbx = folder / "068-glossaries" / "g.tbx"
    if tbx.exists():
        yield 110, "TBX is read", run(program, "translate", "-m", "en-de", "--glossary", str(tbx), text="The house.\n").returncode == 0


def of_tools(program: str, folder: Path, vocabularies: list[Path]) -> Iterator[tuple[int, str, bool]]:
    """Metrics, vocabularies, language models and alignments."""
    try:
        import sacrebleu
    except ImportError:
        sacrebleu = None
    texts = folder / "067-evaluate"
    if sacrebleu and texts.exists():
        for hypothesis, reference in [("hyp", "ref"), ("crlf", "ref"), ("enth", "ent"), ("lsh", "ls"), ("zhh", "zh")]:
            parts = [(texts / name).read_bytes().decode().removesuffix("\n").split("\n") for name in (hypothesis, reference)]
            lines = [[line.removesuffix("\r") for line in part] for part in parts]
            if len(lines[0]) != len(lines[1]):
                continue
            done = run(program, "evaluate", "--metric", "bleu", str(texts / reference), text=(texts / hypothesis).read_bytes())
            expected = sacrebleu.corpus_bleu(lines[0], [lines[1]]).score
            yield 111, f"{hypothesis}: {expected:.1f}", f"{expected:.1f}" in done.out
    done = run(program, "evaluate", "-m")
    yield 112, "a clear error", done.returncode == 2 and "-- -m" not in done.err
    try:
        import sentencepiece
    except ImportError:
        sentencepiece = None
    for vocabulary in vocabularies if sentencepiece else []:
        processor = sentencepiece.SentencePieceProcessor(str(vocabulary))
        pieces = run(program, "tokenize", "--vocabulary", str(vocabulary), text="".join(f"{line}\n" for line in PIECES)).out.split("\n")
        for line, found in zip(PIECES, pieces):
            yield 113, f"pieces of {line!r} by {vocabulary.name}", found == " ".join(processor.encode(line, out_type=str))
    words = "[haus]|N a|b &amp; &#124; x|||y -- $5 <b>"
    done = run(program, "phrase", "translate", "-m", str(ROOT / "testdata/phrase/tiny"), text=words + "\n")
    yield 117, "bars, entities and brackets are words", (done.returncode, done.out.strip()) == (0, words)
    models = folder / "066-lm-align"
    if models.exists():
        for name in ("UNK", "crlf", "inf", "nounk", "space", "srilm"):
            done = run(program, "lm", "query", "-m", str(models / f"{name}.arpa"), text="a b\n")
            yield 114, f"{name}.arpa is read", done.returncode == 0
        for name in ("comma", "pos", "sp"):
            done = run(program, "lm", "query", "-m", str(models / f"{name}.arpa"), text="a b\n")
            yield 114, f"{name}.arpa is refused with its line", done.returncode == 1 and "line" in done.err
        done = run(program, "align", str(models / "t.en"), str(models / "t.de"))
        yield 115, "one-sided lines", done.returncode == 0 and "nan" not in done.out.lower()
        done = run(program, "align", str(models / "fa"))
        yield 116, "a file with |||", done.returncode == 0 or "|||" in done.err


def of_program(program: str, scratch: Path) -> Iterator[tuple[int, str, bool]]:
    """The command line."""
    done = run(program, "translate", "-m", "en-de", text="Good morning.\n")
    yield 118, "a filter", (done.returncode, done.out) == (0, "Guten Morgen.\n")
    (scratch / "x.txt").write_text("Good morning.\n")
    done = run(program, "translate", "-m", "en-de", "-i", str(scratch / "x.txt"), "-o", str(scratch / "x.txt"))
    yield 119, "input and output are not one file", done.returncode != 0 and (scratch / "x.txt").read_text() == "Good morning.\n"
    with open("/dev/full", "wb") as full:
        done = subprocess.run([program, "translate", "-m", "en-de", "Good morning."], stdout=full, stderr=subprocess.PIPE, check=False)
        yield 119, "a full disk", done.returncode == 1 and b"panic" not in done.stderr
    done = run(program, "translate", "-m", "en-de", text="Grüße 東京\n", env={**os.environ, "LC_ALL": "C"})
    yield 119, "the locale C", done.returncode == 0 and "東京" in done.out
    yield 120, "completions", all(run(program, "completions", shell).out for shell in ("bash", "zsh", "fish"))
    yield 120, "a manual page", ".TH" in run(program, "man").out
    done = run(program, "translate", text="Good morning.\n", env={**os.environ, "METAPHRASE_MODEL": "en-de"})
    yield 121, "a model of the environment", done.out == "Guten Morgen.\n"
    folder, out = scratch / "in", scratch / "out"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("Good morning.\n")
    done = run(program, "translate", "-m", "en-de", "-i", str(folder), "-o", str(out))
    yield 122, "a folder", done.returncode == 0 and (out / "b.txt").read_text() == "Guten Morgen.\n"
    yield 123, "a text as an argument", run(program, "translate", "-m", "en-de", "Good morning.").out == "Guten Morgen.\n"
    yield 124, "models are listed", "en-de" in run(program, "models").out
    done = run(program, "translate", "-m", "en-fr", "Good morning.")
    yield 124, "a name that no model has", done.returncode != 0 and "en-de" in done.err


def results(program: str, folder: Path, firefox: Path | None) -> dict[int, list[str]]:
    """What is wrong, by case."""
    found: dict[int, list[str]] = {}

    def take(cases: Callable[[], Iterator[tuple[int, str, bool]]]) -> None:
        for number, asked, right in cases():
            found.setdefault(number, []).extend([] if right else [f"not so: {asked}"])

    with tempfile.TemporaryDirectory() as scratch:
        with serving(program) as server:
            take(lambda: of_server(program, server))
        take(lambda: of_models(program, folder, firefox, Path(scratch)))
        vocabularies = [ROOT / "models/en-de/source.spm", *(firefox.glob("*.spm") if firefox else [])]
        take(lambda: of_tools(program, folder, vocabularies))
        take(lambda: of_program(program, Path(scratch)))
    return found
