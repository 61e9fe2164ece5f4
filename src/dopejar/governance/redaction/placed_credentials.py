"""Credentials by the place that a form gives them: behind a user's name, as an argument, a column, a block's value.

Takes: a text and its lower case of the same length. Gives: spans. Never: takes a port, a path, a flag, a variable or a
placeholder for a password, nor a word of letters alone where the form has other uses.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from dopejar.governance.redaction.placeholders import is_placeholder
from dopejar.governance.redaction.token_patterns import SecretSpan

_VALUE: Final = r"([^\s\"'`|;<>]{4,128})"
_NAMED: Final = r"(?:pass(?:word|wd|phrase|wort)?|pwd|secret|token|api[_-]?key|_pat|credentials?)"
_PLAIN: Final = (  # names of values that are no secret
    r"[\w.-]{0,40}?(?:user(?:[_-]?name)?|login|host(?:name)?|port|url|endpoint|region|name|e?mail|database|db|env"
    r"|version|type)"
)
# what may as well name a database, a user, a region or an algorithm: `app_db2`, `us-east-1`, `HS256`
_NUMBERED: Final = r"(?:(?:[a-z]+\d*|\d+[a-z]?)(?:[-_.](?:[a-z]+\d*|\d+[a-z]?))*|[A-Z]+\d+)"
_MOST: Final = 400  # characters of a command or a call that are read

# `-u NAME:VALUE`; one word of letters counts for the programs that have no other use for it
_PAIR_FLAG: Final = re.compile(r"[ \t](?:-u|--user|--proxy-user)[ =]?['\"]?([^\s:'\"]{1,128}):([^\s'\"]{1,256})")
_WEB_CLIENTS: Final = ("curl", "wget", "http")
_USER_FLAG: Final = re.compile(
    r"[ ](?:-[uU]|--user(?:name)?|/u(?:ser)?:)[ =]?[\"']?(?=[^\s-])[\w.@\\-]{1,64}[\"']?(?=\s|$)"
)
_PASS_FLAG: Final = re.compile(rf"[ ](?:-p[ ]?|/p(?:ass)?:|-([PwAX])[ ]?)[\"']?(?![-$%]){_VALUE}")
# the programs for which another flag than `-p` stands before a password
_PROGRAMS: Final = {
    "P": re.compile(r"\b(?:sqlcmd|bcp|[iost]sql|sqsh|ipmitool|mosquitto_\w+)\b"),
    "w": re.compile(r"\bldap\w+"),
    "A": re.compile(r"\bsnmp\w+"),
    "X": re.compile(r"\bsnmp\w+"),
}
# programs whose user's flag has no password beside it, unless they log in or start a client that has one
_NO_LOGIN: Final = re.compile(
    r"\b(?:(?:git|docker(?:-compose)?|podman|chown|systemd-run)\s(?!.*\b(?:login|curl|wget|https?|etcdctl|mongo\w*"
    r"|mysql\w*|ldap\w+|snmp\w+|mosquitto_\w+)(?:\s|$))|sudo(?:\s+-\S+)*\s*$)"
)
_COMMAND_END: Final = re.compile(r"(?<!\\)\n|[;|&]")
_GLUED_FLAG: Final = re.compile(
    r"(?:sshpass[ \t]+-p[ \t]?|redis-cli\b[^\n]{0,200}?[ \t]-a[ \t]+|\blogin\b[^\n]{0,200}?[ \t]-p[ \t]+"
    r"|mysql(?:dump|admin)?\b[^\n]{0,200}?[ \t]-p(?=\S))['\"]?([^\s'\"]{3,256})"
)
_GLUED: Final = ("sshpass", "redis-cli", " login ", "mysql")

_CALL: Final = re.compile(
    r"(?:(?P<third>connect(?:ion)?|\bpdo|\.open)|(?P<other>auth|credentials?)|login|authenticate|sign_?in)\("
)
_DEFAULT: Final = re.compile(r"default[\"']?[ ]{0,12}[=:][ ]{0,12}[\"']([^\"'\n]{4,128})[\"']")
_NAMED_BLOCK: Final = re.compile(rf"[\"']\w{{0,40}}{_NAMED}\w{{0,24}}[\"'][ ]?:?[ ]?\{{[^{{}}]{{0,200}}$")
_BLOCK: Final = 280  # characters before a default in which its block begins
_CALLS: Final = ("connect(", "connection(", "pdo(", ".open(", "login(", "auth(", "cate(", "tial(", "tials(", "in(")
_ARGUMENT: Final = re.compile(r"\s*(?:\"([^\"\n]{0,200})\"|'([^'\n]{0,200})'|[\w.$\[\]>:-]{1,80})\s*([,)])")

_COLUMNS: Final = re.compile(r"insert\s+into\s[^();]{1,80}\(([^()]{1,400})\)\s*values\s*", re.IGNORECASE)
_CELL: Final = re.compile(r"\s*+(?:'((?:[^']|'')*)'\s*+|[^,()]*+)([,)])")
_COMMA: Final = re.compile(r"\s*,\s*")
_NAMED_COLUMN: Final = re.compile(rf"\W*\w{{0,24}}?{_NAMED}\W*$", re.IGNORECASE)

# the signs without one of which a text cannot hold the form; the form; whether any value counts
_FORMS: Final[tuple[tuple[tuple[str, ...], re.Pattern[str], bool], ...]] = tuple(
    (signs, re.compile(pattern, re.IGNORECASE), is_any)
    for signs, pattern, is_any in (
        # `app:VALUE@tcp(db:3306)`, `app:VALUE@db:5432`, `sqlplus app/VALUE@db`
        (
            ("@",),
            rf":(?<=[\w.-]:)(?<!mailto:)(?<!npm:)(?<!http:)(?<!https:)(?<!sha\d:)(?!(?-i:{_NUMBERED})@)([^\s\"'@/:]{{4,64}})@(?:(?:tcp|unix)\(|[\w.-]{{1,80}}:\d{{2,5}}\b)",
            False,
        ),
        (
            ("sqlplus", "conn ", "connect ", "expdp", "impdp", "rman", "sqlldr"),
            r"\b(?:sqlplus|conn(?:ect)?|expdp|impdp|rman|sqlldr)[ ](?:-\w+[ ]|target[ ])?[\w$]{1,40}"
            r"/([^\s\"'@/]{3,64})(?=[@\s\"']|$)",
            False,
        ),
        # an element with the name, and the value behind it
        (
            ("</",),
            rf"<(key|name|string)>\w{{0,40}}{_NAMED}</\1>\s{{0,40}}<(?:string|value|data)>([^<>\n]{{4,200}})</",
            True,
        ),
        # headers in the settings of servers, and in calls
        (
            ("authorization", "x-"),
            r"(?:x-[\w-]{0,40}(?:auth|key|token|secret)[\w-]{0,24}|authorization)"
            r"(?:[ \t]+|[\"'],[ \t]*|[\"']\][ \t]*=[ \t]*)"
            r"[\"'](?:(?:basic|bearer|token)[ ])?([^\s\"'<>]{6,512})[\"']",
            True,
        ),
        # commands that take a name and its password or value
        (
            ("_user", "_password", "-password", "-user", "net user", "radtest", "http-basic"),
            r"(?:\b(?:add|create|set|change)[-_](?:user|password)|\bnet[ ]user|\bradtest|\bhttp-basic\.\S{1,80})"
            rf"[ ][\"']?[\w.@-]{{1,64}}[\"']?[ ][\"']?{_VALUE}",
            False,
        ),
        (
            ("set -", "setx ", "setenv "),
            r"(?:^|[\n;&])[ ]*(?:set[ ]-\w{1,4}|setx|setenv)[ ]+\w{0,40}?"
            rf"(?:{_NAMED}|_key)\w{{0,24}}(?<!_path)(?<!_file)(?<!_dir)(?<!_url)[ ]+[\"']?{_VALUE}",
            False,
        ),
        (
            ("secret",),
            r"\bsecrets?\b[^\n]{0,120}?[ ]--(?:body|value|data|secret-string|from-literal)[= ]"
            rf"[\"']?(?!{_PLAIN}=)(?:[\w.-]{{1,60}}=)?[\"']?(?!fileb?://)([^\s\"'<>{{$@-][^\s\"'<>]{{3,200}})",
            True,
        ),
        (("rootpw",), r"\brootpw(?:[ ]--\w+)*[ ](?!--)(\S{4,200})", False),
        (("setuser",), r"\bacl[ ]setuser\b[^\n]{0,120}?[ ]>(\S{3,128})", True),
        # dialogues: what is sent where a password is asked for
        (
            ("assword",),
            r"assword\b[^\n]{0,16}\n?[^\n\w]{0,16}\w{0,16}\.?"
            r"\bsend(?:line)?\b[ (]{1,3}(?:-[-h][ ])?[\"']([^\"'\n$\\]{3,128})(?:\\[rn])*[\"']",
            True,
        ),
        (("pass ",), r"(?:^|\n)user[ ]\S{1,64}\s{1,2}(?:[^\n]{0,200}\n)?pass[ ](\S{3,128})", True),
        (
            ("chpasswd",),
            r"\becho[ ](?:-e[ ])?[\"']?[\w.-]{1,40}:([^\s\"':]{3,128})[\"']?[ ]*\|[^\n]{0,40}\bchpasswd\b",
            True,
        ),
        (
            ("chpasswd",),
            r"\bchpasswd:[^\n]{0,200}\n(?:[^\n]{0,200}\n)??[ ]{0,12}(?:-[ ])?[\w.-]{1,40}:([^\s\"':]{3,128})(?=\s|$)",
            True,
        ),
    )
)  # fmt: skip
_PATH_OR_LIST: Final = re.compile(
    r"(?i:utf|latin|iso|cp|md|sha|v)\W?\d.*|.*/.*|[\w.-]+,.*|[\w.-]+=.*|[\d.:-]+\w?|.*\.[a-z]{2,4}|-.*|(?i:[a-z]):\\.*",
    re.DOTALL,
)
_NUMBERED_NAME: Final = re.compile(_NUMBERED)
_SIGN: Final = re.compile(r"[0-9!@#$%^&*?+~]")
_TABLE_CELL: Final = re.compile(r"[,|;\t]")
_LEAST_COLUMNS: Final = 2
_CELL_SIGN: Final = re.compile(r"(?=.*[^\W\d_])(?=.*[\d!@#$%^&*?+~])")
_RULE: Final = re.compile(
    r"[\d.-]*[a-z]{0,12}|(?:sha|md|argon|bcrypt|scrypt|aes)[-_]?\d.*|[\w.+-]+@[\w-]+\.\w+", re.IGNORECASE
)
_COLUMN_HEAD: Final = re.compile(
    r"(?:pass(?:word|wd|wort)?|pwd?|kennwort|contraseña|senha|heslo|пароль|密码|mot de passe|secret|pin)"
)
_TAG: Final = re.compile(
    r"<((?:[\w-]{0,24})(?:password|passwd|pwd|passphrase|secret|apikey|api-key"
    r"|token))(?:\s[^<>]{0,80})?>([^<>\s]{3,512})</\1>"
)
_KEY_BYTES: Final = re.compile(r"\[\s?(?:\d{1,3},\s?){63}\d{1,3}\s?\]")  # Solana's file of a key pair


def placed_spans(text: str, lowered: str) -> Iterator[SecretSpan]:
    """Passwords and keys that a command, a call, a statement or a block holds in the place for them."""
    yield from _formed(text, lowered)
    if " -u" in lowered or " --user" in lowered or "/u" in lowered:
        yield from _flagged(text, lowered)
    if _has_one(lowered, _GLUED):
        yield from _unless_placeholders(text, (match.span(1) for match in _GLUED_FLAG.finditer(text)))
    if "default" in lowered and "{" in lowered:
        yield from _unless_placeholders(text, _defaults(text, lowered))
    if _has_one(lowered, _CALLS):
        yield from _called(text, lowered)
    if "values" in lowered and "insert" in lowered:
        yield from _inserted(text)


def _formed(text: str, lowered: str) -> Iterator[SecretSpan]:
    for signs, pattern, is_any in _FORMS:
        if _has_one(lowered, signs):
            for match in pattern.finditer(text):
                group = match.lastindex or 0
                value = match.group(group)
                if not is_placeholder(value) and (is_any or _is_chosen(value)):
                    yield (*match.span(group), "password")


def _unless_placeholders(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[SecretSpan]:
    yield from ((*span, "password") for span in spans if not is_placeholder(text[slice(*span)]))


def _defaults(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """The defaults within blocks that are named like a secret: `variable "db_password" { default = "..." }`."""
    for match in _DEFAULT.finditer(lowered):
        if not _is_chosen(text[slice(*match.span(1))]):
            continue
        before = lowered[max(0, match.start() - _BLOCK) : match.start()]
        if _NAMED_BLOCK.search(before, before.rfind("\n", 0, before.rfind("{") + 1) + 1):
            yield match.span(1)


def _flagged(text: str, lowered: str) -> Iterator[SecretSpan]:
    """What stands behind the flag for a password in a command that has one for a user."""
    is_web = _has_one(lowered, _WEB_CLIENTS)
    for match in _PAIR_FLAG.finditer(text):
        is_value = is_web or (_is_chosen(match[2]) and match[1] != match[2])
        if is_value and not is_placeholder(match[2]) and _may_log_in(text, match.start()):
            yield (*match.span(2), "password")
    users = [user.start() for user in _USER_FLAG.finditer(text) if _may_log_in(text, user.start())]
    for match in _PASS_FLAG.finditer(text) if users else ():
        at, value = match.start(), match.group(2)
        if not _is_chosen(value) or is_placeholder(value) or not _is_beside(text, users, at):
            continue
        before = text[max(text.rfind("\n", 0, at) + 1, at - _MOST) : at]
        program = _PROGRAMS.get(match.group(1) or "")
        if program.search(before) if program else "mysql" not in before:
            yield (*match.span(2), "password")


def _may_log_in(text: str, at: int) -> bool:
    """Whether the user's flag there belongs to a command that takes a password, too."""
    return not _NO_LOGIN.search(_COMMAND_END.split(text[max(0, at - _MOST) : at])[-1].replace("\n", " "))


