"""What a reader of secrets sees of a text: its atoms, and the features of each.

Takes: a text. Gives: atoms (pieces that are a secret as a whole or not at all), and for each atom strings that say what
it looks like and what stands around it. Never: a weight, a verdict, or a pattern that reads a text more than once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

_WIDE: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts without spaces between words
MARK: Final = "[redacted:"
_ATOM: Final = re.compile(
    rf"\[redacted:[a-z-]{{1,32}}\]|[{_WIDE}]+"
    r"|(?<![\w.,-])\d{1,6}(?:(?:[ ]|[ ]?-[ ]?)\d{1,6})+(?![\w]|[.,-]\d)"  # one number in groups
    r"|(?<![\w+/.-])(?=[A-Za-z+/]{0,40}\d)(?=[a-z0-9+/]{0,40}[A-Z])(?=[A-Z0-9+/]{0,40}[a-z])[A-Za-z0-9+/]{20,}={0,2}(?![\w+/-])"
    r"|(?:(?<=[=:(,>][\"'])|(?<=[=:(,>] [\"'])|(?<= -[A-Za-z] [\"']))(?=[^\"'\n]{1,59}[ ])"
    r"[^\"'\n=:;,(){}<>]{3,60}(?=[\"'])"  # words as a value
    r"|(?<![\w-])(?=[A-Z0-9 ]*\d)[A-Z0-9]{4}(?:[ ][A-Z0-9]{4}){2,15}(?![\w-])"  # one code in groups
    r"|(?<![\w-])[a-z0-9]{4}(?:[ ][a-z0-9]{4}){3,15}(?![\w-])"
    rf"|(?:(?![{_WIDE}]|\\[nrt\"'])[^\s\"'`‘’“”«»<>(){{}}\[\]=:：,，;；|/?&\\。、（）「」『』【】！？→•🔑]"
    r"|[?&](?=[^\s\"'`<>(){}\[\]=:,;|/?&\\@])(?![\w.%\[\]-]{1,64}=))+"
)
_TRAILING: Final = ".#…!?"
_LEADING: Final = "-–—*•$"
_PIECES: Final = re.compile(  # words of a name: `dbPassword2`, `DB_PASS`
    r"[A-Z]{2,}(?![^\W\d_A-Z])|[^\W\d_]?(?:(?![A-Z])[^\W\d_])+|[A-Z]+|[0-9]+"
)
_CLASSES: Final = str.maketrans(
    {
        **dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "a"),
        **dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "A"),
        **dict.fromkeys("0123456789", "0"),
    }
)
_REPEATED: Final = re.compile(r"(.)\1+")
_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_VERSION: Final = re.compile(r"[vV]?\d+(?:\.\d+)+\S{0,12}")
_DATE: Final = re.compile(r"\d{4}-\d\d(?:-\d\d(?:T\S*)?)?|\d{1,2}[.-]\d{1,2}[.-]\d{2,4}")
_DIGITS: Final = re.compile(r"\d+(?:[.-]\d+)*")
_DOMAIN: Final = re.compile(r"[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*\.[a-zA-Z]{2,8}")
_DOTTED: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_SNAKE: Final = re.compile(r"[A-Za-z]+(?:[_-][A-Za-z]+)+(?:[_-]?\d{1,3})?")
_NUMBERED: Final = re.compile(r"[A-Za-z]+[-_]?\d{1,3}")
_UNIT: Final = re.compile(r"\d+(?:\.\d+)?[a-zA-Z%°]{1,3}")
_CAMEL: Final = re.compile(r"[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,}")
OPENING: Final = frozenset({  # groups of words beside which plain words and numbers may be secrets
    "password", "code", "key", "token", "secret", "phrase", "answer", "login", "wifi", "lock", "bank", "person",
})  # fmt: skip
WORDED: Final = frozenset({"password", "wifi", "secret"})  # beside which plain words may be
_LONGEST_WORD: Final = 16
_NEAR: Final = 6  # atoms before in the line that are looked at
_BEHIND: Final = 4
_LONGEST: Final = 256  # characters of an atom that are looked at
_GRAMMED: Final = 18  # characters of the longest atom whose spelling counts
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


class Atom(NamedTuple):
    """A piece of a text."""

    start: int
    end: int
    text: str

    @property
    def is_mark(self) -> bool:
        """Whether it is what an earlier redaction left."""
        return self.text.startswith(MARK)


def atoms_of(text: str, start: int, end: int) -> list[Atom]:
    """The atoms of a part of a text."""
    atoms = []
    for match in _ATOM.finditer(text, start, end):
        first, last = match.span()
        piece = match.group()
        if piece.startswith(MARK):
            atoms.append(Atom(first, last, piece))
            continue
        piece = piece.rstrip(_TRAILING)
        last = first + len(piece)
        piece = piece.lstrip(_LEADING)
        first = last - len(piece)
        if "@" in piece and 0 < first and text[first - 1] in ":/":  # `user:VALUE@host`
            value, _, host = piece.rpartition("@")
            if value and host:
                atoms.append(Atom(first, first + len(value), value))
                atoms.append(Atom(last - len(host), last, host))
                continue
        if piece:
            atoms.append(Atom(first, last, piece))
    return atoms


@lru_cache(maxsize=4096)
def words_of_name(name: str) -> tuple[str, ...]:
    return tuple(piece.lower() for piece in _PIECES.findall(name) if not piece.isdigit())


def _words(atom: str) -> tuple[str, ...]:
    """The words within an atom, in lower case; of one that has digits nothing is remembered."""
    atom = atom[:64]
    if atom and "\u3040" <= atom[0] <= "\ud7af":
        return (atom[-1:], atom[-2:], atom[-3:], *(atom[at : at + 2] for at in range(min(len(atom), 8) - 2)))
    if atom.isalpha() or not any(map(str.isdigit, atom)):
        return words_of_name(atom)
    return words_of_name.__wrapped__(atom)


def kind_of(atom: str) -> str:
    """What an atom looks like, in one word."""
    size = len(atom)
    if atom.startswith(MARK):
        return "mark"
    if atom.isalpha():
        if not atom.isascii():
            return "foreign"
        if atom.islower():
            return "word" if size < 16 else "longword"
        if atom.isupper():
            return "upper" if size < 16 else "longupper"
        if atom[1:].islower():
            return "capital" if size < 16 else "longword"
        return "camel" if _CAMEL.fullmatch(atom) and size < 32 else "mixedletters"
    if " " in atom:
        groups = atom.split(" ")
        if any(len(one) > 4 or not one.isalnum() for one in groups):
            return f"phrase{min(len(groups), 6)}"
        return f"groups{min(len(groups), 6)}{atom.replace(' ', '').replace('-', '').isdigit():d}{len(groups[0]) == len(groups[1])}"
    if atom.isdigit():
        return f"digits{size if size < 9 else 9 if size < 14 else 14}"
    if _UUID.fullmatch(atom):
        return "uuid"
    if _DATE.fullmatch(atom):
        return "date"
    if _DIGITS.fullmatch(atom):
        return "numbers"
    if _HEX.fullmatch(atom):
        return f"hex{size if size in (32, 40, 64) else 7 if size < 13 else 13 if size < 32 else 33}"
    if _VERSION.fullmatch(atom):
        return "version"
    if "@" in atom[1:-1] and _DOMAIN.fullmatch(atom.rpartition("@")[2]):
        return "mail"
    if _DOMAIN.fullmatch(atom):
        return "domain"
    if _DOTTED.fullmatch(atom):
        return "dotted"
    if _SNAKE.fullmatch(atom):
        return "snake"
    if _UNIT.fullmatch(atom):
        return "unit"
    if _NUMBERED.fullmatch(atom):
        return "numbered"
    signs = sum(not character.isalnum() and character not in "-_." for character in atom)
    if signs:
        return "signed" if size < 20 else "longsigned"
    if not any(map(str.isdigit, atom)):
        return "joined"
    return "alnum" if size < 12 else "random" if size < 24 else "longrandom"


def _size(length: int) -> int:
    return length if length < 9 else 8 + (length - 6) // 3 if length < 24 else 14 + (length - 16) // 8 if length < 64 else 24


def oddness(letters: str, pairs: Sequence[int]) -> int:
    """How unlike words the pairs of neighbouring letters are, from 0 to 9; `pairs` holds the cost of each pair."""
    costs = [
        pairs[26 * (ord(one) - 97) + ord(two) - 97]
        for one, two in zip(letters, letters[1:])
        if "a" <= one <= "z" and "a" <= two <= "z"
    ]
    return min(9, sum(costs) // (8 * len(costs))) if costs else -1


def _look(atom: str, pairs: Sequence[int]) -> list[str]:
    """The features of what an atom looks like."""
    atom = atom[:_LONGEST]
    size = len(atom)
    shape = atom[:64].translate(_CLASSES)
    short = _REPEATED.sub(r"\1", shape)
    digits, upper, lower = shape.count("0"), shape.count("A"), shape.count("a")
    signs = size - digits - upper - lower if size <= 64 else 0
    plain = atom.lower()
    collapsed = "".join("0" if character.isdigit() else character for character in plain[:_GRAMMED])
    kind = kind_of(atom)
    odd = oddness(plain[:48], pairs)
    found = [
        f"K{kind}",
        f"L{_size(size)}",
        f"S{short[:7]}",
        f"T{min(len(short), 12)}:{_size(size)}",
        f"C{digits > 0:d}{upper > 0:d}{lower > 0:d}{signs > 0:d}",
        f"D{8 * digits // max(1, min(size, 64))}:{min(3, digits)}",
        f"O{odd}",
        f"OK{odd}{kind}",
        f"E{8 * len(set(atom[:48])) // max(1, min(size, 48))}",
        f"<{collapsed[:2]}",
        f"<{collapsed[:3]}",
        f"<{collapsed[:4]}",
        f">{collapsed[-2:]}",
        f">{collapsed[-3:]}",
    ]
    if size <= 10:
        found.append(f"F{shape}")
    if size <= _GRAMMED:
        found += [f"G{collapsed[at : at + 3]}" for at in range(size - 2)]
    if digits == 0:
        found += [f"W{word}" for word in _words(atom)]
        found.append(f"A{plain[:24]}")
    elif size <= 40:
        found += [f"W{word}" for word in words_of_name.__wrapped__(atom) if len(word) > 3]
    return found


@lru_cache(maxsize=1)
def _lexicon() -> tuple[dict[str, str], dict[str, str]]:
    """The group of each word, and of each beginning of words."""
    kept = tomllib.loads((Path(__file__).parent / "data" / "secret_words.toml").read_text(encoding="utf-8"))
    whole: dict[str, str] = {}
    begun: dict[str, str] = {}
    for groups in kept.values():
        for group, words in groups.items():
            for word in words.split():
                (begun if word.endswith("*") else whole).setdefault(word.rstrip("*"), group)
    return whole, begun


_WITHIN: Final = {  # within words that begin otherwise: `pgpassword`, `wifipwd`, `haustürcode`
    "passw": "password", "pwd": "password", "kennwort": "password", "secret": "secret", "token": "token",
    "apikey": "key", "schlüssel": "key", "code": "code",
}  # fmt: skip


@lru_cache(maxsize=8192)
def groups_of(word: str) -> tuple[str, ...]:
    """What a word in lower case is about."""
    whole, begun = _lexicon()
    if word in whole:
        return (whole[word],)
    if word and "\u3040" <= word[0] <= "\ud7af":
        return tuple(dict.fromkeys(group for table in (whole, begun) for one, group in table.items() if one in word and one >= "\u3040"))
    for size in range(len(word), 2, -1):
        if word[:size] in begun:
            return (begun[word[:size]],)
    return next(((group,) for part, group in _WITHIN.items() if part in word), ())


_PUBLIC: Final = re.compile(  # what is encoded and no secret: certificates, public keys, pictures
    r"-----BEGIN (?![A-Z0-9 ]{0,40}PRIVATE)[A-Z0-9 ]{1,40}-----(?:[A-Za-z0-9+/=:,. \t\r\n]|\\[nr]|-(?!----))*"
    r"|;base64,[A-Za-z0-9+/=]+|(?:ssh-|ecdsa-|sk-ssh-)[\w@.-]{2,40}[ ]+AAAA[A-Za-z0-9+/=]+|\"/9j/[A-Za-z0-9+/=]+"
)


def public_parts(text: str) -> list[tuple[int, int]]:
    """Where encoded data stands that is no secret."""
    return [match.span() for match in _PUBLIC.finditer(text)]


_QUOTED_END: Final = {'"': '"', "'": "'", "`": "`"}
_REST_OF_RUN: Final = re.compile(r"[^\s\"'`<>{}\[\]()=]*")
_LONGEST_VALUE: Final = 160


def widened(text: str, atoms: Sequence[Atom], places: Sequence[int]) -> list[tuple[int, int]]:
    """The whole values that the atoms at these places are part of."""
    spans: list[tuple[int, int]] = []
    for place in places:
        start, end = atoms[place].start, atoms[place].end
        opening = text[start - 1 : start]
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            continue
        before = spans[-1][1] if spans else 0
        gap = text[before:start]
        if spans and (gap == " " or (len(gap) <= 3 and not any(sign in gap for sign in " \n\"'`|\t"))):
            start, end = spans[-1][0], max(end, spans[-1][1])
            spans[-1] = (start, end)
        else:
            while start > before and start and text[start - 1] in "#$!*^-+" and text[start - 2 : start - 1] in tuple("\"'`=: "):
                start -= 1
            opening = text[start - 1 : start] if start else ""
            if opening in _QUOTED_END:
                close = text.find(opening, end, start + _LONGEST_VALUE)
                inside = text[start:close] if close >= 0 else "\n"
                if "\n" not in inside and not re.search(r"\s", inside):
                    end = close
            elif opening in ("=", ">") or (opening == " " and text[start - 2 : start - 1] in ("=", ":")):
                rest = _REST_OF_RUN.match(text, end, start + _LONGEST_VALUE)
                tail = rest.group() if rest else ""
                if not re.search(r"[;,&?|]|[.,:;!?]$", tail):
                    end += len(tail)
            spans.append((start, end))
        tail = re.match("={1,2}(?![\\w=])", text[spans[-1][1] : spans[-1][1] + 3])
        if tail:
            spans[-1] = (spans[-1][0], spans[-1][1] + tail.end())
    return spans


class Surroundings:
    """A part of a text as its atoms, with what each looks like; gives the features of one atom after another."""

    def __init__(self, text: str, start: int, end: int, pairs: Sequence[int]) -> None:
        self.text = text
        self._pairs = pairs
        self.atoms = atoms_of(text, start, end)
        self._lines: list[int] = []  # of each atom
        self._firsts: list[int] = []  # of each line, its first atom
        self._gaps: list[str] = []  # before each atom
        self._wordlists: list[tuple[str, ...]] = []
        self._groups: list[tuple[str, ...]] = []
        self._named: list[bool] = []  # of each line, whether a word in it is about secrets
        self._worded: list[bool] = []  # and about secrets that may be plain words
        at, line = start, -1
        for place, atom in enumerate(self.atoms):
            gap = text[at : atom.start]
            if place == 0 or "\n" in gap or "\\n" in gap:
                line += 1
                self._firsts.append(place)
                self._named.append(False)
                self._worded.append(False)
            self._lines.append(line)
            self._gaps.append(_gap(gap))
            words = _words(atom.text)
            self._wordlists.append(words)
            named = [group for word in words for group in groups_of(word)]
            if words and "\u3040" <= atom.text[0] <= "\ud7af":
                named += groups_of(atom.text[-12:])
            self._groups.append(tuple(dict.fromkeys(named)))
            self._named[line] = self._named[line] or not OPENING.isdisjoint(named)
            self._worded[line] = self._worded[line] or not WORDED.isdisjoint(named)
            at = atom.end
        self._gaps.append(_gap(text[at : min(end, at + 40)]))
        self._columns: dict[int, list[str]] = {}
        self._heads: dict[int, int] = {}

    def may_be_secret(self, place: int, *, is_behind_one: bool) -> bool:
        """Whether the atom is worth a look: a plain word or number is, where the line or the one above names a secret."""
        atom = self.atoms[place].text
        if is_behind_one:
            return True
        is_word = atom.isalpha()
        if not (is_word or atom.isdigit()) or len(atom) > _LONGEST_WORD:
            return len(atom) > 1
        names, line = self._worded if is_word else self._named, self._lines[place]
        return names[line] or (line > 0 and names[line - 1])

    def features(self, place: int) -> Iterator[str]:
        """The features of an atom that do not depend on what was taken before it."""
        atoms, gaps, words = self.atoms, self._gaps, self._wordlists
        atom = atoms[place].text
        line = self._lines[place]
        first = self._firsts[line]
        last = self._firsts[line + 1] if line + 1 < len(self._firsts) else len(atoms)
        kind = kind_of(atom[:_LONGEST])
        yield from _look(atom, self._pairs)
        gap, behind = gaps[place], gaps[place + 1]
        yield f"g{gap}"
        yield f"h{behind}"
        yield f"gh{gap[-2:]}{behind[:2]}"
        yield f"gk{gap}{kind}"
        yield f"n{min(9, place - first)}:{min(9, last - place)}"
        yield f"N{min(12, last - first)}"
        # the run without spaces that the atom is part of
        left, right = place, place
        while left > first and left > place - 8 and not _parts(gaps[left]):
            left -= 1
        while right + 1 < last and right < place + 8 and not _parts(gaps[right + 1]):
            right += 1
        if left != right:
            run = self.text[atoms[left].start : atoms[right].end]
            yield f"R{kind_of(run[:_LONGEST])}"
            yield f"RL{_size(len(run))}:{place - left}"
            yield f"RS{_REPEATED.sub(chr(92) + '1', run[:48].translate(_CLASSES))[:6]}"
            if left < place:
                yield f"r0{atoms[left].text.lower()[:16]}" if atoms[left].text.isalpha() else "r0?"
        # before
        for step in range(1, _NEAR + 1):
            other = place - step
            if other < first:
                yield f"p{step}^"
                break
            for word in words[other]:
                yield f"b{word}"
                if step <= 3:
                    yield f"p{step}{word}"
                if step <= 2 and len(word) > 4:
                    yield f"pp{step}{word[:4]}"
                if step == 1:
                    yield f"pg{word}{gap}"
                    yield f"pk{word}|{kind}"
                elif step <= 4:
                    yield f"bk{word}|{kind}"
            if step <= 2:
                yield f"pK{step}{kind_of(atoms[other].text[:64])}"
                yield f"pg{step}{gaps[other]}"
        if place - 2 >= first:
            yield f"pp{atoms[place - 2].text.lower()[:16]}{gaps[place - 1]}{atoms[place - 1].text.lower()[:16]}"
        # what the words around are about
        groups = self._groups
        for group in groups[place]:
            yield f"X{group}"
        nearest = ""
        for step in range(1, 13):
            other = place - step
            if other < first:
                break
            for group in groups[other]:
                yield f"x{min(step, 4) if step < 6 else 6}{group}"
                if not nearest:
                    nearest = group
                    yield f"y{group}|{kind}"
                    yield f"yg{group}{gap}"
                    yield f"ys{group}{step}"
                yield f"xk{group}|{kind}"
        behind_group = ""
        for step in range(1, 9):
            other = place + step
            if other >= last:
                break
            for group in groups[other]:
                yield f"z{min(step, 3)}{group}"
                if not behind_group:
                    behind_group = group
                    yield f"zk{group}|{kind}"
        yield f"yz{nearest}|{behind_group}"
        if line:
            above = self._firsts[line - 1]
            for group in {group for other in range(max(above, first - 8), first) for group in groups[other]}:
                yield f"v{group}"
                yield f"vk{group}|{kind}"
                if first == place:
                    yield f"vv{group}|{last - first == 1:d}"
        # behind
        for step in range(1, _BEHIND + 1):
            other = place + step
            if other >= last:
                yield f"q{step}$"
                break
            for word in words[other]:
                yield f"d{word}"
                if step <= 2:
                    yield f"q{step}{word}"
                if step == 1:
                    yield f"qk{word}|{kind}"
            if step == 1:
                yield f"qK{kind_of(atoms[other].text[:64])}{behind[:2]}"
        # the line, the line above, the head of the column
        if first < place:
            yield f"c{atoms[first].text.lower()[:20]}"
            yield f"ck{atoms[first].text.lower()[:20]}|{kind}"
            for other in range(max(first, place - 12), max(first, place - _NEAR)):
                for word in words[other]:
                    yield f"B{word}"
        if line:
            above = self._firsts[line - 1]
            for other in range(max(above, first - 5), first):
                for word in words[other]:
                    yield f"u{word}"
                    if first == place:
                        yield f"uu{word}"
            yield f"U{min(9, first - above)}"
            for word in self._head(place, line, first):
                yield f"H{word}"
                for group in groups_of(word):
                    yield f"HX{group}"
                    yield f"HK{group}|{kind}"

    def after_taken(self, place: int, taken: Sequence[int]) -> Iterator[str]:
        """The features of an atom behind others that are secrets, whose places are `taken`, in order."""
        atoms, gaps = self.atoms, self._gaps
        atom, gap = atoms[place].text, gaps[place]
        kind = kind_of(atom[:_LONGEST])
        if taken:
            near = taken[-1]
            distance = place - near
            if distance < 40:
                other_kind = kind_of(atoms[near].text[:_LONGEST])
                if distance == 1:
                    yield f"t{gap}"
                    yield f"tk{gap}{kind}"
                    yield f"tt{other_kind}|{kind}"
                elif distance < 6:
                    yield f"t{distance}"
                same = other_kind == kind and abs(len(atoms[near].text) - len(atom)) <= 1
                yield f"ts{same:d}{min(distance, 8)}"
                yield f"tn{min(4, len(taken))}{same:d}"
                if same:
                    yield f"tg{gap == gaps[near]:d}"

    def _head(self, place: int, line: int, first: int) -> list[str]:
        """The words at the head of the column in which an atom stands, where lines have cells."""
        head = self._head_line(line)
        if head == line:
            return []
        start = self._start_of(line)
        before = self.text[start : self.atoms[place].start]
        sign = self._sign(line)
        cells = self._columns.get(head)
        if cells is None:
            cells = self._columns[head] = self._line_text(head).split(sign)
        column = before.count(sign)
        return list(_words(cells[column].strip(" \"'")[:32])) if column < len(cells) else []

    def _head_line(self, line: int) -> int:
        """The first line of those above with as many cells."""
        known = self._heads.get(line)
        if known is None:
            sign = self._sign(line)
            count = self._line_text(line).count(sign) if sign else 0
            head = line
            if count:
                for other in range(line - 1, max(-1, line - 3), -1):
                    if self._sign(other) == sign and self._line_text(other).count(sign) == count:
                        head = self._heads.get(other, other)
                        break
            known = self._heads[line] = head
        return known

    def _sign(self, line: int) -> str:
        text = self._line_text(line)
        return next((sign for sign in ("|", "\t", ";", ",") if sign in text), "")

    def _start_of(self, line: int) -> int:
        return self.text.rfind("\n", 0, self.atoms[self._firsts[line]].start) + 1

    def _line_text(self, line: int) -> str:
        start = self._start_of(line)
        end = self.text.find("\n", start)
        return self.text[start : end if 0 <= end else len(self.text)][:2000]


def _gap(gap: str) -> str:
    """What stands between two atoms, spaces and line ends once each, at most four characters."""
    if gap == " ":
        return gap
    if "\n" in gap:
        gap = gap.replace("\r", "")
    plain = re.sub(r"[ \t]+", " ", gap)
    return plain if len(plain) <= 5 else plain[:2] + "~" + plain[-3:]


def _parts(gap: str) -> bool:
    """Whether a gap ends a run: it holds a space, a quote or a bracket."""
    return gap == " " or any(sign in " \n\"'`<>()[]{}" for sign in gap)
