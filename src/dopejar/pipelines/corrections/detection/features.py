"""Features of a turn: cues in its words, in what precedes it, and in the reply to it.

Takes: an exchange. Gives: named features from 0 to 1, and the sentences they were read from. Never: decides; the model
weighs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dopejar.pipelines.corrections.correction_cues import CorrectionCues, cues
from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.pipelines.corrections.wording.rule_statements import rule_statement_features
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import fold
from dopejar.text.quotations import without_quotations
from dopejar.text.sentences import Piece, sentences

READ_LIMIT: Final = 4000  # characters of a turn that are read; longer ones were pasted
_SPOKEN: Final = frozenset({"prose", "list", "heading"})
_ABOUT_RULES: Final = r"[\w-]{0,60}(?:rule|preference|convention|guideline|workflow)[\w-]{0,60}"
_REFERENCE: Final = re.compile(
    r"([\w-]{1,80}\.(?:mdc|cursorrules))\b"
    r"|(?:@|\b(?:per|follow|read|see|check|obey|to) (?:the |our |my )?)(?:[\w.-]{1,60}/){0,8}"
    rf"((?:claude|agents|conventions|contributing|gemini)\.md|{_ABOUT_RULES}\.md)\b"
    rf"|@({_ABOUT_RULES})\b",
    re.IGNORECASE,
)  # every repetition is bounded: a turn may be four thousand dashes
_MENTION: Final = re.compile(r"@[\w./-]+")
_WORD: Final = re.compile(r"\w+")
_NUMBERED: Final = re.compile(r"^[ \t]{0,20}\(?(?:\d{1,2}|[a-h])[.)]\s", re.MULTILINE)
_TOLD: Final = frozenset(  # cues that count also in a sentence that narrates or asks
    ["wrong", "accuse", "rebuke", "rebuke_soft", "told", "narrow", "unwanted", "replace", "but", "missing", "already"]
)
_DIRECTS: Final = (
    "standing.future", "standing.record", "cue.replace", "cue.told", "cue.accuse", "cue.yours",
    "cue.wrong", "cue.rebuke", "cue.self_do", "standing.tool", "rules.named", "repeats",
)  # fmt: skip
_OF_A_TASK: Final = ("cue.wrong", "cue.norm", "cue.ban", "cue.only", "cue.we", "cue.must", "standing.always",
                     "standing.never", "cue.yours", "cue.blame")  # fmt: skip
_SAID_SHORT: Final = ("cue.norm", "cue.we", "cue.wanted", "open.manner")  # in a long turn they belong to its story
_STATED: Final = frozenset({"norm", "we", "wanted", "skip", "only", "blame", "ban", "yours"})
_LONGEST_RULE: Final = 350  # characters of a turn up to which a statement counts as a rule
_CHOOSES: Final = frozenset({"cue.skip", "cue.only", "cue.wanted", "cue.norm", "cue.narrow", "open.manner"})
_REPORTED: Final = re.compile(r"^\W?(?:error|warn(?:ing)?|info|debug|fatal|trace|critical)\W{1,3}\d{2}", re.IGNORECASE)
_EARLY: Final = 18  # characters within which a lasting cue counts as the opening of a sentence
_SHORT: Final = 9  # words
_BRIEF: Final = 5  # words of an answer that picks one of several offers
_MARKER: Final = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class CorrectionReading:
    """The sentences and features of a turn."""

    language: str
    words: CorrectionCues
    pieces: tuple[Piece, ...]  # the person's own sentences
    folded: tuple[str, ...]
    directing: tuple[str, ...]  # those that do not only narrate or ask
    features: Mapping[str, float]
    references: frozenset[str]

    @property
    def spoken(self) -> str:
        """The person's own words, folded, one sentence per line."""
        return "\n".join(self.folded)


