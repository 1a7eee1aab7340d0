"""The stubs have the types of the package."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy")


def run(*command):
    return subprocess.run([sys.executable, "-m", *command], capture_output=True, encoding="utf-8", check=False)


def test_stubs_are_those_of_the_compiled_part():
    done = run("mypy.stubtest", "metaphrase._native", "--ignore-missing-stub", "--ignore-disjoint-bases")
    assert done.returncode == 0, done.stdout + done.stderr


def test_users_code_is_checked(tmp_path):
    code = tmp_path / "code.py"
    code.write_text(
        "from metaphrase import Translator\n"
        "translator = Translator('en-de', threads=1, beam_size=2)\n"
        "text: str = translator.translate('a', n_best=2).text\n"
        "texts: list[str] = [one.text for one in translator.translate(['a'])]\n",
        encoding="utf-8",
    )
    good = run("mypy", "--strict", str(code))
    assert good.returncode == 0, good.stdout
    with code.open("a", encoding="utf-8") as file:
        file.write("translator.translate('a', beam_sise=2)\n")
    assert "beam_sise" in run("mypy", "--strict", str(code)).stdout


def test_the_package_is_strict():
    from conftest import ROOT

    done = run("mypy", "--strict", "--config-file", str(ROOT / "python/pyproject.toml"), "-p", "metaphrase")
    assert done.returncode == 0, done.stdout
