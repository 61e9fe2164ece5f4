"""Credentials right beside what they open: passphrases of words, logins, settings, codes that a clause hands over.

Takes: a text, its lower case of the same length, and the parts that hold a name. Gives: spans. Never: takes words of a
sentence for a passphrase, nor a name, a version or a path for a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from dopejar.governance.redaction.cue_words import matches
from dopejar.governance.redaction.named_credentials import is_placeholder
from dopejar.governance.redaction.token_patterns import SecretSpan

_DIGIT: Final = re.compile("[0-9]")
_PHRASE_NAMES: Final = ("pass", "frase", "secr")
_PHRASE: Final = re.compile(
    r"(?:pass[ -]?phrase|(?:master|disk|vault|luks|recovery|encryption|wallet)[ -]?(?:password|passphrase)"
    r"|\bpassword|mot de passe|phrase secr[eè]te|frase de contrase[ñn]a|frase[- ]senha)"
    r"(?:[ ](?:for|of|on|to|du|de|für)(?:[ ][\w-]{1,20}){1,3}?)?(?:[ ]?[:=][ ]|[ ](?:is|was|ist|es|est|é)[ ])[\"'`]?"
    r"((?:(?:[a-z]{3,12}|\d{1,4})[ ]){2,7}(?:[a-z]{3,12}|\d{1,4}))[\"'`]?(?=[ ]?(?:[.,;)]|\n|$))"
)
_USED_PHRASE: Final = re.compile(
    r"\b(?:use|used|using|with|set)[ ][\"'`]?((?:(?:[a-z]{3,12}|\d{1,4})[ ]){2,7}(?:[a-z]{3,12}"
    r"|\d{1,4}))[\"'`]?[ ]as[ ]"
    r"(?:the[ ]|my[ ]|our[ ]|its[ ])?(?:\w+[ ])?(?:passphrase|password)\b"
)
_FUNCTION_WORDS: Final = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "from",
        "that",
        "this",
        "not",
        "are",
        "was",
        "has",
        "had",
        "have",
        "been",
        "will",
        "can",
        "could",
        "should",
        "must",
        "may",
        "might",
        "but",
        "out",
        "you",
        "your",
        "they",
        "them",
        "our",
        "its",
        "his",
        "her",
        "she",
        "who",
        "what",
        "when",
        "where",
        "which",
        "why",
        "how",
        "all",
        "any",
        "some",
        "only",
        "also",
        "now",
        "then",
        "than",
        "too",
        "very",
        "just",
        "still",
        "same",
        "new",
        "old",
        "too",
        "long",
        "short",
        "weak",
        "strong",
        "wrong",
        "right",
        "stored",
        "kept",
        "saved",
        "missing",
        "empty",
        "required",
        "optional",
        "valid",
        "invalid",
        "correct",
        "incorrect",
        "expired",
        "set",
        "used",
        "shared",
        "unknown",
        "different",
        "needed",
        "shown",
        "sent",
        "given",
        "set",
        "never",
        "always",
        "again",
        "before",
        "after",
        "into",
        "over",
        "under",
        "about",
        "between",
        "because",
        "since",
        "until",
        "please",
        "enter",
        "type",
        "choose",
        "pick",
        "least",
        "more",
        "less",
        "most",
        "characters",
        "letters",
        "digits",
        "words",
        "password",
        "passphrase",
        "case",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "eight",
        "ten",
        "per",
        "each",
        "every",
    ]
)
_STRONG: Final = r"(?=\S{0,63}\d)(?=\S{0,63}[a-z])([^\s\"'`,;()\[\]{}<>/:]{6,64})"
_SETTING: Final = re.compile(
    rf"\b(?:requirepass|masterauth|bindpw|rootpw|wpa-psk|enable[ ]secret|shared[ ]secret|wpa_passphrase[ ]\S+"
    rf"|(?:hotspot|wi-?fi|wlan)(?:[ ]\w+){{0,3}}?(?::|[ ]is|[ ]c['’]est)|unzip[ ]-p|net[ ]user[ ]\S+|p/w"
    rf"|pass[ ]insert[ ]\S+)[ \n][\"']?{_STRONG}"
)
_LOGIN: Final = re.compile(
    r"\b(?:cred(?:ential)?s?|log ?ins?|logged in|sign in|signed in|test account|demo account|demo login|guest account"
    r"|wi-?fi|wlan|hotspot|guest network|network|basic auth|credenciales|identifiants|zugangsdaten|для входа|доступ)"
    r"(?:[ ](?:for|of|to|on|is|are|as|now|with|the|my|our|a|new|it's)){0,3}(?:[ ][a-z-]{2,12}){0,2}?[ :(=-]{1,3}"
    rf"[\"'`]?(?!(?:to|by|in|at|on|for|from|until|with|as|the|is|was)\b)[\w.@+-]{{2,40}}[\"'`]?(?:[ ]?/[ ]?"
    rf"|[ ]-[ ]|,?[ ](?:and|with|key|code|pass|y|et|und|e)[:]?[ ]|:|[ ]/[ ]key:[ ]|[ ])[\"'`]?{_STRONG}"
)
_OPENS: Final = re.compile(
    rf"\b(?:use|type|enter|try|with|it['’]?s)[ ][\"'`]?{_STRONG}[\"'`]?[ ](?:to[ ](?:log|sign|open|unlock"
    rf"|get[ ]in|decrypt)"
    rf"|as[ ](?:the[ ]|a[ ])?pass|when[ ](?:it|the|you)[^\n.]{{0,40}}(?:password|passphrase|login))"
    rf"|\b(?:(?:opens?|unlocks?|decrypts?|unzips?)(?:[ ]\w+){{0,3}}?|logs?[ ]in)[ ]with[ ](?:the[ ])?"
    rf"[\"'`]?{_STRONG}"
    rf"|(?:^|[\s\"'`(]){_STRONG}[\"'`]?[ ](?:opens|unlocks|decrypts)[ ]the[ ]"
    rf"|(?:^|[\s\"'`(]){_STRONG}[\"'`]?[ ](?:(?:is|was|=|<-|—|–|-)[ ])?(?:\((?=the|my|our)|(?:that['’]?s[ ])?)"
    r"(?:the|my|our|your|root|admin|his|her)(?:[ ][\w-]{2,20}){0,3}[ ](?:password|passphrase|pw)\b"
)
ORDINARY: Final = re.compile(
    r"(?:v?\d[\w.]*|[\w.+-]+@[\w-]+\.[\w.]+|[\w-]+\.(?:[a-z]{2,4}|md5|mp\d|7z)|[a-z]{1,10}[-_]?\d{1,2}"
    r"|[a-z]+-\d+|\d+[a-z]{1,4}"
    r"|(?:[a-z]+[-_])+[a-z]+\d?|(?:sha|md|aes|rsa|ed|utf|base|oauth|http|ipv|bcrypt|argon|pbkdf|scrypt"
    r"|totp|saml|ldap|wpa)[-_]?\d.*"
    r"|\d[\d.:/-]*\w{0,6}|[0-9a-f]{7,64}|\w+\.\w+\(?.*)"
)
_ONE_TIME: Final = re.compile(
    r"(?<![\w.,:/#-])(?:g-)?(\d{3}[ -]?\d{3}|\d{4}|\d{8})(?=[ ](?:is|—|–|-)[ ](?:your|my)[ ](?:\w+[ -]){0,4}?"
    r"(?:code|passcode|pin|otp)\b|[ ]to[ ](?:confirm|verify|log[ ]in|sign[ ]in|finish|continue)\b)"
    r"|\b(?:authenticator|2fa|otp|sms|whatsapp|google|telegram|signal|steam|bank)(?:[ ]\w+){0,4}?[ :]{1,2}(?:g-)?"
    r"(\d{3}[ -]?\d{3})(?![\w%/.-]*\w)|\bcode[ :]{1,2}(\d{3}-\d{3})(?![\w%/.-]*\w)"
)


def direct_passwords(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Passphrases of three words or more, and words with a digit beside the account or the thing that they open."""
    for pattern in (_PHRASE, _USED_PHRASE) if any(word in lowered for word in _PHRASE_NAMES) else ():
        for match in matches(pattern, lowered, near):
            if not _FUNCTION_WORDS & set(match.group(1).split()):
                yield (*match.span(1), "password")
    for pattern in (_SETTING, _LOGIN, _OPENS) if _DIGIT.search(lowered) else ():
        for match in matches(pattern, lowered, near):
            group = match.lastindex or 0
            value = match.group(group).rstrip(".!?")
            if len(value) >= 6 and not is_placeholder(value) and not ORDINARY.fullmatch(value):
                yield match.start(group), match.start(group) + len(value), "password"


def one_time_codes(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Codes for one use, as the message that brings them and the person who types them say."""
    for match in matches(_ONE_TIME, lowered, near):
        yield (*match.span(match.lastindex or 0), "pin")
