"""Files that are written atomically, and never over a file that is read."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from typing import IO, Any


def is_same_file(a: Any, b: Any) -> bool:
    """Whether both names refer to one existing file, also through links."""
    try:
        return os.path.samefile(a, b)
    except OSError:
        return False


@contextlib.contextmanager
def new_file(path: Any) -> Iterator[IO[bytes]]:
    """A file that gets its final name at the end of the block. After an error the old file is unchanged.

    A link stays, and its target is replaced. A device or a named pipe is opened for writing.
    """
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as stream:
            yield stream
        return
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), prefix=".metaphrase-", suffix=".part", delete=False) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.chmod(file.name, _mode(path))
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


@contextlib.contextmanager
def new_text_file(path: Any) -> Iterator[IO[str]]:
    """Like ``new_file``, for text in UTF-8."""
    with new_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        yield text
        text.flush()
        text.detach()


def _mode(path: str) -> int:
    """The permissions of the file that is replaced, or those of any new file."""
    try:
        return os.stat(path).st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
