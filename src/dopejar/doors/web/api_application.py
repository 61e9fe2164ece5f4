"""REST: the verbs of the memory under `/api/v1`, for programs that bear a key.

Takes: JSON requests with a bearer key. Gives: JSON, a problem document for every error (RFC 9457), and an OpenAPI
description made of the same routes. Never: decides; what comes in here is an agent's word and waits for a person.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import Depends, FastAPI, Header, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPBearer
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from dopejar import __version__
from dopejar.doors.web.api_bodies import (
    CheckRequest,
    Correction,
    CountedUses,
    Forgetting,
    NewMemory,
    NewTurn,
    Observed,
    RecallRequest,
    StoreSummary,
    UsedMemories,
)
from dopejar.engine.dependencies import Speaker
from dopejar.engine.queries.agent_answers import (
    answer_forget,
    answer_recall,
    answer_remember,
    answer_search,
    check_result,
    memory_history,
    memory_page,
    memory_row,
    moment_named,
    review_page,
    search_pack,
)
from dopejar.engine.queries.agent_rows import (
    CheckResult,
    KindName,
    MemoryHistory,
    MemoryPage,
    MemoryRow,
    Proposed,
    Recalled,
    ReviewPage,
    SearchResult,
    StatusName,
)
from dopejar.errors import (
    DopejarError,
    IllegalMoveError,
    InputError,
    NotFoundError,
    RefusedError,
    StaleProposalError,
    StoreError,
    UsageError,
)
from dopejar.values.episode import Origin
from dopejar.values.transcript import LiveTurn

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.engine.review.api_keys import ApiKey

PREFIX: Final = "/api/v1"
PROBLEM: Final = "application/problem+json"
_NOT_JSON: Final = "The body is not JSON that can be read."
_STATUS_CODES: Final = (
    (NotFoundError, 404),
    (StaleProposalError, 409),
    (IllegalMoveError, 409),
    (RefusedError, 403),
    (UsageError, 422),
    (StoreError, 503),
)

Name = Annotated[str, Path(min_length=1, max_length=200, description="A memory, by id (m_...) or key.")]


class Problem(BaseModel):
    """An error: `title` and `status` as in HTTP, `detail` says what is wrong and what to do next."""

    type: str
    title: str
    status: int
    detail: str


_REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    code: {"description": HTTPStatus(code).phrase, "content": {PROBLEM: {"schema": Problem.model_json_schema()}}}
    for code in (400, 401, 403, 404, 405, 409, 413, 415, 421, 422, 503)
}


def create_api(memory: Memory) -> FastAPI:
    """The application over an opened memory; the caller closes the memory, and checks host names."""
    api = FastAPI(
        title="DoPeJar",
        version=__version__,
        description="A governed memory for agents. What a key proposes waits for a person.",
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{PREFIX}/openapi.json",
        responses=_REFUSALS,
        dependencies=[Depends(HTTPBearer(auto_error=False)), Depends(_require_known_parameters)],
        redirect_slashes=False,
    )
    _add_memories(api, memory)
    _add_questions(api, memory)
    _add_writes(api, memory)
    api.add_exception_handler(DopejarError, _show_error)
    api.add_exception_handler(RequestValidationError, _show_faults)
    api.add_exception_handler(HTTPException, _show_http_error)
    api.add_exception_handler(Exception, _show_internal_error)
    return api


def _require_known_parameters(request: Request) -> None:
    """Raise InputError for a query parameter that the address does not take: it would be passed over unseen."""
    known = [field.alias for field in request.scope["route"].dependant.query_params]
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        takes = f"It takes {', '.join(known)}." if known else "It takes none."
        raise InputError(f"This address takes no parameter `{unknown[0][:60]}`. {takes}")


def _add_memories(api: FastAPI, memory: Memory) -> None:
    @api.get(f"{PREFIX}/status")
    def status() -> StoreSummary:
        """What the store holds."""
        state = memory.status()
        return StoreSummary(
            version=__version__,
            records=state.sizes.records.get("active", 0),
            turns=state.sizes.episodes,
            waiting=state.waiting,
            project=state.project,
        )

    @api.get(f"{PREFIX}/memories")
    def list_memories(
        kind: KindName | None = None,
        status: StatusName = "active",
        key: Annotated[str, Query(max_length=200, description="Only keys with this prefix.")] = "",
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        after: Annotated[str, Query(max_length=200, description="`next_after` of the page before.")] = "",
        *,
        all_projects: bool = False,
    ) -> MemoryPage:
        """Memories, newest first, page by page. Only active ones are believed."""
        return memory_page(memory, kind, status, key, limit, after, all_projects=all_projects)

    @api.get(f"{PREFIX}/memories/{{name}}", response_model=MemoryRow, responses={304: {"description": "Unchanged"}})
    def get_memory(name: Name, if_none_match: Annotated[str, Header(max_length=1000)] = "") -> Response:
        """One memory; `ETag` names its version."""
        record = memory.get(name)
        tag = f'"{record.id}-{record.version}"'
        if tag in (part.strip().removeprefix("W/") for part in if_none_match.split(",")):
            return Response(status_code=304, headers={"ETag": tag})
        return JSONResponse(dict(memory_row(record)), headers={"ETag": tag})

    @api.get(f"{PREFIX}/memories/{{name}}/history")
    def history(name: Name) -> MemoryHistory:
        """A memory with its versions, its evidence and who changed it."""
        return memory_history(memory.history(name))


def _add_questions(api: FastAPI, memory: Memory) -> None:
    @api.get(f"{PREFIX}/search")
    def search(
        query: Annotated[str, Query(min_length=1, max_length=10_000)],
        limit: Annotated[int, Query(ge=1, le=100)] = 10,
        kind: KindName | None = None,
        *,
        with_quotations: bool = False,
        all_projects: bool = False,
    ) -> SearchResult:
        """Memories by meaning and words, best first, with their scores."""
        return answer_search(
            search_pack(memory, query, limit, kind, records_only=not with_quotations, all_projects=all_projects)
        )

    @api.post(f"{PREFIX}/recall")
    def recall(asked: RecallRequest) -> Recalled:
        """What is known about a question, as a text within a token budget, each line with its source."""
        as_of = moment_named(asked.as_of)
        pack = memory.recall(asked.question, budget=asked.budget, as_of=as_of, all_projects=asked.all_projects)
        return answer_recall(pack)

    @api.post(f"{PREFIX}/checks")
    def check(call: CheckRequest) -> CheckResult:
        """The approved rules that a tool call would break."""
        return check_result(memory.check(call.tool, call.input, call.branch))

    @api.get(f"{PREFIX}/review")
    def review_queue(
        limit: Annotated[int, Query(ge=1, le=100)] = 20, offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0
    ) -> ReviewPage:
        """What waits for a person's decision."""
        return review_page(memory, limit, offset)


