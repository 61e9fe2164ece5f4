"""What only states something retires no rule in force by itself, typed by whoever may make rules."""

from whole_store import believed, unlocked

from dopejar import open_memory
from dopejar.pipelines.ingest.integrity.chain_move import ChainMove, Step
from dopejar.pipelines.ingest.rules_in_force import ends_rule, sparing_rules
from dopejar.values.record import Status

RULE = "Use pnpm here, never npm."


def standing(memory):
    """The texts of what is believed now."""
    return sorted(row[4] for row in believed(memory)[0] if row[3] == Status.ACTIVE)


def test_a_fact_typed_by_a_reviewer_leaves_the_rule(tmp_path):
    """That something is not used any more is no word about the rule."""
    with open_memory(tmp_path, environment={}) as memory:
        by = unlocked(memory)
        memory.remember(RULE, said_by="user", by=by)
        memory.remember("We don't use turborepo any more, plain pnpm workspaces.", said_by="user", by=by)
        assert RULE.rstrip(".") in standing(memory)


def test_a_move_spares_the_rules_beside_what_it_replaces(tmp_path):
    """A fact and a rule that a statement would outdate together: the rule stays, and may be over."""
    with open_memory(tmp_path, environment={}) as memory:
        by = unlocked(memory)
        memory.remember(RULE, said_by="user", by=by)
        memory.remember("The workspace has nine packages.", said_by="user", by=by)
        rule, fact = (next(one for one in memory.list() if word in one.text) for word in ("pnpm", "nine"))
    move = ChainMove(step=Step.SUPERSEDE, targets=(fact,), joins=(rule,))
    assert ends_rule(move)
    spared = sparing_rules(move)
    assert not ends_rule(spared)
    assert spared.doubts == (rule,)
