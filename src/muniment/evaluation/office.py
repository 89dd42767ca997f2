"""The voice of an office: people who build software and write to each other."""

from __future__ import annotations

from muniment.evaluation.telling import Voice

PEOPLE = tuple("Priya Omar Lena Tomas Ines Bruno Farid Greta Hana Marek Nadia Quentin".split())
PROJECTS = ("Ledger", "Falcon", "Harvest", "Beacon", "Quarry", "Lantern", "Orchid", "Mosaic", "Summit", "Tundra")
PARTS = (
    "gateway",
    "billing worker",
    "search indexer",
    "mail relay",
    "auth proxy",
    "report builder",
    "image resizer",
    "scheduler",
)

VOICE = Voice(
    people=PEOPLE,
    projects=PROJECTS,
    parts=PARTS,
    cities=("Porto", "Ghent", "Leeds", "Tbilisi", "Riga", "Bergen", "Nairobi", "Oaxaca", "Graz"),
    databases=("Postgres", "MySQL", "CockroachDB", "MongoDB", "SQLite", "DynamoDB", "Cassandra"),
    roles=(
        "team lead",
        "product manager",
        "data engineer",
        "designer",
        "site reliability engineer",
        "scrum master",
        "architect",
    ),
    pets=("Biscuit", "Mango", "Pepper", "Waffles", "Juno", "Figaro"),
    strangers={
        "people": ("Svetlana", "Kwame", "Aiko"),
        "projects": ("Nimbus", "Granite", "Paloma"),
        "parts": ("fraud scorer", "label printer", "video transcoder"),
    },
    silent={
        "owner": ("Tundra",),
        "deadline": ("Summit", "Mosaic"),
        "database": ("Orchid", "Lantern"),
        "budget": ("Quarry", "Beacon"),
        "city": ("Nadia", "Marek"),
        "role": ("Quentin", "Hana"),
        "port": ("scheduler",),
        "language": ("mail relay",),
        "pet": ("Greta", "Farid", "Bruno"),
    },
    wordings={
        "owner": {
            "new": ("{value} owns {about}.", "The owner of {about} is {value}.", "{about} belongs to {value}, who set it up."),
            "again": ("As you know, {value} owns {about}.", "Just to be clear, {about} is owned by {value}."),
            "changed": (
                "{value} takes over {about} from {old}.",
                "{about} has a new owner: {value}.",
                "From today {value} owns {about}, not {old}.",
                "We handed {about} over to {value}.",
            ),
        },
        "deadline": {
            "new": ("{about} is due on {value}.", "The deadline for {about} is {value}.", "We promised {about} for {value}."),
            "again": ("{about} is still due on {value}.", "The {about} deadline stays at {value}."),
            "changed": (
                "The deadline for {about} moved from {old} to {value}.",
                "{about} slipped, it is now due on {value}.",
                "They pushed {about} to {value}.",
            ),
        },
        "database": {
            "new": (
                "{about} runs on {value}.",
                "We store the {about} data in {value}.",
                "{about} uses {value} as its database.",
            ),
            "again": ("{about} still runs on {value}, works fine.", "The database of {about} is {value}, as ever."),
            "changed": (
                "We migrated {about} from {old} to {value}.",
                "{about} runs on {value} now.",
                "{about} switched its database to {value}.",
            ),
        },
        "budget": {
            "new": (
                "The budget for {about} is {value}.",
                "{about} got a budget of {value}.",
                "They gave {about} {value} to spend.",
            ),
            "again": ("{about} has a budget of {value}, same as before.",),
            "changed": (
                "The budget for {about} went from {old} to {value}.",
                "The {about} budget is {value} now.",
                "Finance changed the budget of {about} to {value}.",
            ),
        },
        "city": {
            "new": ("{about} lives in {value}.", "{about} is based in {value}."),
            "new, own": ("I live in {value}.", "I'm based in {value}."),
            "again": ("{about} lives in {value}, we could visit.",),
            "again, own": ("I live in {value}, come and visit.",),
            "changed": ("{about} moved to {value}.", "{about} moved from {old} to {value}.", "{about} lives in {value} now."),
            "changed, own": ("I moved to {value}.", "I've moved from {old} to {value}.", "I live in {value} now."),
        },
        "role": {
            "new": ("{about} works as a {value}.", "{about} is our {value}."),
            "new, own": ("I work as a {value}.",),
            "again": ("{about} is the {value}, ask there.",),
            "again, own": ("I'm the {value}, remember.",),
            "changed": ("{about} is now a {value}.", "{about} changed roles and works as a {value} now."),
            "changed, own": ("I'm a {value} now.", "I changed roles, I work as a {value} now."),
        },
        "port": {
            "new": ("The {about} listens on port {value}.", "The port of the {about} is {value}."),
            "again": ("The {about} is on port {value}, I checked.",),
            "changed": (
                "The {about} moved to port {value}.",
                "We changed the port of the {about} from {old} to {value}.",
                "The {about} listens on {value} now.",
            ),
        },
        "language": {
            "new": ("The {about} is written in {value}.", "We wrote the {about} in {value}."),
            "again": ("The {about} is in {value}, so read that code.",),
            "changed": ("The {about} was rewritten in {value}.", "We ported the {about} from {old} to {value}."),
        },
        "pet": {
            "new": ("{about} has a dog called {value}.", "{about}'s dog is named {value}."),
            "new, own": ("My dog is called {value}.",),
            "again": ("{about}'s dog {value} was in the office again.",),
            "again, own": ("My dog {value} was in the office again.",),
            "changed": (),
        },
    },
    questions={
        "owner": {
            "now": ("Who owns {about}?", "Who is the owner of {about} now?", "who is responsible for {about}?"),
            "before": ("Who owned {about} before?", "Who was the previous owner of {about}?", "Who used to own {about}?"),
            "in": ("Who owned {about} in {month}?",),
        },
        "deadline": {
            "now": ("When is {about} due?", "What is the deadline for {about}?"),
            "before": ("What was the previous deadline for {about}?", "When was {about} originally due, before it moved?"),
            "in": ("What was the deadline for {about} in {month}?",),
        },
        "database": {
            "now": ("Which database does {about} run on?", "What database does {about} use?"),
            "before": ("Which database did {about} use before?", "What did {about} previously run on?"),
            "in": ("Which database did {about} use in {month}?",),
        },
        "budget": {
            "now": ("What is the budget for {about}?", "How much money does {about} have?"),
            "before": ("What was the budget for {about} before?", "What was the previous budget of {about}?"),
            "in": ("What was the budget of {about} in {month}?",),
        },
        "city": {
            "now": ("Where does {about} live?", "In which city is {about} based?"),
            "before": ("Where did {about} live before?", "Where did {about} use to live?"),
            "in": ("Where did {about} live in {month}?",),
        },
        "role": {
            "now": ("What does {about} do for a living?", "What is {about}'s role?"),
            "before": ("What was {about}'s previous role?", "What did {about} work as before?"),
            "in": ("What was {about}'s role in {month}?",),
        },
        "port": {
            "now": ("Which port does the {about} listen on?", "What port is the {about} on?"),
            "before": ("Which port did the {about} use before?", "What was the previous port of the {about}?"),
            "in": ("Which port was the {about} on in {month}?",),
        },
        "language": {
            "now": ("What language is the {about} written in?",),
            "before": ("What language was the {about} written in before?", "What was the {about} originally written in?"),
            "in": ("What language was the {about} written in in {month}?",),
        },
        "pet": {"now": ("What is the name of {about}'s dog?", "What is {about}'s dog called?"), "before": (), "in": ()},
        "licence": {"now": ("Under which licence is {about} published?",)},
        "birthday": {"now": ("When is {about}'s birthday?",)},
        "colour": {"now": ("What is {about}'s favourite colour?",)},
        "uptime": {"now": ("What uptime does the {about} have?",)},
        "office": {"now": ("On which floor does {about} sit?",)},
    },
    chatter=(
        "Did you sleep well? I was up until {number} past two.",
        "Let's talk about {topic} after lunch.",
        "I read the notes for {topic}, they are long.",
        "The coffee machine broke again, third time this month.",
        "Can you review my pull request for the {part}?",
        "It rained all weekend here, we stayed in and cooked.",
        "I saw {person} in the hallway, looked tired.",
        "We have {number} open tickets for {topic}.",
        "The demo for {topic} went well, people clapped.",
        "My train was late by {number} minutes.",
        "Could somebody restart the {part}? It feels slow.",
        "{person} told a very good joke at lunch.",
        "I still have to write the agenda for Thursday.",
        "The tests of the {part} are flaky.",
        "Has anyone seen the whiteboard markers?",
        "Remind me to call the caterer about the party.",
        "The customer was happy with {topic} so far.",
        "I'm reading a book about sailing, it's great.",
        "{person} and I went climbing on Sunday.",
        "Let's keep the meeting short, I have a dentist appointment.",
    ),
    fillers=("By the way,", "Oh,", "Small update:", "For the record:", "Listen,"),
)
