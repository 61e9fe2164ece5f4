"""Proposals of a conversation: what its corrections ask memory to keep.

Takes: clusters, the project at hand. Gives: a summary with at most five proposals, by templates. Never: needs a
language model; where one is given it may refine wording, and is not believed where it changes the meaning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from dopejar.errors import LanguageModelError
from dopejar.pipelines.corrections.clusters.cluster import CorrectionCluster
from dopejar.pipelines.corrections.clusters.wish_similarity import families, object_stems
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, CorrectionType, Durability, Polarity
from dopejar.pipelines.corrections.proposals.scope_inference import languages_of, scope_of, scope_signs
from dopejar.pipelines.corrections.wording.content import content_in, directs
from dopejar.ports.language_model import Ask, LanguageModel
from dopejar.text.lexicons import guess_language
from dopejar.text.normalise import fold
from dopejar.text.polarity import polarity
from dopejar.text.similar import similar
from dopejar.values.scope import UNIVERSAL, Scope

MAX_PROPOSALS: Final = 5
SURE: Final = 0.9
FEWEST_WORDS: Final = 3
MOST_WORDS: Final = 15
WORDING_NOTE: Final = "Its wording needs a look: it leans on what was said around it"
_HARD: Final = frozenset({"must", "never", "always", "forbidden", "required", "mandatory", "nunca", "sempre", "siempre",
                          "nie", "immer", "jamais", "toujours", "никогда", "всегда", "nikdy", "vždy"})  # fmt: skip
_HARD_PHRASES: Final = ("must not", "do not", "under no circumstances", "必须", "禁止", "不要", "绝不")


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryProposal:
    """One memory that is proposed. `priority` is severity: 1 critical, 2 high, 3 medium."""

    id: str
    category: str  # preference, rule, correction
    scope: str  # universal, language:x, project:x
    content: str
    rationale: str
    source_variants: tuple[str, ...]
    confidence: float
    priority: int
    frequency: int = 1
    cluster: CorrectionCluster | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionSummary:
    """What one conversation (or several) asks memory to keep. `total_corrections` counts turns, proposed or not."""

    session_id: str
    timestamp: datetime
    project: str | None
    proposals: tuple[MemoryProposal, ...]
    total_corrections: int
    total_proposed: int


class ProposalEngine:
    """Makes proposals from clusters. Whole without a language model."""

    def __init__(self, use_llm: bool = False, *, model: LanguageModel | None = None, most: int = MAX_PROPOSALS) -> None:  # noqa: FBT001, FBT002 - the name and place that hosts know
        self.use_llm = use_llm
        self.max_proposals = most
        self._model = model

    def generate_proposals(
        self,
        clusters: Sequence[CorrectionCluster],
        project: str | None = None,
        *,
        session_id: str = "",
        at: datetime | None = None,
    ) -> SessionSummary:
        """The best clusters by frequency times confidence, at most `max_proposals`, as proposals.

        A repair of one mistake that was said once is of no use later and is not proposed. `project` is the project's
        id or name. `at` is the time of the summary; the newest correction's time where it is omitted.
        """
        lasting = [one for one in clusters if is_lasting(one)]
        chosen = sorted(lasting, key=lambda one: (-one.frequency * one.confidence, one.canonical_text))
        proposals: dict[str, MemoryProposal] = {}
        for one in chosen:
            if len(proposals) == self.max_proposals:
                break
            made = self._proposal(one, project)
            if made is not None:
                proposals.setdefault(made.id, made)
        time = at or max((one.last_seen for one in clusters if one.last_seen), default=datetime.fromtimestamp(0, UTC))
        return SessionSummary(
            session_id=session_id or time.strftime("%Y%m%d-%H%M%S"),
            timestamp=time,
            project=project,
            proposals=tuple(proposals.values()),
            total_corrections=sum(one.frequency for one in clusters),
            total_proposed=len(proposals),
        )

    def _proposal(self, one: CorrectionCluster, project: str | None) -> MemoryProposal | None:
        content = content_of_cluster(one)
        if not content:
            return None
        category = infer_category(one)
        refined = self._refined(content, one) if self.use_llm and self._model else None
        scope = str(infer_scope(one, project))
        return MemoryProposal(
            id=f"prop-{hashlib.sha256(f'{scope}|{fold(content)}'.encode()).hexdigest()[:8]}",
            category=category,
            scope=scope,
            content=refined or content,
            rationale=rationale_of(one),
            source_variants=tuple(one.variants) or (one.canonical_text,),
            confidence=one.confidence,
            priority=priority_of(one, category),
            frequency=one.frequency,
            cluster=one,
        )

    def _refined(self, content: str, one: CorrectionCluster) -> str | None:
        """The model's wording where it is a valid one; None where there is no reply or it means something else."""
        if self._model is None:
            return None
        try:
            reply = self._model.ask(_ask(content, one))
        except LanguageModelError:
            return None  # the template's wording stands, as it does without a model
        text = reply.value.get("rule")
        return text.strip() if isinstance(text, str) and is_valid_wording(text.strip(), content) else None


