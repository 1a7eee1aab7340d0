"""DeepL's own tests of its Python client, against our server: a plugin of pytest.

    python3 crates/translate/server/clients/deepl_suite.py CHECKOUT [PROGRAM]

CHECKOUT is a clone of DeepL's repository `deepl-python` at version 1.30.0. The Python has deepl==1.30.0, pytest, "pydantic<2", click and keyring.
The tests translate "proton beam", which the bundled models do not know: here the example is "Good morning!". Tests that can not apply are
left out by name, with the reason; all others have to pass. `mock` tests need DeepL's own mock server.
"""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections import Counter
from pathlib import Path

# Parts of the names of tests, and why the test does not apply.
LEFT_OUT = {
    "test_example_translation": "translates 'proton beam' between 30 languages",
    "test_cli.py::test_text$": "translates 'proton beam'",
    "test_text_preserve_formatting": "translates 'proton beam'",
    "test_mixed_direction_text": "needs a model of Arabic",
    "test_mixed_case_languages": "compares texts of DeepL's models",
    "test_string_list": "needs a model of French",
    "test_extra_body_params": "needs a model of French",
    "test_source_lang": "DeepL's lists of languages have more than two",
    "test_language": "formality",
    "formality": "formality",
    "test_custom_instructions": "custom instructions",
    "test_rephrase_text": "the interface `write`",
    "test_style_rules": "style rules",
    "test_translation_memories": "translation memories",
    "test_tag_handling_xml": "compares words of DeepL's models",
    "test_tag_handling_html": "compares words of DeepL's models",
    "glossary_translate_text_basic": "single words, which the bundled models translate with more than their term",
    "glossary_translate_document": "single words, which the bundled models translate with more than their term",
}


def ask(path, body):
    request = urllib.request.Request(os.environ["DEEPL_SERVER_URL"] + path, json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    request.add_header("Authorization", "DeepL-Auth-Key " + os.environ["DEEPL_AUTH_KEY"])
    return json.load(urllib.request.urlopen(request))["translations"][0]["text"]


class Plugin:
    def __init__(self):
        self.outcomes, self.left_out, self.failed = Counter(), Counter(), []

    def pytest_collection_modifyitems(self, items):
        from tests.conftest import example_text

        german = ask("/v2/translate", {"text": ["Good morning!"], "target_lang": "DE"})
        english = ask("/v2/translate", {"text": [german], "target_lang": "EN-US"})
        example_text.update({"EN": "Good morning!", "DE": german, "EN-US": english, "EN-GB": english})
        kept = []
        for item in items:
            name = item.nodeid
            part = next((part for part in LEFT_OUT if part in name + "$"), None)
            if part:
                self.left_out[f"{part}: {LEFT_OUT[part]}"] += 1
            else:
                kept.append(item)
        items[:] = kept

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome == "skipped":
            self.outcomes[report.outcome] += 1
            if report.failed:
                self.failed.append(report.nodeid)


def main():
    checkout = Path(sys.argv[1]).resolve()
    root = Path(__file__).resolve().parents[4]
    program = str(Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else root / "target/release/metaphrase")
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/state.db"
        key = subprocess.run([program, "serve", "--data", data, "--add-key", "suite"], capture_output=True, text=True, check=True).stdout.strip()
        server = subprocess.Popen([program, "serve", "--port", "0", "--data", data, "--require-key"], stdout=subprocess.PIPE, text=True)
        os.environ.update({"DEEPL_SERVER_URL": server.stdout.readline().strip(), "DEEPL_AUTH_KEY": key})
        # The tests alone: the client is the one from PyPI.
        os.symlink(checkout / "tests", f"{folder}/tests")
        os.chdir(folder)
        sys.path.insert(0, folder)
        import pytest

        plugin = Plugin()
        try:
            pytest.main(["tests", "-q", "--tb=short", "-p", "no:cacheprovider", "--rootdir", folder, *sys.argv[3:]], plugins=[plugin])
        finally:
            server.terminate()
            server.wait()
    print(json.dumps({"outcomes": plugin.outcomes, "left_out": plugin.left_out, "failed": plugin.failed}, indent=1))
    sys.exit(bool(plugin.failed) or not plugin.outcomes["passed"])


main()
