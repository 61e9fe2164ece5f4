"""The proposal engine: from the correction clusters of a conversation to at most five proposed memories.

Takes: clusters, the project. Gives: a summary with proposals worded by templates. Never: needs a language model; one
that is given may shorten a wording, and is ignored where that changes the meaning.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from dopejar.errors import LanguageModelError
from dopejar.pipelines.corrections.clusters.wish_clusters import CorrectionCluster
from dopejar.pipelines.corrections.clusters.wish_similarity import object_stems
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, CorrectionType, Durability, Polarity
from dopejar.pipelines.corrections.proposals.scope_inference import (
    languages_of,
    scope_of,
    scope_signs,
    tells_only_scope,
)
from dopejar.pipelines.corrections.wording.clauses import follows, sentence_case
from dopejar.pipelines.corrections.wording.memory_text import blames, directs
from dopejar.pipelines.ingest.integrity.rule_endings import tells_rule_ended
from dopejar.ports.language_model import Ask, LanguageModel
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import fold
from dopejar.text.polarity import polarity
from dopejar.text.sentences import sentences
from dopejar.text.similarity import similar
from dopejar.values.scope import UNIVERSAL, Scope

MAX_PROPOSALS: Final = 5
SURE: Final = 0.9
SURE_TO_LAST: Final = 0.7  # probability from which a wish said once is proposed
FEWEST_WORDS: Final = 3
MOST_WORDS: Final = 15
WORDING_NOTE: Final = "Its wording needs a look: it may depend on the conversation around it"
_HARD: Final = frozenset({"must", "never", "always", "forbidden", "required", "mandatory", "nunca", "sempre", "siempre",
                          "nie", "immer", "jamais", "toujours", "никогда", "всегда", "nikdy", "vždy"})  # fmt: skip
_ASKS: Final = re.compile(r"(?:and |but |so )*(?:why|how come|what for|how is it that)\b", re.IGNORECASE)
_HARD_PHRASES: Final = ("must not", "do not", "under no circumstances", "必须", "禁止", "不要", "绝不")


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryProposal:
    """A proposed memory. `priority` is its severity: 1 critical, 2 high, 3 medium."""

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
    """The proposals of one or several conversations. `total_corrections` counts turns, proposed or not."""

    session_id: str
    timestamp: datetime
    project: str | None
    proposals: tuple[MemoryProposal, ...]
    total_corrections: int
    total_proposed: int


class ProposalEngine:
    """Makes proposals from clusters; a language model is optional."""

    def __init__(self, use_llm: bool = False, *, model: LanguageModel | None = None, most: int = MAX_PROPOSALS) -> None:  # noqa: FBT001, FBT002 - name and position are part of the public interface
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
        languages: Collection[str] | None = None,
    ) -> SessionSummary:
        """The best clusters by frequency times confidence, at most `max_proposals`, as proposals.

        The repair of one mistake that was said once is of no use later and is not proposed. `project` is the project's
        id or name, `languages` those that it is read in. `at` is the time of the summary, by default that of the newest
        correction.
        """
        lasting = [cluster for cluster in clusters if is_lasting(cluster)]
        chosen = sorted(lasting, key=lambda cluster: (-cluster.frequency * cluster.confidence, cluster.canonical_text))
        proposals: dict[str, MemoryProposal] = {}
        for cluster in chosen:
            if len(proposals) == self.max_proposals:
                break
            proposal = self._proposal(cluster, project, languages)
            if proposal is not None:
                proposals.setdefault(proposal.id, proposal)
        last_mentions = (cluster.last_seen for cluster in clusters if cluster.last_seen)
        time = at or max(last_mentions, default=datetime.fromtimestamp(0, UTC))
        return SessionSummary(
            session_id=session_id or time.strftime("%Y%m%d-%H%M%S"),
            timestamp=time,
            project=project,
            proposals=tuple(proposals.values()),
            total_corrections=sum(cluster.frequency for cluster in clusters),
            total_proposed=len(proposals),
        )

    def _proposal(
        self, cluster: CorrectionCluster, project: str | None, languages: Collection[str] | None
    ) -> MemoryProposal | None:
        content = content_of_cluster(cluster)
        if not content:
            return None
        category = infer_category(cluster)
        refined = self._refined(content, cluster) if self.use_llm and self._model else None
        scope = str(infer_scope(cluster, project, languages))
        return MemoryProposal(
            id=f"prop-{hashlib.sha256(f'{scope}|{fold(content)}'.encode()).hexdigest()[:8]}",
            category=category,
            scope=scope,
            content=refined or content,
            rationale=rationale_of(cluster),
            source_variants=tuple(cluster.variants) or (cluster.canonical_text,),
            confidence=cluster.confidence,
            priority=priority_of(cluster, category),
            frequency=cluster.frequency,
            cluster=cluster,
        )

    def _refined(self, content: str, cluster: CorrectionCluster) -> str | None:
        """The model's wording where it is valid; None where there is no reply, or where it means something else."""
        if self._model is None:
            return None
        try:
            reply = self._model.ask(_ask(content, cluster))
        except LanguageModelError:
            return None  # the template's wording stands, as without a model
        text = reply.value.get("rule")
        return text.strip() if isinstance(text, str) and is_valid_wording(text.strip(), content) else None


