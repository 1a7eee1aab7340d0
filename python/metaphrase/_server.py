"""The server, as a process that runs as long as an object exists."""

from __future__ import annotations

import atexit
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING

from metaphrase._errors import MetaphraseError

if TYPE_CHECKING:
    from typing_extensions import Self

#: The program.
_PROGRAM = (sys.executable, "-m", "metaphrase")
#: Seconds for the requests in progress to finish when the server is stopped.
_DRAIN = 30


class Server:
    """``metaphrase serve`` in a process of its own: the APIs of LibreTranslate and DeepL over HTTP.

    ``models`` has a model for each pair of languages, such as ``{"en-de": "en-de", "fr-de": "path/to/model"}``; without it the
    bundled models are served. With ``port=0`` the system chooses a free port. Other keywords are options of the command line:
    ``threads=2`` is ``--threads 2``, ``require_key=True`` is ``--require-key``. A list repeats its option.

    >>> with Server(port=0) as server:
    ...     print(server.url)
    """

    def __init__(
        self,
        models: Mapping[str, str | os.PathLike[str]] | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 5000,
        **options: str | int | bool | list[str],
    ) -> None:
        command = [*_PROGRAM, "serve", "--host", host, "--port", str(port)]
        for pair, path in (models or {}).items():
            command += ["--model", f"{pair}={os.fspath(path)}"]
        for name, value in options.items():
            flag = f"--{name.replace('_', '-')}"
            if value is True:
                command.append(flag)
            elif value is not False:
                for each in value if isinstance(value, list) else [value]:
                    command += [flag, str(each)]
        # A file, because the messages of a server that runs for long would fill a pipe.
        self._messages = tempfile.TemporaryFile("w+", encoding="utf-8")
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._messages, encoding="utf-8")
        assert self._process.stdout is not None
        found = re.search(r"http://\S+", self._process.stdout.readline())
        if found is None:
            self._process.wait()
            message = self.messages().removeprefix("metaphrase: error: ")
            self.close()
            raise MetaphraseError(message or "the server did not start")
        #: The address of the server.
        self.url: str = found.group()
        atexit.register(self.close)

    def close(self) -> None:
        """Ends the server after the requests in progress."""
        atexit.unregister(self.close)
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(_DRAIN + 5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._messages.close()

    def messages(self) -> str:
        """The messages that the server has printed on standard error."""
        self._messages.seek(0)
        return self._messages.read().strip()

    @property
    def closed(self) -> bool:
        """Whether the server has ended."""
        return self._process.poll() is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<metaphrase.Server {self.url}{' (closed)' if self.closed else ''}>"
