"""Every importer reads or refuses mutated transcripts, and the fuzzer detects planted faults."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.transcript_fuzzer import mutated, run
from benchmarks.transcript_seeds import SEEDS
from dopejar.adapters.transcripts.registry import formats, recognise
from dopejar.values.episode import Origin
from dopejar.values.transcript import ReadReport, SourceConversation, SourceFile, SourceTurn


def test_no_mutation_crashes_an_importer_or_is_half_read() -> None:
    """Three hundred mutations through every importer: a file with all promises kept, or a refusal as input."""
    result = run(300, seed=20, formats=formats())
    assert result.crashes == ()
    assert result.read > 200
    assert result.read + result.refused == 300 * len(formats())
    assert sum(result.refusals.values()) == result.refused


def test_every_format_has_a_seed() -> None:
    """The seeds, unmutated, are recognised, and none of the formats is without one."""
    found = {recognise(Path(seed.name), seed.text.encode()).name for seed in SEEDS}
    assert found == {known.name for known in formats()}


def test_a_mutation_can_be_made_again() -> None:
    """The same index and seed give the same bytes; others give others."""
    assert [mutated(index, 7) for index in range(20)] == [mutated(index, 7) for index in range(20)]
    assert len({mutated(index, 7)[1] for index in range(50)}) > 45
    assert mutated(0, 1) != mutated(0, 2)


class _Faulty:
    """An importer with a fault of one's choice."""

    name = "faulty"

    def __init__(self, fault: str) -> None:
        self._fault = fault

    def recognises(self, path: Path, head: bytes) -> float:
        """Too sure, where that is the fault."""
        del path, head
        return 2.0 if self._fault == "certainty" else 0.5

    def read(self, path: Path, data: bytes) -> SourceFile:
        """Raises, breaks a promise, or reads one turn well."""
        del path, data
        if self._fault == "raises":
            raise KeyError("message")
        turn = SourceTurn(source_id="1", index=0, speaker="user", origin=Origin.USER, text="words")
        if self._fault == "gap":
            turn = replace(turn, index=3)
        if self._fault == "paste":
            turn = replace(turn, paste=((2, 99),))
        conversation = SourceConversation(name="c", turns=(turn,))
        return SourceFile(
            conversations=(conversation,),
            report=ReadReport(format="faulty", conversations=1, turns=1, user_turns=1),
        )


def test_the_fuzzer_finds_planted_faults() -> None:
    """An importer that raises, miscounts, points outside its text or is too sure is told, and a sound one is not."""
    for fault in ("raises", "gap", "paste", "certainty"):
        result = run(2, formats=[_Faulty(fault)])
        assert len(result.crashes) == 2, fault
        assert "mutation 0 of seed 0, faulty" in result.crashes[0]
    assert run(2, formats=[_Faulty("none")]).crashes == ()
