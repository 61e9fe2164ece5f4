"""Static files of the package: style sheets, scripts and the icon, served by name from a fixed list.

Takes: a name. Gives: a file's bytes. Never: accepts a path; a name outside the list does not exist.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

STATIC_FOLDER: Final = Path(__file__).parent / "static"
MANIFEST: Final = "vendored.toml"
OWN_FILES: Final = ("page.css", "page.js", "icon.svg")
_MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Asset:
    """One file. `tag` is a digest of its content."""

    body: bytes
    media_type: str
    tag: str


@cache
def assets() -> Mapping[str, Asset]:
    """All served files by name; read once."""
    vendored = tomllib.loads((STATIC_FOLDER / MANIFEST).read_text("utf-8"))
    names = (*OWN_FILES, *(name for name in vendored if (STATIC_FOLDER / name).suffix in _MEDIA_TYPES))
    return MappingProxyType({name: _read_asset(STATIC_FOLDER / name) for name in names})


def _read_asset(path: Path) -> Asset:
    body = path.read_bytes()
    return Asset(body=body, media_type=_MEDIA_TYPES[path.suffix], tag=hashlib.sha256(body).hexdigest()[:16])