def _add_writes(api: FastAPI, memory: Memory) -> None:
    @api.post(f"{PREFIX}/memories", status_code=202)
    def remember(request: Request, new: NewMemory) -> Proposed:
        """Propose something to remember."""
        result = memory.remember(**new.model_dump(), speaker=_speaker(request))
        return answer_remember(result, dry_run=new.dry_run)

    @api.post(f"{PREFIX}/memories/{{name}}/corrections", status_code=202)
    def correct(request: Request, name: Name, new: Correction) -> Proposed:
        """Propose what is right in place of a memory."""
        result = memory.update(name, new.text, speaker=_speaker(request), dry_run=new.dry_run)
        return answer_remember(result.remembered, result.removal, dry_run=new.dry_run)

    @api.post(f"{PREFIX}/uses")
    def note_use(used: UsedMemories) -> CountedUses:
        """Report that memories were cited in an answer or acted on: they grow stronger."""
        return CountedUses(counted=memory.note_used(used.names))

    @api.post(f"{PREFIX}/forgettings", status_code=202)
    def forget(request: Request, wish: Forgetting) -> Proposed:
        """Propose that memories are taken out of use, and their words erased."""
        named = memory.review.about(wish.what)
        if not named:
            raise NotFoundError(
                f"No memory in use has the id or key {wish.what!r} or holds all of its words. Search for it first."
            )
        receipts = () if wish.dry_run else memory.review.forget(wish.what, speaker=_speaker(request))
        return answer_forget(named, receipts, dry_run=wish.dry_run)

    @api.post(f"{PREFIX}/turns", status_code=202)
    def observe(turn: NewTurn, request: Request) -> Observed:
        """Keep one turn of a conversation. A key proves no user's words; of them, only a wish for privacy holds."""
        key: ApiKey = request.state.key
        origin = Origin.TOOL if turn.speaker == "tool" else Origin.ASSISTANT
        live = LiveTurn(
            conversation=f"{key.name}/{turn.conversation}",
            source_id=turn.id,
            text=turn.text,
            origin=origin,
            speaker=f"api:{key.name}" + ("" if turn.speaker == "assistant" else f":{turn.speaker}"),
            format="rest",
            speaks_for_user=turn.speaker == "user",
        )
        observed = memory.observe(live)
        if observed.is_changed:
            raise StaleProposalError(
                f"The turn {turn.id} of {turn.conversation} is known with other words, which stay. Send what "
                "was said since as a turn with an id of its own."
            )
        return Observed(outcome=str(observed.outcome), turn=str(observed.episode_id or ""), is_due=bool(observed.due))


