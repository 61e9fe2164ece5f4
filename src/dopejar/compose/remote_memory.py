"""`RemoteMemory`: the verbs of a memory that another process serves, over its REST interface.

Takes: the address of `dopejar serve` and a key. Gives: what REST answers, as rows whose fields have the names of the
engine's values. Never: decides, speaks for a user, retries, follows a redirect, or shows the key.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace, TracebackType
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import quote

from dopejar.adapters.network_addresses import is_loopback, require_safe_address
from dopejar.engine.arguments import checked
from dopejar.engine.memory import Memory
from dopejar.errors import (
    DopejarError,
    InputError,
    NotFoundError,
    RefusedError,
    SettingError,
    StaleProposalError,
    StoreBusyError,
    StoreError,
    UnsupportedError,
)
from dopejar.values.episode import Origin

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    import httpx2

    from dopejar.values.transcript import LiveTurn

PREFIX: Final = "/api/v1"
_WAIT_S: Final = 30.0
_ERRORS: Final[dict[int, type[DopejarError]]] = {
    400: InputError,
    401: RefusedError,
    403: RefusedError,
    404: NotFoundError,
    409: StaleProposalError,
    413: InputError,
    415: InputError,
    421: SettingError,
    422: InputError,
    503: StoreBusyError,
}
_SPEAKERS: Final = {Origin.TOOL: "tool", Origin.USER: "user"}


class Row(SimpleNamespace):
    """One object of an answer; its fields are attributes."""


def open_remote(address: object, api_key: object, given: Sequence[object]) -> RemoteMemory:
    """The memory that is served at an address. Raises InputError where more is `given` than the address and a key."""
    if not isinstance(address, str) or not isinstance(api_key, str) or any(given):
        raise InputError("A served memory is opened with its address, as text, and `api_key`, and with nothing else.")
    return RemoteMemory(address, api_key)


@checked
class RemoteMemory:
    """A memory that is served elsewhere: the verbs of `Memory` that REST offers. Safe to use from several threads.

    What it says is an agent's word, and waits for a person. Every other verb of `Memory`, and every argument that REST
    does not take, is an UnsupportedError. Verbs raise the errors of `Memory`, and StoreError where the server cannot
    be reached.
    """

    def __init__(self, address: str, api_key: str, *, client: httpx2.Client | None = None) -> None:
        """Opens no connection yet. Raises SettingError for an address without encryption, and for no key."""
        self._address = require_safe_address(address, "the memory") + PREFIX
        if not (api_key.strip() and api_key.isascii() and api_key.isprintable()):
            raise SettingError("A served memory needs its key. Make one with `dopejar api-key add NAME`.")
        self._headers = {"Authorization": f"Bearer {api_key.strip()}"}
        self._client = client or _client(self._address)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getattr__(self, name: str) -> object:
        if name.startswith("_") or not hasattr(Memory, name):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        raise UnsupportedError(f"REST does not offer `{name}`. Use it where the memory's data directory is.")

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def status(self) -> Row:
        """What the store holds: version, records, turns, waiting, project."""
        return self._get("/status")

    def recall(
        self,
        question: str,
        *,
        budget: int | None = None,
        as_of: datetime | None = None,
        all_projects: bool = False,
        **others: object,
    ) -> Row:
        """What memory says about a question, as a text within a budget of tokens, with its items."""
        _refuse("recall", others)
        asked = {"question": question, "budget": budget, "all_projects": all_projects}
        return self._post("/recall", asked if as_of is None else {**asked, "as_of": as_of.isoformat()})

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Sequence[str] = (),
        all_projects: bool = False,
        **others: object,
    ) -> tuple[Row, ...]:
        """The memories that answer a query, best first, each with its score."""
        _refuse("search", others)
        asked = {"query": query, "limit": limit, "kind": _only("kinds", kinds), "all_projects": all_projects}
        return tuple(self._get("/search", asked).items)

    def get(self, name: str) -> Row:
        """The memory with this id or key. Raises NotFoundError."""
        return self._get(f"/memories/{_part(name)}")

    def list(
        self,
        *,
        limit: int = 50,
        after: Row | None = None,
        kinds: Sequence[str] = (),
        statuses: Sequence[str] = ("active",),
        key: str = "",
        all_projects: bool = False,
        **others: object,
    ) -> tuple[Row, ...]:
        """A page of memories, newest first; `after` is the last one of the page before."""
        _refuse("list", others)
        asked = {
            "limit": limit,
            "after": after.id if after else "",
            "kind": _only("kinds", kinds),
            "status": _only("statuses", statuses),
            "key": key,
            "all_projects": all_projects,
        }
        return tuple(self._get("/memories", asked).memories)

    def history(self, name: str) -> Row:
        """A memory with its versions, its evidence and the changes made to it."""
        return self._get(f"/memories/{_part(name)}/history")

    def check(self, tool: str, given: Mapping[str, object], branch: str = "") -> tuple[Row, ...]:
        """The approved rules that a tool call would break."""
        return tuple(self._post("/checks", {"tool": tool, "input": dict(given), "branch": branch}).broken_rules)

    def remember(
        self,
        text: str,
        *,
        said_by: str = "",
        tags: Sequence[str] = (),
        dry_run: bool = False,
        reading: Mapping[str, str] | None = None,
        **others: object,
    ) -> Row:
        """Propose something to remember; it waits for a person. `said_by` is assistant, or omitted."""
        _refuse("remember", others)
        _require_agent(said_by)
        given = {"reading": dict(reading)} if reading else {}
        return self._post("/memories", {"text": text, "tags": [*tags], "dry_run": dry_run, **given})

    def update(self, name: str, text: str, *, said_by: str = "", dry_run: bool = False, **others: object) -> Row:
        """Propose what is right in place of a memory."""
        _refuse("update", others)
        _require_agent(said_by)
        return self._post(f"/memories/{_part(name)}/corrections", {"text": text, "dry_run": dry_run})

    def delete(self, names: Sequence[str] | str, *, said_by: str = "", **others: object) -> tuple[Row, ...]:
        """Propose that memories are taken out of use, each by its id."""
        _refuse("delete", others)
        _require_agent(said_by)
        chosen = (names,) if isinstance(names, str) else names
        ids = [self.get(name).id for name in chosen]  # a name that is none would be read as words
        return tuple(self._post("/forgettings", {"what": one}) for one in ids)

    def note_used(self, names: Sequence[str]) -> bool:
        """Count one use of memories that an answer cited or that were acted on."""
        return bool(names) and bool(self._post("/uses", {"names": [*names]}).counted)

    def observe(self, turn: LiveTurn, **others: object) -> Row:
        """Keep one turn of a conversation that is going on: its words, whose they are, and its ids.

        Raises StaleProposalError where the turn is known with other words; those stay.
        """
        _refuse("observe", others)
        said = "user" if turn.speaks_for_user else _SPEAKERS.get(turn.origin or Origin.ASSISTANT, "assistant")
        named = {"conversation": turn.conversation, "id": turn.source_id}
        return self._post("/turns", {**named, "text": turn.text, "speaker": said})

    def _get(self, path: str, asked: Mapping[str, object] | None = None) -> Row:
        given = {name: value for name, value in (asked or {}).items() if value not in ("", None)}
        return self._answer("GET", path, params=given)

    def _post(self, path: str, body: Mapping[str, object]) -> Row:
        return self._answer("POST", path, json=body)

    def _answer(self, method: str, path: str, **sent: object) -> Row:
        import httpx2

        try:
            reply = self._client.request(method, self._address + path, headers=self._headers, **sent)  # type: ignore[arg-type]
            answer = json.loads(reply.content, object_hook=lambda fields: Row(**fields))
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise StoreError(
                f"The memory at {self._address} cannot be reached ({type(error).__name__}). Is `dopejar serve` running?"
            ) from error
        except (ValueError, RecursionError) as error:
            raise self._strange(reply.status_code) from error
        if reply.is_success and isinstance(answer, Row):
            return answer
        detail = getattr(answer, "detail", "")
        if reply.is_success or not detail:
            raise self._strange(reply.status_code)
        raise _ERRORS.get(reply.status_code, StoreError)(detail)

    def _strange(self, status: int) -> StoreError:
        return StoreError(
            f"{self._address} answered {status}, and not as DoPeJar does. Check the address of `dopejar serve`."
        )


def _client(address: str) -> httpx2.Client:
    import httpx2

    # a proxy from the environment is for other machines, not for this one
    return httpx2.Client(timeout=_WAIT_S, trust_env=not is_loopback(httpx2.URL(address).host))


def _part(name: str) -> str:
    return quote(name, safe="")


def _only(argument: str, chosen: Sequence[str]) -> str:
    if len(chosen) > 1:
        raise UnsupportedError(f"REST takes one of `{argument}` at a time, not {len(chosen)}.")
    return str(chosen[0]) if chosen else ""


def _refuse(verb: str, others: Mapping[str, object]) -> None:
    if others:
        raise UnsupportedError(f"REST does not take `{next(iter(others))}` of `{verb}`.")


def _require_agent(said_by: str) -> None:
    if said_by not in ("", "assistant"):
        raise UnsupportedError(
            f"What comes with a key is an agent's word, not one of {said_by!r}: a person states it on the page, or "
            "where the memory's data directory is."
        )