def content_of_cluster(one: CorrectionCluster) -> str:
    """The memory's text that a cluster comes to, in the language it was said in.

    It is the wording of the member that speaks for all; of the others, where only theirs can be read without the
    conversation. What several members say in several words of one family is said in the family's.
    """
    speaking = [member for member in one.members if member.wish == one.canonical_text]
    family = families().get(one.family)
    if family and len({fold(member.wording) for member in one.members}) > 1:
        return family.text
    worded = [member for member in (*speaking, *one.members) if member.wording]
    chosen = next((member for member in worded if member.is_whole), worded[0] if worded else None)
    if chosen is not None:
        return _fuller(chosen, one.members).wording
    return content_in(one.canonical_text, speaking[0].language if speaking else "en")


def _fuller(chosen: CorrectionCandidate, members: Sequence[CorrectionCandidate]) -> CorrectionCandidate:
    """The member that says what is said and, besides, what it stands against; else the one chosen."""
    named = object_stems(chosen.wording)
    both = (one for one in members if one.is_whole and one.polarity is Polarity.REPLACE)
    fuller = next((one for one in both if named < object_stems(one.wording)), chosen)
    return fuller if chosen.polarity is Polarity.DO else chosen


def needs_wording_review(one: CorrectionCluster) -> bool:
    """Whether its wording leans on what was said around it: it waits until it was said again, and says so.

    So does what one conversation only repaired, however often: its words are about the work of that conversation.
    """
    if not one.members:
        return False
    is_repair = all(member.durability is Durability.ONE_OFF for member in one.members)
    if is_repair and one.frequency > 1 and len(one.conversations) == 1:
        return True
    return not any(member.is_whole for member in one.members)


def is_topical(one: CorrectionCluster) -> bool:
    """Whether a wish holds only where the person asks about one subject: it waits until it was said again."""
    return bool(one.members) and all("standing.topical" in member.features for member in one.members)


def waits_for_repeat(one: CorrectionCluster) -> bool:
    """Whether a standing wish is too unsure in reach or wording to be proposed before it was said again."""
    return is_topical(one) or needs_wording_review(one)


def is_lasting(one: CorrectionCluster) -> bool:
    """Whether a cluster is worth proposing: meant to hold or said twice; what detection found says what to do."""
    if one.frequency < 2 and (one.durability is not Durability.STANDING or waits_for_repeat(one)):
        return False
    if not one.members or any(member.language != "en" for member in one.members):
        return True
    content = content_of_cluster(one)
    is_wish = directs(content) or directs(one.canonical_text) or any("cue.wanted" in m.features for m in one.members)
    return is_wish and len(content.split()) > 1


