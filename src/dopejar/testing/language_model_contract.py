"""What every language model behind the port promises, as tests that an adapter inherits.

Takes: a way to put a model before a script. Gives: one test per promise of `ports/language_model.py`. Never: a real
model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from dopejar.errors import LanguageModelError, ModelReplyError, ModelTimeoutError, SpendCapError
from dopejar.ports.language_model import Ask, JsonObject, LanguageModel
from dopejar.testing.fake_language_model import (
    Conduct,
    CountingSpendLog,
    ScriptedReply,
    fails,
    says,
    stalls,
)
from dopejar.text.tokens import count_tokens

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": ["teal", "amber"]},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["colour", "score"],
    "additionalProperties": False,
}
GOOD: JsonObject = {"colour": "teal", "score": 0.5}
QUESTION = Ask(
    purpose="choosing",
    system="You choose a colour for a boat.",
    prompt="The owner likes the sea.",
    schema=SCHEMA,
    max_tokens=100,
)


@dataclass(frozen=True, kw_only=True)
class Arranged:
    """A model before a script, its spend log, and the texts of each call so far."""

    model: LanguageModel
    spend: CountingSpendLog
    calls: Callable[[], Sequence[tuple[str, ...]]]


class LanguageModelContract(ABC):
    """Inherit, supply `arrange`, and every promise is tested on it."""

    @abstractmethod
    def arrange(self, script: Sequence[ScriptedReply], spend: CountingSpendLog) -> AbstractContextManager[Arranged]:
        """A model that plays the script, counts in this log, and waits for a reply at most half a second."""

    def failure(
        self, script: Sequence[ScriptedReply], spend: CountingSpendLog | None = None
    ) -> tuple[LanguageModelError, int, CountingSpendLog]:
        """The error that asking under a script ends in, how many calls it took, and the log afterwards."""
        with self.arrange(script, spend or CountingSpendLog()) as arranged:
            try:
                arranged.model.ask(QUESTION)
            except LanguageModelError as error:
                return error, len(arranged.calls()), arranged.spend
        raise AssertionError("asking under this script did not fail")

    def test_a_valid_reply_comes_back_with_its_cost(self) -> None:
        """One call, the value as it stands, the tokens that the server reported."""
        with self.arrange([says(GOOD, tokens=42)], CountingSpendLog()) as arranged:
            reply = arranged.model.ask(QUESTION)
            assert (reply.value, reply.tokens, reply.is_repaired) == (GOOD, 42, False)
            assert len(arranged.calls()) == 1
            assert arranged.spend.used == 42
            assert arranged.model.name

    def test_a_whole_number_is_an_int_however_it_is_written(self) -> None:
        """`2.0` is an integer to a schema, and comes back as one."""
        counting = replace(QUESTION, schema={"type": "object", "properties": {"place": {"type": "integer"}}})
        for written in ("2", "2.0", "0.2e1"):
            with self.arrange([says(f'{{"place": {written}}}')], CountingSpendLog()) as arranged:
                place = arranged.model.ask(counting).value["place"]
                assert (place, type(place)) == (2, int)

    def test_the_model_hears_system_and_prompt(self) -> None:
        """Both texts of the question are in what is sent."""
        with self.arrange([says(GOOD)], CountingSpendLog()) as arranged:
            arranged.model.ask(QUESTION)
            sent = "\n".join(arranged.calls()[0])
            assert QUESTION.system in sent
            assert QUESTION.prompt in sent

    def test_a_faulty_reply_is_repaired_once_with_the_fault_named(self) -> None:
        """No JSON, a missing member, a value out of bounds: asked again with the fault, and both calls are counted."""
        for faulty, named in (
            ("teal, I think", "JSON"),
            ('{"colour": "teal"}', "score"),
            ('{"colour": "red", "score": 2}', "colour"),
        ):
            with self.arrange([says(faulty, tokens=10), says(GOOD, tokens=15)], CountingSpendLog()) as arranged:
                reply = arranged.model.ask(QUESTION)
                assert (reply.value, reply.tokens, reply.is_repaired) == (GOOD, 25, True)
                assert named in arranged.calls()[1][-1]
                assert faulty in arranged.calls()[1]
                assert arranged.spend.used == 25

    def test_two_faulty_replies_are_the_end(self) -> None:
        """A second faulty reply is an error, never a third call and never a value."""
        error, calls, _ = self.failure([says("no"), says([1]), says(GOOD)])
        assert isinstance(error, ModelReplyError)
        assert calls == 2

    def test_a_stalled_model_times_out_without_a_retry(self) -> None:
        """Also when it stalls behind its first byte; what it may have used stays counted."""
        for script in ([stalls(), says(GOOD)], [ScriptedReply(conduct=Conduct.TRICKLE), says(GOOD)]):
            error, calls, spend = self.failure(script)
            assert isinstance(error, ModelTimeoutError)
            assert calls == 1
            assert spend.used >= QUESTION.max_tokens

    def test_a_failing_server_is_an_error_without_a_retry(self) -> None:
        """A server's fault is counted as if all had been used; a refused request costs nothing."""
        error, calls, spend = self.failure([fails(500), says(GOOD)])
        assert calls == 1
        assert "500" in str(error)
        assert spend.used >= QUESTION.max_tokens
        error, calls, spend = self.failure([fails(404, "no such model"), says(GOOD)])
        assert calls == 1
        assert "no such model" in str(error)
        assert spend.used == 0

    def test_a_response_of_no_use_is_not_repaired(self) -> None:
        """Garbage, another API's JSON and endless bodies are the server's fault: one call, one error."""
        for conduct in (Conduct.GARBAGE, Conduct.STRANGE, Conduct.OVERSIZED):
            error, calls, _ = self.failure([ScriptedReply(conduct=conduct, size=5_000_000), says(GOOD)])
            assert isinstance(error, ModelReplyError)
            assert calls == 1

    def test_the_cap_is_checked_before_anything_is_sent(self) -> None:
        """Without room for prompt and longest reply, nothing leaves the machine."""
        error, calls, spend = self.failure([says(GOOD)], CountingSpendLog(cap=QUESTION.max_tokens))
        assert isinstance(error, SpendCapError)
        assert (calls, spend.used) == (0, 0)

    def test_the_cap_holds_for_the_repair_too(self) -> None:
        """Where the first call used the rest of the cap, the repair is not sent."""
        probe = CountingSpendLog()
        with self.arrange([says(GOOD)], probe) as arranged:
            arranged.model.ask(QUESTION)
        first_reservation = probe.events[0][1]
        error, calls, spend = self.failure([says("no", tokens=50), says(GOOD)], CountingSpendLog(cap=first_reservation))
        assert isinstance(error, SpendCapError)
        assert (calls, spend.used) == (1, 50)

    def test_an_unreported_cost_is_counted_from_above(self) -> None:
        """Where the server reports nothing, prompt and reply are counted here."""
        with self.arrange([says(GOOD)], CountingSpendLog()) as arranged:
            reply = arranged.model.ask(QUESTION)
            least = count_tokens(QUESTION.system) + count_tokens(QUESTION.prompt) + count_tokens('{"colour": "teal"}')
            assert reply.tokens == arranged.spend.used >= least

    def test_every_reservation_is_settled(self) -> None:
        """Reserve and settle come in pairs, in every ending."""
        for script in ([says(GOOD)], [says("x"), says(GOOD)], [fails()], [ScriptedReply(conduct=Conduct.GARBAGE)]):
            spend = CountingSpendLog()
            with self.arrange(script, spend) as arranged:
                try:
                    arranged.model.ask(QUESTION)
                except LanguageModelError:  # the ending itself is tested elsewhere
                    assert arranged.calls()
            kinds = [kind for kind, _ in spend.events]
            assert kinds == ["reserve", f"settle {QUESTION.purpose}"] * (len(kinds) // 2)
            assert kinds
