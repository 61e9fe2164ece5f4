"""How many secrets redaction removes, and how many harmless texts it changes.

Takes: JSON lines of samples: `text` with the `secrets` in it, or a look-alike that holds none (no `secrets`).
Gives: counts, in all and by kind. Never: prints a sample, unless `--failures` asks for those that failed.

    python -m benchmarks.redaction benchmarks/data/secrets_1.jsonl benchmarks/data/lookalikes_1.jsonl [--failures]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dopejar.errors import InputError
from dopejar.governance.redaction.redactor import redact


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """A text and the secrets that must not remain in it; a look-alike has none and must stay as it is."""

    kind: str
    text: str
    secrets: tuple[str, ...]

    def is_passed(self) -> bool:
        """Whether every secret is gone, or the look-alike is unchanged."""
        redacted = redact(self.text).text
        if self.secrets:
            return not any(secret in redacted for secret in self.secrets)
        return redacted == self.text


def score(path: Path) -> tuple[list[Sample], list[Sample]]:
    """The samples of a file, and those of them that fail. Raises InputError where a line is no sample."""
    samples = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            samples.append(Sample(kind=row["kind"], text=row["text"], secrets=tuple(row.get("secrets", ()))))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path.name}, line {number}: not a sample; it needs `kind` and `text`") from error
    return samples, [sample for sample in samples if not sample.is_passed()]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the counts of each file as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.redaction", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--failures", action="store_true", help="print failing samples too; not for closed sets")
    options = parser.parse_args(arguments)
    for path in options.files:
        samples, failed = score(path)
        counts = {"file": path.name, "samples": len(samples), "failed": len(failed)}
        rate = 1 - len(failed) / max(1, len(samples))
        print(json.dumps({**counts, "passed": round(rate, 4)}))
        if options.failures:
            print(json.dumps({"failed_by_kind": Counter(sample.kind for sample in failed)}))
            for sample in failed:
                row = {"kind": sample.kind, "text": sample.text, "secrets": sample.secrets}
                print(json.dumps({**row, "redacted": redact(sample.text).text}, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
