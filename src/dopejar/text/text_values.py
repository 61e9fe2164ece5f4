"""Values in a text, which must agree for two texts to say the same.

Takes: a text. Gives: numbers with units, versions, dates, times, money, quoted and proper names, normalised. Never:
decides which of two values is right.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.lexicons import Lexicon, guess_language, joined, lexicon
from dopejar.text.normalisation import fold
from dopejar.text.number_words import in_digits
from dopejar.text.regex_prefilter.required_literals import PrefilteredPattern, prefilter_pattern
from dopejar.text.words import stem

if TYPE_CHECKING:
    from collections.abc import Callable

_LETTERS: Final = lazy_pattern(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_HAS_ADDRESS: Final = lazy_pattern(r"[/@]|\w\.\w")
_HAS_IDENTIFIER: Final = lazy_pattern(r"[_0-9]|[a-z][A-Z]")
_HAS_QUOTE: Final = lazy_pattern("[<`\"'\u201c\u201e\u00ab\u300c]")
_ISO_DATE: Final = lazy_pattern(r"\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)|(\d{4})年(\d{1,2})月(\d{1,2})[日号]")
_DOTTED_DATE: Final = lazy_pattern(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")
_DIGIT: Final = lazy_pattern(r"\d")
_AT_START: Final = lazy_pattern(r"(?:^\s*|[.!?:;\n\u3002\uff1a*>•-]\s*|[(\[\"]\s*)$")
_LOOK_BACK: Final = 8  # characters that tell whether a word opens its sentence
_AMOUNT: Final = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_HUNDREDTHS: Final = lazy_pattern(r"\d{1,2}\.\d\d")
_PROPER: Final = r"[A-Z\u00c0-\u00de\u0410-\u042f][\w+#]*(?:[.&'-][\w+#]+)*"
_CURRENCIES: Final = {
    "$": "usd", "us$": "usd", "dollar": "usd", "dollars": "usd", "bucks": "usd", "€": "eur", "euro": "eur",
    "euros": "eur", "£": "gbp", "¥": "jpy", "₽": "rub", "₹": "inr", "r$": "brl", "kč": "czk", "zł": "pln",
}  # fmt: skip
_SCALES: Final = {"k": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}

_NUMBERED_THINGS: Final = """
    port version line chapter level step issue page room python node java ruby php django rails postgres go top height
    width size phase sprint milestone ticket build release number no nr article section day week floor gate
"""
_LABELS: Final = frozenset(_NUMBERED_THINGS.split())
_UNITS: Final = {
    "s": "second", "sec": "second", "secs": "second", "min": "minute", "mins": "minute", "h": "hour", "hr": "hour",
    "hrs": "hour", "ms": "millisecond", "char": "character", "chars": "character", "col": "column", "cols": "column",
    "req": "request", "reqs": "request", "wk": "week", "yr": "year", "yrs": "year", "mo": "month",
}  # fmt: skip
_PLAIN_UNITS: Final = """
    second minute hour day week month year millisecond microsecond kb mb gb tb kib mib gib b byte bit px pt em rem m km
    cm mm mile kg g mg lb oz l ml c f hz khz mhz ghz w kw kwh v space tab column character line word token request call
    retry attempt worker thread core page item star degree people time point person
