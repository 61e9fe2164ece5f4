"""The places of a memory: scope, namespace, side.

Takes: strings from doors and stores. Gives: checked scope values. Never: looks at the file system.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

from dopejar.errors import InputError


class Namespace(StrEnum):
    """A compartment within a tenant; reads default to prod."""

    PROD = "prod"
    TEST = "test"
    EPHEMERAL = "ephemeral"


class Side(StrEnum):
    """Where a bullet lives; every other kind has no side."""

    NONE = ""
    STAGING = "staging"
    LEFT = "left"
    RIGHT = "right"
    SHARED = "shared"


@dataclass(frozen=True, kw_only=True, order=True)
class Scope:
    """universal, `language:x` or `project:x`."""

    kind: str = "universal"
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `universal`, `language:go` or `project:id`; raises InputError for anything else."""
        kind, _, name = text.strip().partition(":")
        if kind == "universal" and not name:
            return cls()
        if kind in ("language", "project") and name.strip():
            return cls(kind=kind, name=name.strip())
        raise InputError(f"{text!r} is no scope. Write universal, language:NAME or project:ID.")

    @classmethod
    def language(cls, name: str) -> Self:
        """The scope of one programming language."""
        return cls(kind="language", name=name)

    @classmethod
    def project(cls, project_id: str) -> Self:
        """The scope of one project, by its id."""
        return cls(kind="project", name=project_id)


UNIVERSAL: Final = Scope()

EVERY_LANGUAGE: Final = Scope(kind="language", name="*")
"""Stands for the scope of each language where scopes are read. No memory has it."""


@dataclass(frozen=True, kw_only=True)
class Project:
    """The current project. `id` is its normalised remote, else its root path's hash; `label` is its name for people."""

    id: str
    label: str
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ReadScope:
    """The memories that a read may see: a namespace and scopes. With `all_projects`, every scope."""

    namespace: Namespace = Namespace.PROD
    scopes: tuple[Scope, ...] = (UNIVERSAL,)
    all_projects: bool = False

    @classmethod
    def inside(cls, project: Project | None, namespace: Namespace = Namespace.PROD) -> Self:
        """Inside a project: universal, its languages and the project. Outside: universal and every language."""
        if project is None:
            return cls(namespace=namespace, scopes=(UNIVERSAL, EVERY_LANGUAGE))
        languages = tuple(Scope.language(name) for name in project.languages)
        return cls(namespace=namespace, scopes=(UNIVERSAL, *languages, Scope.project(project.id)))

    @property
    def is_in_project(self) -> bool:
        """Whether it is that of one project."""
        return not self.all_projects and any(scope.kind == "project" for scope in self.scopes)

    def hears(self, project: str) -> bool:
        """Whether what was said in a project, by its id, may be read; outside of any ("") it may be read anywhere."""
        return self.all_projects or not project or Scope.project(project) in self.scopes

    def sees(self, namespace: Namespace, scope: Scope) -> bool:
        """Whether a memory of this namespace and scope may be read."""
        is_language = scope.kind == "language" and EVERY_LANGUAGE in self.scopes
        return namespace == self.namespace and (self.all_projects or is_language or scope in self.scopes)
