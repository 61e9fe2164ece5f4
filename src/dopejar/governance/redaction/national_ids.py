"""National identity numbers, recognised by form, name and check digits.

Takes: a text and its lower case of the same length. Gives: spans. Never: takes a number that fails its check, nor,
where the form alone says too little, one that no word beside it names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Final, NamedTuple

from dopejar.governance.redaction.cue_words import matches, windows
from dopejar.governance.redaction.payment_numbers import passes_luhn
from dopejar.governance.redaction.token_patterns import SecretSpan

_MOST_BETWEEN: Final = 40  # characters between a name and its number, at most
_OTHER_NUMBER: Final = re.compile(
    r"(?:order|ticket|invoice|part|ref|reference|case|sku|model|serial|phone|call|tel|fax|article|build|version|isbn)"
    r"[ \t.:#no]{0,6}$"
)
_ADVERTISED_SSNS: Final = frozenset({"078051120", "219099999", "457555462"})
_UNUSED_NINO_PREFIXES: Final = frozenset({"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"})


@lru_cache(maxsize=32)
def _standard_check(module: str) -> Callable[[str], bool]:
    """The check of a module of python-stdnum, loaded at its first use: the package takes 0.1 s to import."""
    is_valid: Callable[[str], bool] = import_module(f"stdnum.{module}").is_valid
    return is_valid


def _is_ssn(number: str) -> bool:
    """United States: also the numbers printed in advertisements, which python-stdnum refuses: people used them."""
    return number in _ADVERTISED_SSNS or _standard_check("us.ssn")(number)


def _is_nino(number: str) -> bool:
    """United Kingdom: no check digit, but prefixes that are never given out."""
    return number[:2] not in _UNUSED_NINO_PREFIXES


def _is_snils(number: str) -> bool:
    """Russia's insurance number: a weighted sum modulo 101."""
    total = sum(int(digit) * weight for digit, weight in zip(number[:9], range(9, 0, -1), strict=True))
    return total % 101 % 100 == int(number[9:])


def _is_anything(_number: str) -> bool:
    """No check digit: the name beside the number says it all."""
    return True


class _Form(NamedTuple):
    """One country's number: its pattern, the names beside it (none where its form is enough), and its check.

    The check is a function, or the name of a module of python-stdnum.
    """

    pattern: re.Pattern[str]
    names: tuple[str, ...]
    check: Callable[[str], bool] | str

    def passes(self, number: str) -> bool:
        """Whether the check digits are right. A row of one digit is nobody's number, whatever its check digits say."""
        check = _standard_check(self.check) if isinstance(self.check, str) else self.check
        return len(set(number)) > 1 and check(number)


_LETTERS: Final = "0-9A-Za-z_\u00c0-\u2e7f"  # of scripts with spaces between words


def _form(pattern: str, names: tuple[str, ...], check: Callable[[str], bool] | str) -> _Form:
    bounded = re.compile(rf"(?<![{_LETTERS}.,/+(-])(?:{pattern})(?![{_LETTERS}/-]|[.,]\d)", re.IGNORECASE)
    return _Form(pattern=bounded, names=names, check=check)


