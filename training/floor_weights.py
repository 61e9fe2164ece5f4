"""Fit the floor of recall: from which signals on a question has an answer in memory.

Takes: the questions of `data/answers`, turns of `data/reader` to ask them among, and, for the floor of an embedder, a
data directory where it is installed. Gives: `src/dopejar/pipelines/recall/data/floor.toml`, and figures on domains held
out. Never: reads a benchmark's data.

    python -m training.floor_weights --home DIR --out FILE      # six minutes on one core

Each domain is asked in stores of 60, 400 and 2,000 turns: its own questions, with an answer and without, those of other
domains and general ones. A logistic regression weighs the signals of `pipelines/recall/answer_floor.py`; the floor
then is where a share (`LOST`) of the answers that are found is lost, on domains that the weights were not fitted with.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dopejar.adapters.embedders.hashed_embedder import HashedEmbedder
from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.readers.answer_reader import FittedAnswerReader
from dopejar.bench.store_sample import append_turns
from dopejar.compose import make_embedder
from dopejar.compose.stores import open_store
from dopejar.pipelines.recall.answer_floor import Floor, Nearness
from dopejar.pipelines.recall.ranking import rank_with_details
from dopejar.ports.embedder import Embedder
from dopejar.ports.statement_reader import AnswerReader
from dopejar.ports.store import ReadView, Store, Vector
from dopejar.settings import read_settings
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import conversation_id, episode_id
from dopejar.values.recall import Query, Source
from dopejar.values.scope import ReadScope
from training.reader_data import first_turns

DATA = Path(__file__).parent / "data" / "answers"
UNREAD = (  # files that a reader of answers is not fitted with for this
    "asked/persons_3",
    "asked/persons_8",
    "asked/persons_10",
    "asked/chats_1",
    "answers/conversations_4",
    "answers/3",
    "answers/general",
)
SIZES = (60, 400, 2000)
SIZES_READ = (60, 400)  # turns where the best items are read
CONVERSATION = 20  # turns
ASKED = 25  # general questions, and as many of other domains, in each store
FOUND = 10  # ranks among which an answer counts as found
LOST_BY_WORDS = 0.05  # without a model an answer in other words is missed often enough
LOST_WITH_VECTORS = 0.12
LOST_IF_READ = 0.05
FOLDS = 6
ITEM = 0.2  # the least cosine of an item that has no word in common with the question; chosen by hand
OWN = 0.33  # of 66 answered questions about the asker one in seven is below, of 50 others two in three
NAMED = 0.55  # of 23 answered questions about somebody named one is below, of 32 others half
NO_COSINE = 1.0  # is reached by nothing
ALIKE = {"minilm-l6-v2": ("mpnet-base-v2",)}  # models whose cosines lie as its own do: see decision 31
AT = datetime(2026, 1, 1, tzinfo=UTC)
Floats = npt.NDArray[np.float64]


class Turn(NamedTuple):
    """What was said by whom."""

    speaker: str
    text: str


class Asked(NamedTuple):
    """A question, and the places of the turns that answer it; none where nothing does."""

    text: str
    answers: tuple[int, ...]


@dataclass
class Domain:
    """One conversation and what is asked about it."""

    turns: list[Turn] = field(default_factory=list)
    questions: list[Asked] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names of those who speak; none where it is a user with an assistant."""
        return sorted({turn.speaker for turn in self.turns} - {"user", "assistant"})


class Row(NamedTuple):
    """The signals of one question in one store, and whether it is answered there."""

    signals: tuple[float, ...]
    is_answered: bool
    domain: int


