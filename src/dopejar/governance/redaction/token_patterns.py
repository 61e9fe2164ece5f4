"""Patterns of secrets that are recognised by their form alone.

Takes: nothing. Gives: a table of patterns, each with the substrings without which it cannot occur. Never: a pattern
whose time grows faster than the text: each repetition is bounded, or the match consumes what it runs over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

SecretSpan: TypeAlias = tuple[int, int, str]
"""Start, end and kind of a secret in a text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenPattern:
    """One form. A text with none of the `literals` (case counts) cannot hold it. Group 1, if any, is the secret."""

    kind: str
    literals: tuple[str, ...]
    pattern: str
    least: int = 0  # characters of the shortest one


_START: Final = r"(?<![A-Za-z0-9_])"  # not inside a longer word
_END: Final = r"(?![A-Za-z0-9_])"


def _prefixed(kind: str, body: str, *prefixes: str) -> TokenPattern:
    alternatives = "|".join(re.escape(prefix) for prefix in prefixes)
    return TokenPattern(kind=kind, literals=prefixes, pattern=f"{_START}(?:{alternatives}){body}")


_WIDE: Final = r"[A-Za-z0-9_-]"
_WORD: Final = r"[A-Za-z0-9]"

SHORTEST_TOKEN: Final = 15  # characters, none of them a space, of the shortest form

