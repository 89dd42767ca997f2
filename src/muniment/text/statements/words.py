"""What small words say about a clause, by language: how sure it is, when it holds, whether it denies, whose it is.

Always true here: a lexicon is plain words; what no lexicon knows is a word of content.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Folded words of one language by what they do."""

    leads: frozenset[str]  # open a clause and add nothing
    corrects: frozenset[str]  # open a clause that puts something right
    now: frozenset[str]  # say that something holds from now on
    tentative: frozenset[str]  # plans, wishes, guesses, conditions, hearsay
    hardly: frozenset[str]  # say that something is seldom or never so
    past: frozenset[str]  # what held once
    present: frozenset[str]  # verbs that show that it holds
    participled: frozenset[str]  # after these a participle is no past
    ends: frozenset[str]  # say that something holds no more
    denies: frozenset[str]
    many: frozenset[str]  # one more beside others
    changes: frozenset[str]  # verbs of change, in every form
    dropped: frozenset[str]  # neither name a slot nor a value
    first: frozenset[str]
    we: frozenset[str]
    others: frozenset[str]
    moving: frozenset[str]  # "the next meeting" is another one every week
    vague: frozenset[str]  # an indefinite thing is another one every time
    adverbs: frozenset[str]  # may stand between what is said and its verb, and add nothing to either
    bounds: frozenset[str]  # a value ends before these
    empty: frozenset[str]  # no value begins with these

    def is_verb(self, word: str) -> bool:
        """Whether a word is a verb that is known."""
        return word in self.present or word in self.changes or word in self.past


