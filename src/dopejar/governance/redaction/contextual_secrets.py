"""Secrets that are recognised by where they stand: random values beside a credential's name, cookies, signed links.

Takes: a text and its lower case of the same length. Gives: spans. Never: takes a hash, an id, a path or a public key
for a secret, unless words beside it call it one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from dopejar.governance.redaction.cue_words import Cue, CueWords, matches
from dopejar.governance.redaction.named_credentials import is_placeholder
from dopejar.governance.redaction.token_patterns import SecretSpan
from dopejar.governance.redaction.vendor_rules import entropy

_RANDOM: Final = re.compile(
    r"(?<![A-Za-z0-9_+/~.$@#-])[A-Za-z0-9_+/~-](?:[A-Za-z0-9_+/~-]|\.(?=\w)){17,510}[A-Za-z0-9_+/~-]"
    r"(?:={1,2}|(?![A-Za-z0-9_/=]))(?![A-Za-z0-9_])"
)
_SHORTEST: Final = 20  # characters of a random value
_SHORTEST_KEY: Final = 51  # characters of a wallet's key
_DIGIT: Final = re.compile("[0-9]")
_HEX: Final = re.compile(r"[0-9a-fA-F-]+")
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_NAME_OF_UUID: Final = re.compile(r"(?<!csrf)(?:[ _-]token|api[ _-]?key|secret)[\"']?(?:[ ]is)?[ ]?[:=]?[ ]?[\"']?$")
_WORDY: Final = re.compile(r"[a-z]{5,}|(?<![A-Za-z0-9])(?:[a-z]{3,}|[A-Z]{3,})(?![A-Za-z0-9])")
_NAME: Final = re.compile(
    r"(?:api|access|auth|secret|private|signing|account|master|setup|storage|client|encryption|shared"
    r"|service|license)"
    r"[ _-]?(?:key|token|code)|secret|token|passw|credential|(?:\b|_)keys?\b|[a-z](?=key[\"']?[ \t]?[:=])"
    r"|apikey|totp|otpauth|\b2fa\b|\bssws\b|bearer"
    r"|\bwallet\b|signer|keypair|\bdsn\b|licen[sc]e\b|rotated|revoke|leaked|the new one|don'?t share"
    r"|here'?s (?:the|my|our) one"
    r"|session cookie|li_at|\bpat\b|appid|api_hash|signing|jeton|setkey|fernet|\bjwt\b|private|пароль|ключ"
    r"|секрет|токен|\bclaves?\b|contrase|\bchaves?\b|senha|schlüssel|kennwort|geheim|\bclés?\b"
    r"|secrète?|mot de passe|klíč|heslo|tajn|密钥|密码|令牌|凭证"
)
_NO_SECRET: Final = re.compile(
    r"(?:primary|foreign|sort|partition|object|idempotency|storage|s3|cache)[ _-]keys?\b"
    r"|sha-?\d|\bhash|commit|digest|checksum|\bmd5|\betag|uuid|guid|fingerprint|public(?:[ _-]?key)?"
    r"|publishable(?:[ _-]?key)?|revision|integrity|thumbprint|\bnonce|ssh-|address|\btx|txid|image|container|order"
    r"|request|trace|session id|correlation|build|version|\bids?\b|_id\b|\burl\b|cache|file|path|sitekey"
    r"|client[ _]id|\bkid\b"
    r"|recv-keys?|keyserver|site_?key|lockfile|resolved|\btest|fixture|example|token[si]z|tokens\b"
)
_MARK: Final = re.compile(r"(?:\[?redacted:)?[a-z-]*\](?!\w)")  # of an earlier redaction, perhaps cut
_BEFORE: Final = 48
_BEHIND: Final = 32
_LEAST_ENTROPY: Final = 3.3
_LEAST_HEX_ENTROPY: Final = 2.7

_COOKIE_LINE: Final = re.compile(r"(?:set-)?cookie[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?([^\r\n\"']{8,4096})")
_COOKIE_PAIR: Final = re.compile(r"(?:^|[;\s])([\w.%-]{1,64})=([^;,\s\"']{8,1024})")
_SESSION: Final = re.compile(
    r"(?<![\w-])(?:[\w.-]{0,24}(?:sess(?:ion)?(?:[_-]?id)?|sid|phpsessid|remember_token|auth_token))"
    r"[\"']?[ \t]?[=:][ \t]?[\"']?([A-Za-z0-9%._~+/=|:-]{16,1024})"
)
_SIGNED: Final = re.compile(
    r"[?&](?:[\w-]{0,24}(?:token|signature|secret|ticket|api_?key|(?<!partition)(?<!sort)(?<!primary)(?<!foreign)_key)|sig|auth|code|otp|jwt|key|t)=([\w%+/=.-]{16,2048})"
)
_CRYPTED: Final = re.compile(
    r"\$(?:[1256y]|2[abxy]|apr1|argon2(?:id?|d)|scrypt|pbkdf2[\w-]{0,12})\$[\w./$,=+-]{20,256}"
)
_PGPASS_COLONS: Final = 4
_PGPASS: Final = re.compile(
    r"(?:^|\n)[ \t]{0,8}(?:[\w.-]{1,200}|\*):(?:\d{2,5}|\*):(?:[\w.-]{1,64}|\*):(?:[\w.-]{1,64}|\*):(\S{3,256})"
)
_WALLET_KEY: Final = re.compile(  # Bitcoin's import format, and extended private keys
    r"(?<!\w)(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51}"
    r"|[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112})(?!\w)"
)
_RECOVERY_KEY: Final = re.compile(r"(?<![\d-])\d{6}(?:-\d{6}){7}(?![\d-])")  # BitLocker
_KEY_DATA: Final = re.compile(r"client-key-data:\s{0,8}([A-Za-z0-9+/=]{64,})")
_KEY_BYTES: Final = re.compile(r"\[\s?(?:\d{1,3},\s?){63}\d{1,3}\s?\]")  # Solana's file of a key pair
_TAG: Final = re.compile(
    r"<((?:[\w-]{0,24})(?:password|passwd|pwd|passphrase|secret|apikey|api-key"
    r"|token))(?:\s[^<>]{0,80})?>([^<>\s]{3,512})</\1>"
)
_CODES: Final = re.compile(
    r"(?:(?:backup|recovery|scratch|emergency|rescue|wiederherstellungs|резервн\w+|záložní|záchran\w+)"
    r"[ _-]?(?:2fa )?(?:codes?|код\w*|kód\w*)|códigos? de (?:recupera[cç]\w+|respaldo|backup|seguridad)"
    r"|codes? de (?:secours|récupération|sauvegarde)|备用码|恢复代码)"
)
_CODE: Final = re.compile(r"(?<![\w-])(?=[\w-]*\d)[A-Za-z0-9]{4,12}(?:[- ]?[A-Za-z0-9]{3,8}){0,3}(?![\w-])")
_MOST_CODES_BEHIND: Final = 600
_NUMBERING: Final = re.compile(r"(?<!\d)\d{1,2}[.):]\s")
_KEY_IN_GROUPS: Final = re.compile(
    r"(?<![\w-])[a-z2-7]{4}(?:([ -])[a-z2-7]{4})(?:\1[a-z2-7]{4}){2,14}(?:\1[a-z2-7]{1,3})?(?![\w-])"
)
_KEYED_CALL: Final = re.compile(
    r"(?:jwt\.(?:sign|verify|encode|decode)|createhmac|hmac\.new|fernet|aes\.new|secretkeyspec|create(?:de)?cipheriv"
    r"|basicauth|cookies?\.set)\(([^\n]{8,300})"
)
_LITERAL: Final = re.compile(r"([\"'])((?=[^\"'\n]*\d)(?=[^\"'\n]*[A-Za-z])[^\"'\s/.]{12,256})\1")
_ALGORITHM: Final = re.compile(r"(?i)(?:hs|rs|es|ps|hmac|sha|aes|utf|md|base|pbkdf|des|rsa|chacha)[\w-]*")


def contextual_spans(
    text: str, lowered: str, words: CueWords, runs: Sequence[tuple[int, str]], near: Sequence[tuple[int, int]]
) -> Iterator[SecretSpan]:
    """Secrets that stand where secrets stand.

    `runs` are what is as long as a token without a space in it, `near` the parts of the text around them.
    """
    yield from _random_values(text, lowered, runs)
    if "cookie" in lowered:
        yield from _cookies(text, lowered)
    if words.cues & Cue.CALL:
        yield from _keyed_calls(text, lowered)
    if words.cues & Cue.SESSION:
        sessions = (match for match in matches(_SESSION, lowered, near) if not _UUID.fullmatch(match.group(1)))
        yield from _random_groups(sessions, text, "cookie")
    if "?" in text:
        yield from _random_groups(matches(_SIGNED, lowered, near), text, "signature")
    if "$" in text:
        yield from ((*match.span(), "password-hash") for match in matches(_CRYPTED, text, near))
    if any(run.count(":") >= _PGPASS_COLONS for _, run in runs):
        found = matches(_PGPASS, text, near)
        yield from ((*m.span(1), "password") for m in found if not is_placeholder(m.group(1)))
    if "key-data:" in lowered:
        yield from ((*match.span(1), "private-key") for match in _KEY_DATA.finditer(text))
    keys = [(start, start + len(run)) for start, run in runs if len(run) >= _SHORTEST_KEY]
    yield from ((*match.span(), "private-key") for match in matches(_WALLET_KEY, text, keys))
    yield from ((*match.span(), "recovery-key") for match in matches(_RECOVERY_KEY, text, keys))


def _cookies(text: str, lowered: str) -> Iterator[SecretSpan]:
    for line in _COOKIE_LINE.finditer(lowered):
        for pair in _COOKIE_PAIR.finditer(text, *line.span(1)):
            if _is_random(pair.group(2), least=16):
                yield (*pair.span(2), "cookie")


def key_byte_spans(text: str) -> Iterator[SecretSpan]:
    """The 64 numbers of a key pair, as wallets write them into files."""
    return ((*match.span(), "private-key") for match in _KEY_BYTES.finditer(text))


def tag_spans(text: str, lowered: str) -> Iterator[SecretSpan]:
    """The content of elements that are named like a password: `<password>...</password>`."""
    for match in _TAG.finditer(lowered):
        if not is_placeholder(text[match.start(2) : match.end(2)]):
            yield (*match.span(2), "password")


def grouped_key_spans(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Keys of authenticators in groups of four: letters and digits of base 32 behind a name for them."""
    for match in matches(_KEY_IN_GROUPS, lowered, near):
        if _NAME.search(lowered, max(0, match.start() - _BEFORE), match.start()) and re.search("[2-7]", match.group()):
            yield (*match.span(), "totp")


