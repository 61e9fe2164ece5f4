"""Both adapters and the scripted model under one contract, and what is particular to each."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

from dopejar.adapters.language_models import make_language_model
from dopejar.adapters.language_models.http_language_model import HttpLanguageModel
from dopejar.adapters.language_models.json_client import JsonClient, ModelApiKey
from dopejar.adapters.language_models.ollama import OllamaDialect, ollama
from dopejar.adapters.language_models.openai_compatible import (
    OpenAiDialect,
    Structure,
    dialect_for,
    openai_compatible,
)
from dopejar.adapters.network_addresses import is_loopback, require_safe_address
from dopejar.errors import LanguageModelError, ModelReplyError, SettingError
from dopejar.testing.fake_language_model import (
    Conduct,
    CountingSpendLog,
    FakeModelServer,
    ScriptedLanguageModel,
    ScriptedReply,
    fails,
    says,
)
from dopejar.testing.language_model_contract import GOOD, QUESTION, Arranged, LanguageModelContract

KEY = ModelApiKey(value="sk-" + "not-a-real-key-" + "0" * 20)


def _openai(server: FakeModelServer, spend: CountingSpendLog, **more) -> HttpLanguageModel:
    settings = {"model": "tiny", "timeout_s": 5.0, **more}
    return openai_compatible(address=f"{server.address}/v1", spend=spend, **settings)


def _ollama(server: FakeModelServer, spend: CountingSpendLog, **more) -> HttpLanguageModel:
    settings = {"model": "tiny", "timeout_s": 5.0, **more}
    return ollama(address=server.address, spend=spend, **settings)


def _has_stall(script: Sequence[ScriptedReply]) -> bool:
    return any(reply.conduct in (Conduct.STALL, Conduct.TRICKLE) for reply in script)


@contextmanager
def _served(make, script, spend) -> Iterator[Arranged]:
    """A model in front of a fake server. Only scripts that stall get a short timeout."""
    with FakeModelServer(script) as server:
        timeout_s = 0.1 if _has_stall(script) else 10.0
        with closing(make(server, spend, timeout_s=timeout_s)) as model:
            sent = 1 if _has_stall(script) else 0  # such a request is sent, and may not be read yet when it times out
            yield Arranged(model=model, spend=spend, calls=lambda: [seen.texts for seen in server.wait_for(sent)])


@pytest.mark.enable_socket
class TestOpenAiCompatible(LanguageModelContract):
    """The contract on the OpenAI-compatible adapter."""

    def arrange(self, script, spend):
        """In front of the fake server's `/v1`."""
        return _served(_openai, script, spend)


@pytest.mark.enable_socket
class TestOllama(LanguageModelContract):
    """The contract on the Ollama adapter."""

    def arrange(self, script, spend):
        """In front of the fake server."""
        return _served(_ollama, script, spend)


class TestScripted(LanguageModelContract):
    """The contract on the model that others test with."""

    @contextmanager
    def arrange(self, script, spend):
        """No server at all."""
        model = ScriptedLanguageModel(script=script, spend=spend)
        yield Arranged(model=model, spend=spend, calls=lambda: model.calls)


@pytest.mark.enable_socket
def test_the_openai_request_says_what_is_wanted():
    """Model, limit, schema, key and a single unstreamed completion are in the request."""
    with FakeModelServer([says(GOOD)]) as server, closing(_openai(server, CountingSpendLog(), key=KEY)) as model:
        model.ask(QUESTION)
    sent = server.seen[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["Authorization"] == f"Bearer {KEY.value}"
    assert (sent.body["model"], sent.body["max_tokens"], sent.body["stream"]) == ("tiny", 100, False)
    assert sent.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "choosing", "schema": QUESTION.schema},
    }


@pytest.mark.parametrize(
    ("dialect", "field", "structure"),
    [
        (OpenAiDialect(structure=Structure.OBJECT), "max_tokens", {"type": "json_object"}),
        (OpenAiDialect(structure=Structure.PROMPT), "max_tokens", None),
        (OpenAiDialect(structure=Structure.PROMPT, limit_field="max_completion_tokens"), "max_completion_tokens", None),
    ],
)
def test_servers_that_know_less_are_asked_for_less(dialect, field, structure):
    """The way JSON is asked for and the limit's name follow the settings."""
    body = dialect.body("m", (), QUESTION, 500)
    assert body[field] == 100
    assert body.get("response_format") == structure
    assert len({"max_tokens", "max_completion_tokens"} & body.keys()) == 1