def _is_beside(text: str, users: Sequence[int], at: int) -> bool:
    """Whether one of the flags for a user stands close to the place, in its line."""
    after = bisect_right(users, at)
    for user in users[max(0, after - 1) : after + 1]:
        start, end = sorted((user, at))
        if end - start <= _MOST and "\n" not in text[start:end]:
            return True
    return False


def _called(text: str, lowered: str) -> Iterator[SecretSpan]:
    """The literal behind the user's name, in calls that connect or log in."""
    for call in _CALL.finditer(lowered):
        at, arguments = call.end(), list[re.Match[str]]()
        while len(arguments) < 4 and (found := _ARGUMENT.match(text, at)):
            arguments.append(found)
            at = found.end()
            if found.group(3) == ")":
                break
        place = 2 if call.group("third") else 1
        if place < len(arguments):
            is_clear = call.lastgroup is None  # a third argument, and the second of `auth`, have other uses
            yield from _literal(arguments[place], is_clear=is_clear)


def _literal(argument: re.Match[str], *, is_clear: bool) -> Iterator[SecretSpan]:
    for group in (1, 2):
        value = argument.group(group)
        if not value or " " in value or not _is_chosen(value) or is_placeholder(value):
            continue
        if is_clear or not _NUMBERED_NAME.fullmatch(value):
            yield (*argument.span(group), "password")


