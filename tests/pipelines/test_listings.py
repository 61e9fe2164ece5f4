"""Listings show what may be read in the project and namespace at hand, and more only where that is asked for."""

import pytest

from dopejar import open_memory
from dopejar.values.recall import RecordFilter
from dopejar.values.scope import Namespace, ReadScope

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
PROJECTS = ("alpha", "beta", "")
NAMESPACES = ("prod", "test", "ephemeral")


def word(project, namespace):
    """A word of its own for each place."""
    return f"zq{project or 'none'}{namespace}"


@pytest.fixture
def home(tmp_path):
    """A store with a fact, a tool's claim that waits, and a bullet in every project and namespace."""
    for project in PROJECTS:
        with opened(tmp_path, project) as memory:
            for namespace in NAMESPACES:
                one = word(project, namespace)
                memory.remember(f"The {one} service of this project runs on port 7000.", namespace=namespace)
                memory.remember(f"In this project we use {one} for the build.", namespace=namespace)
                memory.remember(f"In this project never deploy {one}.", namespace=namespace, said_by="assistant")
            memory.bullets.add(f"Always check {word(project, 'prod')} before a release.", bullet_type="tool_rule")
    return tmp_path


def opened(home, project):
    """A memory with this project at hand."""
    return open_memory(home, project=project, environment=QUIET, said_by="user")


def words_in(shown):
    """The words of places that something shows."""
    return {word(project, space) for project in PROJECTS for space in NAMESPACES if word(project, space) in str(shown)}


@pytest.mark.parametrize("project", PROJECTS)
def test_listings_stay_in_the_project_and_namespace(home, project):
    """Nothing of a place shows that the scope of reading there does not see; `all_projects` shows the namespace."""
    with opened(home, project) as memory:
        for namespace in NAMESPACES:
            inside = RecordFilter.readable(ReadScope.inside(memory.project, Namespace(namespace)))
            seen = words_in(memory.list(inside))
            assert seen
            assert words_in(memory.surveys.keys(namespace=namespace)) <= seen
            clean, every = memory.surveys.hygiene(namespace), memory.surveys.hygiene(namespace, all_projects=True)
            assert clean.records == len(memory.list(inside)) < every.records
            everywhere = words_in(memory.surveys.keys(namespace=namespace, all_projects=True))
            assert everywhere > words_in(memory.surveys.keys(namespace=namespace))
            assert all(one.endswith(namespace) for one in everywhere)


@pytest.mark.parametrize("project", PROJECTS)
def test_bullets_stay_in_the_project(home, project):
    """List, staging area and playbook hold the bullets that may be read here; all where that is asked for."""
    with opened(home, project) as memory:
        seen = {word(project, "prod"), word("", "prod")}
        bullets = memory.bullets
        for listed in (bullets.list_bullets(), bullets.list_staged(), bullets.export_playbook(with_staged=True)):
            assert words_in(listed) == seen
        every = {word(other, "prod") for other in PROJECTS}
        assert words_in(bullets.list_bullets(all_projects=True)) == every
        assert words_in(bullets.list_staged(all_projects=True)) == every
        assert words_in(bullets.export_playbook(with_staged=True, all_projects=True)) == every


def test_the_queue_is_listed_by_namespace(home):
    """A namespace's part of the queue is numbered from one and in the order of the whole; together they are it."""
    with opened(home, "alpha") as memory:
        counts = memory.review.waiting_by_namespace()
        parts = {space: memory.review.queue(namespace=Namespace(space)) for space in NAMESPACES}
        whole = memory.review.queue()
        for space, part in parts.items():
            assert [item.number for item in part] == list(range(1, counts[Namespace(space)] + 1))
            assert [item.proposal.id for item in part] == [
                item.proposal.id for item in whole if item.namespace == space
            ]
            assert all(one.endswith(space) for one in words_in([item.text for item in part]))
            pages = [memory.review.queue(limit=2, offset=at, namespace=Namespace(space)) for at in (0, 2, 4, 6, 8)]
            assert [item for page in pages for item in page] == list(part)[:10]
        assert sum(map(len, parts.values())) == len(whole) == memory.review.waiting()