def _speaker(request: Request) -> Speaker:
    key: ApiKey = request.state.key
    return Speaker(origin=Origin.ASSISTANT, name=f"api:{key.name}")


# -- errors ------------------------------------------------------------------------------------------------------------


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """A problem document."""
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return JSONResponse(body, status, headers, media_type=PROBLEM)


def _show_error(_request: Request, error: Exception) -> Response:
    status = next((code for kind, code in _STATUS_CODES if isinstance(error, kind)), 500)
    return problem(status, str(error) or type(error).__doc__ or type(error).__name__)


def _show_faults(request: Request, error: Exception) -> Response:
    faults = error.errors() if isinstance(error, RequestValidationError) else ()
    if any(fault["type"] == "json_invalid" for fault in faults):
        return problem(400, _NOT_JSON)
    sentences = [f"{'.'.join(map(str, fault['loc'])) or 'the request'}: {fault['msg']}." for fault in faults]
    if any(fault["type"] in ("missing", "extra_forbidden") for fault in faults):
        sentences.append(_fields_of(request))
    return problem(422, " ".join(filter(None, sentences)).encode("utf-8", "replace").decode("utf-8"))


def _fields_of(request: Request) -> str:
    """The fields of the body that an address takes, as a sentence; "" where it takes none."""
    body = getattr(request.scope.get("route"), "body_field", None)
    fields = body.field_info.annotation.model_fields if body is not None else {}
    names = (f"{name} (required)" if field.is_required() else name for name, field in fields.items())
    return f"It has {', '.join(names)}." if fields else ""


def _show_http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        return problem(500, "An unexpected error occurred.")
    headers = dict(error.headers or {})
    if error.status_code == 405:  # the framework names the methods of one route only
        at_path = (route for route in request.app.routes if route.path_regex.match(request.url.path))
        headers["Allow"] = ", ".join(sorted({method for route in at_path for method in route.methods}))
    details = {
        400: _NOT_JSON,
        404: f"There is no such address. {PREFIX}/openapi.json lists them.",
        405: "This address does not take this method.",
    }
    return problem(error.status_code, details.get(error.status_code, str(error.detail)), headers)


def _show_internal_error(_request: Request, error: Exception) -> Response:
    return problem(500, f"An unexpected error occurred ({type(error).__name__}). The terminal shows the traceback.")
