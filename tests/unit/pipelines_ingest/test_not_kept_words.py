"""What is told in confidence, and what is not to be remembered, in eight languages; and what only sounds like it."""

import pytest

from dopejar.pipelines.ingest.privacy_words import privacy_wish, takes_back

CONFIDED = (
    "Between us: the clinic closes in March.",
    "Between us, my sister is leaving her husband.",
    "We sold the flat. Between you and me, for far too little.",
    "Keep this private: I failed the exam.",
    "My brother is in prison, keep this confidential.",
    "Please keep that to yourself, the twins are adopted.",
    "Keep this strictly confidential - my boss drinks.",
    "I don't want you to remember this, but I take pills to sleep.",
    "I'd rather you didn't remember this: I was fired.",
    "I would prefer you not record this, we are broke.",
    "Don't remember what I'm about to tell you: Otto is gay.",
    "You don't have to remember this, but I owe Karl 900 euros.",
    "Entre nós: o meu chefe vai reformar-se.",
    "Entre nós, a Rita está grávida.",
    "Não quero que te lembres disto, mas perdi o emprego.",
    "Mantém isto em segredo: vou pedir o divórcio.",
    "Guarda isto para ti, a loja fecha em junho.",
    "Entre nosotros: mi padre bebe.",
    "Entre tú y yo, Marta deja la empresa.",
    "No quiero que recuerdes esto, pero tengo deudas.",
    "Guarda esto en secreto: nos casamos en mayo.",
    "Unter uns: mein Bruder sitzt im Gefängnis.",
    "Mal ganz unter uns, ich suche eine neue Stelle.",
    "Ich will nicht, dass du dir das merkst, aber ich nehme Tabletten.",
    "Behandle das bitte vertraulich: Wir verkaufen das Haus.",
    "Behalt das für dich, Jens ist krank.",
    "Entre nous : ma sœur a des dettes.",
    "Entre nous, je cherche un autre poste.",
    "Je ne veux pas que tu retiennes ça, mais je suis malade.",
    "Garde ça pour toi : Luc est parti.",
    "Между нами: у брата долги.",
    "Между нами, я ищу другую работу.",
    "Я не хочу, чтобы ты это запоминал, но меня уволили.",
    "Сохрани это в тайне: мы разводимся.",
    "Mezi námi: sestra čeká dítě.",
    "Mezi námi, hledám si jinou práci.",
    "Nechci, aby sis to pamatoval, ale mám dluhy.",
    "Nech si to pro sebe, Jana odchází.",
    "我不想让你记住这个，但我失业了。",
    "我们之间：我要辞职了。",
    "请保密，我怀孕了。",
)
NOT_TO_BE_KNOWN = {
    "Don't remember that my rent is 700.": "my rent is 700",
    "Please don't memorise that Greta is pregnant.": "greta is pregnant",
    "I don't want you to remember that I was in hospital.": "i was in hospital",
    "I'd rather you didn't remember that she owes me money.": "she owes me money",
    "Don't save that I live in Tartu.": "i live in tartu",
    "Never note that my son stammers.": "my son stammers",
    "Don't remember that I told you about my ulcer.": "my ulcer",
    "Could you please not remember that he stole it?": "he stole it",
    "Não te lembres que moro em Faro.": "moro em faro",
    "Não guardes que o meu pai bebe.": "o meu pai bebe",
    "Não quero que registes que estou doente.": "estou doente",
    "No recuerdes que mi alquiler es 700.": "mi alquiler es 700",
    "No guardes que tengo diabetes.": "tengo diabetes",
    "No quiero que recuerdes que me despidieron.": "me despidieron",
    "Merk dir nicht, dass meine Miete 700 ist.": "meine miete 700 ist",
    "Bitte nicht speichern, dass ich Diabetes habe.": "ich diabetes habe",
    "Ich möchte nicht, dass du dir merkst, dass ich krank bin.": "ich krank bin",
    "Ne retiens pas que mon loyer est de 700.": "mon loyer est de 700",
    "N'enregistre pas que j'ai des dettes.": "j'ai des dettes",
    "Je ne veux pas que tu retiennes que je suis malade.": "je suis malade",
    "Не запоминай, что моя аренда 700.": "моя аренда 700",
    "Не записывай, что у меня диабет.": "у меня диабет",
    "Я не хочу, чтобы ты запоминал, что меня уволили.": "меня уволили",
    "Nepamatuj si, že můj nájem je 700.": "můj nájem je 700",
    "Neukládej, že mám cukrovku.": "mám cukrovku",
    "Nechci, aby sis pamatoval, že jsem nemocný.": "jsem nemocný",
    "不要记住我的房租是700。": "我的房租是700",
    "别记得我住院了。": "我住院了",
}
OPEN = (
    "Between us and the river there is a road.",
    "The trust between us, after all, is strong.",
    "Between us we have three dogs.",
    "Between us, we speak Frisian.",
    "Between us, we have four children.",
    "Between you and me there are ten years.",
    "What is between us: a fence.",
    "Keep this private key in the vault.",
    "Keep this confidential file in the safe.",
    "Keep it private, the repository is not ready.",
    "I keep my diary private.",
    "They keep this quiet room for guests.",
    "I don't want you to remember this way of writing dates.",
    "I don't remember this, but my wife does.",
    "I don't remember that my rent was 700.",
    "He was there, and don't remember that she came.",
    "Don't remember that one.",
    "Don't save that file before you checked it.",
    "Don't log that the user signed in.",
    "Never record that a test failed.",
    "Don't learn that the hard way.",
    "Don't you remember that we moved in May?",
    "Don't remember that I told you?",
    "Remember that my rent is 700.",
    "Please don't forget that I live in Tartu.",
    "You don't have to remember this rule by heart.",
    "Between us-west and us-east the link is slow.",
    "Entre nós e o rio há uma estrada.",
    "Entre nós, falamos mirandês.",
    "Não me lembro que o porto era 5000.",
    "Não registes que o utilizador entrou.",
    "Não guardes isto no ficheiro.",
    "Guarda isto para amanhã.",
    "Entre nosotros y el río hay un camino.",
    "Entre nosotros, hablamos gallego.",
    "No recuerdo que mi alquiler fuera 700.",
    "No registres que el usuario entró.",
    "Guarda esto en el cajón.",
    "No recuerdas que nos mudamos en mayo.",
    "Unter uns wohnt Frau Petrov.",
    "Unter uns im Keller stehen zwei Räder.",
    "Die Stimmung unter uns ist gut.",
    "Ich merke nicht, dass es kalt ist.",
    "Merke nicht, dass es zieht.",
    "Bitte nicht speichern, dass der Nutzer angemeldet ist.",
    "Behandle das Holz bitte mit Öl.",
    "Behalte das Fahrrad.",
    "Entre nous et la rivière il y a une route.",
    "Entre nous, on se tutoie.",
    "Je ne me souviens pas que le loyer était de 700.",
    "Ne retiens pas que le négatif.",
    "N'enregistre pas que les erreurs, mais tout.",
    "Garde ça au frais.",
    "Между нами и рекой проходит дорога.",
    "Между нами, соседями, стоит забор.",
    "Я не помню, что аренда была 700.",
    "Вы не помните, что мы переехали?",
    "Не записывай, что пользователь вошёл.",
    "Сохрани это в папке.",
    "Mezi námi a řekou vede cesta.",
    "Mezi námi mluvíme slezsky.",
    "Nepamatuju si, že nájem byl 700.",
    "Neukládej, že uživatel vstoupil.",
    "Nech to na stole.",
    "我们之间有一条河。",
    "我不记得我的房租是700。",
    "不要记住密码。",
    "我签了保密协议。",
    "别记录我们的测试。",
)


@pytest.mark.parametrize("said", CONFIDED)
def test_what_is_confided_is_not_kept(said):
    """Told alone, between other sentences and in capitals; it takes nothing back that was said before."""
    for turn in (said, f"I like tea. {said}", f"{said}\nAnd now fix the build.", said.upper()):
        assert privacy_wish(turn) is not None, turn
        assert privacy_wish(turn, told=True) is not None, turn
    assert takes_back(said) is None


@pytest.mark.parametrize(("said", "subject"), NOT_TO_BE_KNOWN.items())
def test_what_is_not_to_be_known_is_forgotten(said, subject):
    """A clause that is not to be remembered is what shall be forgotten, and never a statement."""
    assert privacy_wish(said) == subject
    assert privacy_wish(said, told=True) == subject
    assert privacy_wish(f"I like tea. {said} And now fix the build.") == subject


@pytest.mark.parametrize("said", OPEN)
def test_what_only_sounds_confided_is_kept(said):
    """A place, a habit among ourselves, what is not recalled, and orders for the work ask for nothing."""
    for turn in (said, f"I like tea. {said}"):
        assert privacy_wish(turn) is None, turn
        assert privacy_wish(turn, told=True) is None, turn
