"""Corrections of what the same speaker said before: "I'm a 58 in helmets." and, later, "make that 60".

Takes: the turns of a conversation with what was extracted from them, and a reader. Gives: the extractions; a value that
is taken back is a statement again, with the new value. Never: a value of another type; one of two statements that may
be meant; a change of what the assistant said, or of anything else where the assistant has named such a value since.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.atoms import Atom, Extraction
from dopejar.pipelines.ingest.extraction.answers import own_question
from dopejar.pipelines.ingest.extraction.extractor import unspoken
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.pipelines.ingest.extraction.named_values import named_value, with_value
from dopejar.pipelines.ingest.extraction.self_corrections import Word, values_in
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.sentences import sentences
from dopejar.text.text_values import has_digit
from dopejar.values.statement import TAKES_BACK

_SAID: Final = 12  # earlier turns of the speaker that "what I said about Saturdays" may mean
_NEAR: Final = 2  # earlier turns of the speaker in which a value is looked for; one that is named, in twice as many
_OLD: Final = re.compile(r"[,;.!–—-]?\s*(?:and )?\b(?:not|instead of|rather than)\s+(?=[\w£$€#])", re.IGNORECASE)
_SPAN: Final = re.compile(r"\bfrom\s+(?P<old>[^\s,;.!?]+)\s+to\s+(?=[\w£$€#])", re.IGNORECASE)
_EMPTY: Final = (  # words that name nothing
    "oh|ah|uh|hm+|no|nope|ok|okay|and|but|so|wait|sorry|oops|whoops|blast|damn|argh|actually|hang|hold|on|scratch|scrap|"
    "strike|that|what|this|i|i'm|we|you|it|its|it's|he|he's|she|she's|they|they're|is|are|was|were|be|been|should|have|"
    "has|had|said|mean|meant|make|put|written|correction|typo|rather|the|a|an|at|in|to|from|for|of|by|my|mistake|bad|"
    "wrong|now|just|really|not|instead|since|these|then|turns"
)
_LEAD: Final = re.compile(rf"(?:(?:{_EMPTY})[\s,.!:;'…-]+)*", re.IGNORECASE)
_BARE: Final = re.compile(rf"\s*(?:$|[^\w\s]|(?!(?:an?|per)\b)(?:{_EMPTY})\b)", re.IGNORECASE)  # behind a lone number
_STANDS_FIRST: Final = re.compile(
    r"[\w'’-]+[\s,!.…–—-]{1,4}(?:sorry|not|i meant?|actually|instead of|rather than)\b", re.IGNORECASE
)
_CLAUSE: Final = re.compile(r"[,;!?()\n]\s|[.…]\s|\s[-–—]\s|\s(?:and|but|so|because|cos)\s", re.IGNORECASE)
_TITLE: Final = re.compile(r"(?:Dr|Mr|Mrs|Ms|Miss|Prof|Professor)\b", re.IGNORECASE)
_SIGN: Final = re.compile(
    r"\b(?:no(?! (?:different|change|other|longer|more|later|earlier)\b)|nope|sorry|oops|whoops|argh|wait|wrong|"
    r"actually|mistaken?|typo|correction|i meant?|rather|pardon|excuse me|(?:check|count|measur)ed|mixed up|"
    r"mis(?:read|heard|spel\w+|typed|took)|(?:scratch|scrap|strike|make) that)\b",
    re.IGNORECASE,
)
_JOINS: Final = re.compile(r",?\s*(?:and|or|&)\s*|,\s*", re.IGNORECASE)
_UNIT: Final = re.compile(r"(?<=\d)[a-z%]+$", re.IGNORECASE)
_OPENING: Final = 2  # characters of space and marks before the first sentence of a turn
_ALIKE: Final = 0.7  # similarity of two spellings of a name
_LONG_NUMBER: Final = 3  # digits by which the end of a longer number may be named
_BRIEF: Final = 2  # words of a sentence that is read with the next one
_LONGEST: Final = 30  # words of a sentence that corrects a value
_MOST_LETTERS: Final = 400  # of its characters: a pasted token of a megabyte is one word


class _Meant(NamedTuple):
    """A new value, the words that it replaces where these are named, and where the turn says so."""

    start: int
    end: int
    said: str  # from its clause on
    new: Word
    old: str
    word_before: str
    word_behind: str  # "" where the value stands alone
    is_span: bool = False  # "from 6 to 10"


def with_corrections(
    turns: Sequence[SpokenTurn], extractions: Sequence[Extraction], reader: StatementReader | None
) -> list[Extraction]:
    """The extractions of one conversation with what later turns of the same speaker correct, said anew.

    A statement that a reader finds to take back the one that it leans on takes its place, and says both. Without a
    reader of frames, only words that name the value taken back correct one.
    """
    graded = reader if reader is not None and reader.finds_frames else None
    found = list(extractions)
    spoken = [place for place, turn in enumerate(turns) if turn.speaker_is_user]
    for number, place in enumerate(spoken):
        found[place] = _with_said(turns[place], found, place, spoken[max(0, number - _SAID) : number])
        for meant in _candidates(turns[place]):
            near = spoken[max(0, number - _NEAR * (2 if meant.old else 1)) : number]
            if near and not (meant.old or _SIGN.search(meant.said)) and _asks(turns[near[-1]]):
                near = []  # it answers
            earlier = [[atom for atom in found[one].atoms if not atom.directs_work] for one in reversed(near)]
            earlier.insert(0, [atom for atom in found[place].atoms if atom.end <= meant.start])
            said = _said_anew(meant, earlier, turns[place].before)
            is_sure = (meant.old and not meant.is_span) or _reads_again(meant, turns[place].before)
            if said is not None and (is_sure or _shares([meant.said], graded)[0] >= TAKES_BACK):
                found[place] = found[place].with_atom(said)
    return _with_taken_back(found, graded)


def _with_said(turn: SpokenTurn, extractions: Sequence[Extraction], place: int, earlier: Sequence[int]) -> Extraction:
    """The extraction with the statement whose value the turn takes back by name ("what I said about"), said anew."""
    found = extractions[place]
    for piece in sentences(turn.text):
        correction = named_value(piece.text) if unspoken(piece, turn.skip) is None else None
        if correction is None or not correction.means_said:
            continue
        told = (atom for one in earlier for atom in extractions[one].atoms if not (atom.directs_work or atom.quotes))
        changed = [(atom, text) for atom in told if not atom.context and (text := with_value(atom.text, correction))]
        if len(changed) == 1:
            ((atom, text),) = changed
            said = replace(atom, text=text, core="", corrects=atom.text, valid_from=None)
            found = found.with_atom(replace(said, start=piece.start, end=piece.end))
    return found


def _with_taken_back(extractions: Sequence[Extraction], reader: StatementReader | None) -> list[Extraction]:
    """The extractions, each statement that takes back the one that it stands behind in the place of that one.

    One of another turn is taken back only by words that say so: "it's Wanda" may answer what was asked since.
    """
    behind = [
        atom
        for extraction in extractions
        for atom in extraction.atoms
        if atom.context and not atom.corrects
        if _SIGN.search(atom.says) or any(one.text == atom.context for one in extraction.atoms)
    ]
    shares = _shares([atom.says for atom in behind], reader)
    taking = {id(atom) for atom, share in zip(behind, shares, strict=True) if share >= TAKES_BACK}
    return [
        replace(
            extraction,
            atoms=tuple(
                replace(atom, corrects=atom.context) if id(atom) in taking else atom for atom in extraction.atoms
            ),
        )
        for extraction in extractions
    ]


def _shares(texts: Sequence[str], reader: StatementReader | None) -> list[float]:
    """How likely each of the sentences takes back what was said before."""
    if reader is None or not texts:
        return [0.0] * len(texts)
    return [one.frame.takes_back if one.frame is not None else 0.0 for one in reader.read(texts)]


def _asks(turn: SpokenTurn) -> bool:
    """Whether the turn ends with a question of something that it names."""
    last = sentences(turn.text)[-1:]
    return any(piece.text.endswith("?") and own_question(piece.text) for piece in last)


def _candidates(turn: SpokenTurn) -> list[_Meant]:
    """The sentences of the turn that give a value and do not say of what."""
    pieces = [piece for piece in sentences(turn.text) if unspoken(piece, turn.skip) is None]
    found = []
    for position, piece in enumerate(pieces):
        start, end = piece.start, piece.end
        if len(piece.text.split()) <= _BRIEF and position + 1 < len(pieces):
            end = pieces[position + 1].end
        text = turn.text[start:end].strip()
        if len(text) > _MOST_LETTERS or text.endswith("?") or len(text.split()) > _LONGEST:
            continue
        if (named := named_value(text)) is not None and named.means_said:
            continue  # its first value is the one taken back
        span = _SPAN.search(text)
        words = text if span is None else f"{text[: span.start()]}{text[span.end() :]}"
        old = _OLD.search(words)
        meant = _meant(words, old)
        if start > _OPENING and old is None and _SIGN.search(words) is None:
            continue  # behind another sentence it is mostly of something else: "boots from Lowe's, wide fit, 39"
        if meant is not None:
            given = _Meant(start, end, *meant)
            found.append(given if span is None else given._replace(said=text, old=span["old"], is_span=True))
    return found


def _meant(text: str, old: re.Match[str] | None) -> tuple[str, Word, str, str, str] | None:
    """A clause without a subject, its value, the one that it takes back, and the words around; None without these."""
    values = values_in(text, opens=_STANDS_FIRST.match(text) is None)
    taken_back = next((one for one in values if old is not None and one.start == old.end()), None)
    for value in values:
        if _LEAD.fullmatch(f"{value.text} "):
            continue
        if taken_back is not None and value.start >= taken_back.start and value.start < _behind(values, taken_back):
            continue
        begins = (0, *(found.end() for found in _CLAUSE.finditer(text, 0, value.start)))
        clause = next((place for place in begins if _LEAD.fullmatch(text, place, value.start)), None)
        if clause is not None:
            replaced = taken_back.text if taken_back is not None else ""
            behind = "" if _BARE.match(text, value.end) else _word_behind(text, value.end)
            return text[clause:], value, replaced, _word_before(text, value.start), behind
    return None


def _behind(values: Sequence[Word], taken_back: Word) -> int:
    return next((one.start for one in values if one.start > taken_back.end), taken_back.end + 1)


def _said_anew(meant: _Meant, earlier: Sequence[Sequence[Atom]], before: str) -> Atom | None:
    """The latest statement that holds what is corrected, with the new value; None where two of one turn do.

    The first of `earlier` are of the same turn. In the others only a value that the turn `before` repeats can be meant,
    where it has any of its type; and only words that open their turn or say that something was wrong can mean it: "so
    it's 24" behind a sentence about something else is of that.
    """
    says_so = meant.start <= _OPENING or bool(meant.old) or _SIGN.search(meant.said) is not None
    same_type = [one for one in values_in(before) if one.type == meant.new.type != "name"]
    heard = {_figure(one.text) for one in same_type if not meant.old}
    for number, atoms in enumerate(earlier[: None if says_so else 1]):
        texts = [(atom, _replaced(atom.text, meant, heard if number else ())) for atom in atoms if not atom.quotes]
        changed = [(atom, text) for atom, text in texts if text]
        if changed:
            atom, text = changed[0]
            said = replace(atom, text=text, core="", context="", corrects=atom.text, valid_from=None)
            return replace(said, start=meant.start, end=meant.end) if len(changed) == 1 else None
    return None


def _replaced(text: str, meant: _Meant, heard: Collection[str]) -> str:
    """The statement with the new value in the place of its only one of that type; "" where there is no such place."""
    if listed := _with_list(text, meant, heard):
        return listed
    places, new = _named(text, meant.old) if meant.old else _places(text, meant), meant.new.text
    if len(places) != 1 or new.casefold() in text.casefold():
        return ""
    start, end = places[0]
    if heard and _figure(text[start:end]) not in heard:
        return ""  # something else was spoken of
    if meant.is_span and sum(one.type == meant.new.type for one in values_in(text)) > 1:
        return ""  # "open from 6 to 8": both may be meant
    unit = _UNIT.search(text, start, end) if new[-1].isdigit() else None
    return f"{text[:start]}{new}{unit[0] if unit else ''}{text[end:]}"


def _with_list(text: str, meant: _Meant, heard: Collection[str]) -> str:
    """The statement with the list that is meant ("no, 21 and 23") in the place of its own, where one is another."""
    lists = [] if meant.old else [one for one in _lists(meant.said, meant.new.type) if one[0].text == meant.new.text]
    if not lists:
        return ""
    new, own = lists[0], _lists(text, meant.new.type)
    changed = [(one, {each.text for each in one} - {each.text for each in new}) for one in own if len(one) == len(new)]
    if len(changed) != 1 or len(changed[0][1]) != 1:
        return ""
    (old, (gone,)) = changed[0]
    if heard and _figure(gone) not in heard:
        return ""
    return f"{text[: old[0].start]}{meant.said[new[0].start : new[-1].end]}{text[old[-1].end :]}"


def _reads_again(meant: _Meant, before: str) -> bool:
    """Whether the turn says that a list which the turn before repeats is wrong in one item."""
    if meant.old or _SIGN.search(meant.said) is None:
        return False
    return any(_with_list(piece.text, meant, ()) for piece in sentences(before))


def _lists(text: str, of: str) -> list[list[Word]]:
    """The lists of values of one type in the text: "21 and 22", "Mondays, Tuesdays and Fridays"."""
    found: list[list[Word]] = []
    for one in values_in(text):
        if one.type == of:
            if found and _JOINS.fullmatch(text, found[-1][-1].end, one.start):
                found[-1].append(one)
            else:
                found.append([one])
    return [one for one in found if len(one) > 1]


def _figure(value: str) -> str:
    """The value without its unit: "$58" and "58kg" are one number."""
    digits = re.sub(r"[^\d.,:]", "", value)
    return digits or value.casefold().removesuffix("s")


def _named(text: str, old: str) -> list[tuple[int, int]]:
    """Where the statement holds the value that is taken back; of a long number also its end."""
    is_tail = old.isdigit() and len(old) >= _LONG_NUMBER
    before = r"(?<![^\W\d])" if is_tail else r"(?<!\w)"
    return [found.span() for found in re.finditer(rf"{before}{re.escape(old)}(?!\w)", text, re.IGNORECASE)]


def _places(text: str, meant: _Meant) -> list[tuple[int, int]]:
    """Where the statement holds a value that may be meant: of several, those before or behind the same word."""
    new, found = meant.new, [one for one in values_in(text) if one.type == meant.new.type]
    if new.type == "name":
        found = [part for one in found for part in _names_like(one, new.text)]
    elif new.type == "number":
        found = [one for one in found if has_digit(one.text) == has_digit(new.text)]
        found = found if not meant.word_behind or meant.word_behind in text.casefold().split() else []
    elif new.type == "weekday":  # every week, or on one day
        found = [one for one in found if one.text.endswith("s") == new.text.endswith("s")]
    if len(found) > 1 and meant.word_behind:
        found = [one for one in found if _word_behind(text, one.end) == meant.word_behind] or found
    if len(found) > 1:
        found = [one for one in found if _word_before(text, one.start) == meant.word_before]
    return [(one.start, one.end) for one in found]


def _names_like(said: Word, new: str) -> Iterator[Word]:
    """The name with a title for one with a title, else the part of it that is spelled alike."""
    if _TITLE.match(new):
        yield from [said] if _TITLE.match(said.text) else []
        return
    for part in re.finditer(r"\S+", said.text):
        if SequenceMatcher(None, part[0].casefold(), new.casefold()).ratio() >= _ALIKE:
            yield Word(said.start + part.start(), said.start + part.end(), part[0], said.type)


def _word_before(text: str, place: int) -> str:
    return text[:place].rsplit(maxsplit=1)[-1].casefold() if text[:place].split() else ""


def _word_behind(text: str, place: int) -> str:
    return text[place:].split(maxsplit=1)[0].strip(".,!?;:").casefold() if text[place:].split() else ""
