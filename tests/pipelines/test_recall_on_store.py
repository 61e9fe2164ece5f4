"""Recall on a real store: filters, neighbours, both clocks, with and without vectors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dopejar.adapters.embedders.hashed_embedder import HashedEmbedder
from dopejar.adapters.sqlite import SqliteStore
from dopejar.errors import InputError
from dopejar.memory.record_writer import write_record
from dopejar.pipelines.recall.ranking import rank
from dopejar.pipelines.recall.recall import recall
from dopejar.ports.store import Vector
from dopejar.testing.builders import append_turns
from dopejar.text.normalisation import content_hash
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import ActId, RecordId, TraceId, conversation_id, episode_id
from dopejar.values.recall import ContextPack, Query, Source
from dopejar.values.record import Evidence, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, ReadScope, Scope, Side

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)
NOW = datetime(2024, 6, 1, tzinfo=UTC)
TRACE = TraceId("t_test")
ACT = ActId("a_test")
ATLAS = Scope.project("atlas")
INSIDE = ReadScope(scopes=(UNIVERSAL, ATLAS))


class Fixed:
    """A clock that stands."""

    def now(self) -> datetime:
        """Always the same time."""
        return NOW


USES = ("builds", "logs", "deploys", "backups", "alerts", "mail")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store, in which it is `NOW`."""
    made = SqliteStore.open(tmp_path / "dopejar.db", clock=Fixed())
    yield made
    made.close()


def said(name: str, place: int, text: str, *, origin: Origin = Origin.USER, speaker: str = "user") -> Episode:
    """A turn of the named conversation."""
    return Episode(
        id=episode_id(name, str(place)),
        conversation=conversation_id("test", name),
        index=place,
        at=NOON + timedelta(minutes=place),
        speaker=speaker,
        origin=origin,
        text=text,
        content_hash=content_hash(text),
        source_id=f"{name}:{place}",
    )


def record(number: int, text: str, *, scope: Scope = UNIVERSAL, kind: Kind = Kind.FACT) -> Record:
    """An active record."""
    return Record(
        id=RecordId(f"m_{number:016d}"),
        kind=kind,
        text=text,
        key=f"Self-Test-{number}",
        slot="",
        value="",
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
        namespace=Namespace.PROD,
        scope=scope,
        side=Side.NONE,
        status=Status.ACTIVE,
        confidence=1.0,
        certainty=1.0,
        trust=1.0,
        tags=(),
        pinned=False,
        created_at=NOON,
        valid_from=NOON,
        valid_to=None,
        temporary=False,
        content_hash=content_hash(text),
        version=1,
        made_by="test@1",
    )


def fill(store: SqliteStore, turns: list[Episode], records: list[Record] | None = None, source: str = "test") -> None:
    """Write turns, and records that each rest on the first turn."""
    with store.write() as tx:
        for conversation in dict.fromkeys(turn.conversation for turn in turns):
            tx.put_conversation(Conversation(id=conversation, source=source, name=conversation))
        append_turns(tx, turns)
        for held in records or []:
            write_record(tx, None, held, ACT, 0, lambda _: ())
            if turns:
                first = turns[0]
                span = Evidence(episode_id=first.id, start=0, end=len(first.text), at=first.at, wording=held.text)
                tx.put_evidence(held.id, [span])


def embed_all(store: SqliteStore) -> HashedEmbedder:
    """Give everything a hashed vector."""
    embedder = HashedEmbedder()
    with store.write() as tx:
        missing = tx.missing_vectors(embedder.identity, 1000)
        rows = embedder.embed([text for _, _, _, text in missing])
        tx.put_vectors(
            embedder.identity,
            [
                Vector(owner=owner, owner_id=owner_id, content_hash=mark, values=row)
                for (owner, owner_id, mark, _), row in zip(missing, rows, strict=True)
            ],
        )
    return embedder


