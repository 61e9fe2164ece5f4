"""Style sheets and scripts: files of the package, served by name from a fixed list.

Takes: a name. Gives: a file's bytes. Never: a path; what is not on the list is not there.
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

STATIC: Final = Path(__file__).parent / "static"
MANIFEST: Final = "vendored.toml"
OWN: Final = ("page.css", "page.js", "icon.svg")
_KINDS: Final = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Asset:
    """One file as it is sent. `tag` changes with its content."""

    body: bytes
    kind: str
    tag: str


@cache
def assets() -> Mapping[str, Asset]:
    """Every file that is served, by name; read once."""
    vendored = tomllib.loads((STATIC / MANIFEST).read_text("utf-8"))
    names = (*OWN, *(name for name in vendored if (STATIC / name).suffix in _KINDS))
    return MappingProxyType({name: _asset(STATIC / name) for name in names})


def _asset(path: Path) -> Asset:
    body = path.read_bytes()
    return Asset(body=body, kind=_KINDS[path.suffix], tag=hashlib.sha256(body).hexdigest()[:16])