def content_of_cluster(cluster: CorrectionCluster) -> str:
    """The text of the memory that a cluster proposes, in the language it was said in.

    It is the wording of the representative member, or of another one where only that can be read without the
    conversation.
    """
    representatives = [member for member in cluster.members if member.wish == cluster.canonical_text]
    worded = [member for member in (*representatives, *cluster.members) if member.wording]
    chosen = next((member for member in worded if member.is_whole), worded[0] if worded else None)
    if chosen is not None:
        return _most_complete(chosen, cluster.members).wording
    return sentence_case(cluster.canonical_text)


def _most_complete(chosen: CorrectionCandidate, members: Sequence[CorrectionCandidate]) -> CorrectionCandidate:
    """The member that says what the chosen one says and also what it replaces; else the chosen one."""
    named = object_stems(chosen.wording)
    replacing = (member for member in members if member.is_whole and member.polarity is Polarity.REPLACE)
    complete = next((member for member in replacing if named < object_stems(member.wording)), chosen)
    return complete if chosen.polarity is Polarity.DO else chosen


def needs_wording_review(cluster: CorrectionCluster) -> bool:
    """Whether the wording depends on its context: such a cluster waits until it is said again, with a note.

    So does what one conversation only repaired, however often: its words are about the work of that conversation.
    """
    if not cluster.members:
        return False
    is_repair = all(member.durability is Durability.ONE_OFF for member in cluster.members)
    if is_repair and cluster.frequency > 1 and len(cluster.conversations) == 1:
        return True
    return not any(member.is_whole for member in cluster.members)


def is_topical(cluster: CorrectionCluster) -> bool:
    """Whether a wish holds only where the person asks about one subject: it waits until it is said again."""
    return bool(cluster.members) and all("standing.topical" in member.features for member in cluster.members)


def waits_for_repeat(cluster: CorrectionCluster) -> bool:
    """Whether a standing wish is too unsure, or so in scope or wording, to be proposed before it is said again."""
    is_unsure = bool(cluster.members) and max(member.standing for member in cluster.members) < SURE_TO_LAST
    return is_unsure or is_topical(cluster) or needs_wording_review(cluster) or _only_asks(cluster)


def _only_asks(cluster: CorrectionCluster) -> bool:
    """Whether all that would be kept is a question: it asks why something is so, and may want to know."""
    return _ASKS.match(content_of_cluster(cluster)) is not None if cluster.members else False