ENGLISH = Lexicon(
    leads=_set(
        "ok okay so well hey hi yeah yes yep oh ah btw fyi update updated note noted news and but then also great thanks "
        "thank right sure hm hmm wow haha lol honestly personally guys team all please remember reminder anyway finally "
        "basically quick heads up psa listen"
    ),
    corrects=_set(
        "no nope nah actually sorry correction wait oops wrong rather scratch mistake typo corrected erratum apologies"
    ),
    now=_set("now nowadays currently anymore henceforth instead newly"),
    tentative=_set(
        "maybe perhaps might could would should may if unless whether probably possibly presumably consider "
        "considering considered "
        "planning thinking propose proposed proposal suggest suggested hope hoping hopefully wish wishing wonder "
        "wondering let's lets eventually someday gonna suppose supposing imagine e.g. example think thinks guess "
        "assume assuming "
        "say says said heard reportedly allegedly rumor rumour apparently likely unlikely seems seem looks "
        "hypothetically until "
        "discuss discussed discussing debating evaluate evaluating tempted wants want wanna wanted when whenever "
        "tried trying try tentative tentatively shall ought could've i'd we'd you'd they'd he'd she'd imo "
        "thought assumed believed expected believe reckon suspect remind wished asked asks ask almost nearly what how "
        "why who which dream dreamed feel feels sounds"
    ),
    hardly=_set("never hardly once"),
    past=_set(
        "was were had did used previously formerly originally once earlier ago yesterday went ran bought got made took "
        "saw came "
        "gave found said told felt kept left met paid sat sold spent thought won wore wrote ate began broke brought built "
        "caught chose drank drove fell flew forgot grew heard held hit hurt knew led lost read rode rose sang sent slept "
        "spoke stood swam taught threw tried understood woke wasn't weren't hadn't didn't back initially last"
    ),
    present=_set("is are am 's 're 'm isn't aren't i'm we're it's that's has have 've uses use lives live works runs costs"),
    participled=_set(
        "is are am be been being has have 's 're 'm i'm we're it's that's get gets isn't aren't i've we've 've its"
    ),
    ends=_set(
        "longer anymore stopped quit discontinued ceased ended retired cancelled canceled scrapped abandoned dropped ditched"
    ),
    denies=_set("not no never don't doesn't isn't aren't can't cannot won't n't without none neither nor didn't dont doesnt"),
    many=_set(
        "also too additionally another besides both plus moreover extra likes like love loves enjoy enjoys hate hates "
        "speak speaks speaking know knows"
    ),
    changes=_set(
        "change changes changed changing move moves moved switch switches switched migrate migrated raise raised "
        "raises increase "
        "increased increases bump bumped lower lowered reduce reduced reduces cut push pushed postpone postponed reschedule "
        "rescheduled shift shifted update updated upgrade upgraded downgrade downgraded extend extended shorten "
        "shortened rename "
        "renamed adjust adjusted become becomes became turn turned set went rose dropped fell grew swapped swap "
        "replace replaced replaces transferred relocated converted ported doubled halved tightened relaxed decreased "
        "delayed brought corrected fixed lifted revised reassigned handed promoted transitioned flipped pinned "
        "rewritten rewrote"
    ),
    dropped=_set(
        "now currently still again already just finally officially actually really today nowadays new current instead only "
        "back over up down out forward onward onwards onward's listen listens listening run runs running use uses "
        "using used get "
        "gets got goes go sit sits stay stays remain remains stand stands equal equals keep keeps longer anymore moment days "
        "decide decided agreed team everyone please time because reason effective immediately starting start's set "
        "exactly about "
        "around roughly approximately approx value number total total's lives works per every each official officially sure "
        "yesterday morning week month year last recently since soon later accordingly therefore permanently live means called "
        "named note noted planned scheduled slated correct wrong right no nope actually sorry correction wait oops yes "
        "ok okay meant mean mistake typo "
        "ever latest newest update updated confirm confirmed announce announced got well hey oh so too also"
    ),
    first=_set("i my me mine i'm i've i'll myself"),
    we=_set("we our us ours we're we've we'll"),
    others=_set("he she they his her hers their theirs them him he's she's they're they've you your yours you're you've"),
    moving=_set(
        "next upcoming coming tonight tomorrow this following today's tonight's these those such here there's there that"
    ),
    vague=_set("a an another some any"),
    adverbs=_set(
        "now currently still just already also actually recently both all mostly mainly primarily "
        "really usually always absolutely totally"
    ),
    bounds=_set(
        "- about after again ago already also although and and/or any anymore are around as at back because been before "
        "but by can could currently did do does due during each even every for from got had has have he her herself "
        "himself his i i'm i've if in instead is it it's its just last lately my myself next not now on only or our over "
        "per rather recently renamed replace replaced replaces right she should since so soon still supersedes than that "
        "their then these they this though through till to today together tomorrow tonight too under until via was we "
        "we're were when where which while who whom will with within without would yesterday yet you your – —"
    ),
    empty=_set(
        "all another any anyone anything as at be been being better bit both by doing each even every everyone everything "
        "for from getting going good great having hearing her here hers him his his/her how idea in into it it's just "
        "kind knowing least less like look lot lots many me mine more most much my new nice no not nothing of off old on "
        "one ones other our ours out over own really same seeing so some someone something sort sound stuff such that "
        "that's their theirs them there these thing things this those to too top up us very way well what when where "
        "which who whom why with you your yours"
    ),
)

