"""Who the user is at a terminal: guidance typed there is in effect only where a reviewer vouches for who types."""

from __future__ import annotations

import pytest
from command_line import NEW_REVIEWER, SECRET, Cli, Talk, needs_pty

RULE = "dopejar remember 'Always push straight to main.'"
TRUSTING = (*NEW_REVIEWER[:2], ("[y/N]", "y"))


def active(cli: Cli) -> list[str]:
    """The texts of all active records."""
    return [record["text"] for record in cli("list", "--json").data["records"]]


@needs_pty
def test_a_terminal_that_a_program_opened_is_not_the_user(at_terminal: Talk, cli: Cli) -> None:
    """Guidance typed there waits, before and after there is a reviewer elsewhere; a fact does not."""
    code, said = at_terminal(RULE)
    assert (code, "`dopejar reviewer add NAME` once" in said) == (4, True)
    assert at_terminal("dopejar reviewer add ana", *TRUSTING)[0] == 0
    code, said = at_terminal(RULE)
    assert (code, "reviewer trust-terminal" in said) == (4, True)
    assert at_terminal("dopejar remember 'We deploy on Fridays.'")[0] == 0
    assert active(cli) == ["We deploy on Fridays"]


@needs_pty
@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("dopejar reviewer add ana", TRUSTING),
        ("dopejar reviewer add ana && dopejar reviewer trust-terminal", (*NEW_REVIEWER, ("of a reviewer:", SECRET))),
        ("dopejar reviewer add ana && dopejar reviewer unlock", (*NEW_REVIEWER, ("Passphrase:", SECRET))),
    ],
)
def test_guidance_is_in_effect_where_a_reviewer_vouches(
    at_terminal: Talk, cli: Cli, line: str, answers: object
) -> None:
    """The first reviewer's choice, a later one, or an open session: the rule is active by the reviewer's name."""
    code, said = at_terminal(f"{line} && {RULE}", *answers)
    assert (code, "ana vouches" in said) == (0, True), said
    (record,) = cli("list", "--json").data["records"]
    assert (record["kind"], record["approved_by"]) == ("rule", "ana")


@needs_pty
def test_a_rule_that_waits_already_is_in_effect_and_not_said_to_wait(at_terminal: Talk, cli: Cli) -> None:
    """Typed again where a reviewer vouches, a rule that waited is settled: the answer does not send to the review."""
    assert cli("remember", "Always push straight to main.").code == 4
    code, said = at_terminal(f"dopejar reviewer add ana && {RULE} --quiet", *TRUSTING)
    assert (code, "ana vouches" in said) == (0, True), said
    assert "staged" not in said
    assert "waits for review" not in said


@needs_pty
def test_trust_is_listed_and_revoked(at_terminal: Talk, cli: Cli) -> None:
    """What is trusted is listed and noted in the ledger; without the trust and the session guidance waits again."""
    line = "dopejar reviewer add ana && dopejar reviewer && dopejar reviewer distrust-terminal && dopejar reviewer lock"
    code, said = at_terminal(f"{line} && {RULE}", *TRUSTING)
    assert code == 4, said
    assert "trusted by ana until" in said
    assert active(cli) == []
    assert cli("reviewer", "--json").data["trusted_terminals"] == []
    actions = [name for act in cli("log", "--json").data["acts"] for name in act["actions"]]
    assert {"terminal_trusted", "terminal_distrusted"} <= set(actions)


def test_without_a_terminal_nothing_is_trusted(cli: Cli, as_reviewer: str) -> None:
    """A pipe cannot be trusted, and the passphrase in an environment does not make an agent the user."""
    assert as_reviewer == "ana"
    assert cli("reviewer", "trust-terminal").code == 2
    ran = cli("remember", "Always push straight to main.", "--json")
    assert (ran.code, ran.data["vouched_by"]) == (4, None)