def _inserted(text: str) -> Iterator[SecretSpan]:
    """The values of columns that are named like a secret, in statements that insert rows."""
    for statement in _COLUMNS.finditer(text):
        wanted = [place for place, name in enumerate(statement.group(1).split(",")) if _NAMED_COLUMN.match(name)]
        at = statement.end()
        while wanted and text.startswith("(", at):
            cells, at = _cells(text, at + 1)
            for place in wanted:
                if place < len(cells) and (value := cells[place].group(1)) and not is_placeholder(value):
                    yield (*cells[place].span(1), "password")
            gap = _COMMA.match(text, at)
            at = gap.end() if gap else at


def _cells(text: str, at: int) -> tuple[Sequence[re.Match[str]], int]:
    cells: list[re.Match[str]] = []
    while cell := _CELL.match(text, at):
        cells.append(cell)
        at = cell.end()
        if cell.group(2) == ")":
            break
    return cells, at


def _has_one(lowered: str, signs: Sequence[str]) -> bool:
    for sign in signs:  # noqa: SIM110  three times as fast as `any`, and every turn pays for it
        if sign in lowered:
            return True
    return False


def _is_chosen(value: str) -> bool:
    """Whether the word may be a password where a path, a port or a name might stand, too: it has a digit or a sign."""
    is_mixed = _SIGN.search(value) is not None and any(map(str.isalpha, value))
    return len(value) > 3 and is_mixed and not _PATH_OR_LIST.fullmatch(value)


