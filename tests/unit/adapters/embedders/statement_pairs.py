"""Pairs of statements that differ in one thing, made of the sentences of several domains.

Takes: nothing. Gives: pairs by what tells them apart. Never: a pair of which a careful person might think otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import NamedTuple


class Form(NamedTuple):
    """A sentence about one of its subjects. `kind` tells of what its values are; of "several" many hold at once."""

    kind: str
    subjects: tuple[str, ...]
    does: str  # "listens on port {}", "Never {}" of a rule
    doing: str  # "listen on port {}"; empty for a rule
    values: tuple[str, ...]
    scopes: tuple[str, ...] = ()  # of which each leaves what is said of another

    def says(self, subject: str, value: str) -> str:
        """What the form states of a subject."""
        return f"{subject} {self.does.format(value)}"

    def denies(self, subject: str, value: str) -> str:
        """The same, denied."""
        does = "do not" if subject == "I" else "does not"
        return f"{subject} {does} {self.doing.format(value)}"


SERVICES = ("The billing worker", "The search service", "Our gateway")
CLUBS = ("The choir", "The chess club", "The parents' council")
SHOPS = ("The pharmacy", "The town library", "The garden centre")
PEOPLE = ("My sister", "My uncle Piet", "Tobias", "Our neighbour Ida")
GOODS = ("A day pass", "The swimming course", "The guest room")
LINKS = ("The invitation link", "The access token", "The voucher")
STAGES = (" in production", " in staging")
SEASONS = (" in summer", " in winter")
WHOM = (" for members", " for visitors")

FORMS = (
    Form("number", SERVICES, "listens on port {}", "listen on port {}", ("8081", "9090", "7443"), STAGES),
    Form("name", SERVICES, "runs on {}", "run on {}", ("Debian", "Alpine", "Fedora"), STAGES),
    Form("literal", SERVICES, 'sends the header "{}"', 'send the header "{}"', ("X-Trace", "X-Request", "X-Origin")),
    Form("unit", LINKS, "expires after {}", "expire after {}", ("20 minutes", "20 hours", "20 days")),
    Form("time", CLUBS, "meets on {}", "meet on {}", ("Mondays", "Thursdays", "Saturdays"), SEASONS),
    Form("place", CLUBS, "meets in {}", "meet in {}", ("room 12", "the church hall", "the gym"), SEASONS),
    Form("time", SHOPS, "opens at {}", "open at {}", ("8:15", "9:45", "10:30"), SEASONS),
    Form("place", PEOPLE, "lives in {}", "live in {}", ("Bergen", "Ghent", "Porto")),
    Form("name", PEOPLE, "works for {}", "work for {}", ("Siemens", "Ikea", "Lufthansa")),
    Form("several", ("I", *PEOPLE), "owns a {}", "own a {}", ("kayak", "piano", "tent")),
    Form("number", GOODS, "costs {} euros", "cost {} euros", ("20", "35", "90"), WHOM),
    Form("number", ("The kiln", "The big oven"), "heats to {} degrees", "heat to {} degrees", ("180", "240", "1100")),
    Form("several", ("The search page", "The importer"), "supports {}", "support {}", ("wildcards", "tags", "emojis")),
)
ACTIONS = ("ask me", "run the linter", "create a branch", "tell the customer")
EVENTS = ("merging", "deploying", "closing a ticket", "deleting files")
LANGUAGES = ("Python", "Rust", "Kotlin")
THINGS = ("global variables", "macros", "wildcard imports")
LIMITS = ("functions", "commit messages", "release notes")


class Pair(NamedTuple):
    """An earlier and a later statement, and what sets them apart."""

    by: str
    earlier: str
    later: str


def _said(form: Form, subject: str, value: str) -> str:
    said = form.says(subject, value)
    return said.replace("I owns", "I own")


def _of_form(form: Form) -> Iterator[Pair]:
    for subject, (value, other) in product(form.subjects, permutations(form.values, 2)):
        said, newer = _said(form, subject, value), _said(form, subject, other)
        yield Pair(form.kind, said, newer)
        if subject != "I":
            yield from (Pair("mood", said, later) for later in _unmeant(form, subject, other))
            yield Pair("past", said, f"{subject} used to {form.doing.format(value)}")
            yield Pair("former", said, f"{subject} used to {form.doing.format(other)}")
        for one, another in permutations(form.scopes, 2):
            yield Pair("scope", f"{said}{one}", f"{newer}{another}")
    for subject, value in product(form.subjects, form.values):
        said, denied = _said(form, subject, value), form.denies(subject, value)
        yield from (Pair("sign", said, denied), Pair("sign", denied, said))
        yield from (Pair("same in scope", f"{said}{a}", f"{said}{b}") for a, b in permutations(form.scopes, 2))
    for (subject, another), value, other in product(permutations(form.subjects, 2), form.values, form.values):
        yield Pair("subject", _said(form, subject, value), _said(form, another, other))


def _unmeant(form: Form, subject: str, value: str) -> Iterator[str]:
    whom = subject if subject.startswith("Tobias") else f"{subject[0].lower()}{subject[1:]}"
    doing, says = form.doing.format(value), form.says(whom, value)
    yield f"I wish {whom} would {doing}"
    yield f"Does {whom} {doing}?"
    yield f"If we had a choice, {whom} would {doing}"
    yield f"Ben says that {says}"


def _of_attributes() -> Iterator[Pair]:
    for one, other in permutations(FORMS, 2):
        for subject in (subject for subject in one.subjects if subject in other.subjects and subject != "I"):
            for value, another in product(one.values, other.values):
                yield Pair("attribute", one.says(subject, value), other.says(subject, another))


def _of_rules() -> Iterator[Pair]:
    for action, event in product(ACTIONS, EVENTS):
        always, never = f"Always {action} before {event}", f"Never {action} before {event}"
        plain, dont = f"{action[0].upper()}{action[1:]} before {event}", f"Don't {action} before {event}"
        for one, other in ((always, never), (plain, dont), (plain, never)):
            yield from (Pair("sign", one, other), Pair("sign", other, one))
        yield from (Pair("rule", always, f"Always {other} before {event}") for other in ACTIONS if other != action)
        yield from (Pair("rule", always, f"Always {action} before {other}") for other in EVENTS if other != event)
    for language, thing in product(LANGUAGES, THINGS):
        use, dont = f"Use {thing} in {language}", f"Don't use {thing} in {language}"
        yield from (Pair("sign", use, dont), Pair("sign", dont, use))
        yield from (Pair("rule", dont, f"Don't use {other} in {language}") for other in THINGS if other != thing)
        yield from (Pair("rule", dont, f"Don't use {thing} in {other}") for other in LANGUAGES if other != language)
    for limit, (value, other) in product(LIMITS, permutations(("40", "60", "72"), 2)):
        said = f"Keep {limit} below {value} lines"
        yield Pair("number", said, f"Keep {limit} below {other} lines")
        yield Pair("unit", said, f"Keep {limit} below {value} words")
        yield from (Pair("rule", said, f"Keep {another} below {other} lines") for another in LIMITS if another != limit)


def all_pairs() -> dict[str, list[Pair]]:
    """Every pair, by what sets the two apart."""
    found: dict[str, list[Pair]] = {}
    for pairs in (*map(_of_form, FORMS), _of_attributes(), _of_rules()):
        for pair in pairs:
            found.setdefault(pair.by, []).append(pair)
    return found
