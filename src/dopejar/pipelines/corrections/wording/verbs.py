"""English verb forms, as far as turning a complaint into a wish needs them.

Takes: a word. Gives: its plain form, its -ing form. Never: knows a language's whole grammar; what it does not know
comes back as it was.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.cues import data_table

_PAST: Final = {
    "added": "add", "asked": "ask", "became": "become", "began": "begin", "broke": "break", "brought": "bring",
    "built": "build", "bumped": "bump", "called": "call", "came": "come", "changed": "change", "chose": "choose",
    "committed": "commit", "copied": "copy", "created": "create", "deleted": "delete", "did": "do", "dropped": "drop",
    "duplicated": "duplicate", "edited": "edit", "forgot": "forget", "gave": "give", "got": "get", "guessed": "guess",
    "hardcoded": "hardcode", "hid": "hide", "ignored": "ignore", "invented": "invent", "kept": "keep", "left": "leave",
    "linked": "link", "lost": "lose", "made": "make", "merged": "merge", "misread": "misread", "modified": "modify",
    "moved": "move", "nuked": "delete", "omitted": "omit", "overwrote": "overwrite", "pushed": "push", "put": "put",
    "ran": "run", "removed": "remove", "renamed": "rename", "replaced": "replace", "reverted": "revert",
    "rewrote": "rewrite", "said": "say", "sent": "send", "set": "set", "skipped": "skip", "split": "split",
    "started": "start", "stopped": "stop", "switched": "switch", "told": "tell", "took": "take", "touched": "touch",
    "tried": "try", "updated": "update", "used": "use", "went": "go", "wrote": "write", "disabled": "disable",
    "installed": "install", "mocked": "mock", "truncated": "truncate", "implemented": "implement",
    "introduced": "introduce", "assumed": "assume", "stored": "store", "wrapped": "wrap", "exposed": "expose",
    "hard-coded": "hard-code", "misunderstood": "misunderstand", "included": "include", "closed": "close",
    "written": "write", "taken": "take", "given": "give", "chosen": "choose", "broken": "break", "hidden": "hide",
    "done": "do", "shown": "show", "thrown": "throw", "overwritten": "overwrite", "rewritten": "rewrite",
    "held": "hold",
    "cleaned": "clean", "logged": "log", "printed": "print", "squashed": "squash", "rebased": "rebase",
}  # fmt: skip
_ING: Final = {
    "being": "be", "having": "have", "lying": "lie", "dying": "die", "tying": "tie", "using": "use",
    "making": "make", "writing": "write", "taking": "take", "giving": "give", "moving": "move", "removing": "remove",
    "ignoring": "ignore", "changing": "change", "creating": "create", "deleting": "delete", "updating": "update",
    "storing": "store", "assuming": "assume", "naming": "name", "coding": "code",
    "merging": "merge", "leaving": "leave",
    "repeating": "repeat", "guessing": "guess", "closing": "close", "replacing": "replace", "including": "include",
    "recreating": "recreate", "hardcoding": "hardcode", "hallucinating": "hallucinate", "apologizing": "apologise",
    "apologising": "apologise", "summarizing": "summarise", "summarising": "summarise", "duplicating": "duplicate",
    "rewriting": "rewrite", "overwriting": "overwrite", "disabling": "disable", "introducing": "introduce",
    "doing": "do", "going": "go", "agreeing": "agree", "seeing": "see", "proposing": "propose", "rebasing": "rebase",
    "overcomplicating": "overcomplicate", "renaming": "rename", "firing": "fire", "releasing": "release",
}  # fmt: skip
_VOWELS: Final = "aeiou"
_DOUBLES: Final = frozenset(
    {
        "stop", "put", "run", "get", "set", "cut", "split", "commit", "drop", "skip", "forget", "begin", "plan", "log",
        "tag", "wrap", "ship", "debug", "grep", "stub", "strip", "hit", "let", "quit", "chat", "scan", "map", "pin",
        "step", "shut", "dig", "rip", "swap", "trim", "flag", "plug", "unplug", "omit", "submit", "permit", "refer",
    }
)  # fmt: skip
_PLAIN_ED: Final = frozenset({"need", "feed", "seed", "embed", "speed", "proceed", "exceed", "breed"})


def base_of_past(word: str) -> str:
    """`edited` -> `edit`; a word that is no past form comes back as it was."""
    lower = word.casefold()
    if lower in _PAST:
        return _PAST[lower]
    if lower.endswith("ied") and len(lower) > 4:
        return lower[:-3] + "y"
    if not lower.endswith("ed") or len(lower) < 4 or lower in _PLAIN_ED:
        return word
    return _unsuffixed(lower[:-2])


def base_of_ing(word: str) -> str:
    """`editing` -> `edit`; a word that is no -ing form comes back as it was."""
    lower = word.casefold()
    if lower in _ING:
        return _ING[lower]
    if not lower.endswith("ing") or len(lower) < 5 or not any(v in lower[:-3] for v in _VOWELS + "y"):
        return word
    return _unsuffixed(lower[:-3])


def _unsuffixed(stem: str) -> str:
    """The verb that the rest of a form belongs to: a known one where there is one, else by its sound."""
    is_double = len(stem) > 2 and stem[-1] == stem[-2]
    for known in (stem, f"{stem}e", stem[:-1] if is_double else stem):
        if known in plain_verbs():
            return known
    if is_double and stem[-1] not in "lsz":
        return stem[:-1]
    if stem[-1] in "vuc" or stem.endswith(("rg", "dg", "iz", "is", "eas", "at", "ut", "ur", "abl", "ibl")):
        return stem if stem.endswith(("eat", "out", "put")) else stem + "e"
    return stem


@lru_cache(maxsize=1)
def plain_verbs() -> frozenset[str]:
    """The plain verbs that instructions begin with."""
    found = data_table("verbs").get("plain", [])
    return frozenset(map(str, found)) if isinstance(found, list) else frozenset()


@lru_cache(maxsize=1)
def ordering_verbs() -> frozenset[str]:
    """Every verb that an order may begin with, also those that detection does not weigh."""
    found = data_table("verbs").get("further", [])
    return plain_verbs() | (frozenset(map(str, found)) if isinstance(found, list) else frozenset())


def ing_of(word: str) -> str:
    """`use` -> `using`; of a plain verb."""
    lower = word.casefold()
    if lower.endswith("ing") and len(lower) > 5:
        return lower
    if lower in _DOUBLES:
        return lower + lower[-1] + "ing"
    if lower.endswith("ie"):
        return lower[:-2] + "ying"
    if lower.endswith("e") and not lower.endswith(("ee", "oe", "ye")) and len(lower) > 2:
        return lower[:-1] + "ing"
    return lower + "ing"
