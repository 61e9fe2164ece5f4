"""Checks: an approved standing correction compiled to a test of tool calls, where it can be made precise.

Takes: the text and scope of a record. Gives: a frozen check. Never: makes a check of a rule that cannot be made
precise: it stays advice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.correction_cues import data_table
from dopejar.pipelines.corrections.proposals.scope_inference import languages_of
from dopejar.pipelines.corrections.tool_checks.call_checks import ToolCheck, message_of
from dopejar.pipelines.corrections.tool_checks.named_code import (
    ENDED,
    PROSE_FILES,
    command_line_of,
    command_of,
    named_code,
)
from dopejar.pipelines.corrections.tool_checks.rule_clauses import clauses_of
from dopejar.pipelines.corrections.tool_checks.tool_calls import EDIT, SHELL
from dopejar.values.ids import RecordId
from dopejar.values.record import DIRECTING, Draft, Record, Status

_I: Final = re.IGNORECASE
_SENTENCE_END: Final = re.compile(r"(?<=[\w`)\"'])[.!]\s+(?=[A-Z])")


def compile_checks(records: Iterable[Record]) -> tuple[ToolCheck, ...]:
    """The checks of every active directing record that can be made precise."""
    rules = [record for record in records if record.kind in DIRECTING and record.status is Status.ACTIVE]
    return tuple(check for rule in rules for check in checks_of(rule.id, rule))


def checks_of(name: RecordId, rule: Draft | Record) -> tuple[ToolCheck, ...]:
    """The checks of a rule's sentences, whether it is in force or not."""
    where = rule.scope.name if rule.scope.kind == "language" else ""
    return tuple(filter(None, (compile_check(name, one, language=where) for one in _SENTENCE_END.split(rule.text))))


def compile_check(record_id: RecordId, text: str, *, language: str = "") -> ToolCheck | None:
    """Compile a rule to a check; None where it cannot be made precise."""
    plain = " ".join(text.split()).rstrip(".! ")
    rule = _Rule(record_id, plain, (language,) if language else languages_of(plain))
    clauses = clauses_of(plain)
    return next((compiled for compiled in (_of_clause(clause, rule) for clause in clauses) if compiled), None)


def _of_clause(clause: str, rule: _Rule) -> ToolCheck | None:
    """The check of a clause; "never npm or yarn" forbids both, where both are commands."""
    first, others = clause, list[str]()
    while (more := _OR.search(first)) and (others or not more["comma"]):
        command = (command_line_of if " " in more["name"] else command_of)(more["name"])
        if command is None:
            break
        first, others = first[: more.start()], [*others, command]
    compiled = _of_form(first, rule)
    if others and compiled is not None and compiled == rule.shell(compiled.command):
        return rule.shell("|".join((compiled.command, *others)))
    return _of_form(clause, rule) if others else compiled


def _of_form(clause: str, rule: _Rule) -> ToolCheck | None:
    tries = (build(match, rule) for pattern, build in _FORMS if (match := pattern.match(clause)) is not None)
    return next((compiled for compiled in tries if compiled is not None), None)


@dataclass(frozen=True, slots=True)
class _Rule:
    """What every form of a check needs to know of its rule."""

    record_id: RecordId
    text: str
    languages: tuple[str, ...]

    def shell(self, command: str, *, branch: str = "", on_branch: str = "", unless: str = "") -> ToolCheck:
        """A check on commands."""
        return ToolCheck(
            record_id=self.record_id,
            tools=(SHELL,),
            command=command,
            branch=branch,
            on_branch=on_branch,
            unless=unless,
            message=self.message,
        )

    def phrase(self, phrase: str, *, instead: str = "", is_used: bool = True) -> ToolCheck | None:
        """A check on what a phrase names in code; None where that is nothing plausible."""
        named = named_code(phrase, instead=instead, is_used=is_used)
        if named is None:
            return None
        globs = named.paths or tuple(glob for language in self.languages for glob in _globs(language))
        return ToolCheck(
            record_id=self.record_id,
            tools=(SHELL, EDIT) if named.command else (EDIT,),
            command=named.command,
            written=named.written,
            listed=named.listed,
            paths=globs if not named.listed else (),
            spared=() if globs and not named.listed else PROSE_FILES,
            in_code=named.in_code,
            message=self.message,
        )

    @property
    def message(self) -> str:
        """The message shown to the person."""
        return message_of(self.text)


