"""Turns that the tests of corrections share: our own sentences, as people type them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.values.ids import ConversationId, EpisodeId

AT = datetime(2025, 3, 4, 9, 0, tzinfo=UTC)
DONE = "I've updated the handler and all tests pass."


def exchange(text: str, before: str = DONE, after: str = "", index: int = 0, conversation: str = "c_one", **more):
    """One exchange, its time following its index."""
    return Exchange(
        text=text,
        before=before,
        after=after,
        index=index,
        at=AT + timedelta(minutes=index),
        episode_id=EpisodeId(f"e_{conversation}_{index}"),
        conversation=ConversationId(conversation),
        **more,
    )


CORRECTIONS = [
    "no, use the staging database",
    "No. The port should be 8443, not 8080",
    "that's not what I asked for",
    "thats wrong, the retry count belongs in the config file",
    "you forgot to update the changelog",
    "why did you delete the fixtures?",
    "why didn't you run the linter before committing?",
    "don't touch the vendored files",
    "stop adding comments to every line",
    "I asked for a plan, not for code",
    "I didn't ask you to rename anything",
    "use pathlib instead of os.path",
    "please use ruff, not flake8",
    "you're editing the wrong module",
    "you changed the public signature again",
    "revert that, the old version was right",
    "not like that. keep the function pure",
    "I told you to keep the tests next to the code",
    "do it yourself instead of telling me how",
    "this isn't what we agreed on, put the helper back",
    "wait, you just overwrote my config",
    "we don't need a wrapper class here, a function is enough",
    "hmm, close, but the header must stay at the top",
    "you should have asked before force pushing",
    "again: no inline styles",
    "that's too verbose, just give me the command",
    "no no no, leave the migration alone",
    "you keep using var, use const",
]
STANDING = [
    "from now on write commit messages in the imperative",
    "always run the formatter before you commit",
    "never push to main without asking me",
    "for future reference, we use pnpm in this repo",
    "please always answer in British English",
    "remember: every new endpoint needs a test",
    "in all our services, timestamps are UTC",
    "next time check the docs first",
    "add a rule that migrations are never edited after release",
    "whenever you add a dependency, pin its version",
]
NO = [
    "no problem",
    "No worries, take your time",
    "actually works now, thanks!",
    "Actually it works, my bad",
    "never mind, I found it",
    "perfect, thank you",
    "go ahead",
    "yes please",
    "ok, continue",
    "sounds good, let's do that",
    "great work",
    "what does this function do?",
    "why is the sky blue?",
    "how do I run the tests?",
    "can you add a button to the toolbar?",
    "Add a retry to the client but don't touch the server",
    "Write a parser for the log format. It should not use regular expressions.",
    "create a new branch and open a pull request",
    "now implement the second step",
    "please write unit tests for the parser",
    "the build fails with exit code 1",
    "it crashes when I click save",
    "I get a 404 on the login page",
    "I don't know, what do you think?",
    "don't worry about it",
    "I changed my mind, let's keep the first design",
    "you're right, I misread the diff",
    "sorry, I meant the other file",
    "1. yes 2. no 3. the second one",
    "option B",
    "2",
    "the second one please",
    "/compact",
    "git status",
    "thanks, that was quick",
    "not bad!",
    "not sure yet, let me think",
    "I was wondering whether we could cache this",
    "let's move on to the billing module",
    "show me the diff",
    "looks good to me",
    "is there a way to make it faster?",
    "did the tests pass?",
    "nice, that's exactly what I wanted",
    "I have never used Kubernetes before, can you explain pods?",
    "I always forget the syntax of tar",
    "My boss told me that the release is on Friday",
    "The customer says the export is wrong, can you have a look?",
]

# language -> (corrections and standing instructions, turns that are neither)
OTHERS = {
    "pt": (
        [
            "não, use o banco de testes",
            "você esqueceu de atualizar o README",
            "por que você apagou os testes?",
            "isso não está certo, a porta é 8443",
            "não mexa na pasta vendor",
            "use pathlib em vez de os.path",
            "eu pedi um plano, não código",
            "sempre rode o linter antes do commit",
            "de agora em diante responda em português",
        ],
        [
            "ok, continue",
            "sem problemas",
            "como eu rodo os testes?",
            "crie uma nova página de login",
            "obrigado, ficou ótimo",
        ],
    ),
    "es": (
        [
            "no, usa la base de datos de pruebas",
            "has olvidado actualizar el changelog",
            "¿por qué has borrado los tests?",
            "eso no es correcto, el puerto es 8443",
            "no toques la carpeta vendor",
            "usa pathlib en lugar de os.path",
            "te pedí un plan, no código",
            "ejecuta siempre el linter antes de hacer commit",
            "a partir de ahora responde en español",
        ],
        [
            "vale, continúa",
            "no hay problema",
            "¿cómo ejecuto los tests?",
            "crea una página de login",
            "gracias, perfecto",
        ],
    ),
    "de": (
        [
            "nein, nimm die Testdatenbank",
            "du hast vergessen, das Changelog zu aktualisieren",
            "warum hast du die Tests gelöscht?",
            "das ist falsch, der Port ist 8443",
            "ändere die Dateien in vendor nicht",
            "nutze pathlib statt os.path",
            "ich habe um einen Plan gebeten, nicht um Code",
            "führe immer den Linter aus, bevor du committest",
            "ab jetzt antworte bitte auf Deutsch",
        ],
        [
            "ok, mach weiter",
            "kein Problem",
            "wie führe ich die Tests aus?",
            "erstelle eine Login-Seite",
            "danke, perfekt",
        ],
    ),
    "fr": (
        [
            "non, utilise la base de test",
            "tu as oublié de mettre à jour le changelog",
            "pourquoi as-tu supprimé les tests ?",
            "ce n'est pas correct, le port est 8443",
            "ne touche pas au dossier vendor",
            "utilise pathlib au lieu de os.path",
            "j'ai demandé un plan, pas du code",
            "lance toujours le linter avant de commiter",
            "à partir de maintenant, réponds en français",
        ],
        [
            "ok, continue",
            "pas de problème",
            "comment je lance les tests ?",
            "crée une page de connexion",
            "merci, parfait",
        ],
    ),
    "ru": (
        [
            "нет, используй тестовую базу",
            "ты забыл обновить changelog",
            "почему ты удалил тесты?",
            "это неверно, порт 8443",
            "не трогай папку vendor",
            "используй pathlib вместо os.path",
            "я просил план, а не код",
            "всегда запускай линтер перед коммитом",
            "с этого момента отвечай по-русски",
        ],
        ["ок, продолжай", "без проблем", "как запустить тесты?", "создай страницу входа", "спасибо, отлично"],
    ),
    "cs": (
        [
            "ne, použij testovací databázi",
            "zapomněl jsi aktualizovat changelog",
            "proč jsi smazal testy?",
            "to není správně, port je 8443",
            "neupravuj soubory ve složce vendor",
            "použij pathlib místo os.path",
            "chtěl jsem plán, ne kód",
            "vždy spusť linter před commitem",
            "od teď odpovídej česky",
        ],
        ["ok, pokračuj", "žádný problém", "jak spustím testy?", "vytvoř přihlašovací stránku", "díky, skvělé"],
    ),
    "zh": (
        [
            "不对，用测试数据库",
            "你忘了更新 changelog",
            "你为什么删除了测试？",
            "这不正确，端口是 8443",
            "不要改 vendor 目录里的文件",
            "用 pathlib 而不是 os.path",
            "我让你写计划，不是写代码",
            "每次提交之前都要运行 linter",
            "从现在开始请用中文回答",
        ],
        ["好的，继续", "没问题", "怎么运行测试？", "帮我创建一个登录页面", "谢谢，很好"],
    ),
}  # fmt: skip

# What the assistant had said before them, in the same language.
BEFORE = {
    "pt": "Pronto: atualizei o arquivo e todos os testes passam agora.",
    "es": "Listo: he actualizado el archivo y ahora todos los tests pasan.",
    "de": "Fertig: ich habe die Datei geändert und alle Tests laufen jetzt durch.",
    "fr": "Terminé : j'ai mis à jour le fichier et tous les tests passent maintenant.",
    "ru": "Готово: я обновил файл, и теперь все тесты проходят.",
    "cs": "Hotovo: upravil jsem soubor a všechny testy teď procházejí.",
    "zh": "完成了：我更新了文件，现在所有测试都通过。",
}  # fmt: skip