@pytest.mark.parametrize(("expected_tokens", "context"), [(1, 4096), (4096, 4096), (4097, 8192), (20_000, 20_480)])
def test_ollama_gets_a_context_that_holds_everything(expected_tokens, context):
    """The context is never smaller than prompt and reply: the server would cut the prompt without a word."""
    body = OllamaDialect().body("m", (), QUESTION, expected_tokens)
    assert body["options"] == {"temperature": 0.0, "num_predict": 100, "num_ctx": context}
    assert body["format"] == QUESTION.schema


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"choices": []},
        {"choices": ["x"]},
        {"choices": [{"message": None}]},
        {"message": "x"},
        {"message": None},
    ],
)
def test_a_response_of_another_form_is_no_answer(body):
    """Neither dialect reads anything into a response that is not its own."""
    assert OpenAiDialect().answer(body) is None
    assert OllamaDialect().answer(body) is None


def test_odd_counts_are_not_believed():
    """Negative, boolean or missing counts and contents count as not given."""
    answer = OpenAiDialect().answer({"choices": [{"message": {"content": None}}], "usage": {"total_tokens": -4}})
    assert answer is not None
    assert (answer.text, answer.tokens) == ("", None)
    answer = OllamaDialect().answer({"message": {"content": "x"}, "eval_count": True, "prompt_eval_count": 4})
    assert answer is not None
    assert answer.tokens is None


@pytest.mark.enable_socket
def test_a_reply_that_was_cut_off_says_so_in_the_repair():
    """The model hears that it ran into the limit, not only that its JSON is broken."""
    script = [ScriptedReply(text='{"colour": "te', is_cut=True), says(GOOD)]
    with FakeModelServer(script) as server, closing(_ollama(server, CountingSpendLog())) as model:
        assert model.ask(QUESTION).is_repaired
    assert "cut off at 100 tokens" in server.seen[1].texts[-1]


@pytest.mark.enable_socket
def test_any_text_can_be_sent():
    """Half a surrogate pair, controls and every script go out as JSON, and come in as they were."""
    prompt = "caf\u00e9 \ud800 \x00 \u6771\u4eac"
    with FakeModelServer([says(GOOD)]) as server, closing(_openai(server, CountingSpendLog())) as model:
        model.ask(replace(QUESTION, prompt=prompt))
    assert server.seen[0].texts[1] == prompt


@pytest.mark.enable_socket
def test_a_fenced_reply_needs_no_repair():
    """Many models wrap JSON in a code fence; that is no fault."""
    script = [says('```json\n{"colour": "teal", "score": 0.5}\n```\n')]
    with FakeModelServer(script) as server, closing(_openai(server, CountingSpendLog())) as model:
        reply = model.ask(QUESTION)
    assert (reply.value, reply.is_repaired) == (GOOD, False)


@pytest.mark.enable_socket
@pytest.mark.parametrize("status", [401, 403, 400, 429, 500, 302])
def test_no_error_shows_the_key(status):
    """Also where the server quotes it, neither message nor cause shows the key; redirects are not followed."""
    script = [fails(status, f"bad key {KEY.value} given")]
    with (
        FakeModelServer(script) as server,
        closing(_openai(server, CountingSpendLog(), key=KEY)) as model,
        pytest.raises(LanguageModelError) as caught,
    ):
        model.ask(QUESTION)
    assert str(status) in str(caught.value)
    assert KEY.value not in f"{caught.value!r} {caught.value.__cause__!r} {model!r} {vars(model)!r} {KEY!r}"


@pytest.mark.enable_socket
def test_a_server_that_is_not_there_costs_nothing():
    """A refused connection is named as such, and its reservation is given back."""
    spend = CountingSpendLog()
    with FakeModelServer([]) as server:
        model = _ollama(server, spend)
    with closing(model), pytest.raises(LanguageModelError, match="Is its server running"):
        model.ask(QUESTION)
    assert spend.used == 0


