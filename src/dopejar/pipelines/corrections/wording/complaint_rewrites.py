"""Complaints turned round: what a clause wants, by how it complains.

Takes: one clause of English, without openers. Gives: the clause as a wish, or as it was. Never: applies two rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.wording.verbs import base_of_ing, base_of_past, ing_of, ordering_verbs

Turn = Callable[[re.Match[str]], str]
_I: Final = re.IGNORECASE


def turned(clause: str) -> str:
    """The clause by the first rule that fits it."""
    for pattern, turn in _rules():
        found = pattern.match(clause)
        if found:
            return turn(found)
    return clause


@lru_cache(maxsize=1)
def _rules() -> tuple[tuple[re.Pattern[str], Turn], ...]:
    """Every rule in its order; compiled at first use."""
    rows = (*_questions(), *_wants(), *_refusals(), *_accusations())
    return tuple((re.compile(pattern, _I), turn) for pattern, turn in rows)


def _questions() -> tuple[tuple[str, Turn], ...]:
    """Questions that rebuke: "why did you ..."."""
    return (
        (
            r"^why (?:did ?n'?t|did not|have ?n'?t) (?:you|u|we) (?:ever |just )?(?P<rest>\w.*)$",
            lambda m: _head(m["rest"], base_of_past),
        ),
        (r"^why (?:do ?n'?t|don't) (?:you|u|we) (?P<rest>\w.*)$", lambda m: m["rest"]),
        (
            r"^why (?:are ?n'?t|are not|aren't) (?:you|u|we) (?P<rest>\w+ing\b.*)$",
            lambda m: _head(m["rest"], base_of_ing),
        ),
        (
            r"^why (?:did|do) (?:you|u|we) (?:keep |still |just |even )*(?P<rest>\w.*)$",
            lambda m: _swapped(_both(m["rest"], base_of_past, base_of_ing)),
        ),
        (
            r"^why (?:are|were) (?:you|u|we) (?:still |just |even )*(?P<rest>\w+ing\b.*)$",
            lambda m: _swapped(_head(m["rest"], base_of_ing)),
        ),
        (r"^are (?:you|we) (?:currently |still |even )*in (?P<rest>\w.*)$", lambda m: f"Work in {m['rest']}"),
    )


def _accusations() -> tuple[tuple[str, Turn], ...]:
    """What the assistant is told it did, or did not."""
    return (
        (
            r"^you (?:also |just |still |again )*(?:forgot|missed|skipped|omitted) (?P<rest>(?!to\b|this\b)\w.*)$",
            lambda m: f"Do not forget {m['rest']}",
        ),
        (
            r"^you (?:also |just |still )*(?:did ?n'?t|did not|have ?n'?t|forgot to|should have|were supposed to|"
            r"failed to|never) (?P<rest>\w.*)$",
            lambda m: _head(m["rest"], base_of_past),
        ),
        (
            r"^you (?:should ?n'?t|should not|must ?n'?t|must not|can ?not|can'?t)(?: have)? (?P<rest>\w.*)$",
            lambda m: f"Do not {_head(m['rest'], base_of_past)}",
        ),
        (
            r"^you (?:(?:always|constantly) (?P<rest>\w.*)|keep(?: on)? (?P<ing>\w+ing\b.*))$",
            lambda m: _swapped(_head(m["rest"] or m["ing"], base_of_ing)),
        ),
        (
            r"^you(?:(?:'re| are|re) (?:also |still )*not| are ?n'?t| were ?n'?t)(?: still)? (?P<rest>\w+ing\b.*)$",
            lambda m: _head(m["rest"], base_of_ing),
        ),
        (r"^(?:you are|you're|are you) not supposed to (?P<rest>.*)$", lambda m: f"Do not {m['rest']}"),
        (r"^you(?:'re| are) supposed to (?P<rest>\w.*)$", lambda m: m["rest"]),
        (
            r"^you(?:'re| are|re) (?:also |still |just )*(?P<rest>\w+ing\b.*)$",
            lambda m: _swapped(_head(m["rest"], base_of_ing)),
        ),
        (
            r"^you (?:also |just |still |accidentally |again |seem to have )*(?P<rest>(?:\w+ed|broke|made|"
            r"put|wrote|left|"
            r"overwrote|ran|went|rewrote|kept|got|took|set|split|misread|did)\b.*)$",
            lambda m: _swapped(_head(m["rest"], base_of_past)),
        ),
    )


_WAYS: Final = "use|keep|write|put|run|name|store|follow|avoid|call|test|commit|deploy|log|document|format"


def _wants() -> tuple[tuple[str, Turn], ...]:
    """What a person wants, asked for, or does not want; how "we" do things is what is wanted."""
    return (
        (r"^(?:here,? )?we always (?P<rest>[a-z]+ \w.*)$", lambda m: _now("Always", m)),
        (r"^(?:here,? )?we never (?P<rest>[a-z]+ \w.*)$", lambda m: _now("Never", m)),
        (r"^you (?:don'?t|dont|do not) (?:need|have) to (?P<rest>\w.*)$", lambda m: f"Do not {m['rest']}"),
        (rf"^(?:here,? )?we (?:always |only |usually )?(?P<rest>(?:{_WAYS}) (?!to\b)\w.*)$", lambda m: m["rest"]),
        (
            rf"^(?:here,? )?we (?:don'?t|dont|do not) (?P<rest>(?:{_WAYS}) (?!to\b)\w.*)$",
            lambda m: f"Do not {m['rest']}",
        ),
        (
            r"^(?P<rest>(?:the|an?) (?:(?!should|must|is|are|was|needs?|has)[\w*`'-]+ ){0,4}(?!should|must|is|are)"
            r"[\w*`'-]+, not (?:the|an?) .+)$",
            lambda m: f"Use {m['rest'][:1].lower()}{m['rest'][1:]}",
        ),
        (
            r"^(?:i|we) (?:just |only |already |specifically |explicitly )*(?:asked|told|wanted|instructed) you to "
            r"(?P<rest>\w.*)$",
            _asked,
        ),
        (
            r"^(?:i|we) (?:never|did ?n'?t|did not) (?:ask|tell|want) (?:you|for)(?: to)? (?P<rest>\w.*)$",
            lambda m: f"Do not {m['rest']}",
        ),
    )


def _refusals() -> tuple[tuple[str, Turn], ...]:
    """What need not, cannot or shall not be, and what is better."""
    return (
        (
            r"^(?:there'?s |there is )?no (?:need|reason|point) (?:to|in|for) (?P<rest>\w.*)$",
            lambda m: f"Do not {_head(m['rest'], base_of_ing)}",
        ),
        (r"^(?:we|i) (?:really )?(?:don'?t|dont|do not) (?:need|want)(?: (?:you )?to)? (?P<rest>\w.*)$", _unwanted),
        (r"^(?:it'?s |it is |its )?(?:better|best) not to (?P<rest>\w.*)$", lambda m: f"Do not {m['rest']}"),
        (r"^(?:it'?s |it is |its )?(?:better|best) to (?P<rest>\w.*)$", lambda m: m["rest"]),
        (
            r"^(?:i|we) (?:just |only |already |specifically )*asked (?:you )?for (?P<rest>\w.*)$",
            lambda m: f"Give {m['rest'].replace(', not for ', ', not ')}",
        ),
        (r"^we (?:cannot|can'?t|can not) (?P<rest>\w.*)$", lambda m: f"Do not {m['rest']}"),
        (
            r"^(?:it )?(?:does ?n'?t|does not|makes no) (?:make )?(?:any )?sense to (?P<rest>\w.*)$",
            lambda m: f"Do not {m['rest']}",
        ),
        (r"^not to (?P<rest>\w.*)$", lambda m: f"Do not {m['rest']}"),
        (r"^not (?P<rest>.*)$", lambda m: f"Do not {m['rest']}"),
        (
            r"^(?:let'?s not|we should(?:n'?t| not)|please do not|do not|don'?t|dont) (?:ever |"
            r"just )?(?P<rest>\w.*)$",
            lambda m: f"Do not {m['rest']}",
        ),
        (r"^(?:stop|quit|no more|avoid) (?P<rest>\w+ing\b.*)$", _stopped),
        (
            r"^(?:i|we) (?:really |specifically |just |only )*(?:want|prefer|need|like) (?P<rest>(?:a|an|"
            r"the)\b.*)$",
            lambda m: f"Use {m['rest']}",
        ),
        (
            r"^i (?:want|expect) (?P<rest>(?!you\b|to\b|it\b|that\b|this\b)\w.* (?:in|for|with) "
            r"(?:every|each|all|any)\b.*)$",
            lambda m: f"Use {m['rest']}",
        ),
        (r"^(?:i|we) (?:really )?prefer (?P<rest>\w.*)$", lambda m: f"Prefer {m['rest']}"),
        (r"^this (?:is ?n'?t|isn't|is not) (?P<rest>\w+)[.!]?$", lambda m: f"Make it {m['rest']}"),
        (
            r"^(?:that|it)(?:'s|s| is) not (?P<rest>markdown|json|yaml|english)[.!]?$",
            lambda m: f"Make it {m['rest']}",
        ),
    )


def _now(how: str, match: re.Match[str]) -> str:
    """`we always ship webp` -> `Always ship webp`; what was once is no wish."""
    verb = match["rest"].split(" ", 1)[0]
    return f"{how} {match['rest']}" if base_of_past(verb) == verb else match[0]


def _head(rest: str, form: Callable[[str], str]) -> str:
    first, _, more = rest.partition(" ")
    return f"{form(first)} {more}".strip()


def _both(rest: str, past: Callable[[str], str], ing: Callable[[str], str]) -> str:
    return re.sub(r"\band (\w+ing)\b", lambda m: f"and {ing(m[1])}", _head(_head(rest, past), ing))


def _swapped(rest: str) -> str:
    """`edit the main file, not the session one` as a complaint wants the session one."""
    parts = re.match(r"^(?P<verb>\w+) (?P<bad>.+?)(?:,| and)? (?:and )?not (?P<good>[^,.;?!]+)(?P<end>.*)$", rest)
    instead = re.match(r"^(?P<verb>\w+) (?P<bad>.+?) (?:instead of|rather than) (?P<good>[^,.;?!]+)(?P<end>.*)$", rest)
    found = parts or instead
    if not found:
        return f"Do not {rest}"
    good, bad = found["good"].strip(), found["bad"].strip()
    if good.endswith(" one") and bad.rsplit(" ", 1)[-1].isalpha():
        good = f"{good.removesuffix('one')}{bad.rsplit(' ', 1)[-1]}"
    doing, _, what = good.partition(" ")
    if instead and not parts and doing.casefold().endswith("ing") and base_of_ing(doing) != doing:
        return f"{base_of_ing(doing)} {what}{found['end']} instead of {ing_of(found['verb'])} {bad}"
    lead = _PREPOSITION.match(bad)
    if lead and not _PREPOSITION.match(good):
        good = f"{lead[0]}{good}"
    return f"{found['verb']} {good}, not {bad}"


_PREPOSITION: Final = re.compile(r"(?:to|in|into|on|from|with|through|at|via|by)\s+", _I)
_NEAREST: Final = re.compile(
    r"^(?P<verb>\w+) (?P<good>(?P<article>the|a|an|my|our) [^,]+), not (?P<what>.+? (?:to|in|into|on|from|at)) "
    r"(?P<bad>(?P=article) .+)$",
    _I,
)


def nearest(wish: str) -> str:
    """`Edit the fork, not files in the main tree` -> `Edit files in the fork, not the main tree`.

    For a complaint turned round: "you edited files in the main tree, not the fork" sets the fork against the last noun.
    """
    return _NEAREST.sub(r"\g<verb> \g<what> \g<good>, not \g<bad>", wish)


def _asked(match: re.Match[str]) -> str:
    """`I asked you to plan it, not to build it` -> `When asked to plan it, do only that; do not build it`."""
    wanted, mark, unwanted = match["rest"].partition(", not ")
    if mark:
        return f"When asked to {wanted}, do only that; do not {unwanted.removeprefix('to ')}"
    return f"Only {wanted}" if re.match(r"\w+ (?:just|only)\b", match[0], _I) else wanted


def _stopped(match: re.Match[str]) -> str:
    """`stop adding tests` -> `Do not add tests`; `stop asking and decide` stays: the ban ends at the order."""
    if orders_after_ban(match["rest"]):
        return match[0]
    return f"Do not {_head(match['rest'], base_of_ing)}"


def orders_after_ban(rest: str) -> bool:
    """Whether "and" opens an order behind what is to stop: what stops has the -ing form, an order the plain one."""
    follows = re.search(r"\band (?:just |then |instead )?(?P<verb>[a-z]+)\b", rest, _I)
    return bool(follows) and follows["verb"].casefold() in ordering_verbs()  # type: ignore[index]


def _unwanted(match: re.Match[str]) -> str:
    rest = match["rest"]
    if match[0][: match.start("rest")].endswith(" to "):
        return f"Do not {rest}"
    return f"Avoid {rest}" if _DEFINITE.match(rest) else f"No {rest}"


_DEFINITE: Final = re.compile(r"(?:the|a|an|any|this|that|these|those|your|my|our|it|them|you)\b", _I)