def column_spans(text: str) -> Iterator[SecretSpan]:
    """The values of a table below the head of a column that is named like a password, by commas, bars or tabs."""
    lines, at = text.split("\n"), 0
    head: list[str] = []
    for line in lines:
        cells = _TABLE_CELL.split(line)
        if len(cells) < _LEAST_COLUMNS or len(cells) != len(head):
            head = cells if any(_COLUMN_HEAD.fullmatch(cell.strip().lower()) for cell in cells) else []
        else:
            place = at
            for name, cell in zip(head, cells, strict=True):
                value = cell.strip()
                if _COLUMN_HEAD.fullmatch(name.strip().lower()) and _is_cell(value):
                    start = place + cell.index(value)
                    yield start, start + len(value), "password"
                place += len(cell) + 1
        at += len(line) + 1


def _is_cell(value: str) -> bool:
    """Whether a cell of a password's column holds one: letters and a digit or a sign, and no rule about passwords."""
    return len(value) > 4 and " " not in value and _CELL_SIGN.search(value) is not None and not _RULE.fullmatch(value)


def key_byte_spans(text: str) -> Iterator[SecretSpan]:
    """The 64 numbers of a key pair, as wallets write them into files."""
    return ((*match.span(), "private-key") for match in _KEY_BYTES.finditer(text))


def tag_spans(text: str, lowered: str) -> Iterator[SecretSpan]:
    """The content of elements that are named like a password: `<password>...</password>`."""
    for match in _TAG.finditer(lowered):
        if not is_placeholder(text[match.start(2) : match.end(2)]):
            yield (*match.span(2), "password")
