"""Tables of the words by which a person says that the talk is not to be kept, in eight languages.

Takes: nothing. Gives: regular expressions for folded text, the languages in the same order in each table. Never: match
within a clause what stands at its beginning: `privacy_words` says where a clause begins.
"""

from __future__ import annotations

from typing import Final

END: Final = (
    r"(?=\s*(?:[.,;:!?…)\n。！？；，]|$|- |(?:but|because|please|though|anywhere|in (?:your )?memory|mas|pero|aber|"
    r"mais|но|ale)(?!\w)|但))"
)
TO_COME: Final = (
    r"(?:the following|what follows|what i(?:'m| am) (?:about|going) to (?:say|tell you|write|share|mention))"
)
THIS: Final = rf"(?:this|that|it|any of (?:this|that)|what i(?: just)? (?:say|said|tell you|told you)|{TO_COME})"
NOT_WANTED: Final = (
    r"(?:i (?:no longer|don't|do not) want you to|i(?:'d| would) (?:rather|prefer(?: it if)?) you didn't|"
    r"you (?:no longer need to|don't (?:need|have) to|needn't))"
)
_TALK: Final = r"this(?: (?:conversation|chat|message|talk|exchange))?"
_WISHED: Final = (  # and not only said to be needless
    r"(?:(?:do not|don't|dont|never)(?: ever)?|(?:i|we)(?:'d| would) (?:rather|prefer(?: that| it if)?) you "
    r"(?:didn't|did not|don't|do not|not)|(?:i|we) (?:no longer|don't|do not|never) want you to|"
    r"(?:i|we)(?: want|'d like| would like) you (?:not to|to not))"
)
_NOT_PLEASE: Final = r"(?:please )?not"  # "could you please not"
_LEARN: Final = r"(?:remember|memori[sz]e|learn|retain|hold on to)"
_NOTE: Final = r"(?:store|save|record|keep|note|log)"

# -- the words of a wish by language, for the talk itself and for what a clause after them says
_PT: Final = r"não (?:quero que (?:tu |você )?)?(?:te lembres|se lembre|lembres|memorizes?)"
_PT_NOTE: Final = r"não (?:quero que (?:tu |você )?)?(?:guardes?|regist(?:es|e|re|res)|anotes?|graves?)"
_ES: Final = r"no (?:quiero que (?:tú )?)?(?:lo )?(?:recuerdes?|te acuerdes(?: de)?|memorices?)"
_ES_NOTE: Final = r"no (?:quiero que (?:tú )?)?(?:lo )?(?:guardes?|almacenes?|registres?|anotes?)"
_FR: Final = (
    r"(?:(?:ne |n')(?:retiens|retenez|mémorisez?|te souviens|vous souvenez) (?:surtout )?pas|"
    r"je ne (?:veux|voudrais|souhaite) pas que (?:tu|vous) (?:retiennes|reteniez|mémoris(?:es|iez)|te souviennes|"
    r"vous souveniez))(?: de)?"
)
_FR_NOTE: Final = (
    r"(?:(?:ne |n')(?:enregistrez?|gardez?|notez?) (?:surtout )?pas(?: en mémoire)?|je ne (?:veux|voudrais|souhaite) "
    r"pas que (?:tu|vous) (?:gard|not|enregistr)(?:es|iez))"
)
_RU_UNWANTED: Final = r"(?:я )?не хочу,? чтобы (?:ты|вы)"
_RU_PAST, _RU_NOTE_PAST = r"(?:запоминал|запомнил|помнил)[аи]?", r"(?:сохранял|сохранил|записывал|записал)[аи]?"
_RU: Final = rf"(?:не запоминай(?:те)?|{_RU_UNWANTED} {_RU_PAST})"
_RU_NOTE: Final = rf"(?:не (?:сохраняй|записывай)(?:те)?|{_RU_UNWANTED} {_RU_NOTE_PAST})"
_CS_UNWANTED: Final = r"nechci,? aby(?: sis|s|ste si|ste)"
_CS_PAST, _CS_NOTE_PAST = r"(?:za)?pamatoval[ai]?", r"(?:ukládal|uložil|zapisoval|zapsal|zaznamenával)[ai]?"
_CS: Final = rf"(?:nepamatuj(?:te)?(?: si)?|{_CS_UNWANTED} {_CS_PAST})"
_CS_NOTE: Final = rf"(?:ne(?:ukládej|zapisuj|zaznamenávej)(?:te)?(?: si)?|{_CS_UNWANTED} {_CS_NOTE_PAST})"
_DE_UNWANTED: Final = r"ich (?:will|möchte|mag) nicht,? dass (?:du|ihr|sie) (?:dir |euch |sich )?"

