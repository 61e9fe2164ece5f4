"""Card numbers and bank accounts, distinguished from ordinary numbers by their check digits.

Takes: a text. Gives: spans. Never: takes a number for a card without an issuer's prefix, its length and a correct Luhn
sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from dopejar.governance.redaction.token_patterns import SecretSpan

_CARD_DIGITS: Final = re.compile(r"(?<![\w.+/#-])[0-9](?:[ -]?[0-9]){12,18}(?![\w/-]|\.[0-9]|[ ]?[0-9](?!\d?/\d\d))")
_CHECK_CODE: Final = re.compile(r"[^\n\d]{0,24}\d{1,2}/\d{2,4}[^\n\d]{1,24}(\d{3,4})(?![\d/.:%-])")
_LONG_NUMBER: Final = re.compile(r"[0-9][0-9A-Z -]{11}")
_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_PRINTED_GROUPS: Final = ((4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 6, 5), (4, 6, 4), (4, 4, 5), (4, 4, 4, 1))
_OTHER_ISSUERS: Final = frozenset({6011, 5018, 5020, 5038, 6304, 6759, 6761, 6763})


def has_long_number(text: str) -> bool:
    """Whether the text can hold a card or an account at all; quick where it cannot."""
    return _LONG_NUMBER.search(text) is not None


def card_spans(text: str) -> Iterator[SecretSpan]:
    """Card numbers: grouped as cards are printed, with an issuer's prefix and length, and a correct Luhn sum."""
    for match in _CARD_DIGITS.finditer(text):
        printed = match.group()
        digits = printed.replace(" ", "").replace("-", "")
        if _is_printed_as_card(printed) and _has_issuer(digits) and passes_luhn(digits):
            yield (*match.span(), "card")


def iban_spans(text: str) -> Iterator[SecretSpan]:
    """IBANs of the registry (ISO 13616): the country's length and structure, and correct check digits (mod 97)."""
    for match in _IBAN.finditer(text):
        account = match.group().replace(" ", "")
        if _mod_97(account) == 1 and _is_registered_iban(account):
            yield (*match.span(), "iban")


def check_codes(text: str, cards: Iterable[SecretSpan]) -> Iterator[SecretSpan]:
    """The check codes that stand behind a card's number and the month in which it ends."""
    for _, end, _ in cards:
        if found := _CHECK_CODE.match(text, end):
            yield (*found.span(1), "card-code")


def passes_luhn(digits: str) -> bool:
    """Whether the Luhn sum (ISO/IEC 7812-1, annex B) of the digits is correct; that of one repeated digit never is.

    Not python-stdnum's check: this one runs on every long number of every turn, and takes a tenth of the time.
    """
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return len(set(digits)) > 1 and (doubled + sum(map(int, digits[-1::-2]))) % 10 == 0


def _is_printed_as_card(printed: str) -> bool:
    if printed.isdigit():
        return True
    if " " in printed and "-" in printed:
        return False
    return tuple(map(len, printed.replace("-", " ").split(" "))) in _PRINTED_GROUPS


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


def _is_registered_iban(account: str) -> bool:
    from stdnum import iban  # takes 0.2 s to import; only numbers with correct check digits come here

    return iban.is_valid(account, check_country=False)
