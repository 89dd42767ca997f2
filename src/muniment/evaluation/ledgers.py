"""A plain voice: facts are told, and asked for, by the names of what they are, as in notes and minutes."""

from __future__ import annotations

from muniment.evaluation.telling import Voice

PEOPLE = tuple("Anika Boris Chiara Declan Esther Felipe Gudrun Haruto Ilse Jamal Katya Leonor".split())
PROJECTS = (
    "Atlas",
    "Borealis",
    "Cascade",
    "Dynamo",
    "Ember",
    "Fjord",
    "Glacier",
    "Horizon",
    "Indigo",
    "Jupiter",
    "Kestrel",
    "Lagoon",
)
PARTS = (
    "ingest queue",
    "query planner",
    "cache layer",
    "audit trail",
    "session store",
    "feature flags",
    "rate limiter",
    "job runner",
)

VOICE = Voice(
    people=PEOPLE,
    projects=PROJECTS,
    parts=PARTS,
    cities=("Lyon", "Malmo", "Zagreb", "Utrecht", "Cork", "Bilbao", "Tampere", "Gdansk", "Verona"),
    databases=("Postgres", "MySQL", "ClickHouse", "DuckDB", "Cassandra", "Snowflake", "Redis"),
    roles=("analyst", "tester", "writer", "recruiter", "accountant", "developer", "researcher"),
    pets=("Rufus", "Bella", "Cosmo", "Daisy", "Milo", "Luna"),
    strangers={
        "people": ("Ophelia", "Ravi", "Sunniva"),
        "projects": ("Meridian", "Nebula", "Opal"),
        "parts": ("payment bridge", "message bus", "image cache"),
    },
    silent={
        "owner": ("Lagoon", "Kestrel"),
        "deadline": ("Jupiter", "Indigo"),
        "database": ("Horizon", "Atlas"),
        "budget": ("Glacier", "Borealis"),
        "city": ("Leonor", "Katya"),
        "role": ("Jamal", "Ilse"),
        "port": ("job runner",),
        "language": ("rate limiter",),
        "pet": ("Haruto", "Gudrun", "Felipe"),
    },
    wordings={
        "owner": {
            "new": ("{value} owns {about}.", "The owner of {about} is {value}."),
            "again": ("As a reminder, {value} owns {about}.", "{about} is owned by {value}."),
            "changed": (
                "{value} owns {about} now.",
                "The owner of {about} changed from {old} to {value}.",
                "The new owner of {about} is {value}.",
            ),
        },
        "deadline": {
            "new": ("The deadline of {about} is {value}.", "{about} has its deadline on {value}."),
            "again": ("The deadline of {about} stays {value}.",),
            "changed": ("The deadline of {about} moved to {value}.", "The deadline of {about} is {value} now, not {old}."),
        },
        "database": {
            "new": ("{about} uses {value} as its database.", "The database of {about} is {value}."),
            "again": ("{about} still uses {value} as its database.",),
            "changed": ("{about} moved its database from {old} to {value}.", "{about} uses {value} as its database now."),
        },
        "budget": {
            "new": ("The budget of {about} is {value}.", "{about} has a budget of {value}."),
            "again": ("The budget of {about} remains {value}.",),
            "changed": ("The budget of {about} was changed to {value}.", "The budget of {about} went from {old} to {value}."),
        },
        "city": {
            "new": ("{about} lives in {value}.",),
            "new, own": ("I live in {value}.",),
            "again": ("{about} lives in {value}, as you know.",),
            "again, own": ("I live in {value}, as you know.",),
            "changed": ("{about} lives in {value} now.", "{about} moved from {old} and lives in {value}."),
            "changed, own": ("I live in {value} now.", "I moved from {old}, I live in {value}."),
        },
        "role": {
            "new": ("{about} works as {value}.",),
            "new, own": ("I work as {value}.",),
            "again": ("{about} works as {value}, as you know.",),
            "again, own": ("I work as {value}, as you know.",),
            "changed": ("{about} works as {value} now.",),
            "changed, own": ("I work as {value} now.",),
        },
        "port": {
            "new": ("The {about} listens on port {value}.",),
            "again": ("The {about} still listens on port {value}.",),
            "changed": ("The {about} listens on port {value} now.", "The port of the {about} changed from {old} to {value}."),
        },
        "language": {
            "new": ("The {about} is written in {value}.",),
            "again": ("The {about} is written in {value}, as before.",),
            "changed": ("The {about} is written in {value} now.", "The {about} was rewritten, it is written in {value}."),
        },
        "pet": {
            "new": ("The dog of {about} is called {value}.",),
            "new, own": ("My dog is called {value}.",),
            "again": ("The dog of {about} is called {value}, remember.",),
            "again, own": ("My dog is called {value}, remember.",),
            "changed": (),
        },
    },
    questions={
        "owner": {
            "now": ("Who owns {about}?", "Who is the owner of {about}?"),
            "before": ("Who owned {about} before?", "Who was the previous owner of {about}?"),
            "in": ("Who owned {about} in {month}?",),
        },
        "deadline": {
            "now": ("What is the deadline of {about}?",),
            "before": ("What was the previous deadline of {about}?", "What was the deadline of {about} before?"),
            "in": ("What was the deadline of {about} in {month}?",),
        },
        "database": {
            "now": ("Which database does {about} use?",),
            "before": ("Which database did {about} use before?",),
            "in": ("Which database did {about} use in {month}?",),
        },
        "budget": {
            "now": ("What is the budget of {about}?",),
            "before": ("What was the budget of {about} before?", "What was the previous budget of {about}?"),
            "in": ("What was the budget of {about} in {month}?",),
        },
        "city": {
            "now": ("Where does {about} live?",),
            "before": ("Where did {about} live before?", "Where did {about} use to live?"),
            "in": ("Where did {about} live in {month}?",),
        },
        "role": {
            "now": ("What does {about} work as?",),
            "before": ("What did {about} work as before?",),
            "in": ("What did {about} work as in {month}?",),
        },
        "port": {
            "now": ("Which port does the {about} listen on?",),
            "before": ("Which port did the {about} listen on before?",),
            "in": ("Which port did the {about} listen on in {month}?",),
        },
        "language": {
            "now": ("Which language is the {about} written in?", "What is the {about} written in?"),
            "before": ("What was the {about} written in before?",),
            "in": ("What was the {about} written in in {month}?",),
        },
        "pet": {"now": ("What is {about}'s dog called?",), "before": (), "in": ()},
        "licence": {"now": ("What is the licence of {about}?",)},
        "birthday": {"now": ("When is {about}'s birthday?",)},
        "colour": {"now": ("What is {about}'s favourite colour?",)},
        "uptime": {"now": ("What is the uptime of the {about}?",)},
        "office": {"now": ("On which floor does {about} sit?",)},
    },
    chatter=(
        "Did everybody read the minutes?",
        "{topic} was on the agenda again.",
        "I made coffee, there is enough for all.",
        "The printer on our floor is out of paper.",
        "{person} is on holiday this week.",
        "We looked at {number} tickets for {topic}.",
        "I have a question about the {part}, later.",
        "The weather is terrible, I took the tram.",
        "Thanks for the quick review of {topic}.",
        "{person} sent the slides around.",
        "The {part} was slow for {number} minutes this morning.",
        "Can we meet half an hour earlier tomorrow?",
        "The demo of {topic} is postponed until everybody is back.",
        "I forgot my badge at home.",
        "{person} asked about {topic}, I said we would call back.",
        "Let us order pizza for the release party.",
        "My laptop installs updates all the time.",
        "The new chairs are really comfortable.",
        "We should clean up the tests of the {part}.",
        "I watched a film about whales yesterday.",
    ),
    fillers=("For the minutes:", "One more thing:", "Note:", "Also,", "FYI:"),
)