NOT_REMEMBERED: Final = (
    rf"(?:{_WISHED}|{NOT_WANTED}|{_NOT_PLEASE}) (?:remember|memori[sz]e|learn) {THIS}{END}",
    rf"(?:{_PT}|{_PT_NOTE}|não (?:guard|registr|anot)a) (?:d?isto|d?isso){END}",
    rf"(?:{_ES}|{_ES_NOTE}) (?:esto|eso){END}",
    rf"(?:merke?|speichere?|notiere?) (?:dir )?(?:das|dies) (?:bitte )?nicht{END}",
    rf"(?:das|dies) (?:bitte )?nicht (?:merken|speichern|notieren|aufzeichnen){END}",
    rf"{_DE_UNWANTED}(?:das|dies) (?:hier )?(?:merkst|speicherst|notierst|behältst|aufzeichnest|speichern|merken){END}",
    rf"(?:{_FR}|{_FR_NOTE}) (?:ça|cela|ceci){END}",
    rf"(?:(?:{_RU}|{_RU_NOTE}) (?:это|этого)|{_RU_UNWANTED} это (?:{_RU_PAST}|{_RU_NOTE_PAST})){END}",
    rf"(?:(?:tohle|toto|to) si nepamatuj(?:te)?|(?:{_CS}|{_CS_NOTE}) (?:tohle|toto|to)|"
    rf"{_CS_UNWANTED} (?:tohle|toto|to) (?:{_CS_PAST}|{_CS_NOTE_PAST})){END}",
    rf"(?:不要|别|勿|我?不(?:想|希望|愿意)(?:让|要)?你)(?:记住|记录|保存|存储|记下|记得)"
    rf"(?:这个|这些|这句话|这件事|这)?{END}",
)
_BEFORE_IT: Final = r"(?=\s*[,:])"
_AMONG_US: Final = (  # "between us, we speak Frisian": among ourselves, and told openly
    r"(?!\s*,\s*(?:we (?:speak|talk|use|share|own|earn|make|(?:have|'ve got|got) (?:about |over |some )?(?:\d|no|two|"
    r"three|four|five|six|seven|eight|nine|ten))|(?:nos )?(?:falamos|tratamo-nos|tratamos|chamamo-nos|chamamos)|"
    r"(?:nos )?(?:hablamos|tuteamos|tratamos|llamamos|sumamos)|"
    r"(?:on|nous) (?:se |nous )?(?:parl|tutoi|vouvoi|appel)\w+|(?:wir )?(?:sprechen|reden|duzen|siezen)|"
    r"(?:мы )?(?:говорим|разговариваем|называем|зовём)|(?!девочками)\w+[ая]ми|"
    r"(?:my )?(?:si )?(?:mluvíme|říkáme|tykáme))(?!\w))"
)
# what is confided, or to be kept by who hears it
CONFIDED: Final = (
    rf"between (?:us|you and me){_AMONG_US}{_BEFORE_IT}",
    rf"entre (?:nós(?: (?:os )?dois| duas)?|(?:ti|você|tu) e (?:mim|eu)){_AMONG_US}{_BEFORE_IT}",
    rf"(?:aquí )?entre (?:nosotr[oa]s(?: d[oa]s)?|nos|t[uú] y yo){_AMONG_US}{_BEFORE_IT}",
    rf"(?:(?:ganz|jetzt|mal|nur|ehrlich) ){{0,3}}(?:unter uns(?: beiden)?|unter vier augen){_AMONG_US}{_BEFORE_IT}",
    rf"(?:juste )?entre (?:nous(?: deux)?|toi et moi|vous et moi){_AMONG_US}{_BEFORE_IT}",
    rf"между (?:нами(?: девочками)?|тобой и мной){_AMONG_US}{_BEFORE_IT}",
    rf"mezi námi(?: (?:dvěma|děvčaty))?{_AMONG_US}{_BEFORE_IT}",
    r"(?:你我|咱俩|咱们|我们)(?:之间|俩之间)(?=:)",
    rf"keep (?:this|that) (?:(?:strictly|completely|totally|very|all) )?(?:private|confidential|a secret|to yourself|"
    rf"under your hat){END}",
    rf"(?:mantém|mantenha|guarda|guarde) (?:isto|isso) (?:em (?:segredo|privado|sigilo)|confidencial|privado|"
    rf"(?:só )?para (?:ti|si|você)){END}",
    rf"(?:mantén|manten|mantenga|guarda|guarde) (?:esto|eso) (?:en (?:privado|secreto)|como confidencial|"
    rf"confidencial|para ti){END}",
    rf"(?:behandle?|halte?|behalte?) (?:das|dies)(?: hier)? (?:bitte )?(?:streng )?(?:vertraulich|privat|geheim|"
    rf"diskret|für dich){END}",
    rf"gardez? (?:ça|cela|ceci) (?:(?:strictement )?(?:privé|confidentiel|secret)|(?:bien )?pour (?:toi|vous)){END}",
    rf"(?:держи|сохрани|сохраните|держите|оставь|оставьте) это (?:в (?:тайне|секрете)|при себе){END}",
    rf"(?:nech(?:ej)?(?:te)?|drž(?:te)?) (?:si )?(?:tohle|toto|to) (?:si )?(?:jen )?(?:pro sebe|v tajnosti|důvěrné|"
    rf"soukromé){END}",
    rf"(?:(?:对)?(?:这个|这件事|此事|以下内容|这))?(?:请|要|得|必须)?(?:替我|帮我|对外)?保密{END}",
)
CONFIDED_ANYWHERE: Final = (
    r"(?<!\w)(?:off the record(?! (?:player|label|store|set|type|class))|not for (?:your|the) (?:notes|memory|records)|"
    r"(?:just|strictly|only|stays?|remains?|keep (?:this|it|that)) between (?:us|you and me)|"
    r"(?:só|cá|aqui|fica|que fique|isto fica) entre nós|em off|"
    r"(?:quede|queda) entre (?:nosotros|tú y yo)|extraoficialmente|"
    r"bleibt? (?:bitte )?unter uns|unter uns gesagt|im vertrauen gesagt|"
    r"reste entre nous|entre nous soit dit|hors micro|"
    r"(?:останется|строго|только) между нами|между нами говоря|не для протокола|"
    r"(?:zůstane|jen|pouze) mezi námi|mezi námi řečeno|mimo záznam)(?!\w)",
    r"你我知道|限你我之间|就我们之间|私下说|别外传|不要外传",
)
NOT_STORED: Final = (
    rf"(?:(?:do not|don't|dont|never)(?: ever)? keep|{_WISHED} (?:store|save|record|note|log)) "
    rf"(?:{_TALK}{END}|{THIS}(?= (?:anywhere|in (?:your |long-term )?memory)(?!\w))|{TO_COME}{END})"
)

