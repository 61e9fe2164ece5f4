"""Atoms as a reader reads them: tables of what the rules found, what the reader finds, and what becomes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dopejar.pipelines.ingest import extract
from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.statement_frames import framed
from dopejar.values.record import Kind, Layer, Sublayer
from dopejar.values.statement import FactClass, Frame, Related, Relation, SpeechAct, Statement, Tense

FACT = Frame(
    subject="We",
    attribute="retry limit",
    attribute_certainty=0.9,
    value="8",
    guides=0.02,
    fact_class=FactClass.PLAIN,
    class_certainty=0.9,
    layer=Layer.WORLD,
    sublayer=Sublayer.FACT,
    layer_certainty=0.9,
    private=0.0,
    leans=0.0,
    takes_back=0.0,
    several=0.0,
)


class Certain:
    """A reader that finds the same frame in every sentence."""

    name, knows_dates, finds_frames, is_graded = "certain", True, True, False

    def __init__(self, frame: Frame, act: SpeechAct = SpeechAct.ASSERTION) -> None:
        self._frame, self._act = frame, act

    def read(self, sentences):
        """The same act each."""
        return tuple(
            Statement(
                text=text,
                act=self._act,
                act_certainty=1.0,
                tense=Tense.NOW,
                tense_certainty=1.0,
                denied=0.0,
                durable=1.0,
                frame=self._frame,
            )
            for text in sentences
        )


def atoms_of(text: str, *, speaker_is_user: bool = True):
    """What the rules cut out of a text that was told to the memory."""
    return extract(text, at=None, speaker_is_user=speaker_is_user, keep_all=True).atoms


@pytest.mark.parametrize(
    ("text", "found", "directs", "sublayer", "only_states"),
    [
        ("We raised the retry limit to 8.", FACT, False, Sublayer.FACT, True),
        ("We raised the retry limit to 8.", replace(FACT, guides=0.9), True, Sublayer.RULE, False),
        ("Never push to main.", replace(FACT, guides=0.3), True, Sublayer.FACT, False),
        ("Never push to main.", FACT, False, Sublayer.FACT, True),
        (
            "I live in Porto.",
            replace(FACT, sublayer=Sublayer.IDENTITY, layer=Layer.SELF),
            False,
            Sublayer.IDENTITY,
            True,
        ),
    ],
)
def test_the_reader_decides_what_directs_the_work(text, found, directs, sublayer, only_states):
    """Where rules find guidance, little doubt of the reader keeps it; where they do not, the reader must be sure."""
    ((atom,),) = framed(atoms_of(text), Certain(found), resort=True)
    assert (atom.directs_work, atom.only_states) == (directs, only_states)
    assert atom.sublayer is sublayer or (directs and atom.sublayer in (Sublayer.RULE, Sublayer.ANTI_PATTERN))


LIMIT = replace(FACT, layer=Layer.SELF, sublayer=Sublayer.CONSTRAINT, guides=0.2, private=0.4)


@pytest.mark.parametrize("resort", [True, False])
@pytest.mark.parametrize(
    ("found", "directs"),
    [
        (LIMIT, False),
        (replace(LIMIT, guides=0.6), True),
        (replace(LIMIT, private=0.1), True),
        (replace(LIMIT, layer_certainty=0.3), True),
    ],
)
def test_a_limit_of_somebodys_life_is_no_rule(found, directs, resort):
    """It directs the work where the reader is not sure that it limits a life, or finds an order in it."""
    before = atoms_of("My uncle must not have salt.")
    assert all(atom.directs_work for atom in before)
    ((atom,),) = framed(before, Certain(found), resort=resort)
    assert (atom.directs_work, atom.kind is Kind.FACT) == (directs, not directs)


def test_an_unsure_reader_leaves_the_sort_to_the_rules():
    """Below its certainty the layer and the kind stay as the rules found them."""
    (before,) = atoms_of("My name is Ilse.")
    ((after,),) = framed((before,), Certain(replace(FACT, layer_certainty=0.2, class_certainty=0.2)), resort=True)
    assert (after.layer, after.sublayer, after.kind) == (before.layer, before.sublayer, before.kind)


def test_a_definition_is_an_alias():
    """What the reader is sure to be a definition is filed as one."""
    ((atom,),) = framed(
        atoms_of("CI means continuous integration."), Certain(replace(FACT, fact_class=FactClass.ALIAS)), resort=True
    )
    assert atom.kind is Kind.ALIAS


def test_words_of_others_stay_as_the_rules_read_them():
    """No reading makes somebody else's guidance harmless."""
    before = atoms_of("Never push to main.", speaker_is_user=False)
    assert framed(before, Certain(FACT), resort=True) == tuple((atom,) for atom in before)