def read_turn(exchange: Exchange, spoken_in: Sequence[str] = ()) -> CorrectionReading:
    """Read the features of an exchange. `spoken_in` are the languages of the conversation, likeliest first.

    The language of a short turn is hard to guess: the first language in which it has any cue is taken.
    """
    text = without_quotations(exchange.text[:READ_LIMIT])
    pieces = tuple(_own_words(text, exchange))
    folded = tuple(_fold_sentence(piece.text) for piece in pieces)
    guessed = guess_language("\n".join(folded)) if folded else "en"
    is_short = sum(len(sentence.split()) for sentence in folded) <= _SHORT
    tried = dict.fromkeys((*spoken_in, guessed, "en") if is_short else (guessed,))
    first: CorrectionReading | None = None
    for language in tried:
        reading = _read_in_language(language, text, pieces, folded, exchange)
        if _has_cue(reading.features):
            return reading
        first = first or reading
    return first or _read_in_language("en", text, pieces, folded, exchange)


def _has_cue(features: Mapping[str, float]) -> bool:
    return any(name.startswith(("cue.", "open.", "standing.", "not.", "rules.")) for name in features)


def _read_in_language(
    language: str, text: str, pieces: tuple[Piece, ...], folded: tuple[str, ...], exchange: Exchange
) -> CorrectionReading:
    words = cues(language)
    spoken = "\n".join(folded)
    references = references_of(text)
    directing = tuple(sentence for sentence in folded if not _only_narrates_or_asks(sentence, words))
    directed = "\n".join(directing)
    features = {f"not.{name}": 1.0 for name, cue in words.names("not").items() if cue.is_in(spoken)}
    is_brief = len(directed) <= _LONGEST_RULE
    for name, cue in words.names("cue").items():
        if (is_brief or name not in _STATED) and cue.is_in(spoken if name in _TOLD else directed):
            features[f"cue.{name}"] = 1.0
    features |= {f"standing.{name}": 1.0 for name, cue in words.names("standing").items() if cue.is_in(directed)}
    head = next((sentence for sentence in folded if sentence), "")
    features |= {f"open.{name}": 1.0 for name, cue in words.names("opening").items() if cue.is_in(head)}
    features |= _context_features(exchange, words)
    features |= _shape_features(folded, words, references)
    if _MENTION.search(text) and references and features.get("shape.bare"):
        features["rules.alone"] = 1.0
    _apply_interactions(features, head, words)
    features |= rule_statement_features(folded, directing, exchange.before, words, features)
    _drop_task_requirements(features)
    if len(_NUMBERED.findall(text)) >= 2:
        features["shape.numbered"] = 1.0
    return CorrectionReading(language, words, pieces, folded, directing, features, references)


def _apply_interactions(features: dict[str, float], head: str, words: CorrectionCues) -> None:
    """Let cues override each other: a rebuke is no question, a lasting cue no task, a "no" may be an answer."""
    if words.has("cue", "rebuke", head) or words.has("sentence", "stops", head):
        features.pop("open.question", None)
    lasting = (words.cue("standing", name).search(head) for name in ("always", "never", "future"))
    yours = "cue.yours" in features
    if yours or any(match and match.start() < _EARLY for match in lasting) or words.has("sentence", "stops", head):
        features.pop("open.task", None)
    says_more = any(name.startswith("cue.") and name not in _CHOOSES for name in features)
    if "open.no" in features and "before.asks" in features and not says_more:
        features["answer.no"] = 1.0
    if features.pop("shape.brief", 0.0) and "before.asks" in features and "open.no" not in features:
        features["answer.brief"] = 1.0
    if "cue.prohibit" in features and "open.task" not in features and "before.none" not in features:
        features["prohibit.alone"] = 1.0
    if "cue.replace" in features and "shape.tiny" in features:
        features["replace.alone"] = 1.0