_NEVER: Final = r"(?:never|do not|don'?t|avoid|no|stop)(?: ever)?"
_NAME: Final = r"(?:`(?P<code>[^`]+)`|(?P<word>[\w@./+-]*[\w/+-](?:\(\))?))"


def _named(match: re.Match[str], group: str = "") -> tuple[str, bool]:
    """The name in a match, and whether it was written as code."""
    code, word = match[f"code{group}"], match[f"word{group}"]
    return (code or word or "").strip(), bool(code)


def _forbidden(name: str, is_code: bool, rule: _Rule) -> ToolCheck | None:  # noqa: FBT001 - read from one match
    """A check on a name: as a command where it is one, as an identifier in the files of its language otherwise."""
    command = command_of(name)
    if command and not _IN_FILES.search(rule.text):
        return rule.shell(command)
    if name.startswith("-"):
        return rule.shell(rf".* {re.escape(name)}{ENDED}")
    globs = tuple(glob for language in rule.languages for glob in _globs(language))
    looks = _looks_like_code(name)
    if not globs and not (is_code and looks):
        return None
    return ToolCheck(
        record_id=rule.record_id,
        tools=(EDIT,),
        written=_as_code(name, looks=is_code or looks),
        in_code=not looks,  # an everyday word also occurs in comments and strings
        paths=globs,
        message=rule.message,
    )


def _as_code(name: str, *, looks: bool) -> str:
    """An expression for a name in code: the whole word where it was written as code, else imported or called."""
    bare = re.escape(name.removesuffix("()"))
    if name.endswith("()") or name.casefold() in _CALLED:
        return rf"(?<![\w.-]){bare}!?\s*\("
    if looks or name.casefold() in _KEYWORDS:
        return rf"(?<![\w-]){bare}(?![\w-])"
    return rf"^\s*(?:import|from|use|using|require)\b[^\n]*\b{bare}\b|(?<![\w.-]){bare}(?:\.\w|!?\s*\()"


_IN_FILES: Final = re.compile(
    r"\b(?:in|inside|from|within) (?:\S+ ){0,3}(?:files?|code|scripts?|modules?|tests?)\b", _I
)
_KEYWORDS: Final = frozenset({"var", "any", "goto", "let", "unsafe", "dynamic", "global", "lambda", "unwrap", "todo!"})
_CALLED: Final = frozenset({"panic", "print", "eval", "exec", "exit", "alert", "fetch", "require"})


def _looks_like_code(name: str) -> bool:
    return bool(re.search(r"[._()$:/@-]|[a-z][A-Z]|[A-Z]{2}|\d", name)) and " " not in name


@lru_cache(maxsize=64)
def _globs(language: str) -> tuple[str, ...]:
    table = data_table("checks").get("globs", {})
    return tuple(map(str, table.get(language, []))) if isinstance(table, dict) else ()