def main() -> None:
    """Fit a floor for words, and one for the embedder that is installed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a data directory in which a model is installed")
    parser.add_argument(
        "--answers", type=Path, help="weights of a reader of answers, fitted without the files of UNREAD"
    )
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    arguments = parser.parse_args()
    hashed = HashedEmbedder()
    embedders: dict[str, Embedder | None] = {"words": None, hashed.identity.name: hashed}
    if arguments.home:
        model = make_embedder(read_settings(arguments.home, {"DOPEJAR_EMBEDDER_KIND": "minilm"}))
        if model is not None:
            embedders[model.identity.name] = model
    parts = [_HEADER]
    for name, embedder in embedders.items():
        lost = LOST_WITH_VECTORS if knows_meaning(embedder) else LOST_BY_WORDS
        fitted = {"": fit(rows_of(embedder), lost)}
        if isinstance(embedder, SentenceEmbedder) and arguments.answers:
            reader = FittedAnswerReader(embedder, name, arguments.answers)
            fitted[" read"] = fit(rows_of(embedder, reader), LOST_IF_READ)
        parts += [
            _section(f"{one}{kind}", weights, has_cosines=knows_meaning(embedder))
            for one in (name, *ALIKE.get(name, ()))
            for kind, weights in fitted.items()
        ]
    arguments.out.write_text("".join(parts), "utf-8")


def _section(name: str, fitted: Mapping[str, float], *, has_cosines: bool) -> str:
    lines = "".join(f"{key} = {value}\n" for key, value in fitted.items())
    by_hand = f"item = {ITEM}\nown = {OWN}\n" if has_cosines else f"item = {NO_COSINE}\n"
    return f'\n["{name}"]\n{lines}{by_hand}named = {NAMED if has_cosines else NO_COSINE}\n'


def knows_meaning(embedder: Embedder | None) -> bool:
    """Whether its vectors tell more than words do: those of hashed words tell the spelling."""
    return embedder is not None and not embedder.identity.lexical


_HEADER = """# From which relevance on a question has an answer. Made by `python -m training.floor_weights`.
#
# relevance = cosine * the best cosine of an item + coverage * the best share of the question's terms in an item, rarer
# terms counting more + terms * log(1 + the number of terms) + crowd * the cosine of the hundredth hit + answer * the
# best log odds that an item answers. `words` is for a search without vectors, `read` where the best items were read
# with the question. An embedder that is not named has that of words. `item` is the least cosine of an item that has no
# word in common with the question; `own` that of what the asker said of themself to a question about themself; `named`
# that of what shares only a name with the question, or all but the name. These two were chosen by hand.
"""


def domains_of(paths: Iterable[Path]) -> tuple[list[Domain], list[str]]:
    """The domains of the files, and the questions that belong to none."""
    domains, general = list[Domain](), list[str]()
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            sign, text = line[:1], line[2:]
            if sign == "#":
                domains.append(Domain())
            elif sign == "T":
                name, _, said = text.partition(": ")
                is_named = bool(said) and name.isalpha() and (name == "assistant" or _is_dialogue(domains[-1], name))
                domains[-1].turns.append(Turn(name, said) if is_named else Turn("user", text))
            elif sign in ("A", "N"):
                domains[-1].questions.append(Asked(text, (len(domains[-1].turns) - 1,) if sign == "A" else ()))
            elif sign == "S":
                said = text.partition(" ")[2]
                domains[-1].turns.append(Turn("user", said) if path.stem.startswith("persons") else _turn(said))
            elif sign == "Q":
                asked, _, places = text.rpartition(" | ")
                numbers = () if places == "-" else tuple(int(number) - 1 for number in places.split(","))
                domains[-1].questions.append(Asked(asked, numbers))
            elif sign == "G":
                general.append(text)
    return [domain for domain in domains if domain.turns], general


def _turn(text: str) -> Turn:
    speaker, _, said = text.partition(": ")
    return Turn(speaker, said)


def _is_dialogue(domain: Domain, name: str) -> bool:
    return name.istitle() and (not domain.turns or domain.turns[0].speaker not in ("user", "assistant"))


def rows_of(embedder: Embedder | None, reader: AnswerReader | None = None) -> list[Row]:
    """The signals of all questions in all stores; without answers that are not found at all.

    Whole conversations are for a model alone: of half of their questions no word is in the answer. For a `reader`
    of answers, the files that it was not fitted with.
    """
    paths = (
        [DATA.parent / f"{name}.txt" for name in UNREAD]
        if reader
        else sorted(DATA.glob("*.txt" if knows_meaning(embedder) else "[!c]*.txt"))
    )
    domains, general = domains_of(paths)
    others = [
        Turn("user" if line[0] == "T" else "assistant", line[2:].replace("\\n", "\n"))
        for path in first_turns()
        for line in path.read_text("utf-8").splitlines()
        if line[:2] in ("T ", "B ") and line[2:].strip()
    ]
    vectors: dict[str, npt.NDArray[np.float32]] = {}
    found = list[Row]()
    with tempfile.TemporaryDirectory() as made:  # one for all stores: a deleted file's number may be given to the next
        for place, domain in enumerate(domains):
            elsewhere = [one.text for other in domains if other is not domain for one in other.questions]
            for size in SIZES_READ if reader else SIZES:
                chance = random.Random(1000 * size + place)
                asked = [*domain.questions, *(Asked(text, ()) for text in chance.sample(general, ASKED))]
                asked += [Asked(text, ()) for text in chance.sample(elsewhere, ASKED)]
                store = open_store(Path(made) / f"{place}-{size}.db")
                _fill(store, _sessions(domain, others, size, chance), embedder, vectors)
                with store.read() as view:
                    found += _ask(view, asked, embedder, vectors, place, reader)
                store.close()
    return found


def _sessions(domain: Domain, others: Sequence[Turn], size: int, chance: random.Random) -> list[tuple[str, list[Turn]]]:
    """The domain's conversation among others; in a dialogue, its speakers say what is in the others."""
    count = max(0, size - len(domain.turns))
    first = chance.randrange(len(others) - count)
    around = [
        Turn(chance.choice(domain.names), turn.text) if domain.names else turn for turn in others[first : first + count]
    ]
    sessions = [("own", domain.turns)]
    sessions += [(str(start), around[start : start + CONVERSATION]) for start in range(0, count, CONVERSATION)]
    chance.shuffle(sessions)
    return sessions


