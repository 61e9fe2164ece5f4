"""Replacement of a text file that belongs to the user.

Takes: a path and a function of its text. Gives: the file with the new text, replaced at once. Never: half a file, or
other permissions.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dopejar.errors import InputError

_WRITE_PERMISSIONS = 0o222


def rewrite_file(path: Path, rewrite: Callable[[str], str]) -> None:
    """Replace a file's text atomically; follow a link, and keep permissions and line ends.

    Raises:
        InputError: the file cannot be read or written, or is read-only. The file is unchanged.
    """
    file = path.resolve()
    partial = file.with_name(f".{file.name}.part")
    try:
        mode = file.stat().st_mode if file.exists() else None
        if mode is not None and not mode & _WRITE_PERMISSIONS:
            raise InputError(f"{path} is read-only. Make it writable, or name another file.")
        old = file.read_bytes().decode("utf-8") if mode is not None else ""
        text = rewrite(old)
        if text == old:
            return
        try:
            partial.write_bytes(text.encode("utf-8"))
            if mode is not None:
                partial.chmod(mode)
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(f"{path} cannot be written: {fault}. Name another file.") from fault
