"""The voice of a workshop: people who restore instruments, talk across the room, and ask in lower case. Only measured with."""

from __future__ import annotations

from muniment.evaluation.telling import Voice

PEOPLE = tuple("Yusuf Carmen Dagny Elio Fatima Gustav Imke Joost Kirsi Lucio Mirela Nils".split())
PROJECTS = ("Cello", "Regal", "Spinet", "Clavier", "Portativ", "Theorbo", "Viola", "Dulcimer", "Bassoon", "Carillon")
PARTS = (
    "lathe controller",
    "stock sheet",
    "drying cabinet",
    "ticket desk",
    "tuning app",
    "order form",
    "label maker",
    "night camera",
)

VOICE = Voice(
    people=PEOPLE,
    projects=PROJECTS,
    parts=PARTS,
    cities=("Turku", "Bruges", "Aarhus", "Trieste", "Split", "Girona", "Lund", "Maastricht", "Basel"),
    databases=("MariaDB", "Redis", "Neo4j", "Oracle", "Firebird", "InfluxDB", "CouchDB"),
    roles=("apprentice", "varnisher", "bookkeeper", "tuner", "carpenter", "buyer", "workshop master"),
    pets=("Nougat", "Olive", "Truffle", "Pixel", "Saffron", "Domino"),
    strangers={
        "people": ("Thandiwe", "Bjarne", "Oksana"),
        "projects": ("Ocarina", "Sackbut", "Celesta"),
        "parts": ("glue robot", "parking barrier", "wood scanner"),
    },
    silent={
        "owner": ("Carillon",),
        "deadline": ("Viola", "Dulcimer"),
        "database": ("Theorbo", "Regal"),
        "budget": ("Spinet", "Clavier"),
        "city": ("Mirela", "Kirsi"),
        "role": ("Nils", "Imke"),
        "port": ("night camera",),
        "language": ("ticket desk",),
        "pet": ("Gustav", "Fatima", "Elio"),
    },
    wordings={
        "owner": {
            "new": (
                "{value} is in charge of {about}.",
                "{about} is led by {value}.",
                "the person responsible for {about} is {value}.",
            ),
            "again": ("{value} is the one in charge of {about}, ask there.",),
            "changed": (
                "{value} is in charge of {about} from now on.",
                "{old} gave {about} to {value}.",
                "responsibility for {about} went from {old} to {value}.",
            ),
        },
        "deadline": {
            "new": ("{about} has to be finished by {value}.", "we deliver {about} on {value}."),
            "again": ("{about} goes out on {value}, that has not changed.",),
            "changed": ("delivery of {about} is postponed to {value}.", "we now deliver {about} on {value} instead of {old}."),
        },
        "database": {
            "new": ("the records of {about} are kept in {value}.", "{about} sits on a {value} database."),
            "again": ("all of {about} is in {value}, I looked.",),
            "changed": ("{about} was moved over to {value}.", "we replaced {old} with {value} for {about}."),
        },
        "budget": {
            "new": ("{about} may cost {value}.", "there is {value} set aside for {about}."),
            "again": ("{value} is what we have for {about}.",),
            "changed": ("there is {value} for {about} now, not {old}.", "the money for {about} was changed to {value}."),
        },
        "city": {
            "new": ("{about}'s home is in {value}.", "{about} has a flat in {value}."),
            "new, own": ("my home is in {value}.", "I have a flat in {value}."),
            "again": ("{about} invited us to {value}, where the flat is.",),
            "again, own": ("you should see my flat in {value}.",),
            "changed": ("{about} has relocated to {value}.", "{about} left {old} and lives in {value} now."),
            "changed, own": ("I have relocated to {value}.", "I left {old}, my home is in {value} now."),
        },
        "role": {
            "new": ("{about} is employed as {value}.", "{about} is the {value} here."),
            "new, own": ("I am employed as {value}.",),
            "again": ("{about}, our {value}, was late.",),
            "again, own": ("as the {value} I have to say no.",),
            "changed": ("{about} became {value}.", "{about} is no longer {old} but {value}."),
            "changed, own": ("I became {value}.", "I am no longer {old} but {value}."),
        },
        "port": {
            "new": ("the {about} answers on port {value}.", "you reach the {about} at port {value}."),
            "again": ("port {value} for the {about}, write it down.",),
            "changed": ("the {about} answers on port {value} from today.", "port {value} instead of {old} for the {about}."),
        },
        "language": {
            "new": ("the {about} was programmed in {value}.", "the code of the {about} is {value}."),
            "again": ("it's all {value} in the {about}.",),
            "changed": (
                "the {about} has been redone in {value}.",
                "we threw out the {old} code of the {about}, it is {value} now.",
            ),
        },
        "pet": {
            "new": ("{about}'s cat goes by {value}.", "the cat of {about} is called {value}."),
            "new, own": ("our cat is called {value}.",),
            "again": ("{value}, {about}'s cat, slept on the bench.",),
            "again, own": ("{value}, our cat, slept on the bench.",),
            "changed": (),
        },
    },
    questions={
        "owner": {
            "now": ("who is in charge of {about}?", "who leads {about} at the moment?"),
            "before": ("who was in charge of {about} previously?", "who led {about} before that?"),
            "in": ("who was in charge of {about} in {month}?",),
        },
        "deadline": {
            "now": ("by when must {about} be finished?", "when do we deliver {about}?"),
            "before": (
                "what was the earlier delivery date of {about}, before the change?",
                "when was {about} originally to be delivered?",
            ),
            "in": ("what delivery date did {about} have in {month}?",),
        },
        "database": {
            "now": ("what database holds the records of {about}?", "where are the records of {about} kept?"),
            "before": ("where were the records of {about} kept before?", "which database did {about} have previously?"),
            "in": ("which database did {about} have in {month}?",),
        },
        "budget": {
            "now": ("how much may {about} cost?", "how much is set aside for {about}?"),
            "before": ("how much was set aside for {about} before?", "how much money did {about} have previously?"),
            "in": ("how much was set aside for {about} in {month}?",),
        },
        "city": {
            "now": ("where is {about}'s home?", "in what town does {about} live?"),
            "before": ("where was {about}'s home before?", "in which town did {about} formerly live?"),
            "in": ("where did {about} live in {month}?",),
        },
        "role": {
            "now": ("what is {about} employed as?", "what job does {about} have?"),
            "before": ("what job did {about} have before?", "what was {about} formerly employed as?"),
            "in": ("what job did {about} have in {month}?",),
        },
        "port": {
            "now": ("on what port does the {about} answer?",),
            "before": ("on what port did the {about} answer before?", "which port did the {about} have originally?"),
            "in": ("on what port did the {about} answer in {month}?",),
        },
        "language": {
            "now": ("what is the {about} programmed in?", "in what language is the code of the {about}?"),
            "before": ("what was the {about} programmed in before?",),
            "in": ("what was the {about} programmed in in {month}?",),
        },
        "pet": {"now": ("what is {about}'s cat called?", "how does {about} call the cat?"), "before": (), "in": ()},
        "licence": {"now": ("how much does {about} weigh?",)},
        "birthday": {"now": ("how old is {about}?",)},
        "colour": {"now": ("what does {about} like to eat?",)},
        "uptime": {"now": ("who built the {about}?",)},
        "office": {"now": ("what car does {about} drive?",)},
    },
    chatter=(
        "pass me the small clamps, please.",
        "we ought to sweep before {person} comes back.",
        "the varnish smells awful today.",
        "I slept {number} minutes on the sofa, sorry.",
        "somebody left the window open over {topic}.",
        "{person} brought plum cake, it is in the kitchen.",
        "how was your concert on Saturday?",
        "I lost a screw of {topic}, help me look.",
        "the {part} blinks again, do you know why?",
        "it will snow tonight, they say.",
        "a customer asked about {topic} and stayed for an hour.",
        "my bicycle has a flat tyre.",
        "have you heard {person} sing? unbelievable.",
        "we are out of sandpaper, {number} sheets at most.",
        "the radio plays the same song all day.",
        "let us photograph {topic} in daylight.",
        "I never trust the {part} on Mondays.",
        "{person} wants to learn the trombone.",
        "there were {number} people at the open day.",
        "lunch at one?",
    ),
    fillers=("hm,", "ah,", "so,", "listen,", "before I forget,"),
)
