"""Rules stated without a "no": a plain rule, an order after a complaint, an echo of what the assistant just did.

Takes: the sentences of a turn, the assistant's last words, the cues found already. Gives: named features. Never: takes
the description of a task for a rule; a requirement follows the task it belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from dopejar.pipelines.corrections.correction_cues import CorrectionCues, cues
from dopejar.pipelines.corrections.wording.verbs import plain_verbs
from dopejar.text.normalisation import fold

_WORD: Final = re.compile(r"[^\W_]+")
_CLAUSE: Final = re.compile(r"[,;:.!?](?:\s+|$)|\s[-\u2013\u2014]\s|\n")
RULE_CUES: Final = ("norm", "ban", "only", "we", "skip", "yours")  # cues of a rule without an imperative
_PRONOUNS: Final = frozenset({"it", "that", "this", "them", "these", "those", "again", "on", "ahead"})
_KEPT: Final = 300  # characters at the end of the assistant's words that a short turn may answer
_SHORT: Final = 28  # words of a turn up to which it can be such an answer
_LETTERS: Final = 4  # letters from which a word counts as a content word
_STEM: Final = 5  # leading letters by which forms of a word are matched
_SILENT: Final = (
    "open.task", "open.question", "open.only_approval", "open.approval", "open.command", "not.retract", "not.praise",
    "not.fine", "not.choice", "not.bug", "not.idea", "not.clarify", "before.none", "before.asks", "shape.asks",
)  # fmt: skip
_COMMON: Final = frozenset({"this", "that", "with", "have", "from", "what", "when", "then", "they", "them", "your",
                            "just", "also", "only", "here", "there", "will", "would", "should", "like", "more",
                            "some", "please", "need", "make", "which", "into", "about", "done", "para", "dass",
                            "dans", "pour", "como"})  # fmt: skip


def rule_statement_features(folded: Sequence[str], directing: Sequence[str], before: str, words: CorrectionCues,
           features: Mapping[str, float]) -> dict[str, float]:  # fmt: skip
    """The features of stated rules: `rule.plain`, `order.after`, `echo`."""
    more: dict[str, float] = {}
    if has_plain_rule(folded, directing, words):
        more["rule.plain"] = 1.0
    if not before.strip():
        return more
    if not any(name in features for name in _SILENT):
        count = sum(len(sentence.split()) for sentence in folded)
        if 1 < count <= _SHORT:
            if _has_order_after_statement(folded):
                more["order.after"] = 1.0
            tail = fold(before[-_KEPT:])
            if words.has("before", "acted", tail) and _stems("\n".join(directing)) & _stems(tail):
                more["echo"] = 1.0
    return more


def has_plain_rule(folded: Sequence[str], directing: Sequence[str], words: CorrectionCues) -> bool:
    """Whether a sentence states a rule outright.

    After a task only a sentence about other occasions counts: "never show more than fifty" is a requirement of the page
    to build.
    """
    is_task = False
    for sentence in folded:
        if sentence in directing:
            if words.has("sentence", "lasting", sentence):
                return True
            if not is_task and words.has("sentence", "rule", sentence):
                return True
        is_task = is_task or words.has("opening", "task", sentence)
    return False


def states_rule(text: str) -> bool:
    """Whether an English clause states a convention: what belongs where, what is never done, what is enough."""
    folded, words = fold(text), cues("en")
    return any(words.has("cue", name, folded) for name in RULE_CUES)


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text) if len(word) >= _LETTERS and word not in _COMMON}


def _has_order_after_statement(folded: Sequence[str]) -> bool:
    """Whether a bare imperative follows a statement: first what is wrong, then what to do."""
    is_stated = False
    for sentence in folded:
        for clause in _CLAUSE.split(sentence):
            spoken = clause.split()
            if not spoken:
                continue
            if spoken[0] in plain_verbs():
                if is_stated and not _PRONOUNS.issuperset(spoken[1:]):
                    return True
            elif len(spoken) > 1 and not sentence.endswith("?"):
                is_stated = True
    return False