TOKEN_PATTERNS: Final[tuple[TokenPattern, ...]] = (
    # forges and package indexes
    _prefixed("github-token", rf"{_WORD}{{20,}}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _prefixed("github-token", r"[A-Za-z0-9_]{20,}", "github_pat_"),
    _prefixed("gitlab-token", rf"{_WIDE}{{16,}}", "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-"),
    _prefixed("gitlab-token", rf"{_WIDE}{{16,}}", "glsoat-", "glffct-"),
    _prefixed("api-key", rf"{_WORD}{{30,}}", "npm_"),
    _prefixed("api-key", rf"{_WIDE}{{40,}}", "pypi-"),
    _prefixed("api-key", rf"{_WIDE}{{20,}}", "dckr_pat_", "dckr_oat_", "rubygems_", "sgp_", "bkua_", "CCIPAT_"),
    # language models and vectors
    _prefixed("api-key", rf"{_WIDE}{{16,}}", "sk-"),
    _prefixed("api-key", rf"{_WIDE}{{20,}}", "gsk_", "xai-", "pplx-", "tvly-", "pcsk_", "nvapi-"),
    _prefixed("api-key", rf"{_WIDE}{{20,}}", "lsv2_pt_", "lsv2_sk_"),
    _prefixed("api-key", rf"{_WORD}{{20,}}", "hf_", "api_org_", "r8_"),
    # clouds
    TokenPattern(
        kind="aws-key",
        literals=("AKIA", "ASIA", "ABIA", "ACCA"),
        pattern=rf"{_START}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{_END}",
    ),
    TokenPattern(kind="google-key", literals=("AIza",), pattern=rf"{_START}AIza{_WIDE}{{33,}}"),
    TokenPattern(kind="google-key", literals=("ya29.",), pattern=rf"{_START}ya29\.[A-Za-z0-9_.-]{{20,}}"),
    _prefixed("google-key", rf"{_WIDE}{{20,64}}", "GOCSPX-"),
    TokenPattern(
        kind="azure-key",
        literals=("Q~",),
        pattern=r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
    ),
    _prefixed("api-key", r"[a-f0-9]{64}", "dop_v1_", "doo_v1_", "dor_v1_"),
    _prefixed("api-key", rf"{_WIDE}{{20,}}", "HRKU-", "nfp_", "rnd_", "LTAI", "sbp_", "sb_secret_", "CFPAT-"),
    TokenPattern(kind="api-key", literals=("dapi",), pattern=rf"{_START}dapi[a-f0-9]{{32}}(?:-\d)?{_END}"),
    _prefixed("api-key", r"[A-Za-z0-9_.-]{20,}", "pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
    _prefixed("api-key", r"[A-Za-z0-9._-]{20,}", "hvs.", "hvb.", "hvr.", "dp.pt.", "dp.st.", "dp.ct."),
    TokenPattern(kind="api-key", literals=(".atlasv1.",), pattern=rf"{_START}{_WORD}{{14}}\.atlasv1\.{_WIDE}{{40,}}"),
    _prefixed("api-key", r"[A-Za-z0-9_=+/.-]{20,}", "fo1_", "fm2_"),
    _prefixed("api-key", rf"{_WIDE}{{60,}}", "sl."),
    TokenPattern(
        kind="password-hash",
        literals=("SCRAM-SHA-",),
        pattern=r"SCRAM-SHA-\d{1,3}\$\d{3,7}:[\w+/=]{8,64}\$[\w+/=:]{40,400}",
    ),
    TokenPattern(
        kind="api-key", literals=("AAAAAAAAAAAAAAAA",), pattern=rf"{_START}A{{16,30}}(?=\S{{0,80}}%)[\w%+/=-]{{40,200}}"
    ),
    # payments and shops
    _prefixed(
        "payment-key",
        rf"{_WORD}{{16,}}",
        "sk_live_",
        "sk_test_",
        "rk_live_",
        "rk_test_",
        "rzp_live_",
        "whsec_",
        "shpat_",
        "shpss_",
        "shpca_",
        "shppa_",
    ),
    _prefixed("payment-key", rf"{_WIDE}{{20,}}", "sq0atp-", "sq0csp-", "EAAAE", "FLWSECK-", "FLWSECK_TEST-"),
    TokenPattern(
        kind="payment-key",
        literals=("access_token$",),
        pattern=r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
    ),
    # messages and mail
    TokenPattern(kind="slack-token", literals=("xox",), pattern=rf"{_START}xox[a-z](?:\.xox[bp])?-[A-Za-z0-9-]{{10,}}"),
    TokenPattern(kind="slack-token", literals=("xapp-",), pattern=rf"{_START}xapp-\d-[A-Za-z0-9-]{{10,}}"),
    TokenPattern(
        kind="webhook",
        literals=("hooks.slack.com/",),
        pattern=r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{20,})",
    ),
    TokenPattern(
        kind="webhook",
        literals=("/api/webhooks/",),
        pattern=rf"discord(?:app)?\.com/api/webhooks/(\d{{15,22}}/{_WIDE}{{40,100}})",
    ),
    TokenPattern(
        kind="discord-token",
        literals=("M", "N", "O"),
        pattern=rf"(?<![A-Za-z0-9_.-])[MNO]{_WIDE}{{22,27}}\.{_WIDE}{{6}}\.{_WIDE}{{27,40}}(?![A-Za-z0-9_-])",
        least=58,
    ),
    TokenPattern(
        kind="telegram-token",
        literals=(":AA",),
        pattern=rf"(?:(?<=/bot)|(?<![A-Za-z0-9_:]))\d{{8,10}}:AA{_WIDE}{{32,34}}(?!{_WIDE})",
    ),
    TokenPattern(kind="api-key", literals=("SG.",), pattern=rf"{_START}SG\.{_WIDE}{{16,32}}\.{_WIDE}{{30,64}}"),
    TokenPattern(kind="api-key", literals=("SK",), pattern=rf"{_START}SK[a-f0-9]{{32}}{_END}"),
    TokenPattern(kind="api-key", literals=("key-",), pattern=rf"{_START}key-[a-f0-9]{{32}}{_END}"),
    TokenPattern(kind="api-key", literals=("-us",), pattern=rf"{_START}[a-f0-9]{{32}}-us\d{{1,2}}{_END}"),
    # work tools
    _prefixed("api-key", rf"{_WORD}{{20,}}", "lin_api_", "lin_oauth_", "ntn_", "shippo_live_", "shippo_test_", "tfp_"),
    _prefixed("api-key", rf"{_WIDE}{{20,}}", "figd_", "PMAK-", "NRAK-", "rdme_", "pnu_", "aio_", "ico-", "fio-u-"),
    _prefixed("api-key", r"[A-Za-z0-9_=+/-]{20,}", "glc_", "glsa_", "sntrys_", "sntryu_", "ATATT3x", "ATCTT3x"),
    _prefixed("api-key", rf"{_WORD}{{43}}", "secret_"),
    TokenPattern(kind="api-key", literals=("pat",), pattern=rf"{_START}pat{_WORD}{{14}}\.[a-f0-9]{{64}}{_END}"),
    TokenPattern(kind="api-key", literals=("ops_eyJ",), pattern=rf"{_START}ops_eyJ{_WIDE}{{50,}}"),
    TokenPattern(kind="private-key", literals=("AGE-SECRET-KEY-1",), pattern=r"AGE-SECRET-KEY-1[A-Z0-9]{20,80}"),
    TokenPattern(kind="api-key", literals=("NRAL",), pattern=rf"{_START}[a-f0-9]{{36}}NRAL{_END}"),
    _prefixed("api-key", r"[a-z0-9]{43}", "oy2"),  # NuGet
    TokenPattern(kind="secret", literals=("base64:",), pattern=rf"{_START}base64:([A-Za-z0-9+/]{{43}}=)"),  # Laravel
    _prefixed("api-key", rf"{_WIDE}{{20,}}", "tskey-", "phx_", "mlsn.", "csk-", "jina_", "napi_", "hcaik_", "vcp_"),
    _prefixed("api-key", rf"{_WIDE}{{20,}}", "xkeysib-", "xsmtpsib-", "tgp_v1_", "apify_api_", "pul-", "CLOJARS_"),
    _prefixed("api-key", rf"{_WIDE}{{20,}}", "KGAT_", "vck_", "gldt-", "glagent-", "glimt-", "glwt-", "glft-"),
    _prefixed("api-key", rf"{_WIDE}{{20,}}", "duffel_live_", "duffel_test_", "flb_live_", "zpka_", "dt0c01.", "AKCp"),
    _prefixed("api-key", rf"{_WIDE}{{30,}}", "ATBB", "AQVN", "IGQV", "pa-", "vk1.a.", "y0_Ag", "EAAC", "EAAG", "EAAB"),
    _prefixed("api-key", r"[a-f0-9]{32}", "fc-"),
    _prefixed("api-key", rf"{_WORD}{{22,32}}", "fw_"),
    TokenPattern(kind="api-key", literals=("re_",), pattern=rf"{_START}re_{_WORD}{{8}}_{_WORD}{{20,}}"),
    TokenPattern(
        kind="api-key",
        literals=("access-production-", "access-sandbox-", "access-development-", "pat-na", "pat-eu"),
        pattern=rf"{_START}(?:access-[a-z]+|pat-(?:na|eu)\d)-[a-f0-9]{{8}}(?:-[a-f0-9]{{4}}){{3}}-[a-f0-9]{{12}}",
    ),
    TokenPattern(
        kind="api-key", literals=(":fx",), pattern=rf"{_START}[a-f0-9]{{8}}(?:-[a-f0-9]{{4}}){{3}}-[a-f0-9]{{12}}:fx"
    ),
    TokenPattern(kind="google-key", literals=("1//0",), pattern=rf"(?<![\w/])1//0{_WIDE}{{35,}}"),
    TokenPattern(kind="google-key", literals=("GOOG1",), pattern=rf"{_START}GOOG1[A-Z0-9]{{56,}}"),
    TokenPattern(
        kind="api-key", literals=("amzn1.", "amzn.mws."), pattern=r"amzn(?:1\.oa2-cs\.v1|\.mws)\.[a-f0-9-]{36,64}"
    ),
    TokenPattern(
        kind="azure-key",
        literals=("AzFu", "AzSe", "+ASt", "JQQJ9"),
        pattern=r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,80}(?:AzFu|AzSe|\+ASt|JQQJ9\w{12,22})"
        r"[A-Za-z0-9+/_-]{5,10}={0,2}(?![A-Za-z0-9+/_-])",
    ),
    TokenPattern(kind="private-key", literals=("nsec1",), pattern=rf"{_START}nsec1[a-z0-9]{{50,60}}"),
    TokenPattern(
        kind="webhook",
        literals=("hooks.zapier.com/", "ifttt.com/", "make.com/", "feishu.cn/", "weixin.qq.com/", "office.com/webhook"),
        pattern=r"(?:hooks\.zapier\.com/hooks/catch/\d+/|ifttt\.com/trigger/[\w-]+/with/(?:json/)?key/|hook\.\w+\.make\.com/"
        r"|open\.feishu\.cn/open-apis/bot/v2/hook/|weixin\.qq\.com/cgi-bin/webhook/send\?key="
        r"|office\.com/webhook(?:b2)?/)([\w@/.-]{6,300})",
    ),
    # keys of wallets and disks, hashes of passwords
    TokenPattern(
        kind="private-key",
        literals=("5H", "5J", "5K", "K", "L", "prv"),
        pattern=r"(?<!\w)(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51}|[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112})(?!\w)",
        least=51,
    ),
    TokenPattern(kind="recovery-key", literals=("-",), pattern=r"(?<![\d-])\d{6}(?:-\d{6}){7}(?![\d-])", least=55),
    TokenPattern(
        kind="password-hash",
        literals=("$",),
        pattern=r"\$(?:[1256y]|2[abxy]|apr1|argon2(?:id?|d)|scrypt|pbkdf2[\w-]{0,12})\$[\w./$,=+-]{20,256}",
        least=24,
    ),
    # tokens of protocols
    TokenPattern(kind="jwt", literals=("eyJ",), pattern=rf"(?<![A-Za-z0-9_.-])eyJ{_WIDE}{{8,}}(?:\.{_WIDE}*){{2,4}}"),
)
_EXAMPLE_STARTS: Final = ("your", "xxxx", "example-", "example_")
_WORD_PREFIXES: Final = frozenset({"sk-", "xai-", "ico-", "secret_", "aio_", "npm_", "rnd_", "pypi-", "api_org_"})
_FORM_ONLY: Final = re.compile(r"([xX*.#])\1{7}")
_REPEATED: Final = frozenset("xX*.#0_-")

