"""Card numbers and bank accounts, told from ordinary numbers by their check digits.

Takes: a text. Gives: spans. Never: takes a number for a card that neither its issuer's length nor the Luhn sum
bears out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

Span = tuple[int, int, str]

_DIGITS: Final = re.compile(r"(?<![\w.+/#-])[0-9](?:[ -]?[0-9]){12,18}(?![\w/-]|\.[0-9]|[ ]?[0-9])")
_LONG: Final = re.compile(r"[0-9][0-9A-Z -]{11}")
_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_GROUPS: Final = ((4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 6, 5), (4, 6, 4), (4, 4, 5), (4, 4, 4, 1))
_OTHER_ISSUERS: Final = frozenset({6011, 5018, 5020, 5038, 6304, 6759, 6761, 6763})

# country: length, of the IBAN registry (ISO 13616)
_IBAN_LENGTHS: Final = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LI": 21, "LT": 20, "LU": 20,
    "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24,
    "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27,
    "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip


def has_long_number(text: str) -> bool:
    """Whether a card or an account can be there at all; quick where none is."""
    return _LONG.search(text) is not None


def card_spans(text: str) -> Iterator[Span]:
    """Card numbers: grouped as cards are printed, with an issuer's prefix and length, and a right Luhn sum."""
    for match in _DIGITS.finditer(text):
        shown = match.group()
        digits = shown.replace(" ", "").replace("-", "")
        if _is_printed_as_card(shown) and _has_issuer(digits) and passes_luhn(digits):
            yield (*match.span(), "card")


def iban_spans(text: str) -> Iterator[Span]:
    """IBANs whose country has that length and whose check digits are right (ISO 7064, mod 97)."""
    for match in _IBAN.finditer(text):
        account = match.group().replace(" ", "")
        if _IBAN_LENGTHS.get(account[:2]) == len(account) and _mod_97(account) == 1:
            yield (*match.span(), "iban")


def passes_luhn(digits: str) -> bool:
    """Whether the Luhn sum (ISO/IEC 7812-1, annex B) of the digits is right; a row of one digit is not."""
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return len(set(digits)) > 1 and (doubled + sum(map(int, digits[-1::-2]))) % 10 == 0


def _is_printed_as_card(shown: str) -> bool:
    if shown.isdigit():
        return True
    if " " in shown and "-" in shown:
        return False
    return tuple(map(len, shown.replace("-", " ").split(" "))) in _GROUPS


def _has_issuer(digits: str) -> bool:
    """Prefix and length: Visa, Mastercard, American Express, Diners, Discover, JCB, UnionPay, Maestro."""
    length, two, four = len(digits), int(digits[:2]), int(digits[:4])
    if digits[0] == "4":
        return length in {13, 16, 19}
    if 51 <= two <= 55 or 2221 <= four <= 2720:
        return length == 16
    if two in {34, 37}:
        return length == 15
    if two in {36, 38, 39} or 3000 <= four <= 3059:
        return length in {14, 16, 19}
    return 16 <= length <= 19 and (two in {35, 62, 64, 65} or four in _OTHER_ISSUERS)


def _mod_97(account: str) -> int:
    rearranged = account[4:] + account[:4]
    return int("".join(str(int(character, 36)) for character in rearranged)) % 97
