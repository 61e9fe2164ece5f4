"""Secrets among the arguments of commands, calls and settings.

Takes: a text. Gives: spans. Never: takes a variable or a placeholder for a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dopejar.governance.redaction.placeholders import is_placeholder
from dopejar.governance.redaction.token_patterns import SecretSpan

_COMMANDS: Final = re.compile(
    r"""\bsmbclient\b[^\n]{0,120}?[ ]-U[ ]*[^\s%]{1,64}%(?P<a>\S{3,128})
      | \bnet[ ]use\b[^\n]{0,120}?/user:\S{1,64}[ ](?P<b>\S{3,128}) | \s/p:(?P<c>\S{3,128})
      | \b(?:sqlcmd|zip|curl)\b[^\n]{0,120}?[ ]-P[ ]?["']?(?P<d>[^\s"']{3,128})
      | \bldap(?:search|modify|add|delete|whoami)\b[^\n]{0,160}?[ ]-w[ ]?["']?(?P<e>[^\s"']{3,128})
      | \becho[ ]+["']?(?P<f>[^\s"'|$]{3,128})["']?[ ]*\|[^\n]{0,80}?--password-stdin
      | \b(?:7za?|unrar|rar)\b[^\n]{0,120}?[ ]-p(?P<g>[^\s-]\S{2,128})
      | \bopenssl[ ]enc\b[^\n]{0,120}?[ ]-k[ ](?P<h>\S{3,128})
      | \bhttps?[ ](?:-\S+[ ])*-a[ ]\S{1,64}?:(?P<i>\S{3,128})
      | \blftp\b[^\n]{0,80}?[ ]-u[ ][^\s,]{1,64},(?P<j>\S{3,128})
      | \bhtpasswd\b[^\n]{0,40}?[ ]-\w*b\w*[ ]\S+[ ]\S+[ ](?P<k>\S{3,128})
      | \bchpasswd\b[ ]*<<<[ ]*["']?[^\s:]{1,64}:(?P<l>[^\s"']{3,128})
      | \bmongo(?:sh|dump|restore|export)?\b[^\n]{0,160}?[ ]-p[ ]?["']?(?P<m>[^\s"'-][^\s"']{2,128})
      | \bsudo[ ]-S[ ]*<<<[ ]*["']?(?P<n>[^\s"']{3,128})
      | \bssh-keygen\b[^\n]{0,120}?[ ]-[NP][ ](?P<o>["'][^"'\n]{3,128}["']|[^\s"']{3,128})
      | -(?:src|dest)?(?:store|key)pass[ ](?P<p>\S{3,128})
      | \b(?:snmp(?:walk|get|set)\b[^\n]{0,80}?[ ]-c|snmp-server[ ]community|r[ow]community)[ ]
          (?P<q>(?!public\b|private\b)\S{4,64})
      | \b(?:enable|username[ ]\S+(?:[ ]privilege[ ]\d+)?)[ ](?:secret|password)[ ]\d[ ](?P<r>\S{4,128})
      | \b(?:tacacs|radius)(?:-server)?[ ](?:key|secret)[ ](?:\d[ ])?(?P<s>\S{4,128})
      | :[ ]PSK[ ]["'](?P<t>[^"'\n]{4,128})
      | \bauth[ ]?=[ ]?\(\s*["'][^"'\n]{1,64}["'],\s*["'](?P<u>[^"'\n]{3,128})["']
      | \b(?:NetworkCredential|\.login|login|Twilio|Client)\(\s*["'][^"'\n]{1,64}["'],\s*["'](?P<v>[^"'\n]{3,128})["']
      | (?:pass|pwd|pw)\w*["'](?:,\s*["'](?P<w>[^"'\n]{3,128})["'](?!\s*:)
          |\)\.(?:send_keys|fill|type)\(\s*["'](?P<x>[^"'\n]{3,128})["'])
      | WIFI:[^\n]{0,80}?P:(?P<y>[^;\n]{4,64}); | \bTOTP\(\s*["'](?P<z>[A-Z2-7]{16,64})["']
      | (?:name|key)=["'][\w.-]*(?:password|passwd|secret)["']\s*>(?P<aa>[^<\s]{3,128})</
      | \{(?:S?SHA|S?MD5|SSHA\d+|CRYPT)\}(?P<ab>[A-Za-z0-9+/=$.]{20,128})
      | pbkdf2_\w+\$\d+\$[^\s$]+\$(?P<ac>[A-Za-z0-9+/=]{20,100})
      | (?i:\b[a-f0-9]{32}:(?P<ad>[a-f0-9]{32}):::) | (?i:\bpoll\b[^\n]{0,120}?\bpass\b[ ]["'](?P<ae>[^"'\n]{3,128}))
      | \b(?i:authorization):[ ](?i:digest)[^\n]{0,300}?\bresponse="(?P<af>[a-f0-9]{32})"
      | --value[ ](?P<ag>\S{6,128})(?=[^\n]*SecureString)
      | SecureString[^\n]{0,80}?--value[ ](?P<ah>\S{6,128}) | _password_maps:[ ]\S+[ ]\S{1,64}?:(?P<ai>\S{4,128})
      | (?i:\b(?:auth[ ]token|priv(?:ate[ ])?key|secret(?:[ ]key)?|api[ _-]?key|app[ ]?id|\w*_password)[ ](?:is[ ])?
          (?=\S*\d)(?=\S*[a-z])(?P<aj>[\w+/=]{16,128}))(?![\w.-]) | \bwandb[ ]login[ ](?P<ak>\w{40})
      | (?i:\bguard[ ]code(?:[ ]is|:))[ ](?P<aw>[A-Z0-9]{5})(?![\w-])
      | (?i:\b(?:verification|activation|login|one-time|sign-in)[ ]code(?:[ ]is|:))[ ]
          (?P<at>(?=[A-Z]*\d)[A-Z0-9]{5,12}|[A-Z0-9]{8,12})(?![\w-])
      | \b(?=\w*\d)(?=\w*[A-Za-z])(?P<au>[\w-]{16,128})[ ]in[ ]the[ ]X-[\w-]*(?i:key|token|auth\w*)
      | (?i:,[ ]secret[ ])(?=\S*\d)(?=\S*[A-Z])(?P<av>\w{8,64})(?![\w.-])
      | /(?i:(?:reset|verify|confirm|invite|magic|activate|accept)[\w-]*)/(?=\S*\d)(?=\S*[A-Z])(?P<al>[\w-]{24,200})
      | [?&](?:t|code|key)=(?=[^&\s]*\d)(?=[^&\s]*[A-Z])(?P<am>[\w-]{24,400})
      | \.ASPXAUTH=(?P<an>\w{24,1024}) | wordpress_logged_in_\w+=(?P<ao>[^;\s]{16,400})
      | secret_key[ ]?=[ ]?b["'](?P<ap>[^"'\n]{8,200})["'] | "d":[ ]?"(?P<aq>[\w-]{40,400})"
      | (?i:\b(?:key|serial|licen[cs]e|activation)\b[^\n]{0,40}?)(?<![\w-])
          (?=[A-Z0-9-]*\d)(?P<ar>[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,7})(?![\w-])
    """,
    re.VERBOSE,
)


def command_secrets(text: str, signs: tuple[str, ...]) -> Iterator[SecretSpan]:
    """Passwords in the lines that hold one of the signs without which no form can match."""
    at, present = 0, [sign for sign in signs if sign in text]
    for line in text.split("\n"):
        if any(sign in line for sign in present):
            yield from _argument_secrets(text, at, at + len(line))
        at += len(line) + 1


def _argument_secrets(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    for match in _COMMANDS.finditer(text, start, end):
        value = match.group(match.lastgroup or 0).strip("\"'")
        if not is_placeholder(value) and value[:1] not in "$<%{":
            yield (*match.span(match.lastgroup or 0), "secret")
