"""Corrections and their near misses in the other languages: a report with a `never` in it directs nobody."""

import pytest
from correction_turns import exchange

from dopejar.pipelines.corrections import cluster, detect
from dopejar.pipelines.corrections.exchange import Durability, Polarity
from dopejar.pipelines.corrections.proposals.proposal_engine import ProposalEngine

SAID = {
    "pt": ["não, nunca faça push direto para a main", "a partir de agora, use pnpm em vez de npm",
           "os testes nunca devem tocar na base de produção"],
    "es": ["no, nunca hagas commit en main, abre una rama", "siempre responde en español",
           "las pruebas siempre deben pasar antes de subir"],
    "de": ["nein, niemals direkt auf main pushen", "antworte ab sofort kürzer, ohne Einleitung",
           "die Tests dürfen nie auf die Produktion zugreifen"],
    "fr": ["non, ne commite jamais sur main", "il faut toujours lancer les tests avant de pousser",
           "les tests ne doivent jamais toucher la production"],
    "ru": ["нет, никогда не пушь в main", "с этого момента используй uv вместо pip",
           "всегда запускай тесты перед коммитом"],
    "cs": ["ne, nikdy necommituj přímo do main", "od teď používej uv místo pip", "před commitem vždy spusť testy"],
    "zh": ["从现在起请用 pnpm，不要用 npm", "提交之前一定要先跑测试"],
}  # fmt: skip
REPORTED = {
    "pt": ["o cliente disse que nunca recebeu o e-mail", "não tem problema, pode continuar",
           "funciona, obrigado! não precisa mudar nada"],
    "es": ["el usuario nunca recibe el correo de confirmación",
           "la tarea nocturna siempre termina con un aviso"],
    "de": ["der Kunde bekommt die Mail nie", "unser Server antwortet darauf immer mit 200"],
    "fr": ["le client ne reçoit jamais le courriel", "notre serveur renvoie toujours une page vide"],
    "ru": ["клиент никогда не получает письмо", "сервер всегда отвечает пустой страницей"],
    "cs": ["zákazník ten e-mail nikdy nedostane", "server vždy vrátí prázdnou stránku"],
    "zh": ["客户从来没有收到邮件", "没问题，继续吧"],
}  # fmt: skip


@pytest.mark.parametrize("text", [text for texts in SAID.values() for text in texts])
def test_a_lasting_correction_is_proposed(text):
    """Said once and meant to hold, it is proposed in the person's own words, without the `no` in front."""
    (found,) = detect([exchange(text)])
    assert found.durability is Durability.STANDING
    (proposal,) = ProposalEngine().generate_proposals(cluster([found]), project="atlas").proposals
    assert proposal.content.casefold().rstrip(".") in text.casefold()
    assert not proposal.content.casefold().startswith(("não,", "no,", "nein,", "non,", "нет,", "ne,"))


@pytest.mark.parametrize("text", [text for texts in REPORTED.values() for text in texts])
def test_a_report_or_thanks_is_none(text):
    """Who never gets what, and that nothing needs to be done, is told and asks nobody to work otherwise."""
    assert detect([exchange(text)]) == ()


def test_an_opening_no_does_not_deny_the_denial():
    """`No, do not push` is one ban, whatever the language."""
    for text in ("不对，不要直接推送到 main 分支", "não, não faça push para a main", "нет, не пушь в main"):
        (found,) = detect([exchange(text)])
        assert found.polarity is Polarity.AVOID
