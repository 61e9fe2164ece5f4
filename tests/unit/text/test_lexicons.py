"""Lexicons and the guess of a language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.text.lexicons import LANGUAGES, dropped_in_queries, guess_language, lexicon, word_list
from dopejar.text.normalisation import fold


@pytest.mark.parametrize("language", LANGUAGES)
def test_lexicon_is_complete(language: str) -> None:
    """Every language has every kind of entry."""
    book = lexicon(language)
    for name in (
        "negations", "reversals", "unnegations", "subordinators", "contrasts", "hedges", "intensifiers", "fluff",
        "interjections", "stops", "question_words", "months", "weekdays", "opposites", "synonyms",
    ):  # fmt: skip
        assert getattr(book, name), name
    assert set(book.months.values()) == set(range(1, 13))
    assert set(book.weekdays.values()) == set(range(1, 8))


@pytest.mark.parametrize("language", LANGUAGES)
def test_entries_are_folded(language: str) -> None:
    """Entries are found in folded text, so they are folded themselves."""
    book = lexicon(language)
    entries = [*book.negations, *book.hedges, *book.fluff, *book.stops, *book.months, *book.interjections]
    assert [entry for entry in entries if fold(entry) != entry] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_hedges_leave_part_of_the_certainty(language: str) -> None:
    """Each hedge leaves some certainty and takes some."""
    assert all(0 < certainty < 1 for certainty in lexicon(language).hedges.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_stands_on_both_sides(language: str) -> None:
    """A fluff opener never denies; an opposite is never its own."""
    book = lexicon(language)
    assert not set(book.fluff) & {*book.negations, *book.reversals}
    assert all(left != right for left, right in book.opposites)


def test_lexicon_is_read_once() -> None:
    """Two askers get the same object."""
    assert lexicon("en") is lexicon("en")


def test_unknown_language_is_named() -> None:
    """A language without a lexicon is refused, with those there are."""
    with pytest.raises(InputError, match=r"'tlh'.*en, pt, es"):
        lexicon("tlh")


def test_unknown_word_list_is_named() -> None:
    """A missing list of a data file is refused by name."""
    with pytest.raises(InputError, match="no list 'xx'"):
        word_list("frequent", "xx")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I like Python"),
        ("en", ""),
        ("en", "ok"),
        ("en", "npm run build"),
        ("en", "Always answer in French"),
        ("pt", "Prefiro usar espaços em vez de tabulações"),
        ("pt", "Não uses tabs"),
        ("es", "Siempre responde en español, por favor"),
        ("de", "Ich mag keine langen Antworten"),
        ("fr", "Je n'aime pas le café"),
        ("ru", "Всегда отвечай кратко"),
        ("cs", "Nepoužívej tabulátory, prosím"),
        ("zh", "请用简短的回答"),
        ("zh", "我用Python写代码"),
    ],
)
def test_guess_language(language: str, text: str) -> None:
    """Script, letters and everyday words tell the language; English when unsure."""
    assert guess_language(text) == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Use tabs, not spaces."),
        ("en", "I don't understand why this test fails"),
        ("en", "No, the other branch"),
        ("en", "Keep commits small"),
        ("en", "My sister lives in Leeds"),
        ("en", "Never push to main without asking"),
        ("en", "The parser drops the last row"),
        ("en", "Why does esta.py break?"),
        ("en", "Add a retry to the client"),
        ("en", "It's d'Artagnan who wrote it"),
        ("en", "We moved L'Atelier to Monday"),
        ("en", "Show me the log again"),
        ("en", "Ask D'Angelo"),
        ("en", "Revert that"),
        ("en", "fix typo in des.py"),
        ("en", "run mis.py on the un data set"),
        ("en", "delete the la folder"),
        ("pt", "não entendo por que este teste falha"),
        ("pt", "Por favor, responde em inglês"),
        ("pt", "O teste falhou de novo"),
        ("pt", "Quero que uses aspas duplas"),
        ("pt", "Moro em Braga com a minha irmã"),
        ("pt", "Nunca faças commit sem testes"),
        ("pt", "Isso não funciona no Windows"),
        ("pt", "Prefiro mensagens curtas"),
        ("pt", "Por que esta função devolve nulo?"),
        ("pt", "Trabalho no porto de Aveiro"),
        ("pt", "Já te disse que o servidor mudou"),
        ("pt", "Esta prova falhou por causa do cache"),
        ("pt", "Usa sempre caminhos absolutos"),
        ("pt", "como corro esta tarefa no servidor"),
        ("pt", "deixa esta linha como estava"),
        ("pt", "por favor usa este ficheiro"),
        ("pt", "Coloque esta chave no cofre"),
        ("es", "no entiendo por qué falla esta prueba"),
        ("es", "Por favor, responde en inglés"),
        ("es", "La prueba falló otra vez"),
        ("es", "Quiero que uses comillas dobles"),
        ("es", "Vivo en Gijón con mi hermana"),
        ("es", "Nunca hagas commit sin pruebas"),
        ("es", "Eso no funciona en Windows"),
        ("es", "Prefiero mensajes cortos"),
        ("es", "¿Por qué devuelve nulo esta función?"),
        ("es", "Trabajo en el puerto de Vigo"),
        ("es", "Ya te dije que el servidor cambió"),
        ("es", "no entiendo esta prueba"),
        ("es", "dime cómo arreglo esta prueba"),
        ("es", "siempre rutas absolutas"),
        ("es", "dónde está el fichero"),
        ("es", "Pon esta llave en el cofre"),
        ("es", "no quiero esta prueba"),
        ("de", "Ich verstehe nicht, warum der Test scheitert"),
        ("de", "Nimm doppelte Anführungszeichen"),
        ("de", "Bitte antworte auf Englisch"),
        ("de", "Der Test ist schon wieder rot"),
        ("de", "Keine Tabs, sondern Leerzeichen"),
        ("de", "Nie ohne Tests einspielen"),
        ("de", "Das geht unter Windows nicht"),
        ("de", "Kurze Nachrichten sind mir lieber"),
        ("de", "Lösch den alten Ordner"),
        ("de", "Der Server ist umgezogen"),
        ("de", "Ich arbeite am Hafen"),
        ("de", "Leg den Schlüssel in den Tresor"),
        ("de", "Das hab ich dir doch gesagt"),
        ("fr", "J'ai mis des guillemets doubles."),
        ("fr", "Je ne comprends pas pourquoi ce test échoue"),
        ("fr", "L'ancien dossier doit partir"),
        ("fr", "Réponds en anglais, s'il te plaît"),
        ("fr", "J'habite à Brest"),
        ("fr", "N'utilise jamais de tabulations"),
        ("fr", "Il faut qu'on garde l'ancien nom"),
        ("fr", "Pas de commit sans tests"),
        ("fr", "Ça ne marche pas sous Windows"),
        ("fr", "C'est mieux avec des messages courts"),
        ("fr", "D'abord les tests"),
        ("fr", "Efface l'autre branche"),
        ("fr", "Mis à jour l'index"),
        ("fr", "T'as oublié l'import"),
        ("fr", "On n'efface rien"),
        ("fr", "Qu'est-ce qui bloque ?"),
        ("fr", "Je travaille au port"),
        ("fr", "Mets la clé dans le coffre"),
        ("fr", "j'utilise mis.py"),
        ("ru", "Не понимаю, почему тест падает"),
        ("ru", "Используй двойные кавычки"),
        ("ru", "Отвечай по-английски"),
        ("ru", "Тест опять упал"),
        ("ru", "Я живу в Казани"),
        ("ru", "Никаких табуляций"),
        ("ru", "Никогда не пушь в main"),
        ("ru", "Под Windows это не работает"),
        ("ru", "Я люблю короткие сообщения"),
        ("ru", "Удали старую папку"),
        ("ru", "Сервер переехал"),
        ("cs", "Nerozumím, proč ten test padá"),
        ("cs", "Používej dvojité uvozovky"),
        ("cs", "Odpovídej anglicky, prosím"),
        ("cs", "Test zase spadl, co s tím"),
        ("cs", "Bydlím v Brně"),
        ("cs", "Žádné tabulátory"),
        ("cs", "Nikdy nepushuj do main"),
        ("cs", "Na Windows to nefunguje"),
        ("cs", "Mám rád krátké zprávy"),
        ("cs", "Smaž starou složku"),
        ("cs", "Server se přestěhoval"),
        ("cs", "Dej ten klíč do trezoru"),
        ("zh", "我不明白为什么这个测试失败"),
        ("zh", "请用双引号"),
        ("zh", "请用英语回答"),
        ("zh", "测试又失败了"),
        ("zh", "我住在杭州"),
        ("zh", "不要用制表符"),
        ("zh", "没有测试不要提交"),
        ("zh", "在Windows上不行"),
        ("zh", "我喜欢简短的消息"),
        ("zh", "删掉旧文件夹"),
        ("zh", "服务器搬家了"),
        ("fr", "J\u2019ai mis l\u2019option à zéro"),
    ],
)
def test_short_sentences_tell_their_language(language: str, text: str) -> None:
    """What is said in passing is told apart as well, also between neighbours that share half of their words."""
    assert guess_language(text) == language


@given(st.text(alphabet=st.characters(codec=None), max_size=80))
def test_guess_is_always_a_known_language(text: str) -> None:
    """For any text the guess has a lexicon."""
    assert guess_language(text) in LANGUAGES


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("please use tabs", "use tabs"),
        ("no, use tabs", "use tabs"),
        ("no tabs", None),
        ("so, that is it", "that is it"),
        ("so it goes", None),
        ("pleased to meet you", None),
        ("ok. go on", "go on"),
    ],
)
def test_openers_are_cut_only_where_they_say_nothing(text: str, rest: str | None) -> None:
    """The word of "no, ..." is an opener, that of "no tabs" makes a rule."""
    match = lexicon("en").fluff_opening.match(text)
    assert (text[match.end() :] if match else None) == rest


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_that_queries_drop_are_those_of_the_lexicon(language: str) -> None:
    """Read by themselves they are the same as with the whole lexicon."""
    assert dropped_in_queries(language) == lexicon(language).dropped_in_queries