_FORMS: Final = (
    _form(r"\d{3}([ -]?)\d{2}\1\d{4}", ("ssn", "social security"), _is_ssn),
    _form(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?(?:\d{2} ?){3}[A-D]", ("nino", "national insurance"), _is_nino),
    _form(r"\d{3}\.\d{3}\.\d{3}-\d{2}", (), "br.cpf"),
    _form(r"\d{11}", ("cpf",), "br.cpf"),
    _form(r"\d{8}-?[A-Z]", ("dni", "nie", "nif"), "es.dni"),
    _form(r"[XYZ]-?\d{7}-?[A-Z]", ("dni", "nie", "nif"), "es.nie"),
    _form(r"\d{11}", ("pesel",), "pl.pesel"),
    _form(r"\d{9}", ("bsn", "burgerservicenummer"), "nl.bsn"),
    _form(r"\d{4} ?\d{4} ?\d{4}", ("aadhaar",), "in_.aadhaar"),
    _form(r"\d{6}/?\d{3,4}", ("rodné číslo", "rodne cislo", "rodné čislo"), "cz.rc"),
    _form(
        r"[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}",
        ("insee", "nir", "sécurité sociale", "securite sociale", "sécu"),
        "fr.nir",
    ),
    _form(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", ("codice fiscale", "cod. fisc", "cf"), "it.codicefiscale"),
    # China's numbers by their check digit alone: a table of regions would cost 0.15 s and miss dissolved ones
    _form(r"\d{6}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]", (), "iso7064.mod_11_2"),
    _form(r"\d{2} ?\d{3} ?\d{3} ?\d{3}", ("steuer-id", "steuerid", "steueridentifikationsnummer", "idnr"), "de.idnr"),
    _form(r"\d{3}([ -]?)\d{3}\1\d{3}", ("sin", "social insurance"), passes_luhn),
    _form(r"\d{3} ?\d{3} ?\d{2,3}", ("tfn", "tax file number"), "au.tfn"),
    _form(r"\d{1,2}\.?\d{3}\.?\d{3}-[\dK]", ("rut",), "cl.rut"),
    _form(r"\d{10}(?:\d{2})?", ("инн",), "ru.inn"),
    _form(r"\d{3}-\d{3}-\d{3}[ -]\d{2}", ("снилс", "snils"), _is_snils),
    _form(r"\d{2} ?\d{2} ?\d{6}", ("паспорт", "паспорта"), _is_anything),
    _form(r"\d{3}([ -]?)\d{3}\1\d{4}", ("nhs", "nhs number"), "gb.nhs"),
    _form(r"(?:\d{2})?\d{6}[-+]\d{4}", ("personnummer",), "se.personnummer"),
    _form(r"\d{6} ?\d{5}", ("fødselsnummer", "personnummer"), "no.fodselsnummer"),
    _form(r"\d{6}-?\d{4}", ("cpr", "cpr-nummer"), "dk.cpr"),
    _form(r"\d{6}[-+A]\d{3}[\dA-Z]", ("henkilötunnus", "hetu"), "fi.hetu"),
    _form(r"\d{3} ?\d{3} ?\d{3}", ("nif", "contribuinte"), "pt.nif"),
    _form(r"\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}", ("rijksregisternummer",), "be.nn"),
    _form(r"756\.?\d{4}\.?\d{4}\.?\d{2}", (), "ch.ssn"),
    _form(r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z\d]\d", ("curp",), "mx.curp"),
    _form(r"[A-Z]{5}\d{4}[A-Z]", ("pan",), "in_.pan"),
    _form(r"\d{13}", ("cnp",), "ro.cnp"),
    _form(r"\d{6}-?\d{7}", ("resident registration", "주민등록번호", "rrn"), "kr.rrn"),
    _form(r"\d{13}", ("south african id", "id number"), "za.idnr"),
    _form(r"\d{9}", ("teudat zehut", "תעודת זהות"), "il.idnr"),
    _form(r"\d[ -]?\d{4}[ -]?\d{5}[ -]?\d{2}[ -]?\d", ("thai id", "บัตรประชาชน"), "th.pin"),
    _form(r"\d{11}", ("tc kimlik", "kimlik no", "tckn"), "tr.tckimlik"),
    _form(r"\d{2}-?\d{8}-?\d", ("cuit", "cuil"), "ar.cuit"),
    _form(r"\d{11}", ("isikukood", "personal code"), "ee.ik"),
    _form(r"\d{11}", ("asmens kodas",), "lt.asmens"),
    _form(r"\d{10}", ("егн", "egn"), "bg.egn"),
    _form(r"\d{11}", ("amka", "αμκα"), "gr.amka"),
    _form(r"\d{7}[A-W][A-IW]?", ("pps", "ppsn", "pps number"), "ie.pps"),
    _form(r"\d{11}", ("oib",), "hr.oib"),
    _form(r"\d{13}", ("emšo", "emso", "jmbg"), "si.emso"),
    _form(r"\d{6}-?\d{4}", ("kennitala",), "is_.kennitala"),
    _form(r"\d{16}", ("nik", "ktp"), "id.nik"),
    _form(r"\d{6}-?\d{2}-?\d{4}", ("mykad", "nric"), "my.nric"),
    _form(r"[STFGM]\d{7}[A-Z]", ("nric", "fin"), _is_anything),
    _form(r"\d{10}", ("рнокпп", "іпн"), "ua.rntrc"),
    _form(r"\d{4} ?\d{6}", ("sozialversicherungsnummer", "svnr"), "at.vnr"),
    _form(r"\d{5}-?\d{7}-?\d", ("cnic",), "pk.cnic"),
    _form(r"[A-Z]{4}\d{6}[A-Z0-9]{3}", ("rfc",), "mx.rfc"),
    _form(r"9\d{2}-?\d{2}-?\d{4}", ("itin",), "us.itin"),
    _form(
        r"(?=[A-Z0-9]{0,3}\d)[A-Z0-9]{1,3}\d{5,8}[A-Z0-9]?",
        (
            "passport",
            "passport number",
            "passport no",
            "reisepass",
            "passeport",
            "pasaporte",
            "passaporte",
            "passaporto",
            "cestovní pas",
            "cestovního pasu",
            "护照",
            "护照号",
            "personalausweis",
            "id card",
            "identity card",
            "carte d'identité",
            "občanský průkaz",
            "carta d'identità",
            "загранпаспорт",
        ),
        _is_anything,
    ),
    _form(
        r"[A-Z]{1,2}\d{5,12}|\d{8,9}",
        (
            "driver's license",
            "driver license",
            "driving licence",
            "driver's licence",
            "führerschein",
            "permis de conduire",
        ),
        _is_anything,
    ),
    _form(r"\d{8,17}", ("bank account", "routing number", "account number", "account no", "kontonummer"), _is_anything),
    _form(r"\d{2}-\d{2}-\d{2}", ("sort code",), _is_anything),
)
_NAMELESS_FORMS: Final = tuple(form for form in _FORMS if not form.names)
_CHINESE: Final = "\u2e80"
_DIGITS: Final = re.compile(r"\d{2}")
_MOST_AROUND_DIGITS: Final = 24  # characters of a number before or behind two digits in a row
_HYPHENATED_SSN: Final = re.compile(r"(?<![\w.,/+-])\d{3}-\d{2}-\d{4}(?![\w/-]|[.,]\d)")


def national_id_spans(text: str, lowered: str, *, is_named: bool) -> Iterator[SecretSpan]:
    """Identity numbers whose form, name and check digits agree; `is_named`: words of the text may be such a name."""
    near = windows(text, (match.span() for match in _DIGITS.finditer(text)), _MOST_AROUND_DIGITS, _MOST_AROUND_DIGITS)
    for form in _FORMS if is_named else _NAMELESS_FORMS:
        name_ends = [end for name in form.names if name in lowered for end in _name_ends(name, lowered)]
        if form.names and not name_ends:
            continue
        for match in matches(form.pattern, text, near):
            is_close = not form.names or any(0 <= match.start() - end <= _MOST_BETWEEN for end in name_ends)
            if is_close and form.passes(re.sub(r"[ ./-]", "", match.group()).upper()):
                yield (*match.span(), "national-id")
    if "-" in text:
        yield from _hyphenated_ssn_spans(text, lowered)


def _hyphenated_ssn_spans(text: str, lowered: str) -> Iterator[SecretSpan]:
    """Social security numbers that no word names, where none names them as something else."""
    for match in _HYPHENATED_SSN.finditer(text):
        before = lowered[max(0, match.start() - _MOST_BETWEEN) : match.start()]
        if not _OTHER_NUMBER.search(before) and _is_ssn(match.group().replace("-", "")):
            yield (*match.span(), "national-id")


def _name_ends(name: str, lowered: str) -> Iterator[int]:
    """The ends of a name where it is a word of its own."""
    start = lowered.find(name)
    while start >= 0:
        end = start + len(name)
        is_spaced = name[0] < _CHINESE  # words of Chinese stand together
        if not (is_spaced and (lowered[max(0, start - 1) : start].isalnum() or lowered[end : end + 1].isalnum())):
            yield end
        start = lowered.find(name, end)
