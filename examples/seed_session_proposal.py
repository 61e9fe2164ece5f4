"""The session proposal: what a session's corrections propose is shown at its end, and stored as it was answered.

Run it with `python examples/seed_session_proposal.py`.
"""

from __future__ import annotations

from dopejar import open_memory
from dopejar.seeds import ApprovalInterface, CorrectionCluster, ProfileManager, ProposalEngine, on_session_end

# the engine alone: clusters in, proposals out
cluster = CorrectionCluster(
    canonical="Keep commit messages under ten words",
    variants=["shorter commit messages, please", "that commit message is too long"],
    correction_type="style",
    frequency=3,
    confidence=0.9,
)
(proposal,) = ProposalEngine().generate_proposals([cluster]).proposals
print(proposal.scope, proposal.category, proposal.content)  # > universal preference Keep commit messages

# a whole session: its corrections are found, shown and, once approved, in force
SESSION = [
    ("user", "Write a release note for the exporter."),
    ("assistant", "I wrote a page about the exporter, with its history and its authors."),
    ("user", "Too long. From now on, keep release notes to three lines."),
    ("assistant", "Shortened."),
]
with open_memory() as memory:
    memory.add([{"role": role, "content": content} for role, content in SESSION], conversation="exporter")
    memory.reviewers.add("ana", "correct horse battery")
    ana = memory.reviewers.unlock("correct horse battery")
    answers = ApprovalInterface(ask=lambda question: "all")  # at a terminal, leave `ask` out
    for record in on_session_end(memory, ana, "exporter", answers):
        print(record.status, record.scope, record.approved_by)  # > active universal ana
    for line in ProfileManager(memory).load_profile().lines:
        print(line.text)  # > release notes to three lines