def ask(store: SqliteStore, query: Query, embedder: HashedEmbedder | None = None) -> ContextPack:
    """Recall from a snapshot."""
    with store.read() as view:
        return recall(
            query,
            view,
            now=NOW,
            trace_id=TRACE,
            embed=(lambda text: embedder.embed([text])[0]) if embedder else None,
            embedder=embedder.identity if embedder else None,
        )


def test_answer_is_cited(store: SqliteStore) -> None:
    """A record comes with the turn it rests on, which is not quoted a second time."""
    fill(store, [said("talk", 0, "My boat is moored in Kirkwall.")], [record(1, "The boat is moored in Kirkwall.")])
    pack = ask(store, Query(text="Where is my boat moored?"))
    assert [item.source for item in pack.items] == [Source.RECORD]
    assert pack.items[0].citations[0].episode_id == episode_id("talk", "0")
    assert "Kirkwall" in pack.text
    assert pack.trace_id == TRACE
    assert pack.left_out == 0


def test_scope_is_applied_before_ranking(store: SqliteStore) -> None:
    """Many better matches of another project do not crowd out the one that may be seen."""
    others = [record(n, "The mast lamp is green.", scope=Scope.project("other")) for n in range(2, 260)]
    fill(store, [said("talk", 0, "x")], [record(1, "Some lamp somewhere is broken.", scope=ATLAS), *others])
    pack = ask(store, Query(text="What about the mast lamp?", read_scope=INSIDE, sources=(Source.RECORD,)))
    assert [item.id for item in pack.items] == [RecordId(f"m_{1:016d}")]


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.ACTIVE])
def test_only_what_is_believed_is_recalled(store: SqliteStore, status: Status) -> None:
    """A record that is not active is not found."""
    fill(store, [], [replace(record(1, "The mast lamp is green."), status=status)])
    assert ask(store, Query(text="mast lamp")).items == ()


def test_words_and_hashed_vectors_find_the_same_memory(store: SqliteStore) -> None:
    """With hashed vectors, without any, and with vectors still to come, the right record is first."""
    fill(store, [], [record(1, "The mast lamp is green."), record(2, "The anchor weighs forty pounds.")])
    query = Query(text="How heavy is the anchor?")
    assert ask(store, query).items[0].id == RecordId(f"m_{2:016d}")
    embedder = embed_all(store)
    assert ask(store, query, embedder).items[0].id == RecordId(f"m_{2:016d}")
    fill(store, [], [record(3, "The anchor of the dinghy is lost.")])
    assert {item.id for item in ask(store, query, embedder).items} >= {RecordId(f"m_{2:016d}"), RecordId(f"m_{3:016d}")}


def test_misspelt_word_is_found_by_hashed_vectors(store: SqliteStore) -> None:
    """What shares no term with the question may still be near in spelling."""
    fill(store, [], [record(1, "The harbourmaster collects the fees.")])
    query = Query(text="harbormastrs")
    assert ask(store, query).items == ()
    assert ask(store, query, embed_all(store)).items[0].id == RecordId(f"m_{1:016d}")


def test_answer_without_the_questions_words_is_lent_some(store: SqliteStore) -> None:
    """A brief reply beside a close turn is ranked though it holds none of the words."""
    turns = [said("talk", n, f"Filler about weather and tides number {n}.") for n in range(8)]
    turns[3] = said("talk", 3, "What colour is your kayak?", origin=Origin.OTHER, speaker="Orla")
    turns[4] = said("talk", 4, "Bright orange!")
    fill(store, turns)
    with store.read() as view:
        found = rank(Query(text="Which colour is the kayak?"), view, embed=None, embedder=None, now=NOW)
    assert "Bright orange!" in [item.text for item in found[:2]]
    assert next(item for item in found if item.text == "Bright orange!").from_neighbours > 0


def test_statements_that_stand_alone_lend_one_another_nothing(store: SqliteStore) -> None:
    """What was remembered just before or after an answer is no answer."""
    fill(store, [said("day", 0, "My kayak is orange."), said("day", 1, "Tides turn at six.")], source="remember")
    with store.read() as view:
        found = rank(Query(text="Which colour is the kayak?"), view, embed=None, embedder=None, now=NOW)
    assert [item.text for item in found] == ["My kayak is orange."]


