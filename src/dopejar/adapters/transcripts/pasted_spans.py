"""Which parts of a message are pasted rather than said.

Takes: the text of one turn. Gives: (start, end) ranges of logs, code, quotations and documents in it. Never: changes
the text, or calls one short line of prose a paste.
"""

from __future__ import annotations

import re

from dopejar.text.lazy_patterns import lazy_pattern

_FENCE = lazy_pattern(r"[ \t]*(```+|~~~+)")
_OPEN_TAG = lazy_pattern(
    r"[ \t]*<(document|documents|pasted[\w-]*|file|files|code|logs?|output|diff|xml|svg|html)\b[^<>]*>"
)

# Lines that no one types by hand. One of them makes a paste of the lines around it.
_STRONG = lazy_pattern(
    r"""\s*(?:
      \d{4}[-/]\d\d[-/]\d\d[T\s]\d\d:\d\d                        # a time stamp at the start of a log line
    | \[?\d\d:\d\d:\d\d[\].,\s]
    | [A-Z][a-z]{2}\s+\d{1,2}\s\d\d:\d\d:\d\d\s
    | \[?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE|CRITICAL)\]?[\s:|]
    | Traceback\s\(most\srecent\scall\slast\)
    | File\s"[^"]+",\sline\s\d+
    | at\s(?:async\s)?\S+\s\(.+:\d+(?::\d+)?\)                   # a stack frame
    | at\s\S+:\d+:\d+\)?$
    | \w*(?:Error|Exception|Warning):\s
    | [-\w./\\]+\.\w{1,5}:\d+(?::\d+)?[:\s)-]                    # file:line:column
    | npm\s(?:ERR!|error|warn)
    | (?:error|warning)(?:\[\w+\]|\sTS\d+)?:\s
    | (?:diff\s--git|index\s[0-9a-f]{7,}|@@\s-\d+|(?:---|\+\+\+)\s[ab]/)
    | \d+\s*\|\s
    | [│┃█⋮├└╭╰]
    )""",
    re.VERBOSE,
)
# What a shell prints in front of a command; its output follows until the next blank line.
_PROMPT = lazy_pattern(r"\s*(?:[❯➜λ]\s?\S|(?:\(\w[\w.-]*\)\s)?[\w.-]+@[\w.-]+(?::|\s)\S*[$#%]\s|\$\s\S|PS\s[A-Z]:\\)")
_CODE = lazy_pattern(
    r"""(?:
      \s*(?:import\s+[\w{*"'.]|from\s+[\w.]+\s+import\s|export\s+(?:const|default|type|class|function|interface)\b
          |(?:async\s+)?(?:def|function|class|func|fn)\s+\w+\s*[({<:]|(?:const|let|var)\s+[\w{\[][^=]*=|\#include\s*[<"]
          |public\s|private\s|return\b.*;|package\s+\w+;|using\s+[\w.]+;|SELECT\s.+\sFROM\s|CREATE\s+TABLE\s
          |@\w+(?:\(.*\))?$|</?[A-Za-z][\w.-]*(?:\s[^<>]*)?/?>)
    | .*[;{}]\s*$
    | \s*[}\])]+[;,)]*\s*$
    | \s+["'][\w-]+["']\s*:\s*\S
    | \s{2,}[\w.]+\(.*\)[;,]?$
    | \s{2,}[\w.\[\]"']+\s*(?:=|:|\+=)\s*\S.*$
    | \s*//\s | \s*/\*\* | \s+\*\s
    )""",
    re.VERBOSE,
)
_QUOTE = lazy_pattern(r" ?>(?: ?>){0,3}(?=[ \t]|$)")
_TABLE = lazy_pattern(r"\s*\|.*\|\s*$")
_LINES = (("$", _PROMPT), ("s", _STRONG), ("t", _TABLE), ("c", _CODE))
_HEADING = lazy_pattern(r"#{1,6} \S")

_QUOTED_LINES = 4  # a shorter quotation is someone's words, often the speaker's own from before, and stays prose
_CODE_LINES = 3  # this many lines of code in a row are a paste; fewer may be an example within a sentence
_GAP = 2  # lines of unclear kind between two pasted lines that belong to the paste
_LONG = 40  # lines from which a text under Markdown headings is a document
_HEADINGS = 3


