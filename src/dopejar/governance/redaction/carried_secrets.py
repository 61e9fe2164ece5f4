"""Secrets that requests and addresses carry: authorizations, passwords in URLs, the secret beside an access key's id.

Takes: a text and its lower case of the same length. Gives: spans. Never: takes a placeholder for a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dopejar.governance.redaction.placeholders import is_placeholder, looks_random
from dopejar.governance.redaction.token_patterns import SecretSpan

_BEARER: Final = re.compile(r"(?<![A-Za-z])bearer[ \t]+([A-Za-z0-9._~+/=-]{12,})")
_HEADER: Final = re.compile(
    r"authorization[\"'\\]{0,4}[ \t]{0,4}[:=][ \t]{0,4}[\"'\\]{0,4}(?:(?:basic|token|digest|negotiate|apikey)[ \t]+)?"
    r"([A-Za-z0-9._~+/=-]{8,})"
)
_URL_PASSWORD: Final = re.compile(r"://([^\s/?#:@'\"<>`]{0,256}):([^\s/'\"<>`]{1,1024})@(?=[\w.\[$<{-])")
_DATABASE_PASSWORD: Final = re.compile(
    r"(?:postgres(?:ql)?|mysql|mariadb|mongodb|redis|rediss|amqps?|mssql|sqlserver|clickhouse"
    r"|jdbc:\w{2,20})(?:\+\w{1,20})?"
    r"://([^\s/?#:@'\"<>`]{0,256}):(?!\d{1,5}/)([^\s'\"<>`]{1,1024})@(?=[\w.\[$<{-])"
)
_URL_TOKEN: Final = re.compile(r"://([A-Za-z0-9_~.-]{20,512})(?::x-oauth-basic)?@")
_AWS_SECRET: Final = re.compile(r"(?<![A-Za-z0-9/+=_-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-])")


def header_spans(text: str, lowered: str) -> Iterator[SecretSpan]:
    """What stands behind `Authorization` and `bearer`."""
    for match in _BEARER.finditer(lowered):
        value = text[match.start(1) : match.end(1)]
        if looks_random(value) and not is_placeholder(value):
            yield (*match.span(1), "bearer")
    for match in _HEADER.finditer(lowered):
        value = text[match.start(1) : match.end(1)]
        if looks_random(value) and not is_placeholder(value):
            yield (*match.span(1), "authorization")


def url_spans(text: str, lowered: str) -> Iterator[SecretSpan]:
    """Passwords and tokens before the host of an address."""
    for pattern in (_URL_PASSWORD, _DATABASE_PASSWORD):
        source = lowered if pattern is _DATABASE_PASSWORD else text
        for match in pattern.finditer(source):
            start, end = match.span(2)
            if not is_placeholder(text[start:end]):
                yield start, end, "url-password"
    for match in _URL_TOKEN.finditer(text):
        if looks_random(match.group(1)) and not is_placeholder(match.group(1)):
            yield (*match.span(1), "url-password")


def aws_secrets(text: str) -> Iterator[SecretSpan]:
    """40 characters of mixed case, the secret half beside an access key's id; a git hash is in lower case."""
    for match in _AWS_SECRET.finditer(text):
        value = match.group()
        if value.lower() != value and value.upper() != value:
            yield (*match.span(), "aws-key")