@pytest.mark.parametrize("asked", ["Which colour is the kayak?", "kayak colour?", "WHICH COLOUR IS THE KAYAK"])
def test_the_question_asked_before_is_no_answer(store: SqliteStore, asked: str) -> None:
    """In the same words, or as a question about less: neither the turn nor a score of it is left."""
    turns = [said("talk", n, f"Filler about weather and tides number {n}.") for n in range(8)]
    turns[2], turns[6] = said("talk", 2, "The kayak is orange, my favourite colour."), said("talk", 6, asked)
    fill(store, turns)
    with store.read() as view:
        found = rank(Query(text="Which colour is the kayak?"), view, embed=None, embedder=None, now=NOW)
    assert found[0].text == "The kayak is orange, my favourite colour."
    assert {item.episode.index for item in found if item.episode} <= {0, 1, 2, 3, 4}


def test_named_speaker_comes_first(store: SqliteStore) -> None:
    """The name in the question says who spoke, not which word to find."""
    fill(
        store,
        [
            said("talk", 0, "Piet, I planted tulips.", origin=Origin.OTHER, speaker="Orla"),
            said("talk", 9, "Orla, I planted tulips and leeks.", origin=Origin.OTHER, speaker="Piet"),
        ],
    )
    with store.read() as view:
        for name in ("Orla", "Piet"):
            found = rank(Query(text=f"What did {name} plant?"), view, embed=None, embedder=None, now=NOW)
            assert found[0].episode is not None
            assert found[0].episode.speaker == name


def test_temporary_record_outranks_the_lasting_one(store: SqliteStore) -> None:
    """While it holds, the temporary statement of a slot stands before the lasting one, whatever their words."""
    lasting = replace(record(1, "The user works from the office in Oslo."), slot="self.works.from")
    passing = replace(
        record(2, "The user works from home."),
        slot="self.works.from",
        temporary=True,
        valid_to=NOW + timedelta(days=2),
    )
    fill(store, [], [lasting, passing])
    pack = ask(store, Query(text="Does the user work from the office in Oslo?"))
    assert [item.id for item in pack.items] == [passing.id, lasting.id]
    assert "temporary" in pack.items[0].marks
    assert "holds for now" in pack.items[0].why


def test_as_of_finds_what_was_true_then(store: SqliteStore) -> None:
    """A superseded record answers for its own time, and is marked."""
    old = replace(record(1, "The server is in Oslo."), status=Status.SUPERSEDED, valid_to=NOON + timedelta(days=10))
    new = replace(record(2, "The server is in Bergen."), valid_from=NOON + timedelta(days=10))
    fill(store, [], [old, new])
    assert [item.id for item in ask(store, Query(text="Where is the server?")).items] == [new.id]
    then = ask(store, Query(text="Where is the server?", as_of=NOON + timedelta(days=1)))
    assert [item.id for item in then.items] == [old.id]
    assert "superseded" in then.items[0].marks


def test_believed_at_quotes_nothing_said_later(store: SqliteStore) -> None:
    """What was said after a time is no part of what was known then."""
    fill(store, [said("talk", 0, "The lamp is green."), said("talk", 60, "The lamp is red.")])
    pack = ask(store, Query(text="lamp", believed_at=NOON + timedelta(minutes=30)))
    assert [item.text for item in pack.items] == ["The lamp is green."]


def test_kinds_and_conversation_narrow(store: SqliteStore) -> None:
    """Kinds are kinds of records, and a conversation keeps to itself."""
    fill(
        store,
        [said("talk", 0, "The lamp is green."), said("other", 0, "The lamp is red.")],
        [record(1, "Never paint the lamp.", kind=Kind.RULE), record(2, "The lamp is old.")],
    )
    rules = ask(store, Query(text="lamp", kinds=(Kind.RULE,)))
    assert [item.text for item in rules.items] == ["Never paint the lamp."]
    own = ask(store, Query(text="lamp", conversation=conversation_id("test", "other"), sources=(Source.EPISODE,)))
    assert [item.text for item in own.items] == ["The lamp is red."]


