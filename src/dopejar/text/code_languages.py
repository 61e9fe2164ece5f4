"""Which programming languages a text is about.

Takes: a text. Gives: language names, as scopes use them. Never: takes "important" for Python or "changes" for Go.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# Plain names and tools that mean the language wherever they stand as a word of their own.
_WORDS: Final = {
    "python": "python python2 python3 py3 cpython pypy pytest pip pip3 pipx pyproject virtualenv venv django fastapi pydantic"
    " numpy mypy pyright poetry pep8 pep-8 pylint asyncio sqlalchemy pandas jupyter",
    "javascript": "javascript js ecmascript es6 node nodejs node.js npm eslint webpack react.js reactjs jest vue.js express.js",
    "typescript": "typescript tsc tsconfig ts-node deno tsx",
    "go": "golang gofmt gopls goroutine goroutines",
    "rust": "rustc rustup rustfmt clippy cargo crates.io tokio",
    "java": "jvm jdk openjdk maven gradle junit hibernate",
    "kotlin": "kotlin ktor ktlint",
    "c": "c99 c11 c17 c89 gcc",
    "c++": "c++ cpp c++11 c++14 c++17 c++20 c++23 cplusplus g++ libstdc++",
    "c#": "c# csharp .net dotnet asp.net nuget",
    "f#": "f# fsharp",
    "ruby": "rubygems rubocop rspec bundler irb",
    "php": "php laravel symfony phpunit phpstan",
    "swift": "swiftui xcode swiftlint swiftpm",
    "scala": "scala sbt",
    "elixir": "hex.pm phoenix-liveview liveview",
    "erlang": "erlang otp-release rebar3",
    "haskell": "haskell ghc ghci stackage",
    "clojure": "clojure clojurescript leiningen",
    "lua": "lua luajit luarocks",
    "perl": "perl cpan",
    "r": "rstudio tidyverse ggplot2 dplyr rscript",
    "julia": "julialang",
    "dart": "flutter pubspec dartfmt",
    "zig": "ziglang",
    "sql": "sql plpgsql pl/pgsql t-sql",
    "shell": "bash zsh shellcheck powershell",
    "html": "html html5",
    "css": "css css3 scss sass tailwindcss",
    "solidity": "solidity",
    "ocaml": "ocaml opam",
}
# Endings of file names. Bare `.c`, `.r` and `.h` need a name before them like all others.
_ENDINGS: Final = {
    "python": "py pyi ipynb", "javascript": "js jsx mjs cjs", "typescript": "ts tsx mts", "go": "go", "rust": "rs",
    "java": "java", "kotlin": "kt kts", "c": "c h", "c++": "cpp cc cxx hpp hh", "c#": "cs csproj", "f#": "fs fsx",
    "ruby": "rb gemspec", "php": "php", "swift": "swift", "scala": "scala", "elixir": "ex exs", "erlang": "erl",
    "haskell": "hs", "clojure": "clj cljs", "lua": "lua", "perl": "pl", "r": "r", "julia": "jl", "dart": "dart", "zig": "zig",
    "sql": "sql", "shell": "sh bash zsh ps1", "html": "html htm", "css": "css scss", "solidity": "sol", "ocaml": "ml mli",
}  # fmt: skip
# Names that are everyday words too count with a capital and beside a word of the trade, or spelled with a version.
_EVERYDAY: Final = {
    "Go": "go", "Rust": "rust", "Ruby": "ruby", "Swift": "swift", "Dart": "dart", "Julia": "julia", "Java": "java",
    "Elixir": "elixir", "C": "c", "R": "r", "Zig": "zig", "Shell": "shell", "Rails": "ruby", "Spring Boot": "java",
}  # fmt: skip
_TRADE: Final = (
    "code|codebase|module|modules|package|packages|project|projects|program|programs|programming|script|scripts|compiler|"
    "file|files|function|functions|library|libraries|developer|developers|test|tests|service|services|app|apps|crate|crates|"
    "struct|structs|interface|interfaces|version|runtime|binary|binaries|backend|server|api|language|syntax|snippet|channel|"
    "channels|toolchain|side|style|class|classes|type|types|generics|macro|macros|repo|repos|repository|build|builds|gem|gems"
)
_ASIDE: Final = "in|with|using|use|uses|from|to|of|learn|learning|prefer|like|love|write|writing|and|or|into|for|against|than|not"
_GO_COMMANDS: Final = r"(?<![\w-])go (?:build|vet|fmt|mod|generate|run \S+\.go|install \S+/|test (?:\./|-))|\bgo\.(?:mod|sum|work)\b"


@lru_cache(maxsize=1)
def _cues() -> tuple[re.Pattern[str], dict[str, str], re.Pattern[str], dict[str, str], re.Pattern[str]]:
    """The patterns, built at first use, with what each word and ending stands for."""
    words = {word: name for name, listed in _WORDS.items() for word in listed.split()}
    endings = {ending: name for name, listed in _ENDINGS.items() for ending in listed.split()}
    listed_words = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    listed_endings = "|".join(sorted(endings, key=len, reverse=True))
    everyday = "|".join(sorted(_EVERYDAY, key=len, reverse=True))
    small = "|".join(name.lower() for name in _EVERYDAY if len(name) > 1)
    return (
        re.compile(rf"(?<![\w.#+/-])(?:{listed_words})(?![\w#+]|-\w|\.(?!js\b)\w)", re.IGNORECASE),
        words,
        re.compile(rf"(?<![\w])(?:[\w/-]*[\w*-]|\*|)\.({listed_endings})(?![\w.-]*\w)"),
        endings,
        re.compile(
            rf"(?<![\w'-])(?P<a>{everyday})(?=\s+(?:{_TRADE})\b|\s?\d+(?:\.\d+)+|'s\s+(?:{_TRADE})\b)"
            rf"|(?<![\w'-])(?i:(?:{_ASIDE})),?\s+(?P<b>{everyday})(?![\w+#'-]|\s+[A-Z])"
            rf"|(?<=[,/]\s)(?P<c>{everyday})(?=\s?(?:[,/]|and\s|or\s))"
            rf"|(?<![\w'-])(?P<d>{small})(?=\s+(?:code|modules?|compiler|structs?|crates?|developers?|programs?|programming)\b)"
            rf"|(?<![\w'-])(?P<e>rust|ruby|java)(?=\s*(?:[.,;:!?)]|$|\d))"
        ),
    )


def code_languages(text: str) -> tuple[str, ...]:
    """The programming languages the text is about, in the order of the alphabet: `python`, `go`, `c++`, `c#`, `shell`.

    Names, tools and file endings count as whole words only; names that are everyday words (Go, Rust, Swift, C, R) only
    with their capital beside a word of the trade, or after "in", "with", "use".
    """
    word, words, ending, endings, everyday = _cues()
    found = {words[match.lower()] for match in word.findall(text)}
    if "." in text:
        found.update(endings[match] for match in ending.findall(text))
    for match in everyday.finditer(text):
        name = next(part for part in match.groups() if part)
        found.add(_EVERYDAY.get(name) or _EVERYDAY[name.title()])
    if "go" in text and re.search(_GO_COMMANDS, text):
        found.add("go")
    return tuple(sorted(found))
