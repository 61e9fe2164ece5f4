"""A day of twenty turns under governance: a plan, a switch, an interruption, an emergency, a completion, overload.

Run it with `python examples/governed_day.py`.

The host writes the replies and does only what a turn authorises; here it says what it may do.
"""

from __future__ import annotations

from datetime import UTC, datetime

from dopejar import Partner, open_memory
from dopejar.seeds import SharedReference

DAY = (
    "Good morning!",
    "What did we agree about the bakery's invoices?",
    "Help me plan my week",
    "yes",
    "Which supplier delivers flour on Tuesdays?",
    "Draft the order for the flour.",
    "Add two sacks of rye.",
    "By the way, quick question: where is the oven's manual?",
    "no",
    "Send me the draft when it is ready.",
    "Let's switch to the website now.",
    "yes",
    "yes",
    "Should the opening hours be on top?",
    "STOP! You are editing the wrong page!",
    "I meant the page with the opening hours.",
    "yes",
    "Delete the production database of the shop.",
    "Leave it, just show me the page.",
    "The page is done.",
    "yes",
    "It has everything, only the map is missing.",
    "yes",
    "I am totally overwhelmed, this is too much.",
    "What is left for tomorrow?",
)

with open_memory(said_by="user") as memory:
    now = datetime.now(UTC)
    goal = SharedReference(
        key="priorities", value='["Open the second shop"]', version=1, source="plan", updated_by="ana", updated_at=now
    )
    memory.workspace.put_reference(goal)
    memory.remember("The bakery's invoices are sent on Fridays.")
    partner = Partner(memory, "the day")
    for said in DAY:
        if said in {"yes", "no"}:
            gate = partner.state.proposals[0].gate
            partner.answer(gate, approved=said == "yes")
            state = partner.state
            print(f"{said} to {gate}: {state.focus.stance}, {len(state.lanes.lanes)} lanes")
            continue
        turn = partner.turn(said)
        signals = ", ".join(one.type for one in turn.signals)
        print(f"{said}\n  {turn.altitude} {turn.stance} {turn.routing.strategy} ({signals})")
        for line in turn.tell:
            print(f"  {line}")
        if turn.context and turn.context.items:
            print(f"  recalled: {turn.context.items[0].text}")
    # the same conversation goes on in another process
    print(Partner(memory, "the day").where_we_were())

# What it prints, among other lines:
# > recalled: The bakery's invoices are sent on Fridays
# > L2 sensemaking decomposition (formal_work)
# > yes to work_declaration: execution, 1 lanes
# > This seems to be apart from 'plan my week': set it aside for this?
# > no to lane_switch: execution, 1 lanes
# > yes to lane_switch: sensemaking, 1 lanes
# > yes to work_declaration: execution, 2 lanes
# > L1 sensemaking quick_answer (emergency)
# > 'the website' was stopped: go on with it?
# > L2 execution verification (high_stakes)
# > (completion)
# > yes to evaluation: sensemaking, 2 lanes
# > (emotional)
# > You were in sensemaking, paused: 'plan my week' (lane-1).
