"""How long redaction and learning take for one turn that is a file as base64, one word without a space.

Takes: the size in MB. Gives: CPU seconds, as JSON. Never: touches the user's memory.

    python -m benchmarks.encoded_data [--megabytes 5]
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from dopejar import open_memory
from dopejar.governance.redaction.redactor import redact


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the CPU seconds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.encoded_data", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=5)
    size = parser.parse_args(arguments).megabytes * 1_000_000
    word = base64.b64encode(random.Random(1).randbytes(size * 3 // 4)).decode()
    began = time.process_time()
    redact(word)
    redacted = time.process_time() - began
    with tempfile.TemporaryDirectory() as folder:
        turn = {"store": "s", "session": "a", "turn_id": "a", "index": 0, "role": "user", "text": word}
        file = Path(folder) / "turns.jsonl"
        file.write_text(json.dumps(turn) + "\n", encoding="utf-8")
        with open_memory(Path(folder) / "home", environment={"DOPEJAR_EMBEDDER_KIND": "none"}) as memory:
            began = time.process_time()
            list(memory.learn([file]))
            learned = time.process_time() - began
    print(json.dumps({"characters": len(word), "redact_s": round(redacted, 3), "learn_s": round(learned, 3)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
