"""Numbers that a state gives to a person, told from other numbers by their name and their own check rule.

Takes: a text and its lower case of the same length. Gives: spans. Never: takes a number that fails its check, nor,
where the form alone says too little, one that no word beside it names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from dopejar.governance.redaction.payment_numbers import passes_luhn

Span = tuple[int, int, str]

_BEFORE: Final = 40  # characters between a name and its number, at most
_OTHER_NUMBER: Final = re.compile(
    r"(?:order|ticket|invoice|part|ref|reference|case|sku|model|serial|phone|call|tel|fax|article|build|version|isbn)"
    r"[ \t.:#no]{0,6}$"
)
_LETTERS_OF_23: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_ODD: Final = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
# Verhoeff: how two digits combine in the dihedral group of order ten, and how each place permutes them
_COMBINED: Final = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_PERMUTED: Final = (
    "0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _is_ssn(number: str) -> bool:
    """United States: areas 000, 666 and 9xx, group 00 and serial 0000 are never given out."""
    return number[:3] not in {"000", "666"} and number[0] != "9" and number[3:5] != "00" and number[5:] != "0000"


def _is_nino(number: str) -> bool:
    """United Kingdom: prefixes that are never given out."""
    return number[:2] not in {"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"}


def _is_cpf(number: str) -> bool:
    """Brazil: two check digits, modulo 11."""
    first = _weighted(number, range(10, 1, -1)) * 10 % 11 % 10
    second = _weighted(number, range(11, 1, -1)) * 10 % 11 % 10
    return len(set(number)) > 1 and number[9:] == f"{first}{second}"


def _is_dni(number: str) -> bool:
    """Spain: the letter is the rest by 23; X, Y, Z of a foreigner stand for 0, 1, 2."""
    body = number[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return _LETTERS_OF_23[int(body) % 23] == number[-1]


def _is_pesel(number: str) -> bool:
    """Poland: weights 1, 3, 7, 9."""
    return _weighted(number, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def _is_bsn(number: str) -> bool:
    """Netherlands: the test by eleven."""
    return _weighted(number, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0 and int(number) > 0


def _is_aadhaar(number: str) -> bool:
    """India: Verhoeff."""
    check = 0
    for place, digit in enumerate(reversed(number)):
        check = int(_COMBINED[check][int(_PERMUTED[place % 8][int(digit)])])
    return check == 0


def _is_birth_number(number: str) -> bool:
    """Czechia and Slovakia: the tenth digit is the rest by eleven; the nine of before 1954 have no check."""
    month = int(number[2:4]) % 50 % 20
    return 1 <= month <= 12 and (len(number) == 9 or int(number[:9]) % 11 % 10 == int(number[9]))


def _is_nir(number: str) -> bool:
    """France: key 97 - n mod 97; 2A and 2B of Corsica count as 19 and 18."""
    body = number.replace("2A", "19").replace("2B", "18")
    return body.isdigit() and 97 - int(body[:13]) % 97 == int(body[13:])


def _is_codice_fiscale(number: str) -> bool:
    """Italy: the last letter checks the fifteen before it; those on odd places count by a table."""
    ranks = [int(one, 36) - (10 if one.isalpha() else 0) for one in number[:15]]
    total = sum(_ODD[rank] if place % 2 == 0 else rank for place, rank in enumerate(ranks))
    return chr(ord("A") + total % 26) == number[15]


def _is_resident_id(number: str) -> bool:
    """China: ISO 7064, mod 11-2."""
    total = _weighted(number[:17], [2 ** (17 - place) % 11 for place in range(17)])
    return "10X98765432"[total % 11] == number[17]


def _is_tax_id(number: str) -> bool:
    """Germany: ISO 7064, mod 11, 10; the first digit is no zero."""
    product = 10
    for digit in number[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return number[0] != "0" and (11 - product) % 10 == int(number[10])


class _Form(NamedTuple):
    """One country's number: what it looks like, the names that tell it (none where its form is enough), its check."""

    looks: re.Pattern[str]
    needles: tuple[str, ...]
    holds: Callable[[str], bool]


def _form(looks: str, needles: tuple[str, ...], holds: Callable[[str], bool]) -> _Form:
    return _Form(
        looks=re.compile(rf"(?<![\w.,/+(-])(?:{looks})(?![\w/-]|[.,]\d)", re.IGNORECASE),
        needles=needles,
        holds=holds,
    )


_FORMS: Final = (
    _form(r"\d{3}([ -]?)\d{2}\1\d{4}", ("ssn", "social security"), _is_ssn),
    _form(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?(?:\d{2} ?){3}[A-D]", ("nino", "national insurance"), _is_nino),
    _form(r"\d{3}\.\d{3}\.\d{3}-\d{2}", (), _is_cpf),
    _form(r"\d{11}", ("cpf",), _is_cpf),
    _form(r"\d{8}-?[A-Z]|[XYZ]-?\d{7}-?[A-Z]", ("dni", "nie", "nif"), _is_dni),
    _form(r"\d{11}", ("pesel",), _is_pesel),
    _form(r"\d{9}", ("bsn", "burgerservicenummer"), _is_bsn),
    _form(r"\d{4} ?\d{4} ?\d{4}", ("aadhaar",), _is_aadhaar),
    _form(r"\d{6}/?\d{3,4}", ("rodné číslo", "rodne cislo", "rodné čislo"), _is_birth_number),
    _form(
        r"[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}",
        ("insee", "nir", "sécurité sociale", "securite sociale", "sécu"),
        _is_nir,
    ),
    _form(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", ("codice fiscale", "cod. fisc", "cf"), _is_codice_fiscale),
    _form(r"\d{6}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]", (), _is_resident_id),
    _form(r"\d{2} ?\d{3} ?\d{3} ?\d{3}", ("steuer-id", "steuerid", "steueridentifikationsnummer", "idnr"), _is_tax_id),
    _form(r"\d{3}([ -]?)\d{3}\1\d{3}", ("sin", "social insurance"), passes_luhn),
)
_SSN_SHOWN: Final = re.compile(r"(?<![\w.,/+-])\d{3}-\d{2}-\d{4}(?![\w/-]|[.,]\d)")


def id_spans(text: str, lowered: str) -> Iterator[Span]:
    """Numbers of persons whose form, name and check digits agree."""
    for form in _FORMS:
        named = [end for needle in form.needles for end in _ends(needle, lowered)]
        if form.needles and not named:
            continue
        for match in form.looks.finditer(text):
            is_named = not form.needles or any(0 <= match.start() - end <= _BEFORE for end in named)
            if is_named and form.holds(re.sub(r"[ ./-]", "", match.group()).upper()):
                yield (*match.span(), "national-id")
    if "-" in text:
        for match in _SSN_SHOWN.finditer(text):
            before = lowered[max(0, match.start() - _BEFORE) : match.start()]
            if _is_ssn(match.group().replace("-", "")) and not _OTHER_NUMBER.search(before):
                yield (*match.span(), "national-id")


def _ends(name: str, lowered: str) -> Iterator[int]:
    """Where a name ends that stands as a word of its own."""
    at = lowered.find(name)
    while at >= 0:
        end = at + len(name)
        if not lowered[max(0, at - 1) : at].isalnum() and not lowered[end : end + 1].isalnum():
            yield end
        at = lowered.find(name, end)
