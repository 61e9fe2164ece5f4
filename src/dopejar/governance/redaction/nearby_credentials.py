"""Secrets close to a word that names one, in whatever order a sentence, a command or a setting puts them.

Takes: a text, its lower case of the same length, and the parts that hold such a word. Gives: spans. Never: takes a word
without a digit, a version, a date, a file or the name of an algorithm for a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from dopejar.governance.redaction.cue_words import matches
from dopejar.governance.redaction.named_credentials import is_placeholder
from dopejar.governance.redaction.token_patterns import SecretSpan

_NAME: Final = re.compile(
    r"(?<![a-z0-9_-])(?:(?:admin-|root-|login-|wi-?fi-|wlan-)?(?:pass(?:word|wd|phrase|wort|code|e)?"
    r"|passwords|p/?wd?)"
    r"|kennwort|contrase[ñn]a|clave|senha|mot de passe|mdp|wachtwoord|парол[ьюяе]\w?|hesl[oau]|has[łl]o|psk)"
    r"(?![a-z0-9_(.=-])"
    r"|密[码碼]|パスワード|비밀번호|(?<!\w)(?:lösenord(?:et)?|şifre(?:si)?|adgangskode[nr]?|passord(?:et)?|salasana"
    r"|jelsz[óo]|parola)(?!\w)"
)
_BEFORE, _BEHIND = 40, 90  # characters of the same line in which the value stands
_WORD: Final = re.compile(r"(?<![A-Za-z0-9!#$%&*+=?^~@_./\\-])[A-Za-z0-9!#$%&*+=?^~@_.-]{6,64}(?![A-Za-z0-9/(\[\\])")
_APART: Final = re.compile(r"[.?;][ \t]|\n")
_SIGN: Final = re.compile(r"[!#$%&*+=?^~@_.-]")
_LEAST_SIGNED = 8
_STRONG_SIGN: Final = re.compile(r"[!#$%&*?^~@+]")
_SIGNED_CASES: Final = re.compile(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[\w!#$%&*?^~@+-]+$")
_KNOWN: Final = re.compile(
    r"(?i:(?:sha|md|pbkdf|argon|bcrypt|scrypt|aes|rsa|hs|rs|es|ed|oauth|base|utf|iso|rfc|cve|http|tls|ssl"
    r"|ipv|win|python"
    r"|x|v|ver|version|web|s|ec|k|h|p|q|fido|totp|node|py|wpa|ntlm|ldap|user|test|step|line|page|port|case|item"
    r"|issue|ticket|pr|room|section|chapter|day|week|windows|firefox|chrome|safari|mysql|postgres\w*|php|java|office"
    r"|ubuntu|debian|android|ios|macos|outlook|server|host|db|iphone|pixel|galaxy)[-_]?\d[\w.-]*"
    r"|1password|[a-z]+(?:[-_][a-z]+)+[-_]?\d{1,2}|[\w-]+\.(?:[a-z]{2,4}|[a-z]+\d)|[0-9a-f]{32,})"
    r"|[\w.+-]+@[\w-]+\.[\w.]+|\d[\d.,:/-]*(?:[a-z]{1,10})?|[a-z]+(?:[-_][a-z]+)*[-_]?\d{1,2}"
    r"|[\w-]+(?:\.[\w-]+){2,}|[A-Z]{2,8}-\d+|[\d-]+(?:-?(?:char|digit|bit|day|hour|minute|month|year)\w*)"
    r"|[\w.]+=[\w.]*|\d+(?:_[a-z]+)+"
)


_CELL: Final = re.compile(r"[,|;\t]")
_LEAST_COLUMNS: Final = 2
_CELL_SIGN: Final = re.compile(r"(?=.*[^\W\d_])(?=.*[\d!@#$%^&*?+~])")
_RULE: Final = re.compile(
    r"[\d.-]*[a-z]{0,12}|(?:sha|md|argon|bcrypt|scrypt|aes)[-_]?\d.*|[\w.+-]+@[\w-]+\.\w+", re.IGNORECASE
)
_COLUMN: Final = re.compile(
    r"(?:pass(?:word|wd|wort)?|pwd?|kennwort|contraseña|senha|heslo|пароль|密码|mot de passe|secret|pin)"
)
_PAIR: Final = re.compile(
    r"(?<![\w./:@#?&=+-])[a-z][\w.-]{1,30}(?:@[\w-]+(?:\.[\w-]+)+)?(?:[ ]/[ ]|[/:])(?=[^\s/:]*\d)(?=[^\s/:]*[A-Za-z])"
    r"(?=[^\s/:]*[!$%^&*#])([\w!$%^&*#@+.~?-]{7,64})(?![\w/:])"
)
_DIGITS: Final = re.compile(
    r"(?<![A-Za-z0-9_.,:/$€£#%@-])(?:\d{4,8}|\d{3}[ -]\d{3}|\d{2}(?:-\d{2}){2})(?![a-z0-9_%/°€а-я-]|[.,:]\d)"
    r"(?![ ](?:is|was|in|digits?|char|bytes|rows|lines|users|attempts|mm|cm|km|ms|s|kg|eur|usd|euros?"
    r"|people|times|items|files"
    r"|seconds|minutes|hours|days|tests|errors|stellen|zeichen)\b)"
)
_OPENS: Final = (
    r"pin\d?|pin-?code|puk\d?|(?:sms-|push)?tan|otp|2fa|passcode|keypad|key ?safe|lock ?box|digicode|voicemail"
    r"|(?:bike|suitcase|locker|pad) ?lock|(?:door|safe|gate|alarm|lock|entry|access|login|security|verification|sms"
    r"|guard|confirmation|front door|side door|garage)[ -]?codes?|combo|(?:building|gate|garage) entry"
    r"|(?:tresor|zahlen|tür|zugangs|sicherheits|bestätigungs|haus|alarm)code|пин(?:-?код)?|код (?:домофона|от|для)"
    r"|code (?:de|du|d'|pour) (?:la |l')?(?:carte|porte|portail|immeuble|coffre|alarme|sim)\w*"
    r"|c[óo]digo (?:de|da|do|del) (?:la )?(?:portal|puerta|porta|cofre|alarma?e?|caja|garaje|garagem|sim)"
    r"|unlocks with|(?:screen|phone|tablet) ?(?:un)?lock(?: to)?|disarm\w*|(?:front|back|side|cellar"
    r"|garage) ?door|key ?box"
    r"|pad ?lock|tresor|(?:key ?box|suitcase|locker|garage) code|код двери|kód (?:ke|od|k) \w+"
    r"|code de mon téléphone"
)
_CODE: Final = re.compile(
    rf"(?<![\w-])(?:{_OPENS})(?: (?:\w|['’])+){{0,3}}?"
    r"(?:,? (?:it['’]?s|is|:|reads|ist|est|es|é|je|now|right now|to)|:| =| —| -| –|,)?[ ]?$"
    r"|(?<![\w-])(?:(?:code|код|kód|código) (?:\w+ ){0,2}?(?:is|est|es|é|je):? |(?:enter|use) (?:the )?code )$"
    r"|(?:解锁码|门锁|验证码|pin码|密码|暗証番号)(?:是|为|は|：|:)? ?$"
)
_OTHER_CODE: Final = re.compile(
    r"(?:error|exit|status|zip|postal|post|area|country|return|response|http|reason|dial\w*|product|tax|sort|branch"
    r"|currency|language|colou?r|bar|qr|source|discount|promo|coupon|event|airport|course|fehler|status|länder|key"
    r"|the|this|our|erreur|retour|ошибки|возврата|chyby|error|erro|estado)[ -]?(?:code|код|kód|código)\b"
    r"|(?:code|код|kód|código|code) (?:d['e]|de|do|del|da|ошибки|возврата|chyby)? ?"
    r"(?:err\w+|retour|estado|http|stav\w*|posta\w+)"
    r"|\bpin (?:\d|the|to|version|header|gpio)|gpio|pinterest|version| in $|почтов"
)
_CODE_BEHIND: Final = re.compile(
    r" (?:is|as|ist|—|–|-|to) (?:the |my |your |unser |der |die )?(?:\w+ )?(?:tan|pin|verify|confirm)\b| disarms\b"
    r"|\. (?:don['’]t|never|do not) share"
)


def nearby_passwords(text: str, lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Words that look like a password in the line that names one, in its clause or in the one before."""
    for name in matches(_NAME, lowered, near):
        if lowered.startswith(" like ", name.end()):
            continue
        line = text.rfind("\n", 0, name.start()) + 1
        first = max(line, name.start() - _BEFORE)
        ends = [match.end() for match in _APART.finditer(text, first, name.start())]
        end = min(len(text), name.end() + _BEHIND)
        stop = _APART.search(text, name.end(), end)
        if stop and stop.group()[0] == "?" and stop.start() - name.end() < 16:  # `her password? It's ...`
            stop = _APART.search(text, stop.end(), end)
        yield from _passwords(text, name.end(), stop.start() + 1 if stop else end)
        yield from _passwords(text, ends[-1] if ends else first, name.start())


