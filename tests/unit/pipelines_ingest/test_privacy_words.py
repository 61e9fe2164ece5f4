"""Privacy words: what is a wish, in eight languages, and what only sounds like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.keys.named_slots import named_slots, other_owner_pattern
from dopejar.pipelines.ingest.privacy_words import possible_wish, privacy_wish, takes_back

WISHES = (
    "forget that my salary is 90k.",
    "Please forget that I told you my salary.",
    "Don't remember this.",
    "Please do not store this.",
    "don't save this, ok?",
    "Off the record: I am leaving in May.",
    "This is off the record.",
    "Just between us, I'm pregnant.",
    "Between you and me, the CEO is leaving.",
    "Keep this between us.",
    "delete what you know about Zvoltan.",
    "Delete everything you know about my doctor",
    "Erase everything you know about me.",
    "forget everything about my divorce",
    "forget my address",
    "Remove my phone number from your memory.",
    "I earn 90k a year. Don't remember that.",
    "ok forget what you know about Ana",
    "Don't keep this conversation.",
    "Please don't log this message.",
    "Don't store it in memory.",
    "Não guardes isto.",
    "Esquece que moro em Lisboa.",
    "Isto fica entre nós.",
    "Apaga o que sabes sobre a Ana.",
    "Por favor, não se lembre disso.",
    "Esqueça tudo sobre o meu médico.",
    "No guardes esto.",
    "Olvida que vivo en Madrid.",
    "Que quede entre nosotros: me voy en mayo.",
    "Borra todo lo que sabes de Ana.",
    "Por favor no recuerdes eso",
    "Merk dir das nicht.",
    "Das bleibt unter uns.",
    "Vergiss, dass ich in Berlin wohne.",
    "Lösch alles, was du über Ana weißt.",
    "Bitte das nicht speichern.",
    "Unter uns gesagt: ich kündige.",
    "Ne retiens pas ça.",
    "Oublie que j'habite à Paris.",
    "Ça reste entre nous.",
    "Efface tout ce que tu sais sur Ana.",
    "N'enregistre pas ça.",
    "Не запоминай это.",
    "Забудь, что я живу в Москве.",
    "Пусть останется между нами: я ухожу.",
    "Удали всё, что ты знаешь об Анне.",
    "Не сохраняй это, пожалуйста.",
    "Tohle si nepamatuj.",
    "Zapomeň, že bydlím v Brně.",
    "Ať to zůstane mezi námi.",
    "Smaž všechno, co víš o Aně.",
    "Neukládej to.",
    "不要记住这个。",
    "忘掉我住在北京。",
    "删除你知道的关于安娜的一切。",
    "别保存这些。",
    "这只有你我知道。",
    "请忘记我的地址",
    "Scrub whatever you've saved about my knee.",
    "Wipe my old nickname from your notes.",
    "Delete your note about the surprise party.",
    "I no longer want you to remember my salary.",
    "I don't want you to remember who my tutor is.",
    "Please erase everything I told you about Ilka.",
    "What I told you about Ilka's debts, please delete that.",
    "Don't keep my blood type in your memory.",
    "Stop remembering my weight.",
    "Not for the records: the merger is off.",
    "Vergiss bitte meine Kontonummer.",
    "Lösche, was ich dir über den Umzug erzählt habe.",
    "Oublie mon adresse.",
    "Olvida lo que te conté sobre mi prima.",
    "Esquece o meu apelido.",
    "Забудь мой размер обуви.",
    "Zapomeň na moje heslo k wifi.",
)
NO_WISHES = (
    "don't forget to run the tests",
    "Don't forget that the port is 5000.",
    "I forgot that the port is 5000",
    "save this file",
    "Don't save this file.",
    "Never store passwords in plain text",
    "never log secrets",
    "don't log this error twice",
    "forget it",
    "Forget about it, let's use Go.",
    "forget that, let's try Rust",
    "The difference between us and them is small.",
    "between us-east-1 and eu-west-1",
    'Add a "Don\'t save this" button.',
    "I don't remember that.",
    "I don't remember this function.",
    "You never remember this!",
    "Off the record player I took the lid.",
    "delete what you wrote",
    "delete everything in build/",
    "Delete all tests about parsing.",
    "remove the lock from memory.c",
    "Do not store it in the session, use a cookie.",
    "open the file but don't save it",
    "Please keep this short.",
    "Keep this function.",
    "Record this in the log.",
    "Don't keep this branch.",
    "forget the previous approach",
    "Never forget that we deploy on Fridays.",
    "he forgot my address",
    "What did you forget about me?",
    "Don't save this to disk, keep it in RAM",
    "Erase the disk",
    "Remember this: never push to main.",
    "note that this is off",
    "Não te esqueças que o porto é 5000.",
    "Esqueci-me que o porto é 5000.",
    "Guarda isto no ficheiro.",
    "entre nós e eles há um muro",
    "No olvides que el puerto es 5000.",
    "Olvidé que el puerto es 5000",
    "Guarda esto en el archivo.",
    "la distancia entre nosotros",
    "Vergiss nicht, die Tests zu starten.",
    "Ich habe vergessen, dass der Port 5000 ist.",
    "Speichere das in der Datei.",
    "Speichere das nicht in der Datei.",
    "unter uns wohnt ein Hund",
    "N'oublie pas que le port est 5000.",
    "J'ai oublié que le port est 5000.",
    "Garde ça dans le fichier.",
    "il y a un mur entre nous",
    "Не забудь, что порт 5000.",
    "Я забыл, что порт 5000.",
    "Сохрани это в файл.",
    "между нами стена",
    "Nezapomeň, že port je 5000.",
    "Zapomněl jsem, že port je 5000.",
    "Ulož to do souboru.",
    "mezi námi je zeď",
    "别忘记运行测试。",
    "不要忘记端口是5000。",
    "我忘记了端口是5000。",
    "保存这个文件。",
    "不要保存这个文件。",
    "Drop the notes column from the table.",
    "Remove the release notes about caching.",
    "Don't keep temporary files in memory-mapped mode.",
    "Don't keep whole tables in memory.",
    "Drop the index from memory once it is built.",
    "Vergiss meinetwegen den Test.",
    "Wipe the cache before each run.",
    "Remove the note about licences before you publish.",
    "Delete what I wrote about pricing.",
    "You don't have to know my exact folder, just search.",
    "You don't need to keep my variable names.",
)
SUBJECTS = {
    "Forget that my doctor is Zvoltan.": "my doctor is zvoltan",
    "Please delete what you know about Zvoltan": "zvoltan",
    "forget that I told you my salary": "my salary",
    "Forget my address, please.": "my address",
    "Vergiss, dass ich in Berlin wohne.": "ich in berlin wohne",
    "Lösch alles, was du über Ana weißt.": "ana",
    "Olvida que vivo en Madrid.": "vivo en madrid",
    "Off the record, I am leaving.": "",
    "Forget what I told you about how tall I am.": "how tall i am",
    "Vergiss bitte meine Kontonummer.": "meine kontonummer",
    "Wipe my old nickname from your notes.": "my old nickname",
}


@pytest.mark.parametrize("said", WISHES)
def test_a_wish_is_obeyed_wherever_it_stands(said):
    """It is recognised alone, behind what it is about, before other words, and in capitals."""
    for turn in (said, f"I earn 90k a year. {said}", f"{said}\nNow fix the build.", said.upper()):
        assert privacy_wish(turn) is not None, turn


@pytest.mark.parametrize("said", NO_WISHES)
def test_what_only_sounds_like_a_wish_is_none(said):
    """Reminders, things to save, and reports of forgetting are kept like anything else."""
    for turn in (said, f"The port is 5000. {said}"):
        assert privacy_wish(turn) is None, turn


@pytest.mark.parametrize("said", WISHES)
def test_quoted_and_pasted_words_are_no_wish(said):
    """What stands in quotation marks, in code, behind a quoting mark, or in a pasted span asks for nothing."""
    for turn in (f"Add a button ``{said}`` here".replace("``", "`"), f"```\n{said}\n```", f"> {said}\nWhat is this?"):
        assert privacy_wish(turn) is None, turn
    turn = f"What do you say? {said}"
    assert privacy_wish(turn, [(16, len(turn))]) is None


@pytest.mark.parametrize(("said", "subject"), SUBJECTS.items())
def test_the_subject_is_what_shall_be_forgotten(said, subject):
    """The words behind the wish; none where only the turn is meant."""
    assert privacy_wish(said) == subject


TOLD = {
    "Delete my phone number.": "my phone number",
    "Forget the wifi name": "the wifi name",
    "please forget about Irene": "irene",
    "Scrap the rule about tabs in Go.": "the rule about tabs in go",
    "Cancel our tea rule": "our tea rule",
    "Get rid of our rule about headings.": "our rule about headings",
    "You can let go of the thing about the boiler.": "the thing about the boiler",
    "Lose the bit about my ex, please.": "the bit about my ex",
    "I'd rather you didn't keep my weight.": "my weight",
    "Please stop keeping what we told you about Leo.": "leo",
    "Don't hold on to everything I mentioned about the merger.": "the merger",
    "The rule about tabs can go.": "the rule about tabs",
    "The stuff I shared about Petra should be forgotten.": "petra",
    "I want the story about the parrot gone.": "the story about the parrot",
    "Take my old address off your list.": "my old address",
    "That point on the lease - out of your notes, please": "that point on the lease",
    "Forget about Ilka and her trial, that's none of our business.": "ilka and her trial",
    "Forget Ilka's trip to Turku": "ilka's trip to turku",
    "Forget about Tom being in debt": "tom being in debt",
    "Throw out all those conventions about branch names": "all those conventions about branch names",
}
POSSIBLE = {
    "Could you forget the thing with Ilka moving out?": "the thing with ilka moving out",
    "You can remove my shoe size.": "my shoe size",
    "Lose the bit about my ex.": "the bit about my ex",
    "Please wipe everything about our alarm code.": "our alarm code",
    "Delete where my aunt lives.": "where my aunt lives",
    "Delete the note about the surprise party.": "the note about the surprise party",
    "The stuff I mentioned about Petra should be forgotten.": "petra",
    "I want the story about the parrot gone.": "the story about the parrot",
    "Don't keep my blood type.": "my blood type",
}
TASKS = (
    "Delete the paragraph about pricing.",
    "Forget the second option.",
    "Remove the note about licences before you publish.",
    "Drop the table if it exists.",
    "Forget Ilka, invite Tom.",
    "Cancel my appointment.",
    "Don't lose the bit about my ex.",
)


@pytest.mark.parametrize(("said", "subject"), POSSIBLE.items())
def test_a_possible_wish_is_read_apart(said, subject):
    """What may as well be a task on a text is no wish by its words alone, and its subject is told."""
    assert privacy_wish(said) is None
    assert possible_wish(said) == subject
    assert possible_wish(f'He wrote "{said}"') is None
    assert possible_wish(said, [(0, len(said))]) is None


@pytest.mark.parametrize(
    ("said", "subject"),
    [
        ("Delete Ilka's number please", "ilka's number"),
        ("Remove the code for the cabin", "the code for the cabin"),
        ("You can drop Tom's salary, he left", "tom's salary"),
        ("Don't keep Tom's salary", "tom's salary"),
        ("I don't want Tom's salary stored.", "tom's salary"),
        ("Forget about the quarrel at work", "the quarrel at work"),
        ("Remove trailing spaces before committing.", None),
        ("Delete temp files after each run.", None),
        ("Wipe the cache before each run.", None),
        ("Remove the numbers from headings.", None),
        ("Never keep Tom's drafts in the repo.", None),
    ],
)
def test_what_is_told_may_be_a_wish_or_a_rule(said, subject):
    """The removal of a definite thing may be a wish, what is done at a time or in a place is a rule for the work."""
    assert privacy_wish(said, told=True) is None
    assert possible_wish(said, told=True) == subject


@pytest.mark.parametrize("said", TASKS)
def test_a_task_is_no_possible_wish(said):
    """What names a text, a place, a time or a choice asks for work."""
    assert possible_wish(said) is None


ORDERS = (
    "Delete temporary branches after merging.",
    "Remove our debug output before every release.",
    "Forget the small talk and answer at once.",
    "Drop the greeting from letters.",
    "Forget that last one.",
    "Don't forget my birthday.",
    "Never forget the milk.",
    "Don't lose the bit about my ex.",
    "Never drop the rule about tabs.",
    "You should keep what I said about Ana.",
    "The rule about tabs is good.",
    "The thing about the garden is that it floods.",
    "Delete the part about prices from every offer.",
    "Throw away drafts when the letter is sent.",
    "Take the bins out on Mondays.",
    "My old car is gone.",
    "I want the report gone by Friday.",
    "You can drop me at the station.",
    "Lose the jargon in letters.",
)


@pytest.mark.parametrize(("said", "subject"), TOLD.items())
def test_what_is_told_to_the_memory_means_a_memory(said, subject):
    """The words of a task in a conversation are a wish where the memory itself is addressed."""
    assert privacy_wish(said, told=True) == subject
    assert privacy_wish(said) is None


@pytest.mark.parametrize("said", ORDERS)
def test_an_order_is_no_wish(said):
    """What says when, where or what else is to be done is an order also where the memory is addressed."""
    assert privacy_wish(said, told=True) is None


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("my phone number", "self.phone"),
        ("where we live", "self.home"),
        ("our address", "self.home"),
        ("how old i am", "self.birthday"),
        ("who my doctor is", "self.doctor"),
        ("where I work", "self.employer"),
        ("our cat's name", "self.cat.name"),
        ("my exam's date", "self.exam.date"),
        ("where my aunt lives", "self.aunt.home"),
    ],
)
def test_a_property_is_kept_in_slots(words, slot):
    """The words for a property name the slots that statements of it fill."""
    assert slot in named_slots(words)


@pytest.mark.parametrize(
    ("words", "told", "other"),
    [
        ("ilka's address", "ilka lives at 3 elm street", "tom lives at 3 elm street, says ilka"),
        ("ilka's new home", "ilka moved to turku", "ilka moved to the night shift"),
        ("tom's age", "tom is 52 years old", "tom is 52 minutes late"),
        ("tom's birthday", "tom was born on 3 may", "tom was there on 3 may"),
    ],
)
def test_a_property_of_another_is_told_without_its_word(words, told, other):
    """Who lives somewhere has an address; what is told of others, or of something else, does not name it."""
    pattern = other_owner_pattern(words)
    assert pattern is not None
    assert pattern.search(told)
    assert not pattern.search(other)
    assert other_owner_pattern("my address") is None
    assert other_owner_pattern("ilka's boat") is None


@pytest.mark.parametrize("words", ["tabs", "the office", "where Ana lives", "felix's allergy"])
def test_other_words_name_no_slot(words):
    """What is no property of the speaker has no slot of the speaker."""
    assert named_slots(words) == frozenset()


@given(st.text(max_size=200), st.sampled_from(WISHES))
def test_it_is_total(noise, said):
    """Any text has an answer, and a wish on a line of its own is found beside it, unless that quotes or is code."""
    privacy_wish(noise)
    if not set(noise) & set('`"“”„«»>'):
        assert privacy_wish(f"{noise}\n{said}") is not None


TAKES_BACK = (
    "Please don't remember that.",
    "Forget I said that.",
    "Delete that last message.",
    "Don't keep what I just said about my sister.",
    "Don't remember what I just said about Tobias's receipts.",
    "Actually, please don't remember that.",
    "Sorry, that was private. Don't remember that, please.",
    "Don't remember this, it's nobody's business.",
    "Pretend I never said that.",
    "Pretend that I didn't say anything about Olga.",
    "Forget that I ever mentioned it.",
    "Forget I told you that, ok?",
    "Please delete my last message.",
    "Erase what I just said.",
    "You can forget what I just told you.",
    "I'd rather you didn't remember what I just said.",
    "No need to remember that last bit.",
    "Let's not keep what I just wrote.",
    "Remove that from your memory.",
    "Please strike that from the record.",
    "Don't save that anywhere.",
    "You didn't hear that from me.",
    "That stays between us.",
    "That was off the record.",
    "Don't store my last message, please.",
    "Wipe the last thing I said.",
    "I don't want you to remember what I just said.",
    "Can you delete my last message?",
    "Merk dir das bitte nicht.",
    "Vergiss, was ich gerade gesagt habe.",
    "No recuerdes eso.",
    "Oublie ce que je viens de dire.",
    "Не запоминай это, пожалуйста.",
    "Never record what I just told you about the divorce.",
    "Hm, on second thought, don't remember that. I shouldn't have said it.",
    "Forget I said that. Where is the nearest bakery?",
)
TAKES_NOTHING_BACK = (
    "Don't forget that.",
    "Remember that I like tea.",
    "Forget it, use the other file.",
    "Never mind.",
    "Don't forget what I just said.",
    "I don't remember that.",
    "Delete the last line.",
    "Delete that.",
    "Delete that last commit.",
    "Forget what I just said, use the other file.",
    "Delete the last message from the queue.",
    "Remove my last message handler.",
    "Don't delete that last message.",
    "Do you remember what I just said?",
    "Why don't you remember what I said?",
    "Did you forget what I just told you?",
    "My doctor is Zvoltan. Please don't remember that.",
    "Don't remember this: my PIN is 4471.",
    "Off the record: my doctor is Zvoltan.",
    "I forgot what I just said.",
    "Scrap the last paragraph and start over.",
    "Ignore that last one.",
    "Undo the last change.",
    "Don't save that file.",
    "Don't store the last message in the log.",
    "Forget that, let's try Postgres.",
    "Keep what I just said in mind.",
    "Never push to main, but keep this between us.",
    "He said: forget I said that.",
    '"Forget I said that" is a song.',
    "Never forget my last message.",
    "Between us, Tom is leaving.",
    "What did I say in my last message?",
    "Forget about the tests for now.",
    "You can delete the last message broker.",
    "Pretend I am a customer.",
    "Act like I never wrote tests.",
)


@pytest.mark.parametrize("text", TAKES_BACK)
def test_what_was_said_before_is_taken_back(text):
    """A turn that speaks of words just said as not to be kept takes back the turn before, and is withheld itself."""
    assert takes_back(text) is not None


@pytest.mark.parametrize("text", TAKES_NOTHING_BACK)
def test_work_and_talk_take_nothing_back(text):
    """Tasks on texts, questions, and wishes about words of the same turn do not reach the turn before."""
    assert takes_back(text) is None


def test_what_is_taken_back_may_be_named():
    """The subject tells which of the last turns is meant."""
    assert takes_back("Don't keep what I just said about my knee.") == "my knee"
    assert takes_back("Forget I said that.") == ""


@pytest.mark.parametrize(
    ("said", "subject"),
    [
        ("Forget what I said about my knee, it's nobody's business", "my knee"),
        ("forget everything I told you about the loan – I don't want it in there", "the loan"),
        ("Please forget that I was in prison, it was long ago.", "i was in prison"),
        ("Forget where I live, you don't need it", "where i live"),
        ("Forget what you know about my sister because she would hate it", "my sister"),
        ("olvida mi dirección, eso es privado", "mi dirección"),
        ("Oublie ce que je t'ai dit sur mes pouces, ça ne regarde personne.", "mes pouces"),
        ("забудь, что я говорила про мои пальцы, это никого не касается", "мои пальцы"),
        ("Zapomeň na moje palce, to není nikoho věc", "moje palce"),
        ("esquece o que te disse sobre os meus polegares, isso não interessa a ninguém", "os meus polegares"),
        ("Please forget my phone number, email and address", "my phone number, email and address"),
        ("forget that I lived in Oslo, Bergen and Moss", "i lived in oslo, bergen and moss"),
    ],
)
def test_why_it_shall_be_forgotten_is_no_part_of_what(said, subject):
    """A clause behind the subject is left out of it, and a list of things is not."""
    assert privacy_wish(said) == subject
