"""The services of a memory: whatever is no verb of its own.

Takes: the engine's dependencies and the project at hand. Gives: each service, imported when it is first used. Never: a
rule of its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dopejar.engine.dependencies import Dependencies
from dopejar.values.scope import Project

if TYPE_CHECKING:
    from dopejar.engine.bullets.procedural_memory import ProceduralMemory
    from dopejar.engine.corrections.sessions import Sessions
    from dopejar.engine.exchange.data_exchange import DataExchange
    from dopejar.engine.garden.dossiers import Dossiers
    from dopejar.engine.garden.gardener import Garden
    from dopejar.engine.kept_answers import KeptAnswers
    from dopejar.engine.maintenance.housekeeping import Maintenance
    from dopejar.engine.queries.entity_graph import EntityGraph
    from dopejar.engine.queries.inspection import Inspection
    from dopejar.engine.queries.surveys import Surveys
    from dopejar.engine.review.api_keys import ApiKeys
    from dopejar.engine.review.page_links import PageLinks
    from dopejar.engine.review.review_queue import ReviewQueue
    from dopejar.engine.review.reviewers import Reviewers
    from dopejar.engine.review.settings_acceptance import SettingsAcceptance
    from dopejar.engine.workspace import Workspace


class Services:
    """The services of one memory, each under its name."""

    def __init__(self, deps: Dependencies, project: Project | None = None) -> None:
        self._deps = deps
        self._project = project

    @cached_property
    def review(self) -> ReviewQueue:
        """The review queue: what waits for a person, and the decisions about it."""
        from dopejar.engine.review.review_queue import ReviewQueue

        return ReviewQueue(self._deps)

    @cached_property
    def reviewers(self) -> Reviewers:
        """Who may decide, and their sessions at a terminal."""
        from dopejar.engine.review.reviewers import Reviewers

        return Reviewers(self._deps)

    @cached_property
    def bullets(self) -> ProceduralMemory:
        """Procedural memory: bullets from staging to sharing."""
        from dopejar.engine.bullets.procedural_memory import ProceduralMemory

        return ProceduralMemory(self._deps, self._project)

    @cached_property
    def sessions(self) -> Sessions:
        """Ended conversations and what their corrections propose; instruction files."""
        from dopejar.engine.corrections.sessions import Sessions

        return Sessions(self._deps, self._project)

    @cached_property
    def garden(self) -> Garden:
        """Blocks of conversations, and their tags."""
        from dopejar.engine.garden.gardener import Garden

        return Garden(self._deps, self._project)

    @cached_property
    def dossiers(self) -> Dossiers:
        """What is known about each subject."""
        from dopejar.engine.garden.dossiers import Dossiers

        return Dossiers(self._deps, self._project)

    @cached_property
    def graph(self) -> EntityGraph:
        """The neighbourhood of an entity."""
        from dopejar.engine.queries.entity_graph import EntityGraph

        return EntityGraph(self._deps, self._project)

    @cached_property
    def surveys(self) -> Surveys:
        """Overviews: keys, hygiene, profile, decisions, corrections, and the section of an instruction file."""
        from dopejar.engine.queries.surveys import Surveys

        return Surveys(self._deps, self._project)

    @cached_property
    def inspection(self) -> Inspection:
        """What an interface shows about queue, records and ledger."""
        from dopejar.engine.queries.inspection import Inspection

        return Inspection(self._deps)

    @cached_property
    def maintenance(self) -> Maintenance:
        """Housekeeping, the doctor, and new vectors."""
        from dopejar.engine.maintenance.housekeeping import Maintenance

        return Maintenance(self._deps)

    @cached_property
    def exchange(self) -> DataExchange:
        """Backups, restoring, export and import."""
        from dopejar.engine.exchange.data_exchange import DataExchange

        return DataExchange(self._deps)

    @cached_property
    def settings(self) -> SettingsAcceptance:
        """The governed settings that a reviewer accepted, and what is configured otherwise."""
        from dopejar.engine.review.settings_acceptance import SettingsAcceptance

        return SettingsAcceptance(self._deps)

    @cached_property
    def api_keys(self) -> ApiKeys:
        """The keys by which programs use the memory over HTTP."""
        from dopejar.engine.review.api_keys import ApiKeys

        return ApiKeys(self._deps)

    @cached_property
    def page_links(self) -> PageLinks:
        """Links to a page that runs on this store."""
        from dopejar.engine.review.page_links import PageLinks

        return PageLinks(self._deps)

    @cached_property
    def kept_answers(self) -> KeptAnswers:
        """Answers of the REST door to requests that may be repeated."""
        from dopejar.engine.kept_answers import KeptAnswers

        return KeptAnswers(self._deps)

    @cached_property
    def workspace(self) -> Workspace:
        """Working sets and shared references."""
        from dopejar.engine.workspace import Workspace

        return Workspace(self._deps)