GERMAN = Lexicon(
    leads=_set(
        "ok okay also ja genau na hey hi ach übrigens info update hinweis und aber dann kurz danke gut so leute bitte kleine"
    ),
    corrects=_set(
        "nein nee doch korrektur sorry moment quatsch falsch entschuldigung eigentlich verzeihung stimmt irrtum berichtigung"
    ),
    now=_set("jetzt nun inzwischen mittlerweile derzeit aktuell neuerdings ab künftig seitdem seit"),
    tentative=_set(
        "vielleicht eventuell evtl möglicherweise könnte könnten sollte sollten würde würden wenn falls ob überlegen überlege "
        "planen plane plant geplant wollen will möchte möchten hoffe hoffen vermutlich wahrscheinlich womöglich angenommen "
        "vorschlag vorschlagen glaube denke dachte meinte meint gehört angeblich wohl bald irgendwann sobald lass lasst "
        "hätte hätten wäre wären diskutieren erwägen prüfen testen testweise beispiel wer was wie warum wann wieso "
        "soll sollen bevor"
    ),
    hardly=_set("nie kaum niemals"),
    past=_set(
        "war waren hatte hatten wurde wurden früher vorher ursprünglich damals ehemals zuvor vormals anfangs gab ging kam "
        "lag stand lief kostete hieß nutzten benutzten verwendeten wohnte arbeitete lebte gestern letzte letzten letztes"
    ),
    present=_set(
        "lautet beträgt dauert ist sind bin hat habe haben heißt läuft kostet liegt nutzen nutzt verwenden wohne wohnt "
        "arbeite arbeitet"
    ),
    participled=_set("ist sind bin hat habe haben wird werden wurde wurden"),
    ends=_set("mehr abgeschafft eingestellt gestrichen abgesagt aufgehört gekündigt beendet"),
    denies=_set("nicht kein keine keinen keinem keiner nie niemals nichts"),
    many=_set(
        "mag mögen liebe liebt spricht spreche sprechen kenne kennt auch außerdem zusätzlich ebenfalls zudem ebenso "
        "weitere weiterer weiteres sowohl"
    ),
    changes=_set(
        "geändert ändert ändern umgestiegen gewechselt wechselt umgezogen gezogen migriert verschoben verlegt erhöht gesenkt "
        "reduziert angehoben gesetzt gestellt umgestellt umbenannt ersetzt aktualisiert verlängert verkürzt gestiegen gefallen "
        "gewandert vorgezogen angepasst hochgesetzt heruntergesetzt umgeschaltet korrigiert getauscht upgegradet verdoppelt "
        "halbiert abgelöst übernommen"
    ),
    dropped=_set(
        "der die das den dem des ein eine einen einem einer eines und oder ist sind bin wird werden wurde wurden war waren hat "
        "habe haben hatte ich wir er sie es mein meine meinen meiner meinem unser unsere unserer unseren unserem sein "
        "seine ihr "
        "ihre jetzt nun inzwischen mittlerweile derzeit aktuell noch schon wieder gerade neu neue neuer neues neuen aktuelle "
        "aktueller seit ab von vom auf zu zum zur in im an am für mit bei beim um bis aus statt anstatt stattdessen nicht mehr "
        "kein keine keinen sondern läuft laufen liegt steht lautet beträgt nutzen nutzt verwenden verwendet benutzen benutzt "
        "setzen heißt bleibt gilt sich dass nur immer ja nein doch eigentlich also genau bitte ok uhr kurz korrektur heute "
        "gestern morgen woche monat jahr letzte letzten letzter letzter als da damit dort hier ganz endgültig beschlossen "
        "team bekanntlich künftig sofort wert zahl insgesamt jeden jede jedes pro man wohnt wohne arbeite arbeitet übrigens "
        "info update hinweis liegt kleine sorry falsch lief stimmt moment und"
    ),
    first=_set("ich mein meine meinen meiner meinem mir mich"),
    we=_set("wir unser unsere unserer unseren unserem uns"),
    others=_set("er ihr ihre ihren ihrem ihrer seine seinen seinem seiner du dein deine deinen"),
    moving=_set("nächste nächsten nächster nächstes kommende kommenden morgen heute diese dieser dieses"),
    vague=_set("ein eine einen einem einer"),
    adverbs=_set("jetzt nun inzwischen aktuell derzeit auch"),
    bounds=_set(
        "nicht "
        "ab aber als an anstatt auf ausgelöst bei benutzen blockiert da dass durch erhöht ersetzt für gesenkt gesetzt "
        "gestellt gestern gewandert gewechselt gezogen geändert gilt habe haben heute inzwischen ist jetzt mehr migriert "
        "mit nach nehmen nun nutzen oder ohne seit sind statt um umbenannt umgestellt umgestiegen umgezogen und unter "
        "verlegt verschoben verursacht verwenden von war weil welche welcher wenn wird wo wurde während zu zum zur zurück "
        "über"
    ),
    empty=_set("es das dies diese dieser sie ihn ihm ihr ihnen mich dich uns euch nicht sehr so zu"),
)

