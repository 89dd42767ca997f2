"""Stop words by language, and what may be stop words only in their own language.

Always true here: a word under `CERTAIN` names nothing in any of the other languages, so it can be dropped from a
question of unknown language; `OWN` words ("die", "war", "son", "car") are dropped only when the question is in that language.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ENGLISH = frozenset(
    """
    a an the this that these those such
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    am is are was were be been being do does did doing done have has had having
    can could will would shall should may might must
    and or but nor if than then so as because while although though
    of to in on at for with by from into onto about over under after before between during through
    against upon within without
    what which who whom whose when where why how
    not no there here also too very just ever each any some
    s t d ll m re ve dont didnt doesnt isnt wasnt cant wont don didn doesn isn wasn aren weren won
    wouldn couldn shouldn hasn haven hadn
    """.split()
)

CERTAIN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "german": frozenset(
            """
            der das dem ein eine einen einem einer eines und oder aber ich du er sie es wir ihr
            mich mir dich dir uns euch ihnen
            mein meine meinen meinem meiner dein deine deinen deiner sein seine seinen seiner unser
            unsere ihre ihren ihrem ihrer
            ist sind waren wurde wurden wird werden haben habe hatte hatten kann können konnte
            konnten soll sollte muss musste
            von zu zum zur im ins auf für aus bei nach über unter durch gegen ohne um vor seit
            nicht kein keine keinen nein auch noch schon nur sehr dass weil wenn als wie was wer
            wen wem wessen wann wo warum wieso
            weshalb welche welcher welches welchen
            """.split()
        ),
        "french": frozenset(
            """
            le la les un une du des et ou mais je tu il elle nous vous ils elles moi toi lui leur
            leurs mon ma mes ta tes sa ses
            notre nos votre vos ce cet cette ces est sont était étaient être été avoir avait ont avez avons suis
            dans sur avec par chez entre vers depuis ne pas aussi très que qui quoi dont où quand
            comment pourquoi quel quelle
            quels quelles lequel laquelle qu j l c n aux
            """.split()
        ),
        "spanish": frozenset(
            """
            el los las una unos unas y yo tú él ella nosotros ellos ellas mi mis tu tus su sus nuestro nuestra nuestros
            es son está están era eran fue fueron ser estar ha han he hemos había habían haber
            del al en con por para sobre entre hasta desde muy también que qué quién quien quiénes
            cuál cuáles cuándo dónde cómo
            por porque este esta estos estas ese esa esos esas lo se les
            """.split()
        ),
        "russian": frozenset(
            """
            и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее её
            мне было вот от меня о из ему
            был была были быть есть нет ни мы тебя их чем себя под ж кто этот эта это эти этого для
            тебе мой моя мои моё твой твоя
            твои наш наша наши ваш ваша ваши если или где когда куда почему зачем какой какая какие
            какое чей который которая
            которые ли при об до после
            """.split()
        ),
    }
)

OWN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "german": frozenset("die den des war hat bin bist mit an am so man will sich doch also hier dort da dann denn".split()),
        "french": frozenset("de pour on son ton te se me en y a as car plus sans si tout fait".split()),
        "spanish": frozenset("de la un a o me te nos si sin mas no hay".split()),
    }
)

# Words that are content in English but certain-looking elsewhere: never dropped unless the question is in that language.
ENGLISH_CONTENT = frozenset(
    """
    son con era las los les mis fur uber ins tu ma mes ces par ha yo ta sur dem wen un una para chez von um mon
    su el del l c
    """.split()
)

# Character pairs and single characters that ask or join and name nothing. Kept short: idf weighs the rest.
PAIRS = frozenset(
    """
    什么 甚么 怎么 为什 哪里 哪个 哪些 我们 你们 他们 的是 是什 了吗 的吗 什麼 怎麼 為什 我們 你們 他們
    的 了 是 在 吗 呢 嗎 吧 啊 我 你 您 他 她 它 和 与 與
    です ます でし まし した すか ませ せん たか ので から まで とは には では のは のが の は が を に で と も か
    습니 니까 입니 나요 인가 가요 에서 으로 에게 은 는 이 가 을 를 의 에
    """.split()
)