def _ask(content: str, one: CorrectionCluster) -> Ask:
    said = one.variants[0] if one.variants else content
    return Ask(
        purpose="corrections",
        system="You shorten rules. You never change what they mean, and keep every name, number and negation.",
        prompt=f"Write this rule as one short imperative of at most ten words.\nRule: {content}\nIt was said as: "
        f"{said[:500]}",
        schema={
            "type": "object",
            "properties": {"rule": {"type": "string"}},
            "required": ["rule"],
            "additionalProperties": False,
        },
        max_tokens=60,
    )


def is_valid_wording(refined: str, content: str) -> bool:
    """Whether a refined wording has three to fifteen words on one line and keeps polarity, names and numbers."""
    if not FEWEST_WORDS <= len(refined.split()) <= MOST_WORDS or "\n" in refined:
        return False
    found = similar(refined, content)
    return found.same_polarity and found.same_values and found.lexical > 0


def infer_category(one: CorrectionCluster) -> str:
    """Preference, rule or correction.

    A rule stays a rule also with "never" or "use" in it; behaviour that is denied is a correction; style and
    preference are a preference; where the type says nothing, the words decide.
    """
    kind = str(one.correction_type).casefold().replace("behaviour", "behavior")
    denied = polarity(one.canonical_text, guess_language(one.canonical_text)) < 0
    if kind == CorrectionType.RULE:
        return "rule"
    if kind in (CorrectionType.STYLE, CorrectionType.PREFERENCE):
        return "preference"
    if kind == CorrectionType.BEHAVIOUR:
        return "correction" if denied else "rule"
    if kind == CorrectionType.CORRECTION:
        return "correction"
    if denied:
        return "correction"
    return "rule" if _is_hard(one.canonical_text) else "preference"


def _is_hard(text: str) -> bool:
    folded = fold(text)
    spoken = set(folded.replace(",", " ").split())
    return not spoken.isdisjoint(_HARD) or any(phrase in folded for phrase in _HARD_PHRASES)


def infer_scope(one: CorrectionCluster, project: str | None) -> Scope:
    """Where the cluster's wish holds; what was said in two projects holds everywhere, or in its language."""
    text = one.canonical_text
    family = families().get(one.family)
    declared = family.scope if family else ""
    said = [member.exchange.text for member in one.members]
    projects = {member.exchange.project for member in one.members} - {""}
    if any(scope_signs(text_).get("everywhere") for text_ in said if len(text_) < 1500):
        return UNIVERSAL
    if len(projects) > 1:
        spoken = languages_of(text)
        return Scope.language(spoken[0]) if len(spoken) == 1 else UNIVERSAL
    return scope_of(text, project, one_off=one.durability is Durability.ONE_OFF, declared=declared)


def priority_of(one: CorrectionCluster, category: str) -> int:
    """1 where it was said three times or is a hard rule, 2 where it was repeated or said plainly, else 3."""
    if category != "preference" and _is_hard(one.canonical_text):
        return 1
    return min(severity(one.frequency), 2 if one.confidence >= SURE else 3)


def severity(frequency: int) -> int:
    """What having been said so often is worth: 1 from three times on, 2 for twice, else 3."""
    return 1 if frequency >= 3 else 2 if frequency == 2 else 3


def rationale_of(one: CorrectionCluster) -> str:
    """Why it should be kept, in one sentence."""
    reason = rationale_for(one.frequency, len(one.conversations), one.confidence)
    return f"{reason}. {WORDING_NOTE}" if needs_wording_review(one) else reason


def rationale_for(frequency: int, conversations: int, confidence: float) -> str:
    """Why something said so often, in so many conversations, should be kept."""
    spread = f" in {conversations} conversations" if conversations > 1 else ""
    if frequency >= 3:
        return f"Corrected {frequency} times{spread}: high priority"
    if frequency == 2:
        return f"Corrected twice{spread}"
    if confidence >= SURE:
        return "Said once, plainly: an explicit correction"
    return "Said once: the user showed a preference"
