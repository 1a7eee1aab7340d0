"""The server in a process of its own."""

import json
import urllib.request

import pytest

from metaphrase import MetaphraseError, Server


def test_a_server_answers_until_it_is_closed():
    with Server(port=0, threads=1) as server:
        body = json.dumps({"q": "Good morning!", "source": "en", "target": "de"}).encode()
        request = urllib.request.Request(f"{server.url}/translate", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert json.load(answer)["translatedText"] == "Guten Morgen!"
        assert not server.closed
    assert server.closed and "closed" in repr(server)
    server.close()


def test_a_server_that_can_not_start_says_why():
    with pytest.raises(MetaphraseError, match="no-such-option"):
        Server(port=0, no_such_option=True)
    with pytest.raises(MetaphraseError, match="xx"):
        Server({"xx": "nowhere"}, port=0)
