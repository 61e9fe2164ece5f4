"""Sessions of a coding assistant with tool calls and their results. Fixture code for whole-pipeline tests."""

import json
from datetime import timedelta
from pathlib import Path

from whole_store import START

MENDED = (
    ("pytest tests/api", "Error: the schema is out of date", True),
    ("make schema", "wrote schema.json", False),
    ("pytest tests/api", "12 passed", False),
)
"""A failure, what was done about it, and the same that then went through: the example of the documents."""

LESSON = (
    'When `pytest tests/api` fails with "Error: the schema is out of date", run `make schema` first and run it again.'
)
"""The bullet that it teaches."""


def write_session(folder, name, told, minute=0):
    """A session of a coding assistant as a file: tool calls with their results, and turns of a person."""
    rows, parent = [], None

    def add(kind, mark, content, **more):
        nonlocal parent
        at = START + timedelta(minutes=minute, seconds=len(rows))
        rows.append(
            {
                "type": kind,
                "uuid": f"{name}-{mark}",
                "parentUuid": parent,
                "sessionId": name,
                "timestamp": at.isoformat(),
                "message": {"role": kind, "content": content},
                **more,
            }
        )
        parent = f"{name}-{mark}"

    for place, one in enumerate(told):
        if isinstance(one, str):
            add("user", f"u{place}", one)
            continue
        command, said, failed = one
        call = {"type": "tool_use", "id": f"x{place}", "name": "Bash", "input": {"command": command}}
        result = {"type": "tool_result", "tool_use_id": f"x{place}", "content": said, "is_error": failed}
        add("assistant", f"a{place}", [call])
        add("user", f"r{place}", [result], toolUseResult={"stdout": said, "stderr": "", "interrupted": False})
    path = Path(folder) / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path