def test_explanation_tells_how(store: SqliteStore) -> None:
    """Terms, filter, candidates and every ranked item are told on request, and only then."""
    fill(store, [said("talk", 0, "My boat is moored in Kirkwall.")], [record(1, "The boat is moored in Kirkwall.")])
    assert ask(store, Query(text="Where is my boat?")).explanation == ()
    told = "\n".join(ask(store, Query(text="Where is my boat?", explain=True)).explanation)
    assert "terms: boat" in told
    assert "sees: prod; universal" in told
    assert "1 records by words" in told
    assert "m_" in told
    assert "e_" in told


@pytest.mark.parametrize("text", ["", "   ", "?", "\x00", "the of and", '"unbalanced OR (', "NEAR/3 *"])
def test_any_text_can_be_asked(store: SqliteStore, text: str) -> None:
    """No question breaks the search, whatever signs it holds."""
    fill(store, [said("talk", 0, "The lamp of the house.")])
    assert ask(store, Query(text=text)).budget == 1024


@pytest.mark.parametrize("query", [Query(text="x", budget=-1), Query(text="x", limit=-1)])
def test_negative_room_is_refused(store: SqliteStore, query: Query) -> None:
    """A negative budget or limit is an input error."""
    with pytest.raises(InputError, match="0 or more"):
        ask(store, query)


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_a_question_for_several_things_keeps_its_limit(store: SqliteStore, limit: int) -> None:
    """However many parts a question has and however many are answered."""
    fill(store, [], [record(place, f"We use a {use} tool for {use}") for place, use in enumerate(USES)])
    pack = ask(store, Query(text=f"What do we use for {', '.join(USES[:-1])} and {USES[-1]}?", limit=limit))
    assert len(pack.items) == limit


@pytest.mark.parametrize(
    "text",
    [
        f"What do we use for {', '.join(USES[:-1])} and {USES[-1]}?",
        "How many tools for builds do we have?",
        "We pay for builds. Which tool do we use for builds and logs?",
    ],
)
def test_few_texts_are_read_however_much_is_asked(store: SqliteStore, text: str) -> None:
    """Over all searches of one question, and none twice with the same words."""
    fill(store, [], [record(place, f"Tool {place} is for {USES[place % 6]} of ours") for place in range(60)])
    embedder, read = embed_all(store), list[tuple[str, str]]()

    def answers(question: str, texts: Sequence[str]) -> list[float]:
        read.extend((question, text) for text in texts)
        return [0.0] * len(texts)

    with store.read() as view:
        recall(
            Query(text=text),
            view,
            now=NOW,
            trace_id=TRACE,
            embed=lambda asked: embedder.embed([asked])[0],
            embedder=embedder.identity,
            answers=answers,
        )
    assert 8 < len(read) == len(set(read)) <= 24


def test_words_alone_load_no_numpy(tmp_path: Path, store: SqliteStore) -> None:
    """A lexical recall in a fresh process never imports numpy."""
    fill(store, [said("talk", 0, "The lamp is green.")], [record(1, "The lamp is green.")])
    code = (
        "import sys; from pathlib import Path; from datetime import datetime, UTC\n"
        "from dopejar.adapters.sqlite import SqliteStore\n"
        "from dopejar.pipelines.recall.recall import recall\n"
        "from dopejar.values.recall import Query\n"
        f"store = SqliteStore.open(Path({str(tmp_path / 'dopejar.db')!r}))\n"
        "with store.read() as view:\n"
        "    pack = recall(Query(text='lamp'), view, now=datetime.now(UTC), trace_id='t')\n"
        "assert pack.items and 'numpy' not in sys.modules, sorted(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