"""
_KNOWN_UNITS: Final = frozenset(_PLAIN_UNITS.split())
_AMBIGUOUS_MONTHS: Final = frozenset({"may", "march", "mar", "set", "out", "mars", "sep", "dec", "jan"})


def has_digit(value: str) -> bool:
    """Whether a value or a word has a digit."""
    return any(map(str.isdigit, value))


def extract_values(text: str) -> frozenset[str]:
    """The normalised values of the text; equal sets mean that the values agree.

    `60 call/minute`, `2024-03-10` (`03-10` without a year, `2024-03` without a day), `14:30`, `20 usd`, `15%`,
    `python 3.9`, `port 8080`, `1200`; quoted and proper names folded. A capitalised word that only opens a sentence is
    no name, and in German no capital alone makes one.
    """
    known = _patterns()
    values: set[str] = set()
    rest = text
    if _HAS_QUOTE.search(rest):
        rest = _take(rest, known.template, lambda match: fold(match[0]), values)
        rest = _take(rest, known.quoted, lambda match: _quoted(match[match.lastindex or 0]), values)
    if _HAS_ADDRESS.search(rest):
        rest = _take(rest, known.address, lambda match: fold(match[0]).rstrip("/.,;:"), values)
    language = guess_language(text)
    book = lexicon(language)
    rest = in_digits(rest, language)
    if _DIGIT.search(rest):
        if language not in ("en", "zh"):  # "1.200" is a thousand and more there
            rest = known.dotted_thousands.sub(lambda match: match[1] + match[2].replace(".", ""), rest)
        rest = _take_dates(rest, book, values)
        low = rest.lower()
        for measure, read in known.measures:
            if measure.may_match(low):
                rest = _take(rest, measure.pattern, read, values)
    if "--" in rest:
        rest = _take(rest, known.flag, lambda match: fold(match[0]), values)
    if _HAS_IDENTIFIER.search(rest):
        rest = _take(rest, known.identifier, lambda match: fold(match[0]), values)
    if _DIGIT.search(rest):
        _take(rest, known.number, _number, values)
    values.update(_names(rest, book))
    values.discard("")
    return frozenset(values)


class _Patterns(NamedTuple):
    """The patterns of values, built at first use. `measures` are tried in order, each with what reads a match."""

    template: re.Pattern[str]
    quoted: re.Pattern[str]
    address: re.Pattern[str]
    flag: re.Pattern[str]
    identifier: re.Pattern[str]
    number: re.Pattern[str]
    capitals: re.Pattern[str]
    dotted_thousands: re.Pattern[str]
    measures: tuple[tuple[PrefilteredPattern, Callable[[re.Match[str]], str]], ...]


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    return _Patterns(
        template=re.compile(r"(?:[\w./:-]{0,40}<\w[\w -]{0,30}>){1,20}(?:[/.:_-][\w./-]{1,40})?"),  # "<type>/<slug>"
        quoted=re.compile(
            r"`([^`\n]{1,80})`|\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|„([^“”\n]{1,80})[“”]|«([^»\n]{1,80})»"
            r"|「([^」\n]{1,80})」|(?<![\w'])'([^'\n]{1,80})'(?!\w)"
        ),
        address=re.compile(
            r"(?:https?|ssh|git|ftp|file)://[^\s<>\"'`)\]]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
            r"|(?:~|\.{1,2})?(?:/[\w.@-]+){2,}/?"
            r"|\b[\w-]{1,99}(?:/[\w.-]+)+\.\w{1,5}\b|\b[\w-]{1,99}\.(?=[a-z])\w{1,4}\b(?!\.\w)"
        ),
        flag=re.compile(r"(?<![\w-])--[a-zA-Z][\w-]*"),
        identifier=re.compile(
            r"\b(?=\w*[A-Za-z])"
            r"(?:[A-Za-z]\w*_\w+|_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|(?:[A-Za-z]+-){0,3}[A-Za-z]+-?\d+[A-Za-z]*(?:\.\d+)*"
            r"|\d(?=\d{0,62}[A-Fa-f])[0-9A-Fa-f]{5,63})\b"  # a colour, a digest
        ),
        number=re.compile(
            rf"(?:(?<![\w.])|(?<=[\u3400-\u9fff]))({_AMOUNT})(k(?![a-z]))?(?:[ -]?([^\W\d_]+))?"
            r"(?:\s?(?:/|\bper\b|\ba\b|\ban\b|\beach\b|\bevery\b)\s?([a-z]+))?"
        ),
        capitals=re.compile(rf"{_PROPER}(?:[ ]+{_PROPER})*"),
        dotted_thousands=re.compile(r"(?<![\d.,])(\d{1,3})((?:\.\d{3})+)(?![\d.])"),
        measures=_measures(),
    )


def _measures() -> tuple[tuple[PrefilteredPattern, Callable[[re.Match[str]], str]], ...]:
    """Times, money, shares, numbered names and versions: what a number means by what stands beside it."""
    clock = r"\b(\d{1,2})[:h](\d{2})(?::\d{2})?(?:\s?([ap])\.?m\b\.?)?(?![\d:])|\b(\d{1,2})\s?([ap])\.?m\b\.?"
    symbol_money = rf"(R\$|US\$|[$€£¥₽₹])\s?({_AMOUNT})\s?(k|m|bn|million|billion)?\b"
    word_money = (
        rf"\b({_AMOUNT})\s?(k)?\s?(€|£|₽|Kč|zł|USD|EUR|GBP|CZK|BRL|CHF|JPY|CNY|RUB|dollars?|bucks|euros?)(?!\w)"
    )
    percent = (
        rf"(?<!\d)({_AMOUNT})\s?"
        r"(?:%|per\s?cent\b|prozent\b|por\s?cent[oi]\b|por\sciento\b|pour\s?cent\b|процент\w*|procent\w*)"
    )
    named = (
        r"\b([A-Za-z][A-Za-z+#]{0,40}(?:\.[A-Za-z]{1,9})?)[ ]+(?:version\s+|[vV](?=\d))?"
        r"(\d+(?:\.\d+)*(?:\.x)?)(?![\w%]|[.,/:]\d|\s?[ap]m\b)"
    )
    version = r"\b[vV]?(\d+(?:\.\d+){2,}(?:[-+.][\w.]*\w)?)(?!\w)|\b[vV](\d+(?:\.\d+)*)\b"
    return (
        (prefilter_pattern(clock), _clock),
        (prefilter_pattern(symbol_money), lambda match: _money(match[2], match[3] or "", match[1])),
        (prefilter_pattern(word_money), lambda match: _money(match[1], match[2] or "", match[3])),
        (prefilter_pattern(percent), lambda match: f"{_plain(match[1])}%"),
        (PrefilteredPattern(named, (), 0), _named),
        (PrefilteredPattern(version, (), 0), lambda match: fold(match[1] or match[2])),
    )


def _take(text: str, pattern: re.Pattern[str], read: Callable[[re.Match[str]], str], values: set[str]) -> str:
    """Move what the pattern finds into `found`; a match that reads as nothing stays in the text."""

    def one(match: re.Match[str]) -> str:
        value = read(match)
        if not value:
            return match[0]
        values.add(value)
        return " , " if match.start() else " ; "  # a capital behind it opens no sentence

    return pattern.sub(one, text)


def _quoted(content: str) -> str:
    return " ".join(fold(content).split()).strip(" .,;:!")


def _plain(amount: str, scale: float = 1) -> str:
    """`1,200` and `1200.0` as `1200`, `3,5` as `3.5`."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", amount):
        amount = amount.replace(",", "")
    whole, _, decimals = amount.replace(",", ".").partition(".")
    if scale != 1:
        return f"{float(f'{whole}.{decimals or 0}') * scale:.10g}" if len(amount) < 15 else amount
    decimals = decimals.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{decimals}" if decimals else "")


