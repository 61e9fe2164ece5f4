"""The written sentences that the statement reader is fitted with.

Takes: the files of `data/reader`. Gives: pairs of statements with their relation, and sentences with their reading, by
author. Never: reads a benchmark's data.

    python -m training.reader_data      # counts them by author

The formats are described in `data/reader/relations.md`, `statements.md`, `frames.md`, `profiles.md`, `series.md`,
`things.md` and `lives.md`.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dopejar.pipelines.ingest.extraction.extractor import as_sentence
from dopejar.text.polarity import polarity
from dopejar.text.sentences import sentences as pieces_of
from dopejar.values.statement import MarkedStatement, Relation, SpeechAct, Tense

DATA = Path(__file__).parent / "data" / "reader"
SIGNS = {"=": "same", ">": "update", "x": "end", "?": "contradiction", "+": "addition", ".": "apart"}
LEGACY = {"r": "same", "s": "update", "c": "contradiction", "u": "apart"}
PAIR_LABELS = {"reinforce": "same", "supersede": "update", "conflict-unclear": "contradiction", "unrelated": "apart"}
RELATIONS, ACTS, TENSES = tuple(map(str, Relation)), tuple(map(str, SpeechAct)), tuple(map(str, Tense))
STATING = ("assertion", "rule", "preference")
FRAME_KINDS = {
    "identity": ("plain", "self.identity"),
    "preference": ("preference", "self.preference"),
    "rule": ("constraint", "intent.rule"),
    "constraint": ("constraint", "self.constraint"),
    "goal": ("plain", "intent.goal"),
    "method": ("plain", "world.method"),
}
PROFILE_KINDS = FRAME_KINDS | {
    "fact": ("plain", "world.fact"),
    "environment": ("environment", "world.fact"),
    "failure": ("plain", "world.failure"),
    "anti-pattern": ("constraint", "intent.anti-pattern"),
    "definition": ("definition-alias", "world.fact"),
}
FIELDS = ("act", "kind", "subject", "attribute", "value", "sign", "time", "durable", "scope", "text")

LIFE_SIGNS = {">": "update", "x": "end", "/": "addition", "=": "same", "?": "contradiction"}
FIRST_TURNS = 28  # the files of turns that the readers of changes and of secrets and the floors were fitted with
LEAST_WORDS, MOST_WORDS = 3, 45  # of a sentence in which nothing is worth keeping
EITHER = "|"
SIDE_BY_SIDE = ("things", "parts")  # families of values side by side, which only one of the nets is fitted with


class Pair(NamedTuple):
    """An earlier and a later statement, what the later does to the earlier, and the weight in fitting.

    Where only one of several relations is known to hold, they stand with `EITHER` between them.
    """

    earlier: str
    later: str
    relation: str
    weight: float


class Sentence(NamedTuple):
    """A sentence and how a careful listener reads it; an empty label was not given."""

    text: str
    act: str
    tense: str
    denied: str
    durable: str
    fact_class: str = ""
    coordinates: str = ""
    guides: str = ""  # whether it says how the work is to be done from now on
    subject: str = ""  # words of the text
    attribute: str = ""
    value: str = ""  # words of the text


class Told(NamedTuple):
    """A statement of a profile, and what is said of it later: a relation and a text each."""

    sentence: Sentence
    later: list[tuple[str, str]]


class Remark(NamedTuple):
    """A statement of a life, and what it does to some earlier ones: the relation by the number of the earlier one."""

    text: str
    relations: dict[int, str]


class Message(NamedTuple):
    """A line of a series: its sign, what lasts of its words or else all of them, and whether something lasts."""

    sign: str
    statement: str
    lasts: bool


class Value(NamedTuple):
    """A line of a group of things: the letter of its thing and property, its sign, and its text."""

    letter: str
    sign: str
    text: str


class Span(NamedTuple):
    """A lasting statement of a turn; an empty label was not given, an optional one may be left out."""

    start: int
    end: int
    fact_class: str
    layer: str
    is_optional: bool


class MarkedTurn(NamedTuple):
    """A turn with its lasting statements."""

    text: str
    spans: tuple[Span, ...]


def groups(path: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    """The groups of a relations file: an earlier statement, and later ones with their relation."""
    signs, found = SIGNS | LEGACY, []
    for line in path.read_text("utf-8").splitlines():
        sign, text = line[:1], line[2:].strip()
        if line[1:2] != " " or not text:
            continue
        if sign == "E":
            found.append((text, []))
        elif sign in signs and found:
            found[-1][1].append((signs[sign], text))
    return found


def pairs_of(path: Path, seed: int) -> list[Pair]:
    """The pairs of a relations file: as written (weight 1), and those that follow from them.

    What a statement does to an earlier one it also does to another wording of it; `same` and `apart` hold both ways;
    statements of different groups are apart.
    """
    rng, found = random.Random(seed), []
    written = groups(path)
    others = [text for _, later in written for _, text in later]
    for earlier, later in written:
        wordings = [text for relation, text in later if relation == "same"]
        for relation, text in later:
            found.append(Pair(earlier, text, relation, 1.0))
            if relation == "same":
                found.append(Pair(text, earlier, relation, 0.5))
                continue
            if relation == "apart":
                found.append(Pair(text, earlier, relation, 0.3))
            found += [Pair(one, text, relation, 0.5) for one in rng.sample(wordings, min(2, len(wordings)))]
        found += [Pair(a, b, "same", 0.4) for a, b in list(itertools.permutations(wordings, 2))[:2]]
        found.append(Pair(earlier, rng.choice(others), "apart", 0.5))
    return found


def pairs(folder: Path = DATA) -> dict[str, list[Pair]]:
    """The pairs of all families, by author."""
    found = {path.stem: pairs_of(path, number) for number, path in enumerate(sorted(folder.glob("relations*.txt")))}
    for path in sorted(folder.glob("pairs*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        found[path.stem] = [Pair(row["earlier"], row["later"], PAIR_LABELS[row["label"]], 1.0) for row in rows]
    for path in sorted(folder.glob("profiles*.txt")):
        found[path.stem] = [pair for profile in profiles(path) for pair in pairs_of_profile(profile)]
    for path in sorted(folder.glob("series*.txt")):
        found[path.stem] = list(pairs_of_series(list(series(path))))
    for path in sorted(folder.glob("things*.txt")):
        found[path.stem] = [pair for group in things(path) for pair in pairs_of_things(group)]
    for path in sorted(folder.glob("lives*.txt")):
        found[path.stem] = [pair for life in lives(path) for pair in pairs_of_life(life)]
    for number, path in enumerate(sorted(folder.glob("parts*.txt"))):
        found[path.stem] = pairs_of(path, number)
    found["wordings"] = list(wording_pairs(folder.parent / "wordings-pairs.jsonl"))
    return found


def series(path: Path) -> Iterator[list[Message]]:
    """The series of a file: the messages in which one value changes, and those about something beside it."""
    messages: list[Message] = []
    for line in [*path.read_text("utf-8").splitlines(), "# "]:
        sign, rest = line[:1], line[2:].strip()
        if sign == "#" and messages:
            yield messages
            messages = []
        elif sign in SIGNS and line[1:2] == " ":
            inside = rest.partition("«")[2].partition("»")[0]
            messages.append(Message(sign, inside or rest, bool(inside)))


def pairs_of_series(written: Sequence[Sequence[Message]]) -> Iterator[Pair]:
    """Each value is out of date after every later one; what stands beside it is apart from all of them.

    The pairs weigh less than those of other files: most of them are updates, and a reader of too many retires too much.
    """
    for messages in written:
        values: list[list[Message]] = []  # of each value, the messages that tell it
        beside: list[Message] = []
        for message in messages:
            if message.sign == "=" and values:
                yield Pair(values[-1][0].statement, message.statement, "same", 0.6)
                yield Pair(message.statement, values[-1][0].statement, "same", 0.3)
                values[-1].append(message)
            elif message.sign == ".":
                yield from (Pair(one[0].statement, message.statement, "apart", 1.0) for one in values)
                beside.append(message)
            else:
                relation = "end" if message.sign == "x" else "update"
                yield from (Pair(one.statement, message.statement, relation, 0.6) for one in _last(values))
                yield from (Pair(one[0].statement, message.statement, relation, 0.25) for one in values[:-1])
                yield from (Pair(one.statement, message.statement, "apart", 1.0) for one in beside if one.lasts)
                values.append([message])


def beside_series(written: Sequence[Sequence[Message]]) -> list[tuple[str, list[str]]]:
    """The first and the last value of each series, each with those of the others: these are apart from it."""
    told = [[message.statement for message in messages if message.sign == ">"] for messages in written]
    return [
        (text, [other for number, texts in enumerate(told) if number != place for other in (texts[0], texts[-1])])
        for place, own in enumerate(told)
        for text in (own[0], own[-1])
    ]


def _last(values: Sequence[list[Message]]) -> list[Message]:
    return values[-1] if values else []


def things(path: Path) -> Iterator[list[Value]]:
    """The groups of a file: values of several things side by side, in the order in which they were told."""
    group: list[Value] = []
    for line in [*path.read_text("utf-8").splitlines(), "# "]:
        letter, sign, text = line[:1], line[2:3], line[4:].strip()
        if letter == "#" and group:
            yield group
            group = []
        elif sign in SIGNS and text:
            group.append(Value(letter, sign, text))


def pairs_of_things(group: Sequence[Value]) -> Iterator[Pair]:
    """A value is out of date after every later one of its letter, and apart from what is told of the others."""
    told: dict[str, list[list[str]]] = {}  # of each letter its values, of each value the texts that tell it
    for letter, sign, text in group:
        own = told.setdefault(letter, [])
        yield from (Pair(values[-1][-1], text, "apart", 0.5) for other, values in told.items() if other != letter)
        if sign == "=":
            yield Pair(own[-1][0], text, "same", 0.6)
            yield Pair(text, own[-1][0], "same", 0.3)
            own[-1].append(text)
            continue
        yield from (Pair(one, text, SIGNS[sign], 0.6) for value in own[-1:] for one in value)
        yield from (Pair(value[0], text, SIGNS[sign], 0.25) for value in own[:-1])
        own.append([text])


def lives(path: Path) -> list[dict[int, Remark]]:
    """The lives of a file: statements of one person by number, in the order of time, in the format of `lives.md`."""
    found: list[dict[int, Remark]] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("#"):
            found.append({})
            continue
        number, _, rest = line.partition(" | ")
        text, _, marks = rest.rpartition(" |")
        if number.isdigit() and text:
            found[-1][int(number)] = Remark(text, {int(mark[1:]): LIFE_SIGNS[mark[0]] for mark in marks.split()})
    return found


def pairs_of_life(life: Mapping[int, Remark]) -> Iterator[Pair]:
    """Each statement with the earlier ones: as marked, else apart, which is by far the most in anybody's life.

    Half of those that are apart do for the fit.
    """
    for (first, earlier), (second, later) in itertools.combinations(sorted(life.items()), 2):
        relation = later.relations.get(first, "apart")
        if relation != "apart" or (first + second) % 2:
            yield Pair(earlier.text, later.text, relation, 1.0)


def profiles(path: Path) -> list[list[Told]]:
    """The profiles of a file: statements that hold side by side, each with what is said of it later."""
    found: list[list[Told]] = []
    for line in path.read_text("utf-8").splitlines():
        sign, rest = line[:1], line[2:].strip()
        if line.startswith("# profile"):
            found.append([])
        elif sign == "S" and found:
            fields = [field.strip() for field in rest.split(" | ")]
            if len(fields) == 6:
                found[-1].append(Told(_told(*fields), []))
        elif sign in SIGNS and found and found[-1]:
            found[-1][-1].later.append((SIGNS[sign], rest))
    return found


def _told(kind: str, guides: str, subject: str, attribute: str, value: str, text: str) -> Sentence:
    fact_class, coordinates = PROFILE_KINDS.get(kind, ("", ""))
    given = [field if field != "-" else "" for field in (subject, attribute, value)]
    act = {"rule": "rule", "anti-pattern": "rule", "goal": ""}.get(kind, "assertion")
    act = "rule" if guides == "yes" else "preference" if kind == "preference" else act
    return Sentence(text, act, "", "", "yes", fact_class, coordinates, guides, *given)


def pairs_of_profile(profile: Sequence[Told]) -> Iterator[Pair]:
    """What is said of a statement later, as written."""
    for told in profile:
        text = told.sentence.text
        for relation, later in told.later:
            yield Pair(text, later, relation, 1.0)
            if relation == "same":
                yield Pair(later, text, relation, 0.5)


def beside(profile: Sequence[Told]) -> list[tuple[str, list[str]]]:
    """The statements of a profile, each with all that is said later of others: these are apart from it."""
    return [
        (
            told.sentence.text,
            [text for other in profile if other is not told for text in (other.sentence.text, *_texts(other))],
        )
        for told in profile
    ]


def _texts(told: Told) -> list[str]:
    return [text for _, text in told.later]


def wording_pairs(path: Path) -> Iterator[Pair]:
    """Two wordings of each subject are the same; one of them and one of another subject are apart."""
    rng = random.Random(0)
    rows = [json.loads(line)["wordings"] for line in path.read_text("utf-8").splitlines()]
    for wordings in rows:
        one, two = rng.sample(wordings, 2)
        yield Pair(one, two, "same", 0.5)
        yield Pair(one, rng.choice(rng.choice(rows)), "apart", 0.2)


def sentences(folder: Path = DATA) -> dict[str, list[Sentence]]:
    """All sentences with their reading, by author."""
    found: dict[str, list[Sentence]] = {}
    for path in sorted(folder.glob("statements*.txt")):
        found[path.stem] = [_sentence(row) for row in _rows(path)]
    for path in sorted(folder.glob("frames*.jsonl")):
        turns = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        found[path.stem] = [
            _sentence(
                one
                | {
                    "text": one["span"],
                    "time": one["time"].split()[0],
                    "sign": one["polarity"],
                    "durable": "yes" if one["durable"] else "no",
                }
            )
            for turn in turns
            for one in turn["statements"]
        ]
    for path in sorted(folder.glob("profiles*.txt")):
        found[path.stem] = [one for profile in profiles(path) for told in profile for one in _all_told(told)]
    return found


def _all_told(told: Told) -> Iterator[Sentence]:
    """The statement of a profile, and what is said of it later: of the same sort, and about the same property."""
    yield told.sentence
    for relation, text in told.later:
        guides = told.sentence.guides if relation == "same" or told.sentence.guides == "no" else ""
        yield told.sentence._replace(text=text, act="", durable="", guides=guides, subject="", value="")


def _rows(path: Path) -> list[dict[str, str]]:
    """The sentences of a file in the format of `statements.md`."""
    rows = [line.split(" | ") for line in path.read_text("utf-8").splitlines()]
    return [dict(zip(FIELDS, map(str.strip, row), strict=True)) for row in rows if len(row) == len(FIELDS)]


def marked_turns(folder: Path = DATA) -> dict[str, list[MarkedTurn]]:
    """All turns with their lasting statements, by author."""
    files = (*folder.glob("turns*.txt"), *folder.glob("rules*.txt"))
    found = {path.stem: list(turns_of(path)) for path in sorted(files)}
    for path in sorted(folder.glob("statements*.txt")):
        found[path.stem] = [_spoken_statement(row) for row in _rows(path)]
    for path in sorted(folder.glob("frames*.jsonl")):
        found[path.stem] = [
            _framed_turn(json.loads(line)) for line in path.read_text("utf-8").splitlines() if line.strip()
        ]
    for path in sorted(folder.glob("profiles*.txt")):
        found[path.stem] = [_told_turn(told.sentence) for profile in profiles(path) for told in profile]
    return found


def classed_statements(folder: Path = DATA) -> list[tuple[str, str]]:
    """Statements given alone with their class: those of `classes.md`, and those of the first author of turns."""
    turns = turns_of(folder / "turns_0.txt")
    found = [(turn.text[span.start : span.end], span.fact_class) for turn in turns for span in turn.spans]
    for path in sorted(folder.glob("classes_*.txt")):
        lines = (line.partition(" | ") for line in path.read_text("utf-8").splitlines())
        found += [(text, fact_class) for fact_class, _, text in lines]
    return found


def private_shares(folder: Path = DATA) -> dict[str, list[tuple[str, float]]]:
    """By judge, statements and how private each is: 1, 0, or one half where nobody can tell."""
    return _shares(folder, "private", {"P": 1.0, "U": 0.5, "W": 0.0})


def leaning_shares(folder: Path = DATA) -> dict[str, list[tuple[str, float]]]:
    """By author, statements and whether each leans on the words before: 1, 0, or one half where that is unsure."""
    return _shares(folder, "leans", {"leans": 1.0, "unsure": 0.5, "alone": 0.0})


def continues_shares(folder: Path = DATA) -> dict[str, list[tuple[str, float]]]:
    """By author, statements behind others of a message and whether each says nothing without these: 1 or 0."""
    found: dict[str, list[tuple[str, float]]] = {}
    for path in sorted(folder.glob("continues_*.txt")):
        later = [one for line in path.read_text("utf-8").splitlines() for one in line.split(" // ")[1:]]
        found[path.stem] = [(as_sentence(one[2:]), float(one.startswith("+ "))) for one in later]
    return found


def takes_back_shares(folder: Path = DATA) -> dict[str, list[tuple[str, float]]]:
    """By author, sentences and whether each takes back what its speaker said before: 1 or 0."""
    return _shares(folder, "takes_back", {"takes_back": 1.0, "other": 0.0})


def several_shares(folder: Path = DATA) -> dict[str, list[tuple[str, float]]]:
    """By author, statements and whether another value of its kind would hold beside each: 1 or 0."""
    return _shares(folder, "several", {"several": 1.0, "one": 0.0})


def standing_shares(folder: Path = DATA) -> dict[str, list[tuple[str, float]]]:
    """By author of sessions, what is worth keeping of them, 1, and each sentence in which nothing is, 0."""
    files = sorted((*folder.glob("rules_*.txt"), *folder.glob("standing_*.txt")))
    return {path.stem: [row for turn in turns_of(path) for row in _standing(turn)] for path in files}


def _standing(turn: MarkedTurn) -> Iterator[tuple[str, float]]:
    for span in turn.spans:
        yield as_sentence(" ".join(turn.text[span.start : span.end].split())), 1.0
    for piece in pieces_of(turn.text):
        is_free = not any(span.start < piece.end and piece.start < span.end for span in turn.spans)
        words = piece.text.rstrip(".! ").split()
        if is_free and piece.kind in ("prose", "list") and LEAST_WORDS <= len(words) <= MOST_WORDS:
            yield as_sentence(" ".join(words)), 0.0


def _shares(folder: Path, name: str, shares: Mapping[str, float]) -> dict[str, list[tuple[str, float]]]:
    return {
        path.stem: [
            (text, shares[label])
            for label, _, text in (line.partition(" | ") for line in path.read_text("utf-8").splitlines())
        ]
        for path in sorted(folder.glob(f"{name}_*.txt"))
    }


def _told_turn(sentence: Sentence) -> MarkedTurn:
    """A statement of a profile as a turn: all of it lasts."""
    text = sentence.text
    span = Span(0, len(text.rstrip(".!")), sentence.fact_class, sentence.coordinates, is_optional=False)
    return MarkedTurn(text, (span,))


def first_turns() -> list[Path]:
    """The files of turns that stay as they are for what was fitted with them; the marker alone takes the later ones."""
    return sorted(DATA / f"turns_{number}.txt" for number in range(FIRST_TURNS))


def turns_of(path: Path) -> Iterator[MarkedTurn]:
    """The turns of a file in the format of `turns.md` or `rules.md`."""
    text, spans = "", []
    for line in [*path.read_text("utf-8").splitlines(), "T "]:
        content = line[2:].replace("\\n", "\n")
        if line.startswith("T "):
            if text:
                yield MarkedTurn(text, tuple(spans))
            text, spans = content, []
        elif line.startswith("F "):
            fact_class, layer, words = (part.strip() for part in content.split("|", 2))
            at = text.find(words)
            if at >= 0:
                spans.append(Span(at, at + len(words), fact_class.strip("~ "), layer, fact_class.startswith("~")))
        elif line.startswith("R "):
            words = content.split("|", 1)[1].strip()
            at = text.find(words)
            if at >= 0:
                layer = "intent.anti-pattern" if polarity(words, "en") < 0 else "intent.rule"
                spans.append(Span(at, at + len(words), "constraint", layer, is_optional=False))


def _spoken_statement(row: Mapping[str, str]) -> MarkedTurn:
    """A sentence as a turn: the whole of it lasts, or nothing of it; what is planned or wished may be left out."""
    text = row["text"]
    if row["durable"] != "yes":
        return MarkedTurn(text, ())
    kind = FRAME_KINDS.get(row["kind"], ("", ""))
    return MarkedTurn(text, (Span(0, len(text.rstrip(".!")), *kind, is_optional=row["act"] not in STATING),))


def _framed_turn(turn: Mapping[str, object]) -> MarkedTurn:
    text, statements, spans = str(turn["text"]), turn["statements"], []
    for one in statements if isinstance(statements, list) else ():
        at = text.find(one["span"], spans[-1].end if spans else 0)
        if at >= 0 and one["durable"] and one["act"] in STATING:
            end = at + len(one["span"])
            spans.append(Span(at, end, *FRAME_KINDS.get(one["kind"], ("", "")), is_optional=False))
    return MarkedTurn(text, tuple(spans))


def _sentence(row: Mapping[str, str]) -> Sentence:
    act = "ack" if row["act"] == "acknowledgement" else row["act"]
    tense, sign, text = row["time"], row["sign"], row["text"]
    fact_class, coordinates = FRAME_KINDS.get(row["kind"], ("", ""))
    given = [field if field != "-" else "" for field in (row["subject"], row["attribute"], row["value"])]
    states = act in STATING
    return Sentence(
        text,
        act if act in ACTS else "",
        tense if tense in TENSES else "",
        sign if sign in "+-" else "",
        row["durable"],
        fact_class if states else "",
        coordinates if states else "",
        {"rule": "yes", "assertion": "no"}.get(act, ""),
        *given,
    )


class Counts(NamedTuple):
    """Statements found, in excess and missed, and how many of those found have the right class."""

    found: int
    excess: int
    missed: int
    right_class: int


def compare(turns: Sequence[MarkedTurn], marked: Sequence[Sequence[MarkedStatement]]) -> Counts:
    """A statement is found where a mark covers half of it and half of the mark lies in it."""
    found = excess = missed = right = 0
    for turn, marks in zip(turns, marked, strict=True):
        open_spans = list(turn.spans)
        for mark in marks:
            span = next((one for one in open_spans if _overlap(mark, one.start, one.end) >= 0.5), None)
            if span is None:
                excess += 1
                continue
            open_spans.remove(span)
            if not span.is_optional:
                found += 1
                right += span.fact_class == mark.fact_class
        missed += sum(not span.is_optional for span in open_spans)
    return Counts(found, excess, missed, right)


def _overlap(mark: MarkedStatement, start: int, end: int) -> float:
    shared = min(mark.end, end) - max(mark.start, start)
    return shared / max(mark.end - mark.start, end - start)


def main() -> None:
    """Print how many there are, by author."""
    for name, rows in pairs().items():
        counts = Counter(row.relation for row in rows)
        print(name, len(rows), *(f"{relation} {counts[relation]}" for relation in RELATIONS))
    for name, readings in sentences().items():
        print(name, len(readings))


if __name__ == "__main__":
    main()
