"""Language models for tests: one in the process, and a server on this machine that speaks both dialects.

Takes: a script of replies. Gives: a `LanguageModel`, or an address to point an adapter at. Never: a real model, and no
address but loopback.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from dopejar.errors import LanguageModelError, ModelReplyError, ModelTimeoutError, SpendCapError
from dopejar.ports.language_model import Ask, JsonObject, JsonValue, Reply, SpendLog, Writing, Written
from dopejar.text.model_replies import parse_reply
from dopejar.text.tokens import count_tokens

OPENAI_PATH = "/v1/chat/completions"
OLLAMA_PATH = "/api/chat"


class Conduct(StrEnum):
    """What the server does with one request."""

    ANSWER = "answer"  # a proper response with `text` in it
    STALL = "stall"  # no response until the server is closed
    TRICKLE = "trickle"  # a first byte, of a stream the first word, then nothing until the server is closed
    STATUS = "status"  # an error with `status`, `text` as the server's words
    GARBAGE = "garbage"  # 200 with something that is no JSON
    STRANGE = "strange"  # 200 with JSON of no dialect
    OVERSIZED = "oversized"  # 200 with `size` bytes of JSON


@dataclass(frozen=True, kw_only=True, slots=True)
class ScriptedReply:
    """One line of a script. `tokens` is the reported cost, None where the server reports none."""

    conduct: Conduct = Conduct.ANSWER
    text: str = ""
    tokens: int | None = None
    status: int = 200
    size: int = 0
    is_cut: bool = False
    is_streamed: bool = False  # set by the server where the request asks for it: a piece for each word


def says(reply: JsonValue, tokens: int | None = None) -> ScriptedReply:
    """The model answers with this value as JSON, or, given a text, with the text as it stands."""
    return ScriptedReply(text=reply if isinstance(reply, str) else json.dumps(reply), tokens=tokens)


def stalls() -> ScriptedReply:
    """The model takes longer than anybody waits."""
    return ScriptedReply(conduct=Conduct.STALL)


def fails(status: int = 500, words: str = "out of memory") -> ScriptedReply:
    """The server answers with an error."""
    return ScriptedReply(conduct=Conduct.STATUS, status=status, text=words)


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenRequest:
    """What an adapter sent."""

    path: str
    headers: dict[str, str]
    body: JsonObject

    @property
    def texts(self) -> tuple[str, ...]:
        """The messages' texts, in order."""
        messages = self.body.get("messages")
        if not isinstance(messages, list):
            return ()
        contents = [message.get("content") for message in messages if isinstance(message, dict)]
        return tuple(text for text in contents if isinstance(text, str))


class FakeModelServer:
    """A server on 127.0.0.1 that plays a script; use it in a `with` block. A request past the script's end gets 500."""

    def __init__(self, script: Sequence[ScriptedReply]) -> None:
        self.seen: list[SeenRequest] = []
        self._script = deque(script)
        self._arrival = threading.Condition()
        self._closing = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """Its address without a path; `/v1` behind it makes the OpenAI-compatible one."""
        if self._server is None:
            raise RuntimeError("The server runs inside its `with` block only.")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()  # lets stalled requests end
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

    def wait_for(self, count: int) -> list[SeenRequest]:
        """The requests so far, once there are `count`: a client that timed out may be ahead of the server."""
        with self._arrival:
            self._arrival.wait_for(lambda: len(self.seen) >= count, timeout=60)
            return list(self.seen)

    def _next(self, request: SeenRequest) -> ScriptedReply:
        with self._arrival:
            self.seen.append(request)
            self._arrival.notify_all()
            reply = self._script.popleft() if self._script else fails(words="the script is over")
        return replace(reply, is_streamed=request.body.get("stream") is True)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                body: JsonObject = json.loads(self.rfile.read(length))
                fake._play(self, fake._next(SeenRequest(path=self.path, headers=dict(self.headers), body=body)))

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the standard library's name
                """Says nothing."""

        return Handler

    def _play(self, handler: BaseHTTPRequestHandler, reply: ScriptedReply) -> None:
        status = reply.status if reply.conduct is Conduct.STATUS else 200
        data = _data(handler.path, reply)
        if reply.conduct is Conduct.STALL:
            self._closing.wait()
            handler.close_connection = True
            return
        try:
            handler.send_response(status)
            if status in (301, 302, 307, 308):
                handler.send_header("Location", "http://127.0.0.1:9/elsewhere")
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            first = data[: data.index(b"\n") + 1] if reply.is_streamed and b"\n" in data else data[:1]
            handler.wfile.write(first if reply.conduct is Conduct.TRICKLE else data)
            if reply.conduct is Conduct.TRICKLE:
                handler.wfile.flush()
                self._closing.wait()
                handler.close_connection = True
        except (BrokenPipeError, ConnectionResetError):  # the client has heard enough
            handler.close_connection = True


def _data(path: str, reply: ScriptedReply) -> bytes:
    """The bytes of a response in the dialect of the path."""
    if reply.conduct is Conduct.GARBAGE:
        return b"<html>gateway</html>"
    if reply.conduct is Conduct.STRANGE:
        return b'{"weather": "fine"}'
    if reply.conduct is Conduct.OVERSIZED:
        return b'{"filler": "' + b"x" * reply.size + b'"}'
    if reply.is_streamed and reply.conduct is not Conduct.STATUS and path in {OLLAMA_PATH, OPENAI_PATH}:
        return _stream(path, reply)
    if path == OLLAMA_PATH:
        body = _ollama(reply)
    elif path == OPENAI_PATH:
        body = _openai(reply)
    else:
        body = {"error": f"nothing at {path}"}
    return json.dumps(body).encode()