def column_spans(text: str) -> Iterator[SecretSpan]:
    """The values of a table below the head of a column that is named like a password, by commas, bars or tabs."""
    lines, at = text.split("\n"), 0
    head: list[str] = []
    for line in lines:
        cells = _CELL.split(line)
        if len(cells) < _LEAST_COLUMNS or len(cells) != len(head):
            head = cells if any(_COLUMN.fullmatch(cell.strip().lower()) for cell in cells) else []
        else:
            place = at
            for name, cell in zip(head, cells, strict=True):
                value = cell.strip()
                if _COLUMN.fullmatch(name.strip().lower()) and _is_cell(value):
                    start = place + cell.index(value)
                    yield start, start + len(value), "password"
                place += len(cell) + 1
        at += len(line) + 1


def login_pairs(text: str) -> Iterator[SecretSpan]:
    """Passwords with a letter, a digit and a sign right behind a user's name: `ana/Plum!77` , `ana:Plum!77`."""
    for match in _PAIR.finditer(text):
        value = match.group(1).rstrip(".?,;:)")
        if _looks_chosen(value) and not is_placeholder(value):
            yield match.start(1), match.start(1) + len(value), "password"


def nearby_codes(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Digits that the clause calls the code of a door, a card, a phone or a payment."""
    for match in matches(_DIGITS, lowered, near):
        before = _APART.split(lowered[max(0, match.start() - _BEFORE) : match.start()])[-1]
        if (_CODE.search(before) and not _OTHER_CODE.search(before)) or _CODE_BEHIND.match(lowered, match.end()):
            yield (*match.span(), "pin")


def _passwords(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    for match in _WORD.finditer(text, start, end):
        value = match.group().rstrip(".?-,")
        if _looks_chosen(value):
            yield match.start(), match.start() + len(value), "password"


def _is_cell(value: str) -> bool:
    """Whether a cell of a password's column holds one: letters and a digit or a sign, and no rule about passwords."""
    return len(value) > 4 and " " not in value and _CELL_SIGN.search(value) is not None and not _RULE.fullmatch(value)


def _looks_chosen(value: str) -> bool:
    """Whether somebody may have chosen the word as a password: letters with digits, and more than a name has."""
    if len(value) >= _LEAST_SIGNED and _STRONG_SIGN.search(value, 1, len(value) - 1) and _SIGNED_CASES.match(value):
        return not (_KNOWN.fullmatch(value) or is_placeholder(value))
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if len(value) < 6 or not digits or letters < 2 or _KNOWN.fullmatch(value) or is_placeholder(value):
        return False
    is_mixed = value.lower() != value and value.upper() != value
    return (
        (is_mixed and not value.isupper())
        or (_SIGN.search(value) is not None and digits > 1)
        or (digits > 2 and letters > 3)
    )