COMMAND_SIGNS: Final = (  # each line with a secret of `command_secrets` holds one
    " -U", "/user:", "/p:", " -P", " -w", "-stdin", " -p", " -k", " -a", " -u", "htpasswd", "<<<", "-keygen", "pass",
    "community", "enable ", "username ", "radius", "tacacs", "PSK", "auth", "Credential(", "login(", "Twilio(", "WIFI:",
    "TOTP(", "ecret", "token ", "key ", "Key", "KEY ", "appid ", "_PASSWORD ", "wandb", "/reset", "/verify", "/confirm",
    "/invite", "/magic", "/activate", "/accept", "?t=", "code=", "key=", "ASPX", "wordpress_", '"d":', "erial", "icen",
    "ctivation", "{SHA", "{SSHA", "{MD5", "pbkdf2_", ":::", "SecureString", "Client(", "code:", "code is",
    "in the X-", "igest",
)  # fmt: skip
PLACE_SIGNS: Final = (" -u ", " --user", "/u:", "set -x ")  # of `placed_credentials`, beside its words


@lru_cache(maxsize=len(TOKEN_PATTERNS))
def compile_pattern(token: TokenPattern) -> re.Pattern[str]:
    """The compiled pattern, made at its first use: most texts need none."""
    return re.compile(token.pattern)


def is_example_token(token: str, literals: Iterable[str]) -> bool:
    """Whether a token only shows its form: `sk-xxxxxxxx`, `ghp_your_token_here`."""
    prefix = next((literal for literal in literals if token.startswith(literal)), "")
    body = token[len(prefix) :]
    if set(body) <= _REPEATED or _FORM_ONLY.search(body):
        return True
    lowered = body.lower()
    if "-your-" in lowered or "_your_" in lowered:
        return True
    if lowered.startswith(_EXAMPLE_STARTS) or lowered.endswith(("-here", "_here", "example")):
        return True
    if prefix in _WORD_PREFIXES:  # `sk-learn-pipeline-steps` is a name
        is_word = body.islower() and not any(character.isdigit() for character in body)
        return is_word and ("-" in body or "_" in body)
    return False
