"""The features of the atoms of a text: what each looks like, and what stands around it.

Takes: a text. Gives: for one atom after another strings that a fitted reader weighs. Never: a weight or a verdict.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from dopejar.governance.redaction.secret_atoms import LONGEST, atoms_of, kind_of, parted, words_of
from dopejar.governance.redaction.secret_words import OPENING, WORDED, groups_of, is_wide

_CLASSES: Final = str.maketrans(
    {
        **dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "a"),
        **dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "A"),
        **dict.fromkeys("0123456789", "0"),
    }
)
_JOINTS: Final = str.maketrans("", "", "-'’._")
_REPEATED: Final = re.compile(r"(.)\1+")
_SPACES: Final = re.compile(r"[ \t]+")
_OPENS_VALUE: Final = ("=", ":", '"', "'", "`", ">")
_COLUMN_SIGNS: Final = ("|", "\t", ";", ",")
_LONGEST_WORD: Final = 16
_LONGEST_LINE: Final = 2000
_LONGEST_GAP: Final = 5
_SHAPED: Final = 10  # characters of the longest atom whose form counts as a whole
_ENDS: Final = 4  # characters at its beginning and its end whose spelling counts
_BEFORE, _BEHIND, _ABOUT, _ABOUT_BEHIND = 6, 4, 12, 8  # atoms of the line that are looked at
_LEAST: Final = (2, 4)  # characters of a number, and of a word, that may be a secret alone
_WORD_NEAR = 8  # atoms between a plain word and the name of a secret
_RUN: Final = 8  # atoms to each side that a run without spaces has
_BACK: Final = 40  # atoms to the last secret


def _any_within(places: Sequence[int], first: int, last: int) -> bool:
    """Whether one of the places, which are sorted, is `first` or behind it, and before `last`."""
    at = bisect_left(places, first)
    return at < len(places) and places[at] < last


def _said(atom: str) -> tuple[tuple[str, ...], tuple[str, ...], bool, bool]:
    """The words of an atom, what they are about, and whether they name secrets, and such as may be plain words."""
    words = words_of(atom)
    groups = [group for word in words for group in groups_of(word)]
    if is_wide(atom):
        groups += groups_of(atom[-12:])
    return words, tuple(dict.fromkeys(groups)), not OPENING.isdisjoint(groups), not WORDED.isdisjoint(groups)


_said_once = lru_cache(maxsize=8192)(_said)  # of letters alone, as plain words are and few secrets


class Surroundings:
    """A part of a text as its atoms; gives the features of one after another."""

    def __init__(self, text: str, start: int, end: int, pairs: Sequence[int]) -> None:
        """`pairs` holds how unusual each pair of neighbouring letters is."""
        self.text = text
        self.atoms = atoms_of(text, start, end)
        self._pairs = pairs
        self._lines: list[int] = []  # of each atom
        self._gaps: list[str] = []  # before each atom
        self._words: list[tuple[str, ...]] = []
        self._groups: list[tuple[str, ...]] = []
        self._firsts: list[int] = []  # of each line, its first atom
        self._named: list[int] = []  # the atoms that are about secrets
        self._worded: list[int] = []  # and about secrets that may be plain words
        self._heads: dict[int, list[str]] = {}
        at = start
        for place, atom in enumerate(self.atoms):
            self._add(place, atom.text, text[at : atom.start])
            at = atom.end
        self._gaps.append(_short(text[at : min(end, at + 40)]))

    def _add(self, place: int, atom: str, gap: str) -> None:
        if place == 0 or "\n" in gap or "\\n" in gap:
            self._firsts.append(place)
        self._lines.append(len(self._firsts) - 1)
        self._gaps.append(_short(gap))
        words, groups, names, names_words = _said_once(atom) if atom.isalpha() else _said(atom)
        self._words.append(words)
        self._groups.append(groups)
        if names:
            self._named.append(place)
        if names_words:
            self._worded.append(place)

    def lines(self) -> Iterator[tuple[int, int]]:
        """The first place of each line, and the place behind its last."""
        yield from pairwise([*self._firsts, len(self.atoms)])

    def may_be_secret(self, place: int, *, is_behind_one: bool, widely: bool = False) -> bool:
        """Whether the atom is worth a look.

        A word or a number is, behind a secret, and where an atom near it or one in the line above names a secret;
        `widely`: where one in its line does, however far, and words with joints always. So the reader is fitted.
        """
        atom = self.atoms[place].text
        if len(atom) > LONGEST and self._gaps[place][-1:] not in _OPENS_VALUE:
            return False  # encoded data
        if is_behind_one or len(atom) > _LONGEST_WORD:
            return True
        is_word = atom.isalpha()
        if not is_word and not atom.isdigit() and (widely or not atom.translate(_JOINTS).isalpha()):
            return len(atom) > 1
        names = self._worded if is_word else self._named
        if not names or (not widely and len(atom) < _LEAST[is_word] and atom.isascii()):
            return False
        line = self._lines[place]
        first = self._firsts[line]
        above = self._firsts[line - 1] if line else first
        if widely:
            behind = self._firsts[line + 1] if line + 1 < len(self._firsts) else len(self.atoms)
            return _any_within(names, above, behind)
        behind, before = (_WORD_NEAR, _WORD_NEAR) if is_word else (_ABOUT, _ABOUT_BEHIND)
        is_near = _any_within(names, place - behind, place + before + 1)
        return is_near or (place - first < _ABOUT and _any_within(names, above, first))

    def features(self, place: int, taken: Sequence[int]) -> Iterator[str]:
        """The features of an atom; `taken` are the places of the secrets before it, in order."""
        atom = self.atoms[place].text[:LONGEST]
        kind = kind_of(atom)
        line = self._lines[place]
        first = self._firsts[line]
        last = self._firsts[line + 1] if line + 1 < len(self._firsts) else len(self.atoms)
        if taken and place - taken[-1] < _BACK:
            yield from self._behind_taken(place, kind, taken)
        yield from _look(atom, kind, self._pairs)
        yield from self._placed(place, kind, first, last)
        yield from self._run(place, first, last)
        yield from self._before(place, kind, first)
        yield from self._behind(place, kind, last)
        yield from self._about(place, kind, first, last)
        if line:
            yield from self._above(place, kind, line)

    def _placed(self, place: int, kind: str, first: int, last: int) -> Iterator[str]:
        """The signs around it, and where in the line it stands."""
        gap, behind = self._gaps[place], self._gaps[place + 1]
        yield from (f"g{gap}", f"h{behind}", f"gh{gap[-2:]}{behind[:2]}", f"gk{gap}{kind}")
        yield from (f"n{min(9, place - first)}:{min(9, last - place)}", f"N{min(12, last - first)}")

    def _run(self, place: int, first: int, last: int) -> Iterator[str]:
        """The run without spaces that it is part of."""
        left = right = place
        while left > first and left > place - _RUN and not _parts(self._gaps[left]):
            left -= 1
        while right + 1 < last and right < place + _RUN and not _parts(self._gaps[right + 1]):
            right += 1
        if left == right:
            return
        run = self.text[self.atoms[left].start : self.atoms[right].end]
        yield f"R{kind_of(run[:LONGEST])}"
        yield f"RL{_size(len(run))}:{place - left}"
        yield f"RS{_shape(run[:48])[:6]}"
        if left < place:
            head = self.atoms[left].text
            yield f"r0{head.lower()[:16]}" if head.isalpha() else "r0?"

    def _before(self, place: int, kind: str, first: int) -> Iterator[str]:
        gap = self._gaps[place]
        for step in range(1, _BEFORE + 1):
            other = place - step
            if other < first:
                yield f"p{step}^"
                break
            for word in self._words[other]:
                yield from (f"b{word}", f"bk{word}|{kind}") if step <= 4 else (f"b{word}",)
                if step <= 3:
                    yield f"p{step}{word}"
                if step <= 2 and len(word) > 4:
                    yield f"pp{step}{word[:4]}"
                if step == 1:
                    yield f"pg{word}{gap}"
            if step <= 2:
                yield from (f"pK{step}{kind_of(self.atoms[other].text[:64])}", f"pg{step}{self._gaps[other]}")
        if place - 2 >= first:
            two, one = (self.atoms[place - step].text.lower()[:16] for step in (2, 1))
            yield f"pp{two}{self._gaps[place - 1]}{one}"
        if first < place:
            head = self.atoms[first].text.lower()[:20]
            yield from (f"c{head}", f"ck{head}|{kind}")
            far = range(max(first, place - 2 * _BEFORE), max(first, place - _BEFORE))
            yield from (f"B{word}" for other in far for word in self._words[other])

    def _behind(self, place: int, kind: str, last: int) -> Iterator[str]:
        for step in range(1, _BEHIND + 1):
            other = place + step
            if other >= last:
                yield f"q{step}$"
                break
            for word in self._words[other]:
                yield f"d{word}"
                if step <= 2:
                    yield f"q{step}{word}"
                if step == 1:
                    yield f"qk{word}|{kind}"
            if step == 1:
                yield f"qK{kind_of(self.atoms[other].text[:64])}{self._gaps[other][:2]}"

    def _about(self, place: int, kind: str, first: int, last: int) -> Iterator[str]:
        """What the words around it in its line are about."""
        groups, gap = self._groups, self._gaps[place]
        yield from (f"X{group}" for group in groups[place])
        before = behind = ""
        for step in range(1, min(_ABOUT, place - first) + 1):
            for group in groups[place - step]:
                yield from (f"x{min(step, 4) if step < 6 else 6}{group}", f"xk{group}|{kind}")
                if not before:
                    before = group
                    yield from (f"y{group}|{kind}", f"yg{group}{gap}", f"ys{group}{step}")
        for step in range(1, min(_ABOUT_BEHIND, last - place - 1) + 1):
            for group in groups[place + step]:
                yield f"z{min(step, 3)}{group}"
                if not behind:
                    behind = group
                    yield f"zk{group}|{kind}"
        yield f"yz{before}|{behind}"

    def _above(self, place: int, kind: str, line: int) -> Iterator[str]:
        """The line above, and the head of the column."""
        above, first = self._firsts[line - 1], self._firsts[line]
        is_first = first == place
        for word in (word for other in range(max(above, first - 5), first) for word in self._words[other]):
            yield from (f"u{word}", f"uu{word}") if is_first else (f"u{word}",)
        yield f"U{min(9, first - above)}"
        groups = [group for other in range(max(above, first - 8), first) for group in self._groups[other]]
        for group in dict.fromkeys(groups):
            yield from (f"v{group}", f"vk{group}|{kind}")
            if is_first:
                yield f"vv{group}|{len(self._firsts) == line + 1 or self._firsts[line + 1] == first + 1:d}"
        for word in self._head(place, line):
            yield f"H{word}"
            for group in groups_of(word):
                yield from (f"HX{group}", f"HK{group}|{kind}")

    def _behind_taken(self, place: int, kind: str, taken: Sequence[int]) -> Iterator[str]:
        """How it follows the last secret."""
        near, gap = taken[-1], self._gaps[place]
        distance = place - near
        last = self.atoms[near].text
        last_kind = kind_of(last[:LONGEST])
        if distance == 1:
            yield from (f"t{gap}", f"tk{gap}{kind}", f"tt{last_kind}|{kind}")
        elif distance < _BEFORE:
            yield f"t{distance}"
        is_alike = last_kind == kind and abs(len(last) - len(self.atoms[place].text)) <= 1
        yield from (f"ts{is_alike:d}{min(distance, 8)}", f"tn{min(4, len(taken))}{is_alike:d}")
        if is_alike:
            yield f"tg{gap == self._gaps[near]:d}"

    def _head(self, place: int, line: int) -> tuple[str, ...]:
        """The words at the head of the column in which an atom stands, where lines have cells."""
        start = self._start_of(line)
        text = self._line_text(start)
        sign = next((sign for sign in _COLUMN_SIGNS if sign in text), "")
        if not sign:
            return ()
        heads = self._heads.get(line)
        if heads is None:
            heads = self._heads[line] = self._heads_of(line, sign, text.count(sign))
        column = self.text.count(sign, start, self.atoms[place].start)
        return words_of(heads[column].strip(" \"'")[:32]) if column < len(heads) else ()

    def _heads_of(self, line: int, sign: str, count: int) -> list[str]:
        """The cells of the first line above with as many; of a table that goes on, those found for the line before."""
        for other in range(line - 1, max(-1, line - 3), -1):
            text = self._line_text(self._start_of(other))
            if text.count(sign) == count:
                return self._heads.get(other) or text.split(sign)
        return []

    def _start_of(self, line: int) -> int:
        return self.text.rfind("\n", 0, self.atoms[self._firsts[line]].start) + 1

    def _line_text(self, start: int) -> str:
        line = self.text[start : start + _LONGEST_LINE]
        return line.split("\n", 1)[0]


def _look(atom: str, kind: str, pairs: Sequence[int]) -> list[str]:
    """The features of what an atom looks like."""
    size = len(atom)
    shape = atom[:64].translate(_CLASSES)
    short = _REPEATED.sub(r"\1", shape)
    digits, upper, lower = shape.count("0"), shape.count("A"), shape.count("a")
    seen = len(shape)
    plain = atom.lower()
    collapsed = "".join(["0" if character.isdigit() else character for character in plain[:_ENDS] + plain[-_ENDS:]])
    odd = _oddness(plain[:48], pairs)
    found = [
        f"K{kind}",
        f"L{_size(size)}",
        f"S{short[:7]}",
        f"T{min(len(short), 12)}:{_size(size)}",
        f"C{digits > 0:d}{upper > 0:d}{lower > 0:d}{seen > digits + upper + lower:d}",
        f"D{8 * digits // max(1, seen)}:{min(3, digits)}",
        f"O{odd}",
        f"OK{odd}{kind}",
        f"E{8 * len(set(atom[:48])) // max(1, min(size, 48))}",
        f"<{collapsed[:2]}",
        f"<{collapsed[:3]}",
        f"<{collapsed[:4]}",
        f">{collapsed[-2:]}",
        f">{collapsed[-3:]}",
    ]
    if size <= _SHAPED:
        found.append(f"F{shape}")
    if digits == 0:
        found += [f"W{word}" for word in words_of(atom)]
        found.append(f"A{plain[:24]}")
    else:
        found += [f"W{word}" for word in parted(atom[:40]) if len(word) > 3]
    return found


def _oddness(letters: str, pairs: Sequence[int]) -> int:
    """How unlike words the pairs of neighbouring letters are, from 0 to 9; -1 where there are none."""
    costs = [
        pairs[26 * (ord(one) - 97) + ord(two) - 97]
        for one, two in pairwise(letters)
        if "a" <= one <= "z" and "a" <= two <= "z"
    ]
    return min(9, sum(costs) // (8 * len(costs))) if costs else -1


def _size(length: int) -> int:
    """A length, rougher the longer it is."""
    for bound, base, start, step in ((9, 0, 0, 1), (24, 8, 6, 3), (64, 14, 16, 8)):
        if length < bound:
            return base + (length - start) // step
    return 24


def _shape(text: str) -> str:
    return _REPEATED.sub(r"\1", text.translate(_CLASSES))


def _short(gap: str) -> str:
    """What stands between two atoms, spaces once each, cut to its ends."""
    if gap == " ":
        return gap
    plain = _SPACES.sub(" ", gap.replace("\r", ""))
    return plain if len(plain) <= _LONGEST_GAP else f"{plain[:2]}~{plain[-3:]}"


def _parts(gap: str) -> bool:
    """Whether a gap ends a run: it holds a space, a quote or a bracket."""
    return gap == " " or any(sign in " \n\"'`<>()[]{}" for sign in gap)
