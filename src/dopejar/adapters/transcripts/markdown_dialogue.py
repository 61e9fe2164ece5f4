"""A dialogue with ChatGPT (or its like) saved as Markdown: `**Name:**` and `**ChatGPT:**`.

Takes: Markdown where a speaker's name introduces each turn, in bold, as a heading, or as `You said:`. Gives: one
conversation; the known assistants speak as the assistant, the person who speaks first as the user. Never: takes a bold
label inside an answer (`**Note:**`) for a speaker, or calls the user's turns proven: a reply may quote such a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from dopejar.adapters.transcripts.code_blocks import lines_in_code
from dopejar.adapters.transcripts.file_decoder import decode, head_lines, plain_lines
from dopejar.adapters.transcripts.import_draft import THINKING, FileDraft, TurnHeader
from dopejar.adapters.transcripts.reasoning_blocks import strip_reasoning
from dopejar.values.episode import Origin
from dopejar.values.transcript import SourceFile

_STYLES = (
    re.compile(r"\*\*(?P<name>[^*:\n]{1,40}):\*\*[ \t]*(?P<text>.*)$"),
    re.compile(r"\*\*(?P<name>[^*:\n]{1,40})\*\*:[ \t]*(?P<text>.*)$"),
    re.compile(r"#{1,6} (?P<name>[^:#\n]{1,40}):(?P<text>)[ \t]*$"),
    re.compile(r"(?:#{1,6} )?(?P<name>You|User|ChatGPT|Claude|Gemini|Copilot) said:(?P<text>)[ \t]*$"),
)
_FIRST_LETTERS = frozenset("*#YUCG")
_ASSISTANT = re.compile(
    r"(?:chat)?gpt(?:[- ]?[\w.]{1,8})?|assistant|ai|bot|chatbot|claude(?: [\w.]{1,8}){0,2}|gemini|copilot|bard|llama|"
    r"mistral|le chat|deepseek|grok|perplexity|bing",
    re.IGNORECASE,
)
_USER = re.compile(r"user|you|human|me|prompt|question|q", re.IGNORECASE)


class DialogueFormat:
    """Markdown with the speaker's name in front of each turn."""

    name = "chatgpt-markdown"

    def recognises(self, path: Path, head: bytes) -> float:
        """Likely where an assistant's name and another one introduce turns in the same style."""
        del path
        speeches = _speeches(head_lines(head))
        names = {speech.origin for speech in speeches}
        if {Origin.USER, Origin.ASSISTANT} <= names:
            return 0.75 if len(speeches) > 2 else 0.5
        return 0.0

    def read(self, path: Path, data: bytes) -> SourceFile:
        """The whole file; see `ports/transcripts.py`. Raises InputError where no speaker is introduced."""
        decoded = decode(data)
        lines = plain_lines(decoded.text)
        draft = FileDraft(self.name, path, decoded.damaged, proves_origin=False)
        conversation = draft.conversation(path.stem)
        speeches = _speeches(lines)
        ends = [*(speech.first for speech in speeches[1:]), len(lines)]
        for number, (speech, end) in enumerate(zip(speeches, ends, strict=False)):  # no speeches, but one end
            draft.tally.known += 1
            text = "\n".join([speech.text, *lines[speech.first + 1 : end]])
            place = TurnHeader(source_id=str(number), speaker=speech.name)
            if speech.origin is Origin.USER:
                conversation.add_user_turn(place, text)
                continue
            text, thoughts = strip_reasoning(text)
            if thoughts:
                draft.tally.left_out[THINKING] += thoughts
            conversation.add(place, speech.origin, text)
        return draft.done()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Speech:
    """A turn: its speaker, the line with the speaker's name, and the text after the name."""

    name: str
    origin: Origin
    first: int
    text: str


def _speeches(lines: list[str]) -> list[_Speech]:
    """The turns, in the heading style with the most turns of a known assistant."""
    inside = lines_in_code(lines)
    best: list[_Speech] = []
    for style in _STYLES:
        speeches = _named(style, lines, inside)
        if sum(speech.origin is Origin.ASSISTANT for speech in speeches) > sum(
            speech.origin is Origin.ASSISTANT for speech in best
        ):
            best = speeches
    return best


def _named(style: re.Pattern[str], lines: list[str], inside: list[bool]) -> list[_Speech]:
    introductions = [
        (place, match)
        for place, match in (
            (place, style.match(line))
            for place, line in enumerate(lines)
            if line[:1] in _FIRST_LETTERS and not inside[place]
        )
        if match is not None
    ]
    user = _user_name([match.group("name").strip() for _, match in introductions])
    speeches = []
    for place, match in introductions:
        name = match.group("name").strip()
        is_assistant = _ASSISTANT.fullmatch(name) is not None
        if not is_assistant and name != user:
            continue  # a bold label inside a turn
        origin = Origin.ASSISTANT if is_assistant else Origin.USER
        speeches.append(_Speech(name=name, origin=origin, first=place, text=match.group("text")))
    return speeches


def _user_name(names: list[str]) -> str:
    """The person's name: one that says so, else the first speaker who is no assistant."""
    for name in names:
        if _USER.fullmatch(name):
            return name
    return next((name for name in names if not _ASSISTANT.fullmatch(name)), "")
