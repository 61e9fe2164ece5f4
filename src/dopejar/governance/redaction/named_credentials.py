"""Secrets that are recognised by their name: passwords and keys in assignments, flags, headers and prose.

Takes: a text and its lower case of the same length. Gives: spans of values. Never: takes a type, a reference to a
variable or an example's placeholder for a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

from dopejar.governance.redaction.cue_words import matches
from dopejar.governance.redaction.token_patterns import SecretSpan

_TYPED: Final = (
    r"(?:[ \t]?<\w{1,12}>|[ \t]?:[ \t]?&?(?:'static )?(?:str|string|text|bytes|secretstr|varchar)(?=[ \t]*:?=))?"
)
_WRAPPED: Final = (  # the literal of a call that only makes a text of it
    r"(?:(?:(?:new )?(?:secret)?str(?:ing)?(?:::from|::new)?|some|buffer\.from|bytes|b64decode|sensitive)\((?=[\"']))?"
    r"(?:[bruf]{1,2}(?=[\"']))?"
)
_ASSIGNS: Final = (
    r"[_-]?[0-9]{0,3}\\{0,3}[\"'`\])]{0,2}(?:[ \t]?\([^()\n]{1,24}\)(?=:))?"
    rf"{_TYPED}[ \t]{{0,8}}"
    r"(=>|:=|={1,3}|->|→"
    r"|[:：](?:[ \t]*\r?\n(?=\S*\d\S*[ \t]*(?:\r?\n|$)))?"
    r"|,?\s{1,24}[\"']?value[\"']?[ \t]?[:=]"  # `name="PASSWORD" value="..."`
    r"|(?<=[\"']),(?=[ \t]{1,12}[\"'])|\((?=[\"']))[ \t]{0,12}"
    rf"{_WRAPPED}"
)
_STATES: Final = (
    r"(?:[ \t]{1,3}[\w./-]{1,30}){0,3}?[ \t]{1,3}(?:is|was|are|es|é|ist|lautet|c['’]est|it['’]?s|est|это|je)[ \t]{1,3}"
    r"(?:now[ \t]|set to[ \t])?|是"
)
_CREDENTIAL_WORD: Final = r"pass(?:w(?:or)?d?|phrase|code|wort|e)?"

# a lower-case substring of every occurrence, the name, and whether any value counts or only one that looks random
_NAMES: Final = (
    ("pass", _CREDENTIAL_WORD, True),
    ("pwd", "pwd", True),
    ("pw", "pw", True),
    ("secret", "secret", True),
    ("contrase", "contrase[ñn]a", True),
    ("senha", "senha", True),
    ("kennwort", "kennwort", True),
    ("пароль", "пароль", True),
    ("heslo", "heslo", True),
    ("密码", "密码", True),
    ("密碼", "密碼", True),
    ("mot de passe", "mot de passe", True),
    ("mdp", "mdp", True),
    ("clave", "clave", True),
    ("psk", "psk", True),
    ("wachtwoord", "wachtwoord", True),
    ("hasło", "hasło", True),
    ("salt", "salt", False),
    ("creds", "creds", False),
    ("signature", "signature", False),
    ("token", "token", False),
    ("bearer", "bearer", False),
    ("key", "key(?:_base)?", False),
    ("credential", "credentials?", False),
    ("auth", "auth", False),
    ("sessionid", "sessionid", False),
    ("sessid", "sessid", False),
    ("connect.sid", r"connect\.sid", False),
)
# `key` alone names no secret; with one of these words before it, it does
_KEY_QUALIFIER: Final = re.compile(
    r"(?:api|access|secret|private|encryption|signing|signature|master|account|auth|service|deploy|license|storage|app|"
    r"application|subscription|admin|client|validation|decryption|machine|recovery|restore|security|"
    r"ssh|hmac|webhook|shared|server|bot|root|write|instrumentation)[_\- ]?$"
)
_STATED_PASSWORD: Final = re.compile(
    rf"(?:{_CREDENTIAL_WORD}|pwd|secret|contrase[ñn]a|senha|kennwort|пароль|heslo|密码|密碼)(?:{_STATES})"
)
_STATED_KEY: Final = re.compile(
    r"(?:(?:api|access|secret|private|auth|signing|encryption)[ _-]?(?:key|token)|bearer token|token)"
    rf"(?:{_STATES})"
)
_FLAG: Final = re.compile(
    rf"(?<![\w-])--(?=[a-z])[a-z-]{{0,24}}?(?:({_CREDENTIAL_WORD}|pwd|secret)|token|api-?key|(?:access|private"
    rf"|secret)-key)"
    r"[ \t]{1,4}(?=[^\s-])"
)
_NETRC: Final = re.compile(r"login[ \t]+\S{1,128}[ \t\n]+password[ \t]+(\S{1,256})")
_QUOTED: Final = re.compile(r"(\\{0,3}[\"'`])((?:(?!\1)[^\n])+)(?:\1|$)")
_BARE: Final = re.compile(r"[^\s\"'`,;&|)\]}<>（），。；]{1,512}")
_LINE_END: Final = re.compile(r"[ \t\r,;]{0,8}(?:\n|$)")
_BARE_OF_LINE: Final = re.compile(
    r"[^\s\"'`,;)\]}<>（），。；]{1,512}"
)  # behind a colon, where no other parameter follows
_BARE_TO_SPACE: Final = re.compile(r"[^\s\"'`]{1,512}")
_REST: Final = re.compile(r"[^\s\"'`,;&|)\]}<>]*")
_ENV_LINE: Final = re.compile(r"(?:^|\n)[ \t]{0,8}(?:export[ \t]+|set[ \t]+|ENV[ \t]+)?[A-Z][A-Z0-9_]{0,64}$")

_PLACEHOLDER: Final = re.compile(
    r"""^(?:
        <.*>? | \[.*\]? | \(.*\)? | \{\{?.*\}?\}? | \$\{.*\}? | \$\(.*\)? | (?-i:\$[A-Z_][A-Z0-9_]* | \$[a-z_]+)
        | %[\w()]*%?[sd]? | \*+ | \.{2,} | …+ | [x*._?-]+ | [•●]+
        | (?:your|enter|insert|put|replace|change)[\W_].* | (?-i:your[A-Z].*) | your\w*(?:key|token|password|secret)
        | (?:changeme|placeholder|example|dummy|todo|tbd|none|null|nil|true|false|undefined|void|empty|yes|no|on|off
            |string|str|text|int|integer|number|bool|boolean|any|unknown|object|bytes|buffer|varchar|char|secretstr|optional
            |required|hidden|masked|redacted|missing|invalid|incorrect|wrong|expired|valid|correct|unset|default|password
            |passwd|passphrase|pass|pwd|secret|token|key|value|env|environment|vault|keychain|input|prompt|field|self|this)
          (?:[?!.:;,|].*)?
        | senha | contraseña | passwort | kennwort | wachtwoord | heslo | hasło | пароль | 密码
        | mot\ de\ passe | código
        | .*(?:[_-](?:here|aqui|aquí|hier|ici|zde)|_?goes_?here|placeholder) | !vault | (?-i:[A-Z][A-Z0-9_]{2,}=.*)
        | (?:tu|su|deine?|ihr|votre|ton|sua|seu|tvoje|vaše)[_-].*
        | example[_-](?:key|token|password|secret|value) | hier_.* | .*(?:[x*]{8}|0{12}).* | https?:?
        | process\.env\..* | (?-i:.*EXAMPLE(?:KEY)?)
    )$""",
    re.VERBOSE | re.IGNORECASE,
)
_CODE: Final = re.compile(
    r"""^(?:
        [A-Za-z_][\w.:>-]*[(\[{].*                              # call(...), index[...], Type{...}
        | (?:await|new|not|process\.env|os\.environ|import\.meta|env|self|this|args|req|request)[.\s(\[].*
        | (?:config|settings|ctx|opts|options|params|data|user)[.\s(\[].*
        | [a-z_]+(?:\.[a-z_]+)+                                # attribute.of.something
        | [a-z]+(?:[A-Z][a-z]+)*(?:Password|Passwd|Secret|Token|Key|Value|Input|Hash)
        | [a-z_]*(?:password|passwd|pwd|secret|token|key|value|input|hash)[a-z_]*
        | [&*][A-Za-z_].* | @[A-Za-z_.]+(?:\(.*)?
        | (?:\.{1,2}|~)?/(?:[\w.-]{1,32}/)*[\w.-]{1,32} | (?:[\w-]{1,32}/){2,}[\w.-]{1,32}   # a path
        | https?://.*
        | (?:aes|scram|hmac|sha|rsa|chacha\d*|ecdsa|pbkdf2)(?:[-_][a-z0-9]+)+                # an algorithm
        | (?:ConvertTo|ConvertFrom|Get|Read|Import|New)-[A-Z]\w+  # a command of PowerShell
    )$""",
    re.VERBOSE,
)
_ABOUT_PASSWORDS: Final = re.compile(
    r"(?i)\b(?:password|passwords|enter|must|should|please|required|invalid|incorrect|forgot|reset|your"
    r"|characters|user|for|to)\b"
)
_WORDS: Final = re.compile(
    r"[a-z]{3,20}(?:[-_.][a-z]{3,20}){1,6}(?:[-_.]?\d{1,4})?"
)  # a name such as `color-primary-500`
_MOST_WORDS: Final = 6
_LONGEST_PATTERN_VALUE: Final = 256  # longer values are neither placeholders nor code: the patterns are not tried
_FIRST_ARGUMENT: Final = re.compile(r"\([ \t]{0,4}[\"'][\w.-]*$")
_USER_BEFORE: Final = re.compile(r"user|login|account|e-?mail")


def named_credential_spans(text: str, lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Values that are assigned to a secret's name. `lowered` is the text in lower case, character by character.

    `near` are the parts of the text that hold such names.
    """
    assignments: list[tuple[int, bool, re.Match[str]]] = []
    names = [(name, is_password) for literal, name, is_password in _NAMES if literal in lowered]
    for name, is_password in names:
        found = matches(_assignment_pattern(name), lowered, near)
        assignments += [(match.start(), is_password, match) for match in found]
    yield from _assigned_spans(text, lowered, assignments)
    if any(is_password for _, is_password in names):
        yield from filter(None, (_stated_password(text, match) for match in matches(_STATED_PASSWORD, lowered, near)))
    if "token" in lowered or "key" in lowered:
        yield from filter(None, (_stated_key(text, match) for match in matches(_STATED_KEY, lowered, near)))
    if "--" in lowered:
        yield from filter(None, (_flag_value(text, match) for match in matches(_FLAG, lowered, near)))
    if "login" in lowered:
        for match in _NETRC.finditer(text):
            if not is_placeholder(match.group(1)):
                yield (*match.span(1), "password")


@lru_cache(maxsize=len(_NAMES))
def _assignment_pattern(name: str) -> re.Pattern[str]:
    """A name and an assignment operator; a pattern that begins with literal letters is searched quickly."""
    return re.compile(f"({name}){_ASSIGNS}")


def _assigned_spans(
    text: str, lowered: str, assignments: "list[tuple[int, bool, re.Match[str]]]"
) -> Iterator[SecretSpan]:
    last_end = 0
    for start, is_password, match in sorted(assignments, key=itemgetter(0)):
        if start < last_end or not _is_name(text, lowered, start, match.group(1)):
            continue
        span = _assigned_value(text, match, is_password=is_password)
        if span is not None:
            last_end = span[1]
            yield span


def is_placeholder(value: str) -> bool:
    """Whether the value only stands for a secret: `YOUR_API_KEY`, `<token>`, `${TOKEN}`, `xxxx`, a type's name."""
    return len(value) <= _LONGEST_PATTERN_VALUE and _PLACEHOLDER.match(value) is not None


def _is_code(value: str) -> bool:
    return len(value) <= _LONGEST_PATTERN_VALUE and _CODE.match(value) is not None


def looks_random(value: str) -> bool:
    """Whether the value looks random rather than written: digits among letters, or long and without words."""
    if len(value) < 8 or " " in value or _WORDS.fullmatch(value):
        return False
    has_digit = any(character.isdigit() for character in value)
    has_letter = any(character.isalpha() for character in value)
    if has_digit:
        return has_letter or len(value) >= 16
    is_mixed = value.lower() != value and value.upper() != value
    return len(value) >= 20 and (is_mixed or value.isalnum())


def _is_name(text: str, lowered: str, start: int, word: str) -> bool:
    """Whether the match is a name of its own: `pass` not within `bypass`, `key` only behind `api` and the like."""
    if text.startswith("[redacted:", start - 10) or text.rfind("arn:aws", max(0, start - 80), start) >= 0:
        return False
    if word.startswith("key"):
        return _KEY_QUALIFIER.search(lowered, max(0, start - 20), start) is not None
    if word in {"pass", "auth", "heslo", "pw", "mdp", "clave", "psk"} and start and lowered[start - 1].isalpha():
        return text[start].isupper() and not text[start - 1].isupper()
    return True


def _flag_value(text: str, flag: "re.Match[str]") -> SecretSpan | None:
    value = _value_at(text, flag.end(), _BARE_TO_SPACE)
    is_password = flag.group(1) is not None
    if value is None or not _is_secret(value.text, is_password=is_password, sep="="):
        return None
    return value.start, _full_end(text, value.end), _kind(is_password=is_password)


def _assigned_value(text: str, name: "re.Match[str]", *, is_password: bool) -> SecretSpan | None:
    sep = name.group(2)
    is_env = sep == "=" and name.end(1) + 5 > name.start(2)
    line = _BARE_OF_LINE if sep == ":" else _BARE
    bare = _BARE_TO_SPACE if is_env and _ENV_LINE.search(text, max(0, name.start() - 80), name.end(1)) else line
    assigned = _value_at(text, name.end(), bare)
    if assigned is None or (sep == "," and not _FIRST_ARGUMENT.search(text[max(0, name.start() - 40) : name.start()])):
        return None
    start, end, is_quoted, value = assigned
    if not is_quoted and name.group(1) == "pass" and not _is_login(text, name, value):
        return None
    if sep == "(" or (not is_quoted and name.group(1) == "secret" and sep != "="):
        is_password = (
            False  # `get_password("shop")` and "I'll share a secret: ..." name none unless a random value follows
        )
    sep = "=" if is_quoted else sep[:1]
    if sep != "=" and is_password and value.isalpha() and not _ends_line(text, end):
        return None  # "password: must be long" is prose; a lone word behind the colon is a value
    if not _is_secret(value, is_password=is_password, sep=sep):
        return None
    return start, end if is_quoted else _full_end(text, end), _kind(is_password=is_password)


def _full_end(text: str, end: int) -> int:
    """The end of a bare value that may be longer than one match of `_BARE`."""
    rest = _REST.match(text, end)
    return end if rest is None or text[end - 1 : end + 1].endswith((".", "!", "?", ":")) else rest.end()


def _is_login(text: str, name: "re.Match[str]", value: str) -> bool:
    """Whether `pass` means a password rather than a passed test: part of a longer name, or beside a user's name."""
    before = text[max(0, name.start() - 1) : name.start()]
    if before in {"_", "-", "."} or before.isalpha():
        return True
    is_result = "/" in value or "::" in value or not any(character.isalpha() for character in value)
    return not is_result and _USER_BEFORE.search(text[max(0, name.start() - 80) : name.start()].lower()) is not None


def _ends_line(text: str, position: int) -> bool:
    return _LINE_END.match(text, position) is not None


class _Value(NamedTuple):
    """A value in a text: its place, whether it was quoted, and its characters."""

    start: int
    end: int
    is_quoted: bool
    text: str


def _value_at(text: str, position: int, bare: re.Pattern[str]) -> _Value | None:
    quoted = _QUOTED.match(text, position)
    if quoted is not None:
        return _Value(*quoted.span(2), is_quoted=True, text=quoted.group(2))
    plain = bare.match(text, position)
    if plain is None:
        return None
    value = plain.group().rstrip(".!?:")
    return _Value(plain.start(), plain.start() + len(value), is_quoted=False, text=value) if value else None


def _is_secret(value: str, *, is_password: bool, sep: str) -> bool:
    if len(value) < 3 or value[0] in ")]}" or is_placeholder(value) or _is_code(value):
        return False
    if not is_password:
        return looks_random(value)
    if " " in value:
        return value.count(" ") < _MOST_WORDS and not _ABOUT_PASSWORDS.search(value)
    return sep == "=" or len(value) >= 4


def _stated_password(text: str, name: "re.Match[str]") -> SecretSpan | None:
    """`the password for the router is hunter2`: only a value that is no ordinary word counts."""
    assigned = _value_at(text, name.end(), _BARE)
    if assigned is None:
        return None
    start, end, is_quoted, value = assigned
    if len(value) < 4 or is_placeholder(value) or _is_code(value):
        return None
    if value.isdigit() and name.group().startswith("pass "):
        return None  # a pass over a mountain, a pass of a loop
    has_mark = any(not character.isalpha() and character not in "-'’" for character in value)
    if is_quoted:
        return (start, end, "password") if has_mark or " " not in value else None
    return (start, _word_end(text, start), "password") if has_mark else None


def _stated_key(text: str, name: "re.Match[str]") -> SecretSpan | None:
    """`the api key is 9f8a...`: only a value that looks random counts."""
    assigned = _value_at(text, name.end(), _BARE)
    if assigned is None:
        return None
    start, end, is_quoted, value = assigned
    if is_placeholder(value) or _is_code(value) or not looks_random(value):
        return None
    return start, end if is_quoted else _word_end(text, start), "secret"


def _word_end(text: str, start: int) -> int:
    """The end of a word that may hold any mark, without the marks that end a sentence or a bracket around it."""
    word = _BARE_TO_SPACE.match(text, start)
    return start + len(word.group().rstrip(".!?:,;)]}>（），。；")) if word else start


def _kind(*, is_password: bool) -> str:
    return "password" if is_password else "secret"