def _never_use(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    if _WITH.match(match.string, match.end()):
        return None  # "never run pytest with coverage" forbids no pytest
    return _forbidden(*_named(match), rule)


def _instead(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    """`use A instead of B`, `use A, not B`: B is forbidden."""
    return _forbidden(*_named(match, "_bad"), rule)


def _rather(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    """`pnpm, not npm`: without a verb only where both are commands, or packages."""
    (good, _), (bad, is_code) = _named(match), _named(match, "_bad")
    if command_of(good) and command_of(bad):  # "deploy with docker, not kubectl" leaves its other uses
        return None if match["by"] else _forbidden(bad, is_code, rule)
    return rule.phrase(bad, instead=good, is_used=False)


def _phrase(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    """`no default exports`, `use A instead of plain img tags`: what the words name in code, at all times."""
    if _CONDITION.match(match.string[match.end() :]) or _EXCEPTED.search(rule.text):
        return None
    parts = match.groupdict()
    return rule.phrase(parts["phrase"], instead=parts.get("good") or "", is_used=bool(parts.get("verb")))


def _bare(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    """`avoid X`, `never X`: only where X is code, a command or a keyword, not for an everyday word."""
    name, is_code = _named(match, "_bad")
    if not (is_code or command_of(name) or name.casefold().removesuffix("()") in _CALLED | _KEYWORDS):
        return None
    return _forbidden(name, is_code, rule)


def _no_commit(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    """`do not commit to main`, `never push to main`, `do not commit without asking`."""
    verb, branch = match["verb"].casefold(), match["branch"] or match["branch_code"] or ""
    if not branch:
        return rule.shell(rf"git {verb}{ENDED}")
    push = rf"git push(?: \S+)* \+?(?:[^\s:]*:)?(?:refs/heads/)?{re.escape(branch)}(?![\w./:-])"
    if verb == "commit":
        return rule.shell(push, branch=branch, on_branch=rf"git commit{ENDED}")
    return rule.shell(push, branch=branch, on_branch=r"git push(?: -\S+)*(?: [\w.-]+)?(?: HEAD)?$")


def _no_force(match: re.Match[str], rule: _Rule) -> ToolCheck:
    del match
    return rule.shell(r"git push(?=.* (?:--force(?![\w-])|-\w*f(?![\w-])|\+\S))")


def _no_amending(match: re.Match[str], rule: _Rule) -> ToolCheck:
    del match
    return rule.shell(r"git commit(?=.* --amend(?![\w-]))")


def _no_line(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    """`never run git reset --hard`, `never use rm -rf`: a command with its subcommands and options."""
    command = command_of(match["line"])
    return rule.shell(command) if command else None


def _no_bare_line(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    """`never npm install`: likewise without a verb."""
    command = command_line_of(match["line"])
    return rule.shell(command) if command else None


def _no_option(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    """`never run dbt with --full-refresh on prod`, `never push with --no-verify`: a command that has the option."""
    option, place = match["option"], match["place"]
    git = "git " if match["line"].casefold() in _GIT else ""
    command = command_of(f"{git}{match['line']} {option}")
    where = rf"(?=.*(?<![A-Za-z\d]){re.escape(place)}(?![A-Za-z\d]))" if place else ""
    return rule.shell(f"{where}{command}") if command else None


def _no_install(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    """`never install packages with pip`: what the tool runs else is none of the rule's."""
    name, _ = _named(match)
    command = command_of(name)
    return rule.shell(rf"{command}(?: -\S+)* (?:install|i|add|get){ENDED}") if command else None


def _no_file(match: re.Match[str], rule: _Rule) -> ToolCheck:
    """`never commit a .pkl file`, `do not check in secrets.yaml`: as far as a command names it."""
    name = match["file"].removeprefix("*")
    before = r"\S*" if name.startswith(".") else r"(?:\S*/)?"
    return rule.shell(rf"git (?:add|stage)(?=.* {before}{re.escape(name)}(?![\w./-]))")


def _no_edit(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    """`never edit package-lock.json`, `do not touch files in migrations/`."""
    name, is_code = _named(match)
    path = name.strip("/").removeprefix("./")
    is_file = bool(re.search(r"\.\w+$|[*]", path))
    is_folder = name.endswith("/") or bool(match["folder"]) or bool(_FOLDER.match(match.string, match.end()))
    is_path = "/" in path and (is_code or _ENDED_THERE.match(match.string, match.end()))
    if not (is_folder or is_file or is_path):
        return None
    below = () if is_file and not is_folder else (f"{path}/*",)
    return ToolCheck(
        record_id=rule.record_id,
        tools=(SHELL, EDIT),
        command=rf"{_EDITORS}.* (?:\S*/)?{_as_path(path)}{'(?:/|$| )' if below else '(?=$| )'}",
        paths=below if is_folder else (path, *below),
        message=rule.message,
    )


_OR: Final = re.compile(r"(?:,? (?:or|nor) |/|(?P<comma>, ))`?(?P<name>[\w.-]+(?: (?!n?or\b)[\w.-]+){0,2})`?$", _I)
_FOLDER: Final = re.compile(r" (?:folder|director(?:y|ies)|dir|package|tree)s?\b", _I)
_EDITORS: Final = (
    r"(?:rm|mv|tee|truncate|shred|rmdir|git (?:rm|mv|restore)|(?:sed|perl)(?= (?:.* )?(?:-\w*i|--in-place)))(?![\w-])"
)


def _as_path(path: str) -> str:
    """An expression for a path in a command; `*` stands for anything."""
    return re.escape(path).replace(r"\*", r"\S*")


def _tests_with(match: re.Match[str], rule: _Rule) -> ToolCheck | None:
    """`run tests with X`: every other runner of the same group is forbidden."""
    wanted = (match["code"] or match["words"] or "").strip().casefold()
    for group in _runners().values():
        chosen = [name for name in group if name == wanted or wanted.endswith(f" {name}") or wanted == name.split()[-1]]
        if chosen:
            others = [name for name in group if name not in chosen and not name.endswith(f" {wanted}")]
            either = "|".join(re.escape(name) for name in sorted(others, key=len, reverse=True))
            return rule.shell(f"(?:{either}){ENDED}", unless=_spaced(wanted)) if others else None
    return None


def _spaced(name: str) -> str:
    return r"(?<![\w-])" + r"\s+".join(map(re.escape, name.split())) + r"(?![\w-])"


@lru_cache(maxsize=1)
def _runners() -> Mapping[str, tuple[str, ...]]:
    table = data_table("checks").get("runners", {})
    return {str(name): tuple(map(str, runners)) for name, runners in table.items()} if isinstance(table, dict) else {}


_Build = Callable[[re.Match[str], _Rule], ToolCheck | None]
_BAD: Final = _NAME.replace("<code>", "<code_bad>").replace("<word>", "<word_bad>")
_ENDS: Final = r"(?=$|[,.;:]| (?:in|for|to|from|on|inside|as|with|at|anywhere|any|a|an|the|ever|directly)\b)"
_NO_END: Final = (
    r"(?!(?:in|for|when|to|from|on|inside|as|if|unless|with|without|at|anywhere|any|an?|the|ever|directly"
    r"|and|or|but|against|by|via|before|after|during|outside|because|since|until|here|manually|yourself|again)\b)"
)
_NO_DAY: Final = r"(?!(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|weekends?\b)"
_GOOD: Final = r"(?:`[^`]+`|[^,;`]+?)"
_GIT: Final = frozenset({"push", "commit", "merge", "rebase", "pull", "clone", "fetch"})
_WITH: Final = re.compile(r" with (?!me\b|us\b|this\b|that\b|it\b)", _I)
_OPTION: Final = (
    r"(?:with|using) (?:the )?(?:flag |option )?`?(?P<option>--?[a-z][\w-]*)`?(?: (?:flag|option))?"
    r"(?: (?:on|against) (?:the |our )?`?(?P<place>[\w-]+)`?"
    r"(?: (?:targets?|env|environments?|databases?|db|clusters?|profiles?|servers?|branch))?)?(?=$|[,.;:])"
)
_FILE_NAME: Final = r"`?(?P<file>\*?\.[a-z]\w*|[\w-][\w./-]*\.[a-z]\w*)`?"
_UNDONE: Final = r"(?:must|should|may|can|is|are)(?:n'?t|not| not| never)(?: ever)?(?: to)?(?: be)? "
_USED: Final = (
    r"use|using|run|running|call|calling|execute|invoke|pass|import|importing|add|adding|install|installing|write"
    r"|writing|introduce|put|leave|depend on|rely on|reach for|pull in|bring in"
)
_PHRASE: Final = r"(?P<phrase>[^\s,;]+?(?: [^\s,;]+?){0,4}?)"
_CONDITION: Final = re.compile(
    r"[^.;]*\b(?:when|if|unless|until|except|outside|without|with|after|before|while|during|only"
    r"|in (?:\S+ )?(?:tests?|specs?|production|prod|staging|ci|examples?|docs|\S*/\S*)|on (?:prod|staging)\w*)\b",
    _I,
)
_EXCEPTED: Final = re.compile(r"\b(?:unless|except|(?:is|are|it'?s) (?:fine|okay?|acceptable|allowed))\b", _I)
_CLOSED: Final = (
    r"(?=$|[,.;](?: |$)| (?:[(–—-]|(?:in|for|to|from|on|inside|as|since|because|when|if|unless|until|except|outside"
    r"|without|with|after|before|while|during|at|anywhere|anymore|any more|ever|directly|here|please|and|but|or)\b))"
)
_ENDED_THERE: Final = re.compile(_CLOSED, _I)
_FORMS: Final[tuple[tuple[re.Pattern[str], _Build], ...]] = tuple(
    (re.compile(pattern, _I), build)
    for pattern, build in (
        (rf"^(?:{_NEVER} )force[- ]?push\w*\b", _no_force),
        (rf"^{_NEVER} amend(?:ing)?\b", _no_amending),
        (rf"^{_NEVER} (?:(?:use|using|run|running|call|calling|execute|executing|start|starting) )?"
         rf"`?(?P<line>[a-z][\w.-]*(?: [\w./:-]+){{0,3}}?)`? {_OPTION}", _no_option),
        (rf"^{_NEVER} install(?:ing)?(?: [\w-]+){{0,3}}? (?:with|using|via|through) {_NAME}{_ENDS}", _no_install),
        (rf"^{_NEVER} (?:commit|check in|add|stage)(?:ting|ing)? (?:an? |any |the |your )?{_FILE_NAME}"
         r"(?: files?)?(?: (?:to|in|into) (?:the |this )?(?:repo|repository|git))?(?=$|[,;:.] )", _no_file),
        (rf"^{_NEVER} (?:use|using|run|running|execute|executing) "
         rf"`?(?P<line>[a-z][\w.-]*(?: {_NO_END}[\w./:=-]+){{1,4}})`?{_ENDS}", _no_line),
        (rf"^(?:{_NEVER} )(?:directly )?(?P<verb>commit|push)(?:ting|ing)?\b(?: (?:anything|changes|code|"
         rf"directly|straight))*"
         rf"(?: (?:to|on|onto|into)(?: the)? {_NO_DAY}(?:`(?P<branch_code>[\w./-]+)`|(?P<branch>[\w./-]*[\w/-]))"
         r"(?: branch)?(?:$|[ ,;.])"
         r"|(?P<unasked>$| without (?:asking|my|permission|approval)| unless (?:i|asked|told)| before (?:asking|i)))",
         _no_commit),
        (rf"^(?:{_NEVER} )(?:edit|modify|change|touch|update|overwrite|alter|write to|delete)(?:ing)? (?:the |"
         rf"any |anything in |"
         rf"(?P<folder>(?:any )?files? (?:in|under|inside) (?:the )?))?{_NAME}", _no_edit),
        (rf"^(?:the |(?P<folder>files? (?:in|under|inside) (?:the )?))?{_NAME} {_UNDONE}(?:edited|modified|changed|"
         rf"touched|updated|overwritten|altered|deleted)\b", _no_edit),
        (rf"^(?:the )?{_NAME} (?:{_UNDONE}(?:used|run|called|executed|invoked|imported)|(?:is|are) (?:forbidden|banned"
         r"|prohibited|off[- ]limits|not allowed))\b", _never_use),
        (r"^(?:always )?(?:run|execute) (?:the |all )?(?:unit )?tests? (?:with|using|via|through|by running) "
         r"(?:`(?P<code>[^`]+)`|(?P<words>[\w./ -]+?))(?:$|[,;]| not | instead )", _tests_with),
        (r"^(?:always )?use (?:`(?P<code>[^`]+)`|(?P<words>[\w./ -]+?)) (?:to run|for running|for) (?:the |"
         r"all )?(?:unit )?tests?\b",
         _tests_with),
        (rf"^{_NEVER} (?:use|using|run|running|call|calling|execute|invoke|pass|"
         rf"import) (?:the )?{_NAME}{_ENDS}", _never_use),
        (rf"^(?:always )?(?:use|prefer|run|call|(?:run|work|install|stick) with|run using|stay on|stick to) {_GOOD}"
         rf"(?:,? (?:and )?not | instead of | rather than | over |,? never ){_BAD}{_ENDS}", _instead),
        (rf"^{_NEVER} (?:use|run|call) (?:the )?{_BAD},? but ", _instead),
        (rf"^{_NEVER} `?(?P<line>[a-z][\w.-]*(?: [\w./:=-]+){{1,4}}?)`?{_ENDS}", _no_bare_line),
        (rf"^{_NEVER} {_BAD}{_ENDS}", _bare),
        (rf"^{_NEVER} (?:(?P<verb>{_USED}) )?{_PHRASE}{_CLOSED}", _phrase),
        (rf"^{_PHRASE} {_UNDONE}(?P<verb>used|called|imported|added|installed)\b", _phrase),
        (rf"^(?:always )?(?P<verb>use|prefer|write|import|choose|pick|install|call|(?:go|stick|stay|work) with|stick to"
         rf"|stay on) (?P<good>{_GOOD})(?:,? (?:and )?(?:not|never) (?:use )?| instead of | rather than | over )"
         rf"{_PHRASE}{_CLOSED}", _phrase),
        (rf"^(?:instead of|rather than) {_PHRASE},? (?:always )?(?P<verb>use|prefer|write|import|choose|call) "
         rf"(?P<good>{_GOOD})(?=$|[,.;] | (?:in|for|to|from|because)\b)", _phrase),
        (rf"^(?:[a-z][\w -]{{0,30}}? (?:is|are|(?P<by>with|via|by|through)) )?{_NAME}"
         rf"(?:,? (?:and )?not | instead of | rather than | over |,? never ){_BAD}{_ENDS}", _rather),
    )
)  # fmt: skip
