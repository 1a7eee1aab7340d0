"""The program comes with the package."""

import subprocess
import sys
from pathlib import Path

import metaphrase


def run(*arguments, text="", program=(sys.executable, "-m", "metaphrase")):
    return subprocess.run([*program, *arguments], input=text, capture_output=True, encoding="utf-8", check=False)


def test_the_program_translates_as_the_library(translator, lines):
    text = "".join(f"{line}\n" for line in lines)
    done = run("translate", "--threads", "1", text=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [found.text for found in translator.translate(lines)]


def test_the_script_and_its_exit_status():
    script = Path(sys.executable).with_name("metaphrase")
    assert run("--version", program=(script,)).stdout.split() == ["metaphrase", metaphrase.__version__]
    wrong = run("translate", "--no-such-option", program=(script,))
    assert wrong.returncode == 2 and "metaphrase translate --help" in wrong.stderr
    failed = run("translate", "-m", "nowhere", program=(script,))
    assert failed.returncode == 1 and failed.stderr.startswith("metaphrase: error: there is no model nowhere")
