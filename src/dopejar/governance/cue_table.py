"""Tables of cues: which wordings speak for which label, read from data files.

Takes: clauses of an utterance. Gives: the cues found in them, by label. Never: a cue that is denied, quoted or only
supposed, where its label is about what is so.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from dopejar.errors import InputError
from dopejar.governance.signals.folded_clauses import FoldedClause, is_denied
from dopejar.values.turn_decisions import Shares

_RULE_WEIGHT: Final = 2.0  # of the label that cues choose
_NEVER: Final = re.compile("(?!)")
_OPENS: Final = r"(?<![\w-])"


@dataclass(frozen=True, kw_only=True, slots=True)
class CueGroup:
    """The cues of one label.

    `places` are cues but in a question for information, which they only say the subject of. `apart` are wordings that
    look like a cue and are none. `loud` cues count in exclamations alone. `denied`: a negation before a cue leaves it
    standing. `asked`, `supposed`: cues count in questions, in conditions and reports.
    """

    cues: re.Pattern[str]
    loud: re.Pattern[str]
    places: re.Pattern[str]
    apart: re.Pattern[str]
    denied: bool
    asked: bool
    supposed: bool

    def find(self, clause: FoldedClause) -> str:
        """The cue in the clause, or ""."""
        if (clause.is_supposed and not self.supposed) or (clause.is_asked and not self.asked):
            return ""
        text = self.apart.sub("_", clause.text)
        patterns = [
            self.cues,
            *(() if clause.is_informing else (self.places,)),
            *((self.loud,) if clause.is_loud else ()),
        ]
        for pattern in patterns:
            for match in pattern.finditer(text):
                if self.denied or not is_denied(text, match.start()):
                    return str(match.group())
        return ""

    def is_like(self, clause: FoldedClause) -> bool:
        """Whether a cue stands in the clause, however it is meant, or a wording that looks like one."""
        return any(pattern.search(clause.text) for pattern in (self.cues, self.places, self.apart))


@dataclass(frozen=True, kw_only=True, slots=True)
class CueTable:
    """The groups of a data file, by label."""

    groups: Mapping[str, CueGroup]

    def find(self, clauses: Sequence[FoldedClause]) -> dict[str, list[str]]:
        """The cues of each label that has any, in the order of the clauses."""
        found = {
            label: [cue for clause in clauses if (cue := group.find(clause))] for label, group in self.groups.items()
        }
        return {label: cues for label, cues in found.items() if cues}

    def find_unmeant(self, clauses: Sequence[FoldedClause], found: Collection[str]) -> frozenset[str]:
        """The labels not found though a cue seems to stand there: it is denied, supposed, asked about or apart."""
        missing = (label for label in self.groups if label not in found)
        return frozenset(label for label in missing if any(map(self.groups[label].is_like, clauses)))


@lru_cache(maxsize=8)
def read_cues(package: str, name: str) -> CueTable:
    """The table `data/NAME.toml` of a package of governance, read once.

    Raises:
        InputError: the file cannot be read as a table of cues; the installation is incomplete.
    """
    try:
        rows = tomllib.loads(files(f"dopejar.governance.{package}").joinpath(f"data/{name}.toml").read_text("utf-8"))
        return CueTable(groups={label: _group(row) for label, row in rows.items()})
    except (OSError, ValueError, KeyError, AttributeError, re.error) as fault:
        raise InputError(f"The cues of {name} cannot be read ({fault}). Reinstall the program.") from fault


def weighed(shares: Shares, ruled: str) -> str:
    """The label that a model's shares and the cues choose together; the one of the cues counts as more likely."""
    return max(shares, key=lambda name: shares[name] * (_RULE_WEIGHT if name == ruled else 1.0))


def _group(row: Mapping[str, object]) -> CueGroup:
    return CueGroup(
        cues=_pattern(row["cues"]),
        loud=_pattern(row.get("loud")),
        places=_pattern(row.get("places")),
        apart=_pattern(row.get("apart")),
        denied=bool(row.get("denied", False)),
        asked=bool(row.get("asked", True)),
        supposed=bool(row.get("supposed", False)),
    )


def _pattern(cues: object) -> re.Pattern[str]:
    """Alternatives at word boundaries; `^` holds a cue to the beginning of its clause."""
    if not isinstance(cues, list) or not cues:
        return _NEVER
    return re.compile("|".join(f"{'' if str(cue).startswith('^') else _OPENS}(?:{cue})(?!\\w)" for cue in cues))