def is_lasting(cluster: CorrectionCluster) -> bool:
    """Whether a cluster is worth proposing: standing or said twice, and an instruction about what to do."""
    if cluster.frequency < 2 and (cluster.durability is not Durability.STANDING or waits_for_repeat(cluster)):
        return False
    if not cluster.members or any(member.language != "en" for member in cluster.members):
        return True
    content = content_of_cluster(cluster)
    if tells_rule_ended(content) or content in map(follows, cluster.references):
        return False
    is_wanted = any("cue.wanted" in member.features for member in cluster.members)
    is_wish = is_wanted or directs(content) or directs(cluster.canonical_text) or blames(content)
    return is_wish and len(content.split()) > 1


def _ask(content: str, cluster: CorrectionCluster) -> Ask:
    said = cluster.variants[0] if cluster.variants else content
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
    likeness = similar(refined, content)
    return likeness.same_polarity and likeness.same_values and likeness.lexical > 0


def infer_category(cluster: CorrectionCluster) -> str:
    """Preference, rule or correction.

    A rule stays a rule with "never" or "use" in it; denied behaviour is a correction; style and preference are a
    preference; where the type does not tell, the words decide.
    """
    kind = str(cluster.correction_type).casefold().replace("behaviour", "behavior")
    denied = polarity(cluster.canonical_text, guess_language(cluster.canonical_text)) < 0
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
    return "rule" if _is_hard(cluster.canonical_text) else "preference"


def _is_hard(text: str) -> bool:
    folded = fold(text)
    spoken = set(folded.replace(",", " ").split())
    return not spoken.isdisjoint(_HARD) or any(phrase in folded for phrase in _HARD_PHRASES)


def infer_scope(cluster: CorrectionCluster, project: str | None, languages: Collection[str] | None = None) -> Scope:
    """The scope of the cluster's wish; what was said in two projects holds everywhere, or in its language."""
    text = cluster.canonical_text
    projects = {member.exchange.project for member in cluster.members} - {""}
    if any(scope_signs(_said(member)).get("everywhere") for member in cluster.members):
        return UNIVERSAL
    if len(projects) > 1:
        spoken = languages_of(text)
        is_seen = len(spoken) == 1 and (languages is None or spoken[0] in languages)
        return Scope.language(spoken[0]) if is_seen else UNIVERSAL
    return scope_of(text, project, one_off=cluster.durability is Durability.ONE_OFF, languages=languages)


def _said(member: CorrectionCandidate) -> str:
    """The sentences of a turn that a wish was read from, and what follows and only says where it holds.

    What else the turn says is about something else.
    """
    text, spans, said = member.exchange.text, member.spans, list[str]()
    is_of_wish = False
    for piece in sentences(text):
        is_read = not spans or any(start < piece.end and piece.start < end for start, end in spans)
        is_of_wish = is_read or (is_of_wish and tells_only_scope(piece.text))
        if is_of_wish:
            said.append(piece.text)
    return " ".join(said)


def priority_of(cluster: CorrectionCluster, category: str) -> int:
    """1 for a hard rule or one said three times, 2 for one repeated or said plainly, else 3."""
    if category != "preference" and _is_hard(cluster.canonical_text):
        return 1
    return min(severity(cluster.frequency), 2 if cluster.confidence >= SURE else 3)


def severity(frequency: int) -> int:
    """The severity of a frequency: 1 from three times on, 2 for twice, else 3."""
    return 1 if frequency >= 3 else 2 if frequency == 2 else 3


def rationale_of(cluster: CorrectionCluster) -> str:
    """Why the cluster should be kept, in one sentence."""
    reason = rationale_for(cluster.frequency, len(cluster.conversations), cluster.confidence)
    return f"{reason}. {WORDING_NOTE}" if needs_wording_review(cluster) else reason


def rationale_for(frequency: int, conversations: int, confidence: float) -> str:
    """Why something of this frequency, from this number of conversations, should be kept."""
    spread = f" in {conversations} conversations" if conversations > 1 else ""
    if frequency >= 3:
        return f"Corrected {frequency} times{spread}: high priority"
    if frequency == 2:
        return f"Corrected twice{spread}"
    if confidence >= SURE:
        return "Stated once, as an explicit correction"
    return "Stated once, as a preference"
