"""What only stands for a secret, and what looks drawn by lot.

Takes: a value. Gives: yes or no. Never: looks at what stands around it.
"""

from __future__ import annotations

import re
from typing import Final

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
        | (?: (?:bigu?int | u?int | float)(?:8|16|32|64)(?:clamped)?array | (?:ssh-)?(?:ed25519|rsa|dsa|ecdsa) | x25519
            | secp(?:256|384)[kr]1 | sha-?(?:1|224|256|384|512) | (?:[ehrp]s)(?:256|384|512) | md5 | bcrypt | scrypt
            | aes-?(?:128|192|256)(?:-(?:gcm|cbc|ctr))? | argon2(?:id|i|d)? | pbkdf2 | base64(?:url)? | utf-?8
          )[.;,]?
        | senha | contraseña | passwort | kennwort | wachtwoord | heslo | hasło | пароль | 密码
        | mot\ de\ passe | código
        | .*(?:[_-](?:here|aqui|aquí|hier|ici|zde)|_?goes_?here|placeholder) | !vault | (?-i:[A-Z][A-Z0-9_]{2,}=.*)
        | (?:tu|su|deine?|ihr|votre|ton|sua|seu|tvoje|vaše)[_-].*
        | example[_-](?:key|token|password|secret|value) | hier_.* | .*(?:[x*]{8}|0{12}).* | https?:?
        | process\.env\..* | (?-i:.*EXAMPLE(?:KEY)?)
    )$""",
    re.VERBOSE | re.IGNORECASE,
)
_WORDS: Final = re.compile(
    r"[a-z]{3,20}(?:[-_.][a-z]{3,20}){1,6}(?:[-_.]?\d{1,4})?"
)  # a name such as `color-primary-500`
_LONGEST_PATTERN_VALUE: Final = 256  # longer values are no placeholders: the pattern is not tried


def is_placeholder(value: str) -> bool:
    """Whether the value only stands for a secret: `YOUR_API_KEY`, `${TOKEN}`, `xxxx`, a type or a cipher."""
    return len(value) <= _LONGEST_PATTERN_VALUE and _PLACEHOLDER.match(value) is not None


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