def _fill(
    store: Store,
    sessions: Sequence[tuple[str, Sequence[Turn]]],
    embedder: Embedder | None,
    known: dict[str, npt.NDArray[np.float32]],
) -> None:
    with store.write() as tx:
        for name, turns in sessions:
            conversation = Conversation(id=conversation_id("fit", name), source="fit", name=name, started_at=AT)
            append_turns(tx, conversation, [_episode(conversation, place, turn) for place, turn in enumerate(turns)])
    if embedder is None:
        return
    with store.read() as view:
        missing = view.missing_vectors(embedder.identity, max(SIZES) + CONVERSATION)
    _embed(embedder, [text for *_, text in missing], known)
    rows = [
        Vector(owner=kind, owner_id=one, content_hash=mark, values=known[text]) for kind, one, mark, text in missing
    ]
    with store.write() as tx:
        tx.put_vectors(embedder.identity, rows)


def _episode(conversation: Conversation, place: int, turn: Turn) -> Episode:
    origin = {"user": Origin.USER, "assistant": Origin.ASSISTANT}.get(turn.speaker, Origin.OTHER)
    return Episode(
        id=episode_id("fit", f"{conversation.name} {place}"),
        conversation=conversation.id,
        index=place,
        at=AT,
        speaker=turn.speaker,
        origin=origin,
        text=turn.text,
        source_id=f"{conversation.name} {place}",
    )


def _embed(embedder: Embedder, texts: Sequence[str], known: dict[str, npt.NDArray[np.float32]]) -> None:
    missing = [text for text in dict.fromkeys(texts) if text not in known]
    if missing:
        known.update(zip(missing, embedder.embed(missing), strict=True))


def _ask(
    view: ReadView,
    asked: Sequence[Asked],
    embedder: Embedder | None,
    known: dict[str, npt.NDArray[np.float32]],
    domain: int,
    reader: AnswerReader | None,
) -> Iterator[Row]:
    if embedder is not None:
        _embed(embedder, [one.text for one in asked], known)
    for text, answers in asked:
        query = Query(text=text, read_scope=ReadScope(all_projects=True), asked_at=AT, sources=(Source.EPISODE,))
        ranking = rank_with_details(
            query,
            view,
            embed=known.__getitem__ if embedder else None,
            embedder=embedder.identity if embedder else None,
            answers=reader.answers if reader else None,
            now=AT,
            floor=Floor(),
        )
        first = [item.episode.source_id for item in ranking.items[:FOUND] if item.episode is not None]
        if ranking.items and (not answers or any(f"own {answer}" in first for answer in answers)):
            yield Row(tuple(ranking.signals), bool(answers), domain)


def fit(rows: Sequence[Row], lost: float) -> Mapping[str, float]:
    """The weights, the larger of cosine and coverage being 1, and the floor where `lost` of the answers are lost.

    Prints a figure of domains held out.
    """
    signals = np.array([row.signals for row in rows])
    answered = np.array([row.is_answered for row in rows], dtype=np.float64)
    fold = np.array([row.domain % FOLDS for row in rows])
    used = signals.std(axis=0) > 0
    scores = np.zeros(len(rows))
    weights = _weights(signals, answered, used)
    scale = max(weights[0], weights[1])
    for held in range(FOLDS):
        part = _weights(signals[fold != held], answered[fold != held], used)
        scores[fold == held] = signals[fold == held] @ part / max(part[0], part[1])
    floor = float(np.quantile(scores[answered == 1], lost))
    print(f"{len(rows)} questions; without an answer and empty: {(scores[answered == 0] < floor).mean():.3f}")
    names = Nearness._fields
    fitted = {name: round(float(one), 3) for name, one in zip(names, weights / scale, strict=True)}
    return {"floor": round(floor, 3)} | fitted


def _weights(signals: Floats, answered: Floats, used: npt.NDArray[np.bool_]) -> Floats:
    """Logistic regression by Newton's method; both classes have the same weight in it, and a signal not used has 0."""
    mean, deviation = signals.mean(axis=0)[used], signals.std(axis=0)[used]
    inputs = np.c_[np.ones(len(signals)), (signals[:, used] - mean) / deviation]
    share = np.where(answered == 1, 0.5 / answered.mean(), 0.5 / (1 - answered.mean()))
    penalty = np.diag([0.0, *np.ones(int(used.sum()))])
    beta = np.zeros(inputs.shape[1])
    for _ in range(25):
        chance = 1 / (1 + np.exp(-inputs @ beta))
        gradient = inputs.T @ (share * (answered - chance)) - penalty @ beta
        curvature = (inputs.T * (share * chance * (1 - chance))) @ inputs + penalty
        beta += np.linalg.solve(curvature, gradient)
    weights = np.zeros(signals.shape[1])
    weights[used] = beta[1:] / deviation
    return weights


if __name__ == "__main__":
    main()