def find_pasted_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The ranges of `text` that were pasted, in order and apart from each other.

    Fenced and tagged blocks, runs of log, stack, diff, shell or code lines, quotations, tables, and long documents
    under headings. The rest is the speaker's prose.
    """
    if "\n" not in text:
        return ()
    lines = _offsets(text)
    kinds = _kinds(text, lines)
    ranges = _runs(kinds, lines)
    document = _document(text, lines, kinds)
    if document is not None:
        ranges = [(start, end) for start, end in ranges if end <= document[0]]
        ranges.append(document)
    return tuple(ranges)


def _offsets(text: str) -> list[tuple[int, int]]:
    offsets, start = [], 0
    for line in text.split("\n"):
        offsets.append((start, start + len(line)))
        start += len(line) + 1
    return offsets


def _kinds(text: str, lines: list[tuple[int, int]]) -> list[str]:
    """One letter a line: `b`lock, `s`trong, `$` prompt, `c`ode, `q`uote, `t`able, `.` blank, `p`rose."""
    kinds: list[str] = []
    until = ""  # what closes the block we are in
    endless: set[str] = set()  # ends that are known not to come
    for start, end in lines:
        line = text[start:end]
        if until:
            kinds.append("b")
            if _closes(line, until):
                until = ""
            continue
        until = _opens(line, text, end, endless)
        kinds.append("b" if until else _kind(line))
    return kinds


def _opens(line: str, text: str, end: int, endless: set[str]) -> str:
    fence = _FENCE.match(line)
    if fence:
        return fence.group(1)
    tag = _OPEN_TAG.match(line)
    if tag:
        close = f"</{tag.group(1)}>"
        if close in line or close in endless:
            return ""
        if text.find(close, end) != -1:
            return close
        endless.add(close)
    return ""


def _closes(line: str, until: str) -> bool:
    if until[0] == "<":
        return until in line
    stripped = line.strip()
    if not stripped.startswith(until):
        return False
    rest = stripped.lstrip(until[0])
    return not rest or not rest[0].isalnum()  # people go on writing behind the fence that ends a block


def _kind(line: str) -> str:
    if not line or line.isspace():
        return "."
    if len(line) > 2000:  # no one types that; and the patterns below are for lines
        return "s"
    quoted = _QUOTE.match(line)
    if quoted:
        inner = _kind(line[quoted.end() :])
        return inner if inner in "s$c" else "q"
    return next((kind for kind, pattern in _LINES if pattern.match(line)), "p")


def _runs(kinds: list[str], lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of the runs that are pastes; up to `_GAP` unclear lines between two pasted ones belong to the run."""
    ranges: list[tuple[int, int]] = []
    only_quotes = not set(kinds) - set("q.")  # nothing but "> ": the speaker's own habit
    first = 0
    while first < len(kinds):
        if kinds[first] not in "bs$cqt":
            first += 1
            continue
        last = _last_of_run(kinds, first)
        if _is_paste(kinds[first : last + 1], only_quotes=only_quotes):
            ranges.append((lines[first][0], lines[last][1]))
        first = last + 1
    return ranges


def _last_of_run(kinds: list[str], first: int) -> int:
    last = first
    if kinds[first] == "q":  # a quotation ends where its marks end: the answer to it follows at once
        while last + 1 < len(kinds) and kinds[last + 1] == "q":
            last += 1
        return last
    prose = 0
    is_output = kinds[first] == "$"
    for place in range(first + 1, len(kinds)):
        kind = kinds[place]
        if kind == "q" or prose > _GAP:
            break
        is_output = kind == "$" or (is_output and kind != ".")
        if is_output:
            last, prose = place, 0
        elif kind == "p":
            if kinds[place - 1] in ".b":  # prose after a blank line or a block is a new thought
                break
            prose += 1
        elif kind != ".":
            last, prose = place, 0
    return last


def _is_paste(run: list[str], *, only_quotes: bool) -> bool:
    if not {"b", "s", "$"}.isdisjoint(run):
        return True
    if run[0] == "q":
        return not only_quotes and len(run) >= _QUOTED_LINES
    return run.count("t") >= 2 or run.count("c") >= _CODE_LINES


def _document(text: str, lines: list[tuple[int, int]], kinds: list[str]) -> tuple[int, int] | None:
    if len(lines) < _LONG:
        return None
    places = [
        place for place, (start, end) in enumerate(lines) if kinds[place] != "b" and _HEADING.match(text, start, end)
    ]
    if len(places) < _HEADINGS or len(lines) - places[0] < _LONG:
        return None
    return lines[places[0]][0], len(text)