class ByWords(Certain):
    """A reader that finds guidance in a short sentence that holds one of some words, and in no long one."""

    def __init__(self, **guides: float) -> None:
        super().__init__(FACT)
        self._guides = guides

    def read(self, sentences):
        """The same frame each but for what directs the work."""
        return tuple(
            replace(found, frame=replace(FACT, guides=self._of(found.text))) for found in super().read(sentences)
        )

    def _of(self, text: str) -> float:
        found = [value for word, value in self._guides.items() if word in text.lower() and len(text.split()) < 8]
        return max(found, default=0.02)


def whole(text: str) -> Atom:
    """A text as one atom, as a marker may find it."""
    (first, *_) = atoms_of(text)
    return replace(first, text=text, core="", start=0, end=len(text), kind=Kind.FACT, directs_work=False)


@pytest.mark.parametrize("resort", [True, False])
@pytest.mark.parametrize(
    ("said", "fact", "rule"),
    [
        ("The kiln is behind the shed, and label the crates", "The kiln is behind the shed", "Label the crates"),
        ("Label the crates - the kiln is behind the shed", "The kiln is behind the shed", "Label the crates"),
        ("The kiln, behind the shed; please label the crates", "The kiln, behind the shed", "Please label the crates"),
    ],
)
def test_a_fact_and_guidance_in_one_sentence_are_two_atoms(said, fact, rule, resort):
    """The fact directs nothing, the guidance does; each range holds its own words."""
    ((first, second),) = framed((whole(said),), ByWords(label=0.95), resort=resort)
    assert (first.text, first.guides, second.text, second.guides) == (fact, False, rule, True)
    assert "label" in said[second.start : second.end].lower()


@pytest.mark.parametrize(
    "said", ["When it rains, call the shed - not the label desk", "The kiln is open, never on label days"]
)
def test_a_tail_that_denies_a_part_stays_with_its_clause(said):
    """Without a verb of its own it is no guidance beside what it belongs to."""
    assert [atom.text for group in framed((whole(said),), ByWords(label=0.95), resort=True) for atom in group] == [said]


def test_doubtful_guidance_counts_where_rules_find_it_too():
    """A clause that the reader is unsure of is told apart only in a sentence in which rules find guidance."""
    plain, rule = "The kiln is behind the shed, label the crates", "The kiln is behind the shed, never label the crates"
    groups = framed((whole(plain), whole(rule)), ByWords(label=0.4), resort=False)
    assert [len(group) for group in groups] == [1, 2]


def test_what_cannot_stand_alone_is_no_fact():
    """Of a sentence that is guidance but for a word or a pronoun, only the guidance is left."""
    ((atom,),) = framed((whole("It is so, and label the crates"),), ByWords(label=0.95), resort=False)
    assert atom.guides


@pytest.mark.parametrize("reader", [GrammarReader(), Certain(FACT)], ids=["grammar", "frames"])
def test_no_words_are_lost(reader):
    """As many atoms with the same words come out as went in, whatever reads them."""
    before = atoms_of("I live in Porto. We use Postgres. Never push to main.")
    after = [atom for (atom,) in framed(before, reader, resort=True)]
    assert [(atom.text, atom.start, atom.end) for atom in after] == [(a.text, a.start, a.end) for a in before]


@pytest.mark.parametrize(
    ("text", "layer", "guides", "kind"),
    [
        ("The upload limit is 20 MB.", Layer.WORLD, 0.02, Kind.FACT),
        ("I am allergic to hazelnuts.", Layer.SELF, 0.02, Kind.FACT),
        ("The upload limit is 20 MB.", Layer.WORLD, 0.2, Kind.CONSTRAINT),
        ("The limit for your answers is ten lines.", Layer.WORLD, 0.02, Kind.CONSTRAINT),
    ],
)
def test_a_limit_in_a_conversation_is_a_fact_only_where_it_directs_nobody(text, layer, guides, kind):
    """What may direct the assistant stays a constraint, which waits; the limit of a thing or a person is a fact."""
    (atom,) = atoms_of(text)
    before = replace(atom, kind=Kind.CONSTRAINT, layer=layer, sublayer=Sublayer.CONSTRAINT, directs_work=False)
    ((after,),) = framed((before,), Certain(replace(FACT, guides=guides)), resort=False)
    assert after.kind is kind
    assert after.directs_work is False


@pytest.mark.parametrize(("guides", "kind"), [(0.9, Kind.RULE), (0.2, Kind.FACT)])
def test_what_surely_guides_in_a_conversation_is_a_rule(guides, kind):
    """It waits as guidance; once a person approves it, it is told to the assistant."""
    (before,) = atoms_of("We use Postgres.")
    ((after,),) = framed((before,), Certain(replace(FACT, guides=guides)), resort=False)
    assert (after.kind, after.directs_work) == (kind, kind is Kind.RULE)


def test_guidance_in_a_conversation_stays_guidance():
    """However sure a reader is that nothing is directed, what the rules found to direct the work goes on to do so."""
    (atom,) = atoms_of("Never push to main.")
    before = replace(atom, kind=Kind.CONSTRAINT, directs_work=True)
    ((after,),) = framed((before,), Certain(FACT), resort=False)
    assert (after.kind, after.directs_work) == (Kind.CONSTRAINT, True)