_CLAIM: Final = r"(?P<x>[^.!?;。\n]+)"
_AS_TOLD: Final = r"(?:i (?:told|mentioned to) you (?:about |that )?)?"
_OF_ONESELF: Final = r"(?=(?:i|i'm|i've|i'd|my|me|mine)(?!\w))"
_CLAUSE: Final = (  # behind "that", which else points at a thing: "that file"
    r"(?=(?:(?:i|we|he|she|they|you|it|there)(?:'\w+)?|my|our|his|her|their|your|its|nobody|everybody|mr|mrs|ms|dr)"
    r"(?![\w'])|"
    r"(?:[\w'-]+ ){1,4}(?:is|isn't|are|aren't|was|wasn't|were|has|hasn't|had|have|will|won't|would|can|can't)(?!\w))"
)
_NO_ARTICLE: Final = (
    r"(?!(?:el|la|los|las|un|una|unos|unas|le|les|l'|une|des|du|der|die|das|den|dem|ein|eine|einen|ein(?:em|er))(?!\w)|"
    r"(?:o|a|os|as|um|uma|uns|umas) (?!meu|minha|nosso|nossa)|l')"
)
# a clause that is not to be known: it is forgotten, like what "forget that" names. Of what a program may log, only
# what is told of oneself
CLAIMS: Final = (
    rf"(?<!and )(?<!but )(?<!so )"
    rf"(?:(?:{_WISHED}|{_NOT_PLEASE}) {_LEARN} that {_AS_TOLD}{_CLAUSE}|"
    rf"{_WISHED} {_NOTE} that {_AS_TOLD}{_OF_ONESELF}){_CLAIM}",
    rf"(?:{_PT}(?: de)? que |{_PT_NOTE} que {_NO_ARTICLE}){_CLAIM}",
    rf"(?:{_ES}(?: de)? que |{_ES_NOTE} que {_NO_ARTICLE}){_CLAIM}",
    rf"(?:merke? (?:dir|euch) (?:bitte )?nicht|(?:bitte )?nicht merken|erinnere? dich (?:bitte )?nicht(?: daran)?|"
    rf"{_DE_UNWANTED}(?:merkst|daran erinnerst|weisst)),? dass {_CLAIM}",
    rf"(?:(?:speichere?|notiere?)(?: dir)?(?: bitte)? nicht|(?:bitte )?nicht (?:speichern|notieren)|"
    rf"{_DE_UNWANTED}(?:speicherst|notierst)),? dass {_NO_ARTICLE}{_CLAIM}",
    rf"(?:{_FR}|{_FR_NOTE}) qu(?:e |'){_NO_ARTICLE}{_CLAIM}",
    rf"(?:{_RU},? что |{_RU_NOTE},? что (?=(?:я|мы|у (?:меня|нас)|мне|меня|мо[йяеёию]\w*|наш\w*)(?!\w))){_CLAIM}",
    rf"(?:{_CS},? že |{_CS_NOTE},? že (?=(?:\w+ ){{0,3}}(?:já|my|jsem|jsme|budu|chci|můj|moj[ei]|má|mé|mám|náš|naš[ei]|"
    rf"\w+[áí]m)(?!\w))){_CLAIM}",
    rf"(?:不要|别|勿|我?不(?:想|希望|愿意)(?:让|要)?你)(?:记住|记得|记下)(?=我|他|她|咱){_CLAIM}",
)
# of these at least one stands in each of the wishes above, beside those of the other wishes
HINTS: Final = (
    "t reme", "t memo", "t lear", "t stor", "t save", "t reco", "t keep", "t note", "t log ", "never ", "ff the rec",
    "between us", "you and me", "not for ", "t hold ", "t retain", "t have ", "want you", "you didn't", "you did not",
    "like you", "prefer you", "rather you", "o need to", "not remember", "dont ", "keep this", "keep that",
    "em off", "isto ", "isso ", "ti e mim", "tu e eu", "entre nos",
    "no recuerd", "no guard", "no almac", "no regist", "no memor", "no anot", "no lo ", "no te ac", "no quiero",
    "nosotr", "tu y yo", "extraof", "guarda", "manten", "en privado", "en secreto",
    "merk", "speicher", "notier", "aufzeichn", "unter uns", "vier augen", "vertrau", "nicht, dass",
    "nicht dass", "erinner", "behandl", "behalt", "halte ", "halt das", "halt dies", "halt es",
    "ne ret", "ne gard", "ne not", "n'enreg", "ne te souv", "ne vous souv", "pas que", "entre nous",
    "toi et moi", "vous et moi", "hors micro", "garde", "nepamat", "nezapis", "nechci", "pro sebe", "v tajnosti",
)  # fmt: skip
HINTS_BEYOND_ASCII: Final = (
    "não ", "entre nós", "mantém", "tú y yo", "mantén", "guárda", "ne mém",
    "behält", "не зап", "не сох", "не помн", "не хочу", "между нами", "между тобой", "протокола",
    "в тайне", "в секрете", "при себе", "neuklád", "nezaznam", "mezi námi", "mimo záznam", "důvěrn", "soukrom",
    "要", "别", "勿", "你我", "私下", "之间", "保密", "不想", "不希望", "不愿意",
)  # fmt: skip
