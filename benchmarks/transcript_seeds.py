"""Small transcripts of every format, to be mutated.

Takes: nothing. Gives: one text or two per format, of our own writing, with many kinds of records in few bytes. Never:
holds anything that anyone said.
"""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Seed:
    """A transcript: a file name as its program gives it, and its text."""

    name: str
    text: str
    is_json: bool = False
    is_document: bool = False  # one JSON document, not one per line


def _jsonl(name: str, *records: dict[str, object]) -> Seed:
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return Seed(name=name, text=text, is_json=True)


def _document(name: str, value: object) -> Seed:
    return Seed(name=name, text=json.dumps(value, ensure_ascii=False), is_json=True, is_document=True)


_AT = "2031-03-04T10:00:00.000Z"

_SESSION = _jsonl(
    "session.jsonl",
    {"role": "system", "content": "# opened at 2031-02-03 04:05:06", "ts": "started at 2031-02-03 04:05:06"},
    {"role": "user", "content": "Boil at 95 °C.\n<system-reminder>x</system-reminder>", "ts": "2031-02-03 04:05Z"},
    {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "ts": None},
    {"role": "user", "content": "look:\n```\nERROR: dry\n```\nadd water first", "ts": 1930000000},
    {"role": "tool", "content": "ok"},
)
_TURNS = _jsonl(
    "turns.jsonl",
    {"store": "a", "session": "s", "session_time": "2031-05-01", "turn_id": "1", "speaker": "Ilse", "role": "other",
     "text": "The quinces are ripe."},
    {"store": "a", "session": "s", "session_time": None, "turn_id": 2, "speaker": None, "role": "user",
     "text": "Pick them on Friday."},
    {"store": "b", "session": "s", "session_time": 5, "turn_id": "1", "index": 0, "role": "assistant", "text": "Yes."},
)  # fmt: skip
_CLAUDE_CODE = _jsonl(
    "5e550001.jsonl",
    {"type": "summary", "summary": "Kettle", "leafUuid": "u9"},
    {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "cwd": "/k", "gitBranch": "main",
     "timestamp": _AT, "message": {"role": "user", "content": "<command-name>/p</command-name><command-args>a lid"
     "</command-args>"}},
    {"type": "assistant", "uuid": "u2", "parentUuid": "u1", "sessionId": "s", "timestamp": _AT, "message": {
     "role": "assistant", "content": [{"type": "thinking", "thinking": "lid"}, {"type": "text", "text": "A lid."},
     {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file": "lid"}}]}},
    {"type": "user", "uuid": "u3", "parentUuid": "u2", "sessionId": "s", "timestamp": _AT, "message": {"role": "user",
     "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "The user doesn't want to "
     "proceed with this tool use. To tell you how to proceed, the user said:\nuse brass"},
     {"type": "text", "text": "[Request interrupted by user]"}, {"type": "image", "source": {}}]},
     "toolUseResult": {"questions": [{"options": [{"label": "x"}]}], "answers": {"q": "my own"}}},
    {"type": "queue-operation", "operation": "enqueue", "timestamp": _AT, "sessionId": "s", "content": "and a handle"},
    {"type": "attachment", "uuid": "u4", "sessionId": "s", "attachment": {"type": "queued_command",
     "prompt": "and a spout", "commandMode": "prompt", "origin": {"kind": "human"}}},
    {"type": "system", "uuid": "u5", "subtype": "local_command", "content": "bye", "sessionId": "s"},
    {"type": "user", "uuid": "u6", "isSidechain": True, "sessionId": "s", "message": {"content": "count"}},
    {"type": "tide", "sessionId": "s2"},
)  # fmt: skip
_CODEX = _jsonl(
    "rollout-2031-04-05T08-00-00-k.jsonl",
    {"timestamp": _AT, "type": "session_meta", "payload": {"id": "k", "cwd": "/k", "git": {"branch": "main"}}},
    {"timestamp": _AT, "type": "response_item", "payload": {"type": "message", "role": "user", "content": [
     {"type": "input_text", "text": "# Context from my IDE setup:\n\n## My request for Codex:\nclose it"}]}},
    {"timestamp": _AT, "type": "event_msg", "payload": {"type": "user_message", "message": "only told here"}},
    {"timestamp": _AT, "type": "response_item", "payload": {"type": "function_call", "name": "shell", "call_id": "c",
     "arguments": "{}"}},
    {"timestamp": _AT, "type": "response_item", "payload": {"type": "function_call_output", "call_id": "c",
     "output": "{\"output\": \"ok\", \"metadata\": {\"exit_code\": 0}}"}},
    {"timestamp": _AT, "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [
     {"type": "output_text", "text": "Closed."}]}},
    {"timestamp": _AT, "type": "compacted", "payload": {"message": "So far."}},
    {"id": "old", "timestamp": _AT, "instructions": None},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "bare item"}]},
)  # fmt: skip
_CHATGPT = _document(
    "conversations.json",
    [{"title": "Jam", "conversation_id": "j", "create_time": 1930000000.5, "current_node": "n3", "mapping": {
        "n0": {"id": "n0", "parent": None, "children": ["n1"], "message": None},
        "n1": {"id": "n1", "parent": "n0", "children": ["n2"], "message": {"id": "m1", "author": {"role": "user"},
               "create_time": 1930000001, "content": {"content_type": "multimodal_text", "parts": ["jam?", {}]}}},
        "n2": {"id": "n2", "parent": "n1", "children": ["n3"], "message": {"id": "m2", "author": {"role": "tool",
               "name": "web.run"}, "content": {"content_type": "tether_quote", "text": "pectin"}, "recipient": "all"}},
        "n3": {"id": "n3", "parent": "n2", "children": [], "message": {"id": "m3", "author": {"role": "assistant"},
               "content": {"content_type": "text", "parts": ["Yes."]}, "recipient": "all"}},
    }}],
)  # fmt: skip
_CLAUDE = _document(
    "claude.json",
    [{"uuid": "t", "name": "Tea", "created_at": _AT, "chat_messages": [
        {"uuid": "a", "sender": "human", "text": "", "content": [{"type": "text", "text": "green tea only"}],
         "created_at": _AT, "attachments": [{"file_name": "p.txt", "extracted_content": "teas"}]},
        {"uuid": "b", "sender": "assistant", "content": [{"type": "thinking", "thinking": "x"}, {"type": "text",
         "text": "Noted."}, {"type": "tool_use", "name": "web_search", "input": {}}, {"type": "tool_result",
         "name": "web_search", "content": [{"type": "text", "text": "sencha"}]}], "created_at": _AT},
    ]}],
)  # fmt: skip
_SPECSTORY = Seed(
    name="2031-09-10_07-30Z-porch.md",
    text="""<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2031-09-10 07:30:00Z

<!-- Claude Code Session 0b0b0b0b-1111 (2031-09-10 07:30:00Z) -->

_**User (2031-09-10 07:30:00Z)**_

paint it green

---

_**Agent (model brush-2, mode Agent)**_

<think><details><summary>Thought Process</summary>
Green.
</details></think>

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash**</summary>
```
_**User**_
```
</details></tool-use>

Painted.

---

_**User - sidechain (2031-09-10 07:31Z)**_

count

---
""",
)
_HEADINGS = Seed(name="log.md", text="## User (2031-10-11 18:00)\n\nsort\n\n## Assistant\n\n> 2031-10-11 18:01\n\nok\n")
# The program ends the lines that it and the user wrote with two spaces.
_AIDER = Seed(
    name=".aider.chat.history.md",
    text="# aider chat started at 2031-01-02 03:04:05\n\n> Aider v9.9.9  \n\n#### put the lid on  \n"
    "#### and never skip it  \n\nI will.\n\n#### A heading\n\n```python\nlid()\n```\n\n"
    "> Applied edit to kettle.py  \n\n"
    "#### Run it? (Y)es/(N)o/(D)on't ask again [Yes]: y  \n\n#### /undo  \n\n"
    "# aider chat started at 2031-01-02 03:04:05\n\n#### go on  \n",
)
_DIALOGUE = Seed(
    name="dialogue.md",
    text="**Ilse:**\nA haiku, please.\n\n**ChatGPT:**\nSteam climbs\n\n**Note:** short\n\n```\n**Ilse:**\n```\n\n"
    "**Ilse:** no notes\n\n**ChatGPT:**\nNone.\n",
)

SEEDS = (*(_SESSION, _TURNS, _CLAUDE_CODE, _CODEX, _CHATGPT, _CLAUDE, _SPECSTORY, _HEADINGS, _AIDER, _DIALOGUE),)