def _drop_task_requirements(features: dict[str, float]) -> None:
    """Drop the cues that belong to a task: its requirements are no rules, and nothing is wrong before work began."""
    if "rule.plain" in features:
        features.pop("open.task", None)
    if "shape.long" in features:
        for name in _SAID_SHORT:
            features.pop(name, None)
    if "open.task" not in features:
        return
    if "before.none" in features:
        for name in _OF_A_TASK:
            features.pop(name, None)
    if not any(name in features for name in _DIRECTS):
        features["task.plain"] = 1.0


def _only_narrates_or_asks(sentence: str, words: CorrectionCues) -> bool:
    """Whether a sentence directs nobody: a story, an opinion, a plain question."""
    is_undirected = words.has("sentence", "narrative", sentence) or (
        sentence.endswith(("?", "？")) and not words.has("cue", "rebuke", sentence)
    )
    return is_undirected and not words.has("sentence", "directs", sentence)


def _fold_sentence(text: str) -> str:
    """A sentence folded, without its list marker and without the files it mentions."""
    return _MENTION.sub(" ", fold(_MARKER.sub("", text))).strip()


def _own_words(text: str, exchange: Exchange) -> list[Piece]:
    return [
        piece
        for piece in sentences(text)
        if piece.kind in _SPOKEN
        and not _REPORTED.match(piece.text)
        and not any(a < piece.end and piece.start < b for a, b in exchange.pasted)
    ]


def references_of(text: str) -> frozenset[str]:
    """The rules files that a turn refers to, folded and without their suffix."""
    low = text.lower()
    if "@" not in text and ".md" not in low and ".cur" not in low:
        return frozenset()
    return frozenset(
        fold("".join(parts)).removesuffix(".mdc").removesuffix(".md") for parts in _REFERENCE.findall(text)
    )


def _rebukes(sentence: str, words: CorrectionCues) -> bool:
    """Whether a question is none: it is a rebuke, or asks to stop."""
    return words.has("cue", "rebuke", sentence) or words.has("sentence", "stops", sentence)


def _context_features(exchange: Exchange, words: CorrectionCues) -> dict[str, float]:
    """Features of what precedes the turn, and of the reply to it."""
    features: dict[str, float] = {}
    if not exchange.before.strip():
        features["before.none"] = 1.0
    elif words.names("before"):
        tail = fold(exchange.before[-300:])
        features |= {f"before.{name}": 1.0 for name, cue in words.names("before").items() if cue.is_in(tail)}
    if exchange.interrupted or _ends_in_interruption(exchange.before):
        features["before.interrupted"] = 1.0
    if exchange.outcome == "rejected":
        features["rejected"] = 1.0
    if exchange.reverted:
        features["reverted"] = 1.0
    if exchange.after and words.has("after", "concedes", fold(exchange.after[:240])):
        features["after.concedes"] = 1.0
    return features


def _ends_in_interruption(before: str) -> bool:
    last = before.rstrip().rsplit("\n", 1)[-1].strip(" .*_`").casefold()
    return last in ("cancelled", "canceled") or "request interrupted by user" in before[-80:]


def _shape_features(folded: Sequence[str], words: CorrectionCues, references: frozenset[str]) -> dict[str, float]:
    """Features of length and of questions, and whether a turn is little more than a reference."""
    spoken = "\n".join(folded)
    count = len(_WORD.findall(spoken)) if words.language != "zh" else len(spoken) // 2
    features = {}
    if count <= 3:
        features["shape.bare" if references else "shape.tiny" if count else "shape.wordless"] = 1.0
    if count > 60:
        features["shape.long"] = min(1.0, (count - 60) / 120)
    if count > 250:
        features["shape.document"] = 1.0
    if count <= _BRIEF:
        features["shape.brief"] = 1.0
    if references:
        features["rules.named"] = 1.0
    if folded:
        asked = [text for text in folded if text.endswith(("?", "？")) and not _rebukes(text, words)]
        features["shape.asks"] = len(asked) / len(folded)
    return {name: value for name, value in features.items() if value}