@pytest.mark.enable_socket
def test_threads_share_one_model():
    """Questions from several threads each get their reply, and the log adds up."""
    spend = CountingSpendLog()
    results = []
    with FakeModelServer([says(GOOD, tokens=5)] * 8) as server:
        model = _openai(server, spend)
        threads = [threading.Thread(target=lambda: results.append(model.ask(QUESTION).value)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        model.close()
    assert results == [GOOD] * 8
    assert spend.used == 40


@pytest.mark.enable_socket
def test_a_model_can_be_asked_after_closing():
    """Closing gives the connection back; a later question opens another."""
    with FakeModelServer([says(GOOD), says(GOOD)]) as server:
        model = _openai(server, CountingSpendLog())
        for _ in range(2):
            assert model.ask(QUESTION).value == GOOD
            model.close()


@pytest.mark.enable_socket
def test_the_environment_has_no_say_over_this_machine(monkeypatch):
    """A proxy in the environment is not put between us and a server on this machine."""
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    with FakeModelServer([says(GOOD)]) as server, closing(_ollama(server, CountingSpendLog())) as model:
        assert model.ask(QUESTION).value == GOOD


@pytest.mark.parametrize(
    "address",
    [
        "https://models.example.org/v1",
        "https://models.example.org:8443/v1/",
        "http://127.0.0.1:11434",
        "http://localhost:1234/v1",
        "http://[::1]:8000",
        "http://127.8.9.10",
    ],
)
def test_encrypted_and_local_addresses_are_taken(address):
    """TLS anywhere, plain HTTP on this machine; a closing slash does not matter."""
    assert require_safe_address(address, "It") == address.rstrip("/")


@pytest.mark.parametrize(
    "address",
    [
        "http://models.example.org/v1",
        "http://192.168.1.20:11434",
        "http://10.0.0.1",
        "http://0.0.0.0:11434",
        "http://127.0.0.1.example.org",
        "http://localhost.example.org",
        "http://localhost@models.example.org",
        "https://me:" + "pass" + "@models.example.org",
        "https://models.example.org/v1?key=" + "abc",
        "https://",
        "models.example.org",
        "ftp://127.0.0.1",
        "http://[::1",
        "https://models.example.org:port",
        "",
    ],
)
def test_other_addresses_are_refused(address):
    """Plain HTTP elsewhere, credentials in the address, no scheme or host: one sentence, without the credentials."""
    with pytest.raises(SettingError) as caught:
        JsonClient(address)
    assert "abc" not in str(caught.value)
    assert "pass@" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "is_here"), [("LOCALHOST", True), ("localhost.", True), ("::1", True), ("::2", False), ("", False)]
)
def test_loopback_is_told_by_the_name_alone(host, is_here):
    """No name is looked up, so nothing on the network can make another machine look local."""
    assert is_loopback(host) is is_here


def test_a_timeout_of_nothing_is_refused():
    """Zero would mean for ever in one library and never in another."""
    with pytest.raises(SettingError):
        JsonClient("http://127.0.0.1", timeout_s=0)


def test_a_key_is_taken_as_it_stands():
    """Space around a key does not count, an empty one is none, and what can be no key is refused unseen."""
    assert ModelApiKey.parse(" \n") is None
    assert ModelApiKey.parse(f" {KEY.value}\n") == KEY
    for held in ("a\nb", "schlüssel"):
        with pytest.raises(SettingError) as caught:
            ModelApiKey.parse(held)
        assert held not in str(caught.value)


def test_the_makers_own_models_are_asked_their_way():
    """At the makers' host the newer field is used and no temperature; at any other host the common ones."""
    body = dialect_for("https://api.openai.com/v1").body("m", (), QUESTION, 500)
    assert body["max_completion_tokens"] == 100
    assert not {"max_tokens", "temperature"} & body.keys()
    for address in ("https://openai.com.example.org/v1", "http://127.0.0.1:8000/v1"):
        assert dialect_for(address) == OpenAiDialect()


class NoStore:
    """A store that nothing is written to."""

    def write(self):
        """Never called."""
        raise AssertionError("nothing is asked yet")


@pytest.mark.parametrize(
    ("kind", "url", "model", "path"),
    [
        ("ollama", "", "tiny", "/api/chat"),
        ("ollama", "https://models.example.org", "tiny", "/api/chat"),
        ("openai", "http://127.0.0.1:8000/v1", "tiny", "/chat/completions"),
    ],
)
def test_settings_make_a_model(kind, url, model, path):
    """A kind, an address and a name are enough, and nothing is asked or counted by making it."""
    store, clock = NoStore(), Clock()
    made = make_language_model(
        kind, url=url, model=model, key="", timeout_s=1.0, daily_tokens=5, store=store, clock=clock
    )
    assert made.name == model
    assert made._dialect.path == path


@pytest.mark.parametrize(
    ("kind", "url", "model", "named"),
    [
        ("openai", "", "tiny", "language_model.url"),
        ("openai", "http://models.example.org/v1", "tiny", "without encryption"),
        ("ollama", "", "", "language_model.model"),
        ("other", "", "tiny", "language_model.kind"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(kind, url, model, named):
    """Each impossible setting is named before anything is sent."""
    with pytest.raises(SettingError, match=named):
        make_language_model(
            kind, url=url, model=model, key="", timeout_s=1.0, daily_tokens=5, store=NoStore(), clock=Clock()
        )


class Clock:
    """A clock that nobody asks."""

    def now(self):
        """Never called."""
        raise AssertionError("nothing is asked yet")


def test_the_scripted_model_ends_with_its_script():
    """A question past the script's end is an error that says so, not a made-up reply."""
    model = ScriptedLanguageModel(script=[says(GOOD)])
    model.ask(QUESTION)
    with pytest.raises(LanguageModelError, match="script is over"):
        model.ask(QUESTION)


def test_a_broken_reply_names_purpose_and_model():
    """After the failed repair the message says who asked what, and what was wrong."""
    with pytest.raises(ModelReplyError):
        ScriptedLanguageModel(script=[says(""), says("{}")]).ask(QUESTION)
    assert pickle.loads(pickle.dumps(QUESTION)) == QUESTION  # noqa: S301 - our own value