def _date(year: str, month: str, day: str) -> str:
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return ""
    return f"{year}-{int(month):02}-{int(day):02}"


@lru_cache(maxsize=16)
def _month_patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A day before a month, and a month before a day or a year, with the months of one language and of English."""
    month = joined(set(lexicon(language).months) | set(lexicon("en").months))
    day = r"(\d{1,2})(?:st|nd|rd|th|er|º)?\.?"
    return (
        re.compile(rf"\b{day}\s+(?:of\s+|de\s+)?({month})\b\.?(?:,?\s+(?:de\s+)?(\d{{4}})\b)?", re.IGNORECASE),
        re.compile(
            rf"\b({month})\b\.?\s+(?:{day}(?!\d|\s?%|[.,:]\d)(?:\s*,?\s+(\d{{4}})\b)?|(?:de\s+)?(\d{{4}})\b)",
            re.IGNORECASE,
        ),
    )


def _take_dates(rest: str, book: Lexicon, values: set[str]) -> str:
    def month_of(name: str) -> int:
        key = fold(name)
        if key in _AMBIGUOUS_MONTHS and name.islower():
            return 0
        return book.months.get(key) or lexicon("en").months.get(key, 0)

    def day_first(match: re.Match[str]) -> str:
        month = month_of(match[2])
        return _date(match[3] or "", str(month), match[1]).lstrip("-") if month else ""

    def month_first(match: re.Match[str]) -> str:
        month = month_of(match[1])
        if not month:
            return ""
        return f"{match[4]}-{month:02}" if match[4] else _date(match[3] or "", str(month), match[2]).lstrip("-")

    rest = _take(rest, _ISO_DATE, lambda match: _date(*[part for part in match.groups() if part]), values)
    rest = _take(rest, _DOTTED_DATE, lambda match: _date(match[3], match[2], match[1]), values)
    if book.language != "zh":
        before, after = _month_patterns(book.language)
        rest = _take(rest, before, day_first, values)
        rest = _take(rest, after, month_first, values)
    return rest


def _clock(match: re.Match[str]) -> str:
    hour, minute = int(match[1] or match[4]), int(match[2] or 0)
    half = (match[3] or match[5] or "").lower()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"{hour:02}:{minute:02}" if hour < 25 and minute < 60 else ""


def _money(amount: str, scale: str, currency: str) -> str:
    return f"{_plain(amount, _SCALES.get(scale.lower(), 1))} {_CURRENCIES.get(currency.lower(), currency.lower())}"


def _named(match: re.Match[str]) -> str:
    """`Python 3.9`, `port 8080`, `version 2.1`; before a whole number a name counts where such names are numbered."""
    name, number = fold(match[1]), match[2]
    known = name in _LABELS or ("." in number and (match[1][0].isupper() or "v" in match[0][len(match[1]) :].lower()))
    is_proper = match[1][0].isupper() and not _opens(match.string, match.start()) and len(name) > 1
    if not known and not is_proper:
        return ""
    return number if name == "version" else f"{name} {number}"


def _number(match: re.Match[str]) -> str:
    amount, thousands, word, rate = match.groups()
    number = _plain(amount, 1e3 if thousands else 1)
    unit = _unit(word, number)
    if _HUNDREDTHS.fullmatch(amount) and not (unit or thousands):
        return amount  # "16.30" may be a time and "3.10" a version: its last 0 counts
    per = _unit(rate, "") if rate else ""
    return f"{number} {unit}".rstrip() + (f"/{per}" if per else "")


def _unit(word: str | None, number: str) -> str:
    """The unit a word stands for; a plural that is no unit counts as what is counted, a year has none."""
    if not word or (len(number) == 4 and number[:2] in ("19", "20")):
        return ""
    lower = fold(word)
    singular = lower if lower in _KNOWN_UNITS else lower.removesuffix("s")
    unit = _UNITS.get(lower) or (singular if singular in _KNOWN_UNITS else "")
    if unit:
        return unit
    is_counted = lower.endswith("s") and len(lower) > 3 and word.islower() and lower not in lexicon("en").stops
    return stem(lower) if is_counted else ""


def _opens(text: str, at: int) -> bool:
    """Whether a sentence, an item or a quotation starts here."""
    return _AT_START.search(text[max(0, at - _LOOK_BACK) : at]) is not None


def _names(rest: str, book: Lexicon) -> set[str]:
    values = set()
    for match in _patterns().capitals.finditer(rest):
        parts = match[0].split()
        if _opens(rest, match.start()) and not _is_marked(parts[0]):
            del parts[0]
        kept = [part for part in parts if _is_name(part, book)]
        if kept:
            values.add(" ".join(fold(part).removesuffix("'s") for part in kept))
    spoken = set(_LETTERS.findall(fold(rest)))
    values.update(f"weekday {number}" for word, number in book.weekdays.items() if len(word) > 4 and word in spoken)
    return values


def _is_marked(word: str) -> bool:
    """Whether the word is a name by its letters alone: `GitHub`, `API`, `C++`."""
    return not word[1:].islower() and len(word) > 1


def _is_name(word: str, book: Lexicon) -> bool:
    folded = fold(word).removesuffix("'s")
    if len(folded) < 2 and not word.endswith(("+", "#")):
        return False
    if folded in book.stops or folded in book.question_words or folded in book.negations or folded in book.intensifiers:
        return False
    if folded in book.months or folded in book.weekdays or folded in book.reversals or folded in book.interjections:
        return False
    if "'" in folded and folded.split("'")[0] in book.stops:
        return False
    return _is_marked(word) or book.language != "de"
