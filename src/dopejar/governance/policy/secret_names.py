"""Secrets that are told by the name they are given: passwords and keys in assignments, flags, headers and prose.

Takes: a text and its lower case of the same length. Gives: spans of values. Never: takes a type, a reference to a
variable or an example's placeholder for a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

Span = tuple[int, int, str]

# Without one of these no name can occur. They are looked for in lower case.
NEEDLES: Final = (
    "pass", "pwd", "secret", "token", "key", "auth", "credential", "cookie", "session", "jsessionid", "contrase",
    "senha", "kennwort", "парол", "heslo", "密码", "密碼",
)  # fmt: skip

_PASSWORD_NAMES: Final = (
    r"password|passwd|passphrase|passcode|passwort|pass|pwd|secret|contraseña|contrasena|senha|kennwort|"
    r"mot de passe|пароль|heslo|密码|密碼"
)
_KEY_NAMES: Final = r"token|key|credentials?|auth|sessionid|session[_-]id|phpsessid|jsessionid|connect\.sid"
_NAME: Final = re.compile(rf"(?P<password>{_PASSWORD_NAMES})|(?P<key>{_KEY_NAMES})")
# `key` alone is no secret; these words in front make it one
_KEY_FRONT: Final = re.compile(
    r"(?:api|access|secret|private|encryption|signing|signature|master|account|auth|service|deploy|license|storage|app|"
    r"application|subscription|admin|client|ssh|hmac|webhook|shared|server|bot|root|write|instrumentation)[_\- ]?$"
)
_AFTER: Final = re.compile(r"[_-]?[0-9]{0,3}\\{0,3}[\"'`\])]{0,2}[ \t]{0,8}(=>|:=|={1,3}|->|[:：])[ \t]{0,8}")
_FLAG_AFTER: Final = re.compile(r"[ \t]{1,4}")
_SAID_AFTER: Final = re.compile(
    r"(?:[ \t]{1,3}[\w./-]{1,30}){0,3}?[ \t]{1,3}(?:is|was|are|es|é|ist|lautet|est|это|je)[ \t]{1,3}(?:now[ \t]|set to[ \t])?|是"
)
_NETRC: Final = re.compile(r"login[ \t]+\S{1,128}[ \t\n]+password[ \t]+(\S{1,256})")
_QUOTED: Final = re.compile(r"(\\{0,3}[\"'`])((?:(?!\1)[^\n]){1,512})(?:\1|$)")
_BARE: Final = re.compile(r"[^\s\"'`,;&|)\]}<>（），。；]{1,512}")
_BARE_TO_SPACE: Final = re.compile(r"[^\s\"'`]{1,512}")
_ENV_LINE: Final = re.compile(r"(?:^|\n)[ \t]{0,8}(?:export[ \t]+|set[ \t]+|ENV[ \t]+)?[A-Z][A-Z0-9_]{0,64}$")

_PLACEHOLDER: Final = re.compile(
    r"""^(?:
        \[redacted:.* | <.*>? | \[.*\]? | \{\{?.*\}?\}? | \$\{.*\}? | \$\(.*\)? | \$[A-Z_][A-Z0-9_]* | \$[a-z_]+
        | %[\w()]*%?[sd]? | \*+ | \.{2,} | …+ | [x*._?-]+ | [•●]+
        | (?:your|my|the|enter|insert|put|add|replace|change|set)(?=[\W_]|[A-Z]).*
        | (?:changeme|placeholder|example|dummy|todo|tbd|none|null|nil|true|false|undefined|void|empty|yes|no|on|off
            |string|str|text|int|integer|number|bool|boolean|any|unknown|object|bytes|buffer|varchar|char|secretstr|optional
            |required|hidden|masked|redacted|missing|invalid|incorrect|wrong|expired|valid|correct|unset|default|password
            |passwd|passphrase|pass|pwd|secret|token|key|value|env|environment|vault|keychain|input|prompt|field|self|this)
          (?:[?!.:;,|].*)?
        | .*(?:[_-]here|_?goes_?here|placeholder)
        | example[_-](?:key|token|password|secret|value)
    )$""",
    re.VERBOSE | re.IGNORECASE,
)
_CODE: Final = re.compile(
    r"""^(?:
        [A-Za-z_][\w.:>-]*[(\[{].*                              # call(...), index[...], Type{...}
        | (?:await|new|not|process\.env|os\.environ|import\.meta|env|self|this|args|request|req|config|settings|ctx)[.\s(\[].*
        | [a-z_]+(?:\.[a-z_]+)+                                # attribute.of.something
        | [a-z]+(?:[A-Z][a-z]+)*(?:Password|Passwd|Secret|Token|Key|Value|Input|Hash)
        | [a-z_]*(?:password|passwd|pwd|secret|token|key|value|input|hash)[a-z_]*
        | [&@][A-Za-z_].*
        | (?:\.{1,2}|~)?/(?:[\w.-]{1,32}/)*[\w.-]{1,32} | (?:[\w-]{1,32}/){2,}[\w.-]{1,32}   # a path
        | https?://.*
    )$""",
    re.VERBOSE,
)
_ABOUT_PASSWORDS: Final = re.compile(
    r"(?i)\b(?:password|passwords|enter|must|should|please|required|invalid|incorrect|forgot|reset|your|characters|user|for|to)\b"
)
_MOST_WORDS: Final = 6


def named_spans(text: str, lowered: str) -> Iterator[Span]:
    """Values that are given to a secret's name. `lowered` is the text in lower case, character by character."""
    done = 0
    for match in _NAME.finditer(lowered):
        if match.start() < done:
            continue
        found = _value_after(text, lowered, match)
        if found is not None:
            done = found[1]
            yield found
    if "login" in lowered and "password" in lowered:
        for match in _NETRC.finditer(text):
            if not _PLACEHOLDER.match(match.group(1)):
                yield (*match.span(1), "password")


def is_placeholder(value: str) -> bool:
    """Whether the value only stands for a secret: `YOUR_API_KEY`, `<token>`, `${TOKEN}`, `xxxx`, a type's name."""
    return _PLACEHOLDER.match(value) is not None


def looks_random(value: str) -> bool:
    """Whether the value looks drawn rather than written: digits among letters, or long without words."""
    if len(value) < 8 or " " in value:
        return False
    has_digit = any(character.isdigit() for character in value)
    has_letter = any(character.isalpha() for character in value)
    if has_digit:
        return has_letter or len(value) >= 16
    is_mixed = value.lower() != value and value.upper() != value
    return len(value) >= 20 and (is_mixed or value.isalnum())


def _value_after(text: str, lowered: str, name: "re.Match[str]") -> Span | None:
    is_password = name["password"] is not None
    start, end = name.span()
    if not _is_name(text, lowered, name):
        return None
    after = _AFTER.match(text, end)
    if after is not None:
        return _assigned(text, after, is_password=is_password, start=start)
    if _is_flag(lowered, start):
        after = _FLAG_AFTER.match(text, end)
        found = None if after is None else _value_at(text, after.end(), _BARE_TO_SPACE)
        if found is not None and not found[3].startswith("-") and _is_secret(found[3], is_password=is_password, sep="="):
            return found[0], found[1], _kind(is_password=is_password)
        return None
    return _said(text, end) if is_password else None


def _is_name(text: str, lowered: str, name: "re.Match[str]") -> bool:
    """Whether the match ends a name of its own: `pass` not within `bypass`, `key` only behind `api` and its like."""
    start, word = name.start(), name.group()
    if word == "key":
        return _KEY_FRONT.search(lowered, max(0, start - 20), start) is not None
    if word in {"pass", "auth", "pwd", "heslo"} and start and lowered[start - 1].isalpha():
        return text[start].isupper() and not text[start - 1].isupper()
    return True


def _is_flag(lowered: str, start: int) -> bool:
    space = max(lowered.rfind(" ", max(0, start - 24), start), lowered.rfind("\n", max(0, start - 24), start))
    return lowered.startswith("--", space + 1)


def _assigned(text: str, after: "re.Match[str]", *, is_password: bool, start: int) -> Span | None:
    bare = _BARE
    if after.group(1) == "=" and _ENV_LINE.search(text, max(0, start - 80), _name_end(text, after)):
        bare = _BARE_TO_SPACE
    found = _value_at(text, after.end(), bare)
    if found is None:
        return None
    begin, end, is_quoted, value = found
    sep = "=" if is_quoted else after.group(1)[:1]
    if sep != "=" and is_password and not any(not c.isalpha() for c in value):
        line_end = text.find("\n", end)
        rest = text[end : line_end if line_end >= 0 else len(text)]
        if rest.strip(" \t\r,;"):
            return None  # "password: must be long" is prose; a lone word behind the colon is a value
    return (begin, end, _kind(is_password=is_password)) if _is_secret(value, is_password=is_password, sep=sep) else None


def _name_end(text: str, after: "re.Match[str]") -> int:
    end = after.start()
    while end < after.end() and (text[end].isalnum() or text[end] in "_"):
        end += 1
    return end


def _value_at(text: str, at: int, bare: re.Pattern[str]) -> tuple[int, int, bool, str] | None:
    quoted = _QUOTED.match(text, at)
    if quoted is not None:
        return (*quoted.span(2), True, quoted.group(2))
    plain = bare.match(text, at)
    if plain is None:
        return None
    value = plain.group().rstrip(".!?:")
    return (plain.start(), plain.start() + len(value), False, value) if value else None


def _is_secret(value: str, *, is_password: bool, sep: str) -> bool:
    if len(value) < 3 or is_placeholder(value):
        return False
    if _CODE.match(value):
        return False
    if not is_password:
        return looks_random(value)
    if " " in value:
        return value.count(" ") < _MOST_WORDS and not _ABOUT_PASSWORDS.search(value)
    return sep == "=" or len(value) >= 4


def _said(text: str, end: int) -> Span | None:
    """`the password for the router is hunter2`: only a value that no sentence would hold counts."""
    after = _SAID_AFTER.match(text, end)
    if after is None:
        return None
    found = _value_at(text, after.end(), _BARE)
    if found is None:
        return None
    begin, stop, is_quoted, value = found
    if is_placeholder(value) or _CODE.match(value) or len(value) < 4:
        return None
    has_mark = any(not character.isalpha() and character not in "-'’" for character in value)
    if has_mark or (is_quoted and " " not in value):
        return begin, stop, "password"
    return None


def _kind(*, is_password: bool) -> str:
    return "password" if is_password else "secret"
