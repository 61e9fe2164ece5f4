"""What somebody says of their own life in a project holds everywhere; what is of the project stays there."""

from dataclasses import replace

import pytest

from dopejar import Memory, Status, open_memory
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.values.record import Layer, Sublayer
from dopejar.values.scope import UNIVERSAL, Project, Scope
from dopejar.values.statement import FactClass, Frame, Related, Relation

MILL, DOCK = Project(id="example.org/mill", label="mill"), Project(id="example.org/dock", label="dock")
FRAME = Frame(
    subject="",
    attribute="",
    attribute_certainty=0.0,
    value="",
    guides=0.0,
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
PRIVATE = {"cello": 0.95, "pills": 0.5, "broker": 0.02, "auditor": 0.3, "soprano": 0.6, "keyboard": 0.4}
PEOPLE = ("auditor", "soprano")


class PrivacyReader(GrammarReader):
    """A reader that tells by one word how private a statement is; of two with that word the later one is newer."""

    finds_frames = True

    def read(self, sentences):
        """Each as words read it, with a frame."""
        found = super().read(sentences)
        return tuple(replace(one, frame=_frame_of(one.text)) for one in found)

    def relate(self, pairs):
        """An update where both have the word, else apart."""
        related = (Relation.UPDATE if _of(a)[0] == _of(b)[0] else Relation.APART for a, b in pairs)
        return tuple(
            Related(relation=one, shares=tuple(float(one is relation) for relation in Relation)) for one in related
        )


def _of(text):
    return next(((word, share) for word, share in PRIVATE.items() if word in text.casefold()), ("", 0.0))


def _frame_of(text):
    word, private = _of(text)
    person = {"layer": Layer.SELF, "sublayer": Sublayer.IDENTITY} if word in PEOPLE else {}
    return replace(FRAME, private=private, **person)


@pytest.fixture
def memories(tmp_path):
    """One memory inside two projects."""
    with open_memory(tmp_path / "home", environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as memory:
        deps = replace(memory._deps, reader=PrivacyReader)
        yield Memory(deps, MILL), Memory(deps, DOCK)


def scopes(memory):
    """Where each memory in force holds."""
    return {record.text: record.scope for record in memory.list(all_projects=True)}


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("Our son plays the cello on Mondays.", UNIVERSAL),
        ("The pills are at 5 mg.", Scope.project(MILL.id)),
        ("The broker listens on 5672.", Scope.project(MILL.id)),
        ("In this repo the cello samples are loaded lazily.", Scope.project(MILL.id)),
        ("The broker listens on 5672 everywhere.", Scope.project(MILL.id)),
        ("In all my projects the broker listens on 5672.", UNIVERSAL),
        ("My auditor is Rolf Aas.", Scope.project(MILL.id)),
        ("Rolf is a soprano in Delft.", Scope.project(MILL.id)),
        ("I am a soprano in Delft.", UNIVERSAL),
        ("My keyboard is a Planck.", UNIVERSAL),
    ],
)
def test_what_is_surely_private_holds_everywhere(text, scope, memories):
    """Whatever project it is said in; words that name the project's code keep it there."""
    mill, _ = memories
    mill.remember(text)
    assert set(scopes(mill).values()) == {scope}


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("Plain text is preferred for the notes of the broker.", Scope.project(MILL.id)),
        ("I prefer plain text for the notes of the broker.", UNIVERSAL),
        ("Plain text is preferred for the notes of the cello.", UNIVERSAL),
    ],
)
def test_how_something_of_a_project_is_done_stays_there(text, scope, memories):
    """A preference for the work that speaks of nobody and is not private is that project's."""
    mill, _ = memories
    mill.remember(text)
    drafts = [one.proposal.payload.draft for one in mill.review.queue()] or mill.list(all_projects=True)
    assert [one.scope for one in drafts] == [scope]


def test_what_may_be_private_joins_what_is_known_of_that(memories):
    """A newer value replaces the one that holds everywhere, and is found in every project."""
    mill, dock = memories
    with_none = Memory(mill._deps, None)
    with_none.remember("The pills are at 5 mg.")
    dock.remember("The pills are at 10 mg.")
    (new,) = mill.list()
    assert (new.text, new.scope, new.status) == ("The pills are at 10 mg", UNIVERSAL, Status.ACTIVE)


def test_what_names_the_code_of_a_project_stays_there(memories):
    """Though it may be private, and something like it is known everywhere."""
    mill, _ = memories
    Memory(mill._deps, None).remember("The pills are at 5 mg.")
    mill.remember("In this repo the pills are at 10 mg.")
    assert set(scopes(mill).values()) == {UNIVERSAL, Scope.project(MILL.id)}


def test_what_is_of_a_project_leaves_what_holds_everywhere(memories):
    """The same words about something that is not private stay apart."""
    mill, _ = memories
    Memory(mill._deps, None).remember("The broker listens on 5672.")
    mill.remember("The broker listens on 5673.")
    assert scopes(mill) == {
        "The broker listens on 5672": UNIVERSAL,
        "The broker listens on 5673": Scope.project(MILL.id),
    }