@pytest.mark.parametrize("act", SpeechAct)
def test_what_asks_for_something_in_a_conversation_is_no_statement(act):
    """A marker may take a request for a statement; where a reader finds that it asks, nothing is learned from it."""
    (before,) = atoms_of("We use Postgres.")
    ((after,),) = framed((before,), Certain(FACT, act), resort=False)
    asks = act in (SpeechAct.REQUEST, SpeechAct.ONE_OFF, SpeechAct.QUESTION)
    assert after.confidence == (0.0 if asks else before.confidence)


class Lasting(Certain):
    """A reader that finds every sentence lasting and no two of them about one thing."""

    def __init__(self, durable: float = 1.0, apart: float = 1.0) -> None:
        super().__init__(FACT)
        self._durable, self._apart = durable, apart

    def read(self, sentences):
        """How likely each lasts is the same."""
        return tuple(replace(one, durable=self._durable) for one in super().read(sentences))

    def relate(self, pairs):
        """How likely each pair is apart is the same; all else is that both say the same."""
        shares = tuple({Relation.APART: self._apart, Relation.SAME: 1 - self._apart}.get(one, 0.0) for one in Relation)
        return tuple(Related(relation=Relation.APART, shares=shares) for _ in pairs)


@pytest.mark.parametrize(
    ("said", "first", "second"),
    [
        ("I work at Fenix and live in Gouda.", "I work at Fenix", "I live in Gouda"),
        ("We have two cats and need a bigger flat.", "We have two cats", "We need a bigger flat"),
        ("The gate is green and the shed has a tin roof.", "The gate is green", "The shed has a tin roof"),
        ("Odile runs the choir and Tarek keeps the books.", "Odile runs the choir", "Tarek keeps the books"),
    ],
)
def test_two_lasting_statements_in_one_sentence_are_two_atoms(said, first, second):
    """Each has its words, with the subject that both share, and its place; a reader that is unsure leaves them one."""
    ((one, other),) = framed(atoms_of(said), Lasting(), resort=True)
    assert (one.text, other.text) == (first, second)
    assert said[one.start : one.end] == first
    assert second.endswith(said[other.start + 1 : other.end - 1])
    for reader in (Lasting(durable=0.8), Lasting(apart=0.7)):
        assert [len(group) for group in framed(atoms_of(said), reader, resort=True)] == [1]


@pytest.mark.parametrize(
    "said",
    [
        "When it rains I take the bus and read a book.",
        "If I have a cold I stay at home and drink hot tea.",
        "I know that Odile runs the choir and Tarek keeps the books.",
        "I cook the pasta and eat it with pesto.",
        "Odile runs the choir and she keeps the books.",
        "I work at Fenix and Acme Brothers.",
        "I work on Mondays and on Tuesdays.",
        "I like green tea and black coffee.",
        "I think I work at Fenix and live in Gouda.",
        "We live in Gouda until June and work at Fenix.",
        "I live in Gouda and work at Fenix and drive a van.",
        "The difference between the gate and the shed is large.",
    ],
)
def test_clauses_that_may_depend_on_each_other_stay_one(said):
    """A condition, a reference, a shared verb or a doubt holds a sentence together, however sure the reader is."""
    assert [len(group) for group in framed(atoms_of(said), Lasting(), resort=True)] == [1]


class Apart(Certain):
    """A reader to which every two sentences have nothing to do with each other."""

    def relate(self, pairs):
        """Apart, surely."""
        return tuple(Related(relation=Relation.APART, shares=(0.0, 0.0, 0.0, 0.0, 0.0, 1.0)) for _ in pairs)


def said_in_talk(text: str) -> list[str]:
    """The statements that a sentence of a conversation becomes."""
    (atom,) = atoms_of("I live in Porto.")
    atom = replace(atom, text=text, end=atom.start + len(text), temporary=False)
    ((*parts,),) = framed((atom,), Apart(FACT), resort=False)
    return [part.text for part in parts]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I'm Ida, I'm a nurse, and I've got two boys", ["I'm Ida", "I'm a nurse", "I've got two boys"]),
        ("I'm 34 and I work for the council", ["I'm 34", "I work for the council"]),
        ("We rent in Wem, we have two cats", ["We rent in Wem", "We have two cats"]),
    ],
)
def test_what_somebody_says_of_themself_is_told_apart(text, parts):
    """Each with its own subject can change and be found by itself, in a conversation, too."""
    assert said_in_talk(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "I'm Ida, a nurse from Wem",
        "I like tea, coffee and cake",
        "I keep the key where I can see it and I use it daily",
        "I have a van, I drive it to work",
        "Ida is a nurse and I work with her",
        "When I'm late, I take the van",
        "I said I work nights",
    ],
)
def test_what_hangs_together_stays_one(text):
    """An apposition, a list, a clause that depends on the other or refers to it."""
    assert said_in_talk(text) == [text]
