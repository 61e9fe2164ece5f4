"""What a rule forbids by name: a construct of code, an HTML element, an identifier, a directive, or a package.

Takes: the words of a rule that name it, and the word that is wanted instead. Gives: patterns over what a call writes or
runs. Never: takes prose for code: a word that is neither code by its looks nor known as a package gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.correction_cues import data_table

_I: Final = re.IGNORECASE
ENDED: Final = r"(?![\w-])"
PROSE_FILES: Final = ("*.md", "*.mdx", "*.rst", "*.txt", "*.adoc", "LICENSE*", "CHANGELOG*")
LISTS: Final = (
    "requirements*.txt", "pyproject.toml", "Pipfile", "package.json", "Cargo.toml", "Gemfile", "composer.json",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedCode:
    """Patterns for what is forbidden: `written` in edits, `listed` in lists of dependencies, `command` in a shell."""

    written: str
    command: str = ""
    listed: str = ""
    paths: tuple[str, ...] = ()
    in_code: bool = True


_LEADING: Final = re.compile(r"(?:(?:the|any|an?|plain|raw|bare|more|new|direct|manual|stray)\s+)+", _I)
_ARTICLE: Final = re.compile(r"^(?:the|an?)\s+", _I)
_NOUN: Final = re.compile(
    r" (?:chain|call|statement|comment|import|block|flag|annotation|decorator|hook|type|directive|macro|suppression"
    r"|librar(?:y|ie)|package|module|dependenc(?:y|ie)|function|method|attribute|prop|keyword|operator|image|tag"
    r"|cast|declaration|assertion|loop)s?$",
    _I,
)
_PACKAGED: Final = re.compile(r" (?:librar(?:y|ies)|packages?|modules?|dependenc(?:y|ies)|imports?)$", _I)
_ELEMENT: Final = re.compile(
    r"(?:<(?P<marked>[a-z][\w-]*) ?/?>|(?P<word>[a-z][a-z0-9]*)) (?:html )?(?:tags?|elements?)", _I
)
_MARKED: Final = re.compile(r"<(?P<marked>[a-z][\w-]*) ?/?>", _I)
_DIRECTIVE: Final = re.compile(
    r"(?:[#/@]+ ?)?(?:\w+[:-] ?)?(?:ignore|disable|noqa|nolint|nosec|todo|fixme|xxx|expect-error|nocheck|no cover)"
    r"(?:-\w+)*(?::\w+)?",
    _I,
)
_FILE: Final = re.compile(
    r"\.(?:env|git\w*|npmrc|\w+rc)|.*\.(?:js|jsx|mjs|ts|tsx|py|rb|go|rs|java|kt|cs|c|h|cpp|php|swift|sql|css|scss|html?|sh|md"
    r"|txt|json|ya?ml|toml|xml|csv|lock|cfg|ini|pdf|png|svg|com|org|io|dev|net|ai|\d+)",
    _I,
)
_LOOKS: Final = re.compile(
    r"[\w.]+\(\)|\w*\w_\w\w*|[.:@$!]\w[\w.-]*|[a-z]{2,}\w*(?:\.[a-z]\w+)+|\w+(?:::\w+)+!?"
    r"|[a-z]+(?:[A-Z]+[a-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,}|[a-z]+!"
)
_PACKAGE: Final = re.compile(r"@?[a-z0-9][\w.-]*(?:/[\w.-]+)*", _I)
_COMBINED: Final = 4  # characters of short options in one word, "-rf"; a longer one is one option
READERS: Final = (
    r"(?!(?:grep|rg|ag|ack|fd|find|sed|awk|cat|head|tail|less|ls|cd|pwd|echo|printf|diff|wc"
    r"|git (?:grep|log|show|diff|status|blame|fetch))\b)"
)
"""Not before a command that only reads."""
_BETWEEN: Final = r"(?: -\S+(?: [^\s-]\S*)?)*?"  # options between a program and its subcommand, some with a value
_METHODS: Final = (
    "add|all|any|append|at|clear|concat|copy|count|discard|each|entries|every|extend|filter|find|first|forEach|in|includes"
    "|index|indexOf|insert|is_empty|isEmpty|items|iter|join|keys|last|len|length|map|pop|push|reduce|remove|reverse"
    "|setdefault|shift|size|slice|some|sort|sorted|splice|to_list|toArray|unshift|update|values"
)


def command_of(name: str) -> str | None:
    """A regular expression for commands that run the name, or None where the name is no known command.

    Words must follow in order; options may stand anywhere after them, short options combined or separate.
    """
    words = name.removesuffix("()").split()
    if not words or words[0].casefold() not in _commands():
        return None
    programs = "|".join(map(re.escape, (words[0].casefold(), *_aliases().get(words[0].casefold(), ()))))
    others = _words(" ".join(words[:2]).casefold())
    either = "|".join(map(re.escape, (words[1], *sorted(others)))) if others else ""
    spoken = [
        rf"{_BETWEEN} {f'(?:{either})' if either and word == words[1] else re.escape(word)}{ENDED}"
        for word in words[1:]
        if not word.startswith("-")
    ]
    options = [pattern for word in words[1:] if word.startswith("-") for pattern in _option(word)]
    return "".join((f"(?:{programs}){ENDED}", *spoken, *options))


def command_line_of(line: str) -> str | None:
    """The same for what may be prose as well: None unless only subcommands and options follow the program.

    "Never npm install" forbids a command, "no npm packages" and "never make changes" do not.
    """
    rest = line.split()[1:]
    if not rest or not all(word.startswith("-") or word.casefold() in _words("subcommands") for word in rest):
        return None
    return command_of(line)


def _option(word: str) -> list[str]:
    if word.startswith("--") or not word[1:].isalpha() or len(word) > _COMBINED:  # "-auto-approve", "-auto"
        return [rf"(?=.* {re.escape(word)}{ENDED})"]
    return [rf"(?=.* -\w*{re.escape(letter)})" for letter in word[1:]]


@lru_cache(maxsize=1)
def _commands() -> frozenset[str]:
    table = data_table("checks").get("commands", {})
    return frozenset(map(str, table.get("known", []))) if isinstance(table, dict) else frozenset()


@lru_cache(maxsize=1)
def _aliases() -> Mapping[str, tuple[str, ...]]:
    table = data_table("checks").get("also", {})
    return {str(name): tuple(map(str, others)) for name, others in table.items()} if isinstance(table, dict) else {}


def named_code(phrase: str, *, instead: str = "", is_used: bool = True) -> NamedCode | None:
    """The patterns for what a phrase names; None where it names nothing that is plausibly code.

    `instead` is what is wanted in its place: of two of a kind, one tells what the other is. `is_used` is whether the
    rule has a verb for it ("use", "import"): an everyday word that is a package too ("requests") counts with one.
    """
    whole = _ARTICLE.sub("", phrase.strip())
    words = _LEADING.sub("", whole, count=1) if _LEADING.match(whole) else whole
    is_quoted = words.startswith("`")
    whole, words = (text.replace("`", "").strip() for text in (whole, words))
    named = {whole, words} | ({f"`{whole}`"} if is_quoted or not is_used else set())  # "no any" is one of types
    for construct, patterns in _constructs():
        if any(map(construct.fullmatch, named)):
            return patterns
    if element := _element(words):
        return NamedCode(written=rf"<{re.escape(element)}(?=[\s/>])")
    is_packaged = bool(_PACKAGED.search(words))
    name = _NOUN.sub("", words)
    if _DIRECTIVE.fullmatch(name) and (" " in name or "-" in name or name.casefold() not in ("ignore", "disable")):
        spaced = re.escape(name).replace(r"\ ", r"\s*")
        return NamedCode(written=rf"(?i:(?<![\w-]){spaced}(?!\w))", in_code=False)
    folded = name.casefold()
    is_tool = is_packaged and folded in _commands() - _words("packages")  # "npm packages" are of any name
    if " " in name or not name or is_tool:
        return None
    if _LOOKS.fullmatch(name) and not _FILE.fullmatch(name) and name.casefold() not in _brands():
        return _identifier(name)
    is_keyword = is_quoted and not is_packaged and name in _words("keywords")
    return (
        NamedCode(written=rf"(?<![\w.$'\"-]){name}(?![\w-])")
        if is_keyword
        else _package(name, instead, is_sure=is_quoted or is_packaged, is_used=is_used)
    )


def _element(words: str) -> str:
    found = _ELEMENT.fullmatch(words) or _MARKED.fullmatch(words)
    if not found:
        return ""
    if found["marked"]:
        return found["marked"]
    return found["word"].casefold() if found["word"].casefold() in _words("elements") else ""


def _identifier(name: str) -> NamedCode:
    """A name as a whole token; one that begins with a mark (`:latest`, `.then`) may follow a word."""
    bare = re.escape(name.removesuffix("()"))
    before = "" if name[0] in ".:@$!" else r"(?<![\w$-])"
    after = r"\s*\(" if name.endswith("()") else "" if name.endswith("!") else r"(?![\w-])"
    # a tag or a setting in a command; an identifier there is a search or a name of a file
    command = rf"{READERS}.* \S*{bare}{after}" if name[0] == ":" else ""
    return NamedCode(written=rf"{before}{bare}{after}", command=command)


def _package(name: str, instead: str, *, is_sure: bool, is_used: bool) -> NamedCode | None:
    """A package: imported, installed, listed as a dependency, or called under its name where that is certain."""
    folded = name.casefold()
    is_known = is_sure or folded in _words("packages") or (is_used and folded in _words("everyday_packages"))
    wanted = instead.strip("` ").casefold()
    is_pair = wanted in _words("packages") or wanted in _words("everyday_packages")
    if not _PACKAGE.fullmatch(name) or not (is_known or (is_pair and name == folded)):
        return None
    names = [re.escape(one) for one in dict.fromkeys((name, *_imports().get(folded, ())))]
    module = f"(?:{'|'.join(one.replace(chr(92) + '-', '[-_]') for one in names)})"
    quoted = rf"['\"]{module}(?:/[^'\"\n]*)?['\"]"
    forms = [
        rf"^\s*(?:import|from)\s+(?:[\w.]+(?: as \w+)?,\s*)*{module}(?=[\s.,;]|$)",
        rf"\bfrom\s+{quoted}|\b(?:import|require|require_relative|load|gem|use)\s*\(?\s*{quoted}",
        rf"^\s*(?:pub )?(?:use|using|extern crate)\s+{module}(?=[\s.:;]|$)",
        rf"^\s*#include\s*[<\"](?:[\w.-]+/)*{module}(?:/|\.h|>)",
        rf"^\s*(?:import\s+)?(?:[\w.]+\s+)?\"(?:[\w.-]+/)+{module}(?:/v\d+)?\"\s*$",
        rf"^\s*import (?:static )?(?:[a-z_]\w*\.)+{module}\.[\w.*]+;",
    ]
    if is_known and re.fullmatch(r"\w+", name):
        forms.append(_called(name, is_everyday=folded in _words("everyday_packages")))
    exact, ended = re.escape(name), r"(?=$|[\s@=<>~!\[])"
    return NamedCode(
        written="|".join(forms),
        command=rf"(?!.* (?:un|re)install).* (?:install|i|add|get|require)(?= )(?:.* |.*/){exact}{ended}",
        listed=rf"^\s*[\"']?{exact}[\"']?\s*(?=$|[=<>~!:\[;])|[\"']{exact}(?:\[[^\]]*\])?\s*[=<>~!\"']",
    )


def _called(name: str, *, is_everyday: bool) -> str:
    """A call of a package under its own name, not one of a variable of that name that is bound in the same text."""
    bound = rf"(?s:(?!.*(?:\b{name}\b(?:: [^\n=]+)? ?:?=(?!=)|\bfor {name}\b|[(,] ?{name}[,:)]|\.{name}\b)))"
    called = rf"\b(?<![.\w'\"/-]){name}\.(?!(?:{_METHODS})\b)\w+(?:\.\w+)*\s*\("
    return rf"(?:\A{bound}(?s:.*?)){called}" if is_everyday else called


@lru_cache(maxsize=1)
def _constructs() -> tuple[tuple[re.Pattern[str], NamedCode], ...]:
    table = data_table("checks").get("constructs", [])
    rows = table if isinstance(table, list) else []
    return tuple(
        (
            re.compile(str(row["named"]), _I),
            NamedCode(
                written=str(row["written"]),
                paths=tuple(map(str, row.get("paths", ()))),
                in_code=not row.get("in_remarks", False),
            ),
        )
        for row in rows
    )


@lru_cache(maxsize=8)
def _words(name: str) -> frozenset[str]:
    table = data_table("checks").get("names", {})
    return frozenset(str(table.get(name, "")).split()) if isinstance(table, dict) else frozenset()


def _brands() -> frozenset[str]:
    return _words("brands")


@lru_cache(maxsize=1)
def _imports() -> Mapping[str, tuple[str, ...]]:
    table = data_table("checks").get("imports", {})
    return {str(name): tuple(map(str, names)) for name, names in table.items()} if isinstance(table, dict) else {}