def _stream(path: str, reply: ScriptedReply) -> bytes:
    """The lines of a streamed response, a word each."""
    words = [f"{word} " for word in reply.text.split(" ")]
    words[-1] = words[-1][:-1]
    lines = []
    for place, word in enumerate(words):
        is_last = place == len(words) - 1
        if path == OLLAMA_PATH:
            body = _ollama(replace(reply, text=word, tokens=reply.tokens if is_last else None)) | {"done": is_last}
            lines.append(json.dumps(body))
            continue
        choice: JsonObject = {"index": 0, "delta": {"content": word}, "finish_reason": "stop" if is_last else None}
        usage: JsonObject = {"usage": {"total_tokens": reply.tokens}} if is_last and reply.tokens is not None else {}
        lines.append(f"data: {json.dumps({'choices': [choice]} | usage)}")
    return "\n".join([*lines, "" if path == OLLAMA_PATH else "data: [DONE]", ""]).encode()


def _openai(reply: ScriptedReply) -> JsonObject:
    if reply.conduct is Conduct.STATUS:
        return {"error": {"message": reply.text, "type": "fake"}}
    message: JsonObject = {"role": "assistant", "content": reply.text}
    choice: JsonObject = {"index": 0, "message": message, "finish_reason": "length" if reply.is_cut else "stop"}
    body: JsonObject = {"object": "chat.completion", "choices": [choice]}
    if reply.tokens is not None:
        body["usage"] = {"total_tokens": reply.tokens}
    return body


def _ollama(reply: ScriptedReply) -> JsonObject:
    if reply.conduct is Conduct.STATUS:
        return {"error": reply.text}
    body: JsonObject = {
        "message": {"role": "assistant", "content": reply.text},
        "done": True,
        "done_reason": "length" if reply.is_cut else "stop",
    }
    if reply.tokens is not None:
        body |= {"prompt_eval_count": reply.tokens - reply.tokens // 3, "eval_count": reply.tokens // 3}
    return body


@dataclass(kw_only=True, slots=True)
class CountingSpendLog:
    """A `SpendLog` in memory; `events` shows what happened in order."""

    cap: int = 1_000_000
    used: int = 0
    events: list[tuple[str, int]] = field(default_factory=list)

    def reserve(self, tokens: int, purpose: str) -> None:
        """Take from the cap."""
        if self.used + tokens > self.cap:
            raise SpendCapError(f"The cap of {self.cap} tokens leaves no room for {purpose}. Wait for midnight UTC.")
        self.used += tokens
        self.events.append(("reserve", tokens))

    def settle(self, reserved: int, used: int, purpose: str) -> None:
        """Give back what was not used."""
        self.used += used - reserved
        self.events.append((f"settle {purpose}", used))


@dataclass(kw_only=True, slots=True)
class ScriptedLanguageModel:
    """A language model in the process: each call plays the next line of the script, under a real one's promises."""

    script: Sequence[ScriptedReply]
    spend: SpendLog = field(default_factory=CountingSpendLog)
    name: str = "scripted"
    calls: list[tuple[str, ...]] = field(default_factory=list)

    def ask(self, ask: Ask) -> Reply:
        """The next valid reply of the script; one repair, as with a real model."""
        texts: tuple[str, ...] = (ask.system, ask.prompt)
        total = 0
        for is_repair in (False, True):
            text, tokens = self._call(texts, ask)
            total += tokens
            read = parse_reply(text, ask.schema)
            if read.value is not None:
                return Reply(value=read.value, tokens=total, is_repaired=is_repair)
            texts = (*texts, text, f"That reply cannot be used: {read.fault}.")
        raise ModelReplyError("The scripted replies meet the schema neither the first nor the second time.")

    def write(self, writing: Writing, hear: Callable[[str], None]) -> Written:
        """The next line of the script, as one piece."""
        text, tokens = self._call((writing.system, writing.prompt), writing)
        if not text:
            raise ModelReplyError("The scripted model wrote nothing. Give its script a text.")
        hear(text)
        return Written(text=text, tokens=tokens)

    def _call(self, texts: tuple[str, ...], ask: Ask | Writing) -> tuple[str, int]:
        asked = sum(map(count_tokens, texts))
        reserved = asked + ask.max_tokens
        self.spend.reserve(reserved, ask.purpose)
        reply = (
            self.script[len(self.calls)] if len(self.calls) < len(self.script) else fails(words="the script is over")
        )
        self.calls.append(texts)
        used = reserved
        if reply.conduct is Conduct.ANSWER:
            used = asked + count_tokens(reply.text) if reply.tokens is None else reply.tokens
        elif reply.conduct is Conduct.STATUS and reply.status < 500:
            used = 0
        self.spend.settle(reserved, used, ask.purpose)
        if reply.conduct in (Conduct.STALL, Conduct.TRICKLE):
            raise ModelTimeoutError("The scripted model stalls. Raise the timeout.")
        if reply.conduct is Conduct.STATUS:
            raise LanguageModelError(f"The scripted model fails with {reply.status} ({reply.text}).")
        if reply.conduct is not Conduct.ANSWER:
            raise ModelReplyError(f"The scripted model gives a reply of the kind {reply.conduct}.")
        return reply.text, used
