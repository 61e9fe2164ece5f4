"""Detection of the programming languages that a text is about.

Takes: a text. Gives: language names, as scopes use them. Never: reads "important" as Python or "changes" as Go.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern

# Plain names and tools that mean the language wherever they stand as a word of their own.
_WORDS: Final = {
    "python": "python python2 python3 py3 cpython pypy pytest pip pip3 pipx pyproject virtualenv venv django fastapi"
    " pydantic numpy mypy pyright pep8 pep-8 pylint asyncio sqlalchemy jupyter",
    "javascript": "javascript js ecmascript es6 nodejs node.js npm eslint webpack react.js reactjs vue.js express.js",
    "typescript": "typescript tsc tsconfig ts-node deno tsx",
    "go": "golang gofmt gopls goroutine goroutines go.mod go.sum go.work",
    "rust": "rustc rustup rustfmt clippy crates.io cargo.toml tokio",
    "java": "jvm jdk openjdk maven gradle junit",
    "kotlin": "kotlin ktor ktlint",
    "c": "c99 c11 c17 c89 gcc",
    "c++": "c++ cpp c++11 c++14 c++17 c++20 c++23 cplusplus g++ libstdc++",
    "c#": "c# csharp .net dotnet asp.net nuget",
    "f#": "f# fsharp",
    "ruby": "rubygems rubocop rspec irb",
    "php": "php laravel symfony phpunit phpstan",
    "swift": "swiftui xcode swiftlint swiftpm",
    "scala": "scala sbt",
    "elixir": "hex.pm liveview",
    "erlang": "erlang rebar3",
    "haskell": "haskell ghc ghci stackage",
    "clojure": "clojure clojurescript leiningen",
    "lua": "luajit luarocks",
    "perl": "perl cpan",
    "r": "rstudio tidyverse ggplot2 dplyr rscript",
    "julia": "julialang",
    "dart": "pubspec pubspec.yaml dartfmt",
    "zig": "ziglang",
    "sql": "sql plpgsql pl/pgsql t-sql",
    "shell": "bash zsh shellcheck powershell",
    "html": "html html5",
    "css": "css css3 scss tailwindcss",
    "ocaml": "ocaml opam",
}
# Endings of file names. Bare `.c`, `.r` and `.h` need a name before them like all others.
_ENDINGS: Final = {
    "python": "py pyi ipynb", "javascript": "js jsx mjs cjs", "typescript": "ts tsx mts", "go": "go", "rust": "rs",
    "java": "java", "kotlin": "kt kts", "c": "c h", "c++": "cpp cc cxx hpp hh", "c#": "cs csproj", "f#": "fs fsx",
    "ruby": "rb gemspec", "php": "php", "swift": "swift", "scala": "scala", "elixir": "ex exs", "erlang": "erl",
    "haskell": "hs", "clojure": "clj cljs", "lua": "lua", "perl": "pl", "r": "r", "julia": "jl", "dart": "dart",
    "zig": "zig", "sql": "sql", "shell": "sh bash zsh ps1", "html": "html htm", "css": "css scss", "solidity": "sol",
    "ocaml": "ml mli",
}  # fmt: skip
# Names that are everyday words too count with a capital and beside a word of the trade, or spelled with a version.
_EVERYDAY: Final = {
    "Go": "go", "Rust": "rust", "Ruby": "ruby", "Swift": "swift", "Dart": "dart", "Julia": "julia", "Java": "java",
    "Elixir": "elixir", "C": "c", "R": "r", "Zig": "zig", "Shell": "shell", "Rails": "ruby", "Node": "javascript",
    "Lua": "lua", "Flutter": "dart", "Solidity": "solidity", "Spring Boot": "java",
}  # fmt: skip
_TRADE: Final = (
    "code|codebase|module|modules|package|packages|project|projects|program|programs|programming|script|scripts|compiler|"
    "file|files|function|functions|library|libraries|developer|developers|test|tests|service|services|app|apps|crate|crates|"
    "struct|structs|interface|interfaces|version|runtime|binary|binaries|backend|server|api|language|syntax|snippet|channel|"
    "channels|toolchain|side|style|class|classes|type|types|generics|macro|macros|repo|repos|repository|build|builds|gem|gems"
)
_ASIDE: Final = (
    "in|with|using|use|uses|from|to|of|learn|learning|prefer|like|love|write|writing|and|or|into|for|against|than|not"
)
_COMMANDS: Final = (
    ("go", re.compile(r"(?<![\w-])go (?:build|vet|fmt|mod|generate|run \S+\.go|install \S+/|test (?:\./|-))")),
    ("rust", re.compile(r"(?<![\w-])cargo (?:build|test|run|fmt|clippy|add|check|bench|doc|publish)\b")),
)
_TOKEN: Final = lazy_pattern(r"(?<![\w#+/-])\.?\w[\w.#+/-]*|\*?\.\w+")
_LETTERS: Final = lazy_pattern(r"[A-Za-z]+")
_NAMES: Final = {word: name for name, listed in _WORDS.items() for word in listed.split()}
_SUFFIXES: Final = {ending: name for name, listed in _ENDINGS.items() for ending in listed.split()}
_TRIGGERS: Final = frozenset({*_EVERYDAY, *(name.lower() for name in _EVERYDAY if len(name) > 1), "Spring"})


@lru_cache(maxsize=1)
def _everyday() -> re.Pattern[str]:
    """Where an everyday word means the language; built at first use."""
    names = "|".join(sorted(_EVERYDAY, key=len, reverse=True))
    return re.compile(
        rf"(?<![\w'-])(?P<a>{names})(?=\s+(?:{_TRADE})\b|\s?\d+(?:\.\d+)*\b|'s\s+(?:{_TRADE})\b)"
        rf"|(?<![\w'-])(?i:(?:{_ASIDE})),?\s+(?P<b>{names})(?![\w+#'-]|\s+[A-Z])"
        rf"|(?<=[,/]\s)(?P<c>{names})(?=\s?(?:[,/]|and\s|or\s))"
    )


def code_languages(text: str) -> tuple[str, ...]:
    """The programming languages the text is about, in the order of the alphabet: `python`, `go`, `c++`, `c#`, `shell`.

    Names, tools and file endings count as whole words only; names that are everyday words (Go, Rust, Swift, C, R) only
    with their capital beside a word of the trade, or after "in", "with", "use".
    """
    languages = set()
    for token in _TOKEN.findall(text.lower()):
        word = token.rstrip("./-")
        name = _NAMES.get(word)
        if name is None and "." in word:
            stem, _, ending = word.rpartition(".")
            name = _SUFFIXES.get(ending) if len(ending) > 1 or len(stem) > 1 else None
        if name is not None:
            languages.add(name)
    if not _TRIGGERS.isdisjoint(_LETTERS.findall(text)):
        for match in _everyday().finditer(text):
            name = match[match.lastgroup or 0]
            languages.add(_EVERYDAY[name])
    for name, command in _COMMANDS:
        if command.search(text):
            languages.add(name)
    return tuple(sorted(languages))