BOUNDS = ENGLISH.bounds | GERMAN.bounds
# One of these is enough to tell a German text; of the others it takes two.
GERMAN_PLAIN = _set(
    "ist und ich wir nicht auf wurde jetzt mein meine unser unsere sind für kein keine zum zur vom beim heißt läuft sich auch "
    "einen einem eine nutzen verwenden lautet beträgt dauert kostet"
)
# A clause that begins so makes the ones beside it unsure; an opinion makes the one after it so.
CONDITIONS = _set("if unless whether when once assuming provided suppose wenn falls ob sobald sofern or oder")
OPINIONS = _set(
    "think thinking guess suppose assume assuming imagine wonder wondering said heard would could might maybe perhaps "
    "considering "
    "propose suggest glaube denke vielleicht würde könnte meint angeblich überlege überlegen thought assumed believed"
)
# Of the words that deny, those that make a clause the contrary of itself; "can't wait" is no contrary.
TURNS = _set("not never don't doesn't isn't aren't dont doesnt nicht kein keine keinen keinem keiner nie")
# After one of these, a word of change is a noun or describes one: "the update", "the reduced rate".
DETERMINERS = _set(
    "the a an our my your his her its their this that these those each every per no any new old first last next "
    "der die das den dem des ein eine einen einem einer unser unsere mein meine kein keine jede jeder"
)
# What one of these stands for is only clear from what was said before: none is a value, nor part of one.
PRONOUNS = _set(
    "anything das dies er es everything he her here him i ihn it me one ones she sie something that them there these "
    "they this those us we you"
)
# A clause about one of these says nothing of what it is about.
POINTING = _set("this that it it's that's these those they das dies es")
GERMAN_OPENS = _set("der die das ein eine im am beim")
ENGLISH_SHOWN = _set("the is are of and to has have a it")
GERMAN_SHOWN = _set(
    "der die das den dem des von statt sie mehr haben hat wird liegt nein im am um mit bei dauert beträgt kostet zwei drei vier"
)
# Where it holds: another environment, region, audience or season is another slot.
QUALIFIERS: Mapping[str, str] = MappingProxyType(
    {
        word: line.split()[0]
        for line in (
            "staging stage",
            "production prod produktion produktiv produktionsumgebung live-system",
            "development dev entwicklung",
            "test qa testumgebung testing",
            "local lokal localhost locally",
            "preview",
            "sandbox",
            "canary",
            "beta",
            "alpha",
            "nightly",
            "eu europe europa european",
            "us usa american",
            "uk",
            "apac asia asien",
            "emea",
            "china",
            "germany deutschland",
            "ios iphone",
            "android",
            "web browser",
            "desktop",
            "mobile mobil",
            "windows",
            "linux",
            "macos mac",
            "weekends weekend wochenende wochenenden",
            "weekdays weekday werktags wochentags",
            "winter",
            "summer sommer",
            "primary",
            "secondary replica standby",
            "internal intern interne internen",
            "external extern externe externen",
            "minimum min minimal",
            "maximum max maximal höchstens",
            "default standard",
            "upstairs",
            "downstairs",
            "left links",
            "right rechts",
            "first erste ersten erster",
            "second zweite zweiten zweiter",
            "third dritte",
            "morning mornings vormittags",
            "evening evenings abends",
            "old alte alten alter altes legacy",
        )
        for word in line.split()
    }
)
SYNONYMS: Mapping[str, str] = MappingProxyType(
    {
        "db": "databas", "datenbank": "databas", "hostname": "host", "colour": "color", "cost": "price", "costs": "price",
        "kostet": "price", "preis": "price", "mail": "email", "e-mail": "email", "telephone": "phone", "telefonnummer": "phone",
        "handynummer": "phone", "repo": "repositori", "repository": "repositori", "ports": "port", "deadline": "deadlin",
        "due": "deadlin", "abgabetermin": "deadlin", "termin": "deadlin", "frist": "deadlin", "passcode": "code",
    }
)  # fmt: skip