def _keyed_calls(text: str, lowered: str) -> Iterator[SecretSpan]:
    """Literals among the arguments of functions that sign or encrypt."""
    for call in _KEYED_CALL.finditer(lowered):
        for literal in _LITERAL.finditer(text, *call.span(1)):
            if not (_ALGORITHM.fullmatch(literal.group(2)) or is_placeholder(literal.group(2))):
                yield (*literal.span(2), "secret")


def backup_code_spans(text: str, lowered: str) -> Iterator[SecretSpan]:
    """The codes in a row behind the name of backup codes."""
    for name in _CODES.finditer(lowered):
        at = name.end()
        for code in _CODE.finditer(text, name.end(), name.end() + _MOST_CODES_BEHIND):
            between = _NUMBERING.sub("", text[at : code.start()])
            if len(between) > (40 if at == name.end() else 8) or re.search(r"[.?!]\s", between):
                break
            if len(code.group()) >= 6:
                yield (*code.span(), "backup-code")
            at = code.end()


def _random_groups(found: Iterable[re.Match[str]], text: str, kind: str) -> Iterator[SecretSpan]:
    for match in found:
        if _is_random(text[match.start(1) : match.end(1)], least=16):
            yield (*match.span(1), kind)


def _random_values(text: str, lowered: str, runs: Sequence[tuple[int, str]]) -> Iterator[SecretSpan]:
    """Long random values with a credential's name close before or behind them, and no word that explains them away."""
    within = [(start, start + len(run)) for start, run in runs if len(run) >= _SHORTEST and _DIGIT.search(run)]
    for match in matches(_RANDOM, text, within):
        value = match.group()
        if not _is_random(value, least=_SHORTEST) or is_placeholder(value):
            continue
        before = _MARK.sub("", lowered[max(0, match.start() - _BEFORE) : match.start()])
        if _UUID.fullmatch(value):
            if _NAME_OF_UUID.search(before):
                yield (*match.span(), "secret")
            continue
        behind = lowered[match.end() : match.end() + _BEHIND].split("\n", maxsplit=1)[0]
        names = list(_NAME.finditer(before))
        others = list(_NO_SECRET.finditer(before))
        if others and (not names or others[-1].end() >= names[-1].end()):
            continue
        if names or (not _HEX.fullmatch(value) and _NAME.search(behind) and not _NO_SECRET.search(behind)):
            yield (*match.span(), "secret")


def _is_random(value: str, *, least: int) -> bool:
    """Whether a value looks drawn by lot: letters and digits mixed, of much entropy, and without several words."""
    if len(value) < least or not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    if is_placeholder(value) or len(_WORDY.findall(value)) >= max(2, len(value) // 16):
        return False
    return entropy(value) >= (_LEAST_HEX_ENTROPY if _HEX.fullmatch(value) else _LEAST_ENTROPY)
