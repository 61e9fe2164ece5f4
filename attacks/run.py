"""Run the attack scripts against this checkout and print what was tried and what failed.

Called by `make attack`: short rounds of every script, a few minutes. `make attack FULL=1` runs the rounds that the
threat model's figures come from. Ends with 1 where a check failed that is not a stated limit.

A check whose name ends in `[...]` is a limit that the threat model states; it is measured, and listed by name.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent

# script, arguments of the short run, arguments of the full run
RUNS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("a1_kill.py", ("--rounds", "12", "--block", "6"), ("--rounds", "250", "--block", "25")),
    ("a2_damage.py", ("--flips", "30"), ("--flips", "200")),
    ("a2b_tampering.py", (), ()),
    ("a3_environment.py", ("--only", "clocks,forks,schemas,stopped_writer"), ()),
    ("a4_powercut.py", ("--runs", "1", "--images", "40"), ("--runs", "4", "--images", "120")),
    ("a5_inputs.py", ("--only", "odd"), ()),
    ("b1_carriers.py", ("--every", "10"), ()),
    ("b2_doors.py", (), ()),
    ("c_isolation.py", ("--count", "80"), ("--count", "330")),
    ("e_web.py", ("--slow", "200"), ("--slow", "900")),
    ("f_together.py", ("--seconds", "20"), ("--seconds", "180")),
)


def is_limit(name: str) -> bool:
    """Whether a check only measures a limit that the documents state."""
    return name.rstrip().endswith("]")


def run_script(script: str, options: tuple[str, ...], command: str, work: Path) -> dict[str, object]:
    """The findings of one script, or what it said where it broke."""
    out = work / f"{script}.json"
    done = subprocess.run(
        [
            sys.executable,
            str(HERE / script),
            "--dopejar",
            command,
            "--work",
            str(work / script[:-3]),
            "--out",
            str(out),
            *options,
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=work,
    )
    if not out.exists():
        return {"checks": {}, "failures": {"the script ended early": [done.stderr[-2000:]]}, "notes": {}, "seconds": 0}
    return json.loads(out.read_text("utf-8"))


def main() -> int:
    """Run them, print the table, say how it ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dopejar", default=str(Path(sys.executable).parent / "dopejar"), help="the command to attack")
    parser.add_argument("--full", action="store_true", help="the long rounds")
    parser.add_argument("--only", default="", help="names of scripts, with commas")
    args = parser.parse_args()
    names = {name.removesuffix(".py") for name in args.only.split(",") if name}
    if unknown := names - {run[0][:-3] for run in RUNS}:
        parser.error(f"there is no script {', '.join(sorted(unknown))}")  # else nothing is tried, and nothing fails
    chosen = [run for run in RUNS if not names or run[0][:-3] in names]
    wrong: dict[str, list[str]] = {}
    limits: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="dopejar-attack-") as directory:
        print(f"{'script':<20} {'tried':>7} {'failed':>7} {'limits':>7} {'seconds':>8}")
        for script, short, full in chosen:
            began = time.monotonic()
            found = run_script(script, full if args.full else short, args.dopejar, Path(directory))
            failures = found["failures"]
            broke = [f"{name}: {why}" for name, why in found["notes"].items() if name.endswith(" broke")]
            failed = {name: why for name, why in failures.items() if not is_limit(name)}
            held = {name for name in failures if is_limit(name)}
            tried = sum(row["tried"] for row in found["checks"].values())
            count = sum(found["checks"].get(name, {"failed": 1})["failed"] for name in failed) + len(broke)
            print(f"{script:<20} {tried:>7} {count:>7} {len(held):>7} {time.monotonic() - began:>8.0f}", flush=True)
            for name, why in failed.items():
                wrong[f"{script}: {name}"] = why
            for name in broke:
                wrong[f"{script}: {name}"] = []
            limits |= held
    for name in sorted(limits):
        print(f"limit: {name}")
    for name, why in wrong.items():
        print(f"FAILED {name}\n    {why[0][:400] if why else ''}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
