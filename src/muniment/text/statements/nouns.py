"""Nouns of which a thing or a person has one at a time, and names by the kind of thing that they name.

Always true here: a noun that may have several holders at once ("friend", "member") is not in the list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

# Nouns of which a subject has one at a time and which a name tells, so that "the NOUN is X" fills a slot with a word.
SINGLE = frozenset(
    """
    account address advisor algorithm alias approver assignee backend bank birthplace boss boyfriend branch broker browser
    bucket cache capital captain carrier ceo cfo chair chef city client cloud coach codename color colour contact contractor
    country cto currency customer database default dentist destination director directory doctor domain driver editor email
    employer encoding endpoint engine fiance file folder format formatter framework frontend gateway girlfriend gym head
    headquarters hometown host hostname husband ide image insurer job landlord language lead leader library licence license
    linter location logo maintainer major manager mentor model motto name nickname number office operator orm os owner
    partner password path phone platform policy position president protocol provider proxy queue region registry repo
    repository reviewer room roommate runtime salary scheduler schema secretary server shell slogan sponsor stack state
    status strategy supervisor supplier surname system teacher theme timezone title tool topic trainer treasurer url
    username vendor venue website wife winner zone
    adresse anbieter anschrift ansprechpartner ansprechpartnerin arbeitgeber beruf besitzer besprechungsraum bibliothek
    bürgermeister bürgermeisterin chefin datenbank farbe hauptstadt hausarzt kapitän kapitänin kunde lehrer lehrerin leiter
    leiterin leitung lieblingsfarbe lieferant lizenz modell ort partnerin passwort projektleiter projektleiterin raum
    sprache stadt thema titel trainerin vermieter werkzeug währung zahnarzt zeitzone zweig
    """.split()
)
# Nouns of which there is one as well, but a figure, a date or an identifier tells it: a word after them is no value.
FIGURED = frozenset(
    """
    age birthday board budget category code deadline goal height id interval key latency limit port price priority rate
    release retention schedule size start target team threshold timeout type user version weight
    abgabetermin alter frist geburtstag preis termin
    """.split()
)
# What people are by trade: one may be two of them, so that only a change says that one is another now.
OCCUPATIONS = frozenset(
    """
    accountant administrator agent analyst apprentice architect artist assistant baker barista biologist builder carpenter
    cashier chef chemist cleaner clerk coach consultant contractor cook counsellor counselor dancer dentist designer
    developer director doctor driver economist editor electrician engineer farmer freelancer gardener inspector instructor
    intern journalist lawyer lead lecturer librarian manager mechanic midwife musician nurse officer operator paramedic
    photographer physicist pilot plumber producer professor programmer recruiter researcher salesperson scientist secretary
    strategist student supervisor surgeon teacher technician tester therapist trainee translator tutor vet waiter waitress
    writer
    """.split()
)
# Who belongs to somebody, one or several of them.
KIN = frozenset(
    """
    aunt boyfriend brother bruder cat cousin dad daughter dog father frau freund freundin friend girlfriend grandma grandpa
    horse hund husband katze kitten mann mom mother mum mutter partner partnerin pet puppy roommate schwester sister sohn
    son tochter uncle vater wife
    """.split()
)
# Whose number tells how many there are.
COUNTED = frozenset(
    "kids children sons daughters brothers sisters siblings dogs cats pets kinder söhne töchter brüder schwestern".split()
)
# Said before the name of a machine, and no part of it.
MACHINES = frozenset("host server machine node box vm cluster instance rechner knoten maschine".split())
# The nouns of SINGLE whose values are lower-case words.
LOWER = frozenset(
    """
    backend branch broker cache color colour database datenbank editor encoding engine farbe format framework frontend
    language library orm protocol queue runtime shell sprache stack status theme tool
    """.split()
)
FAVOURITE = ("favorite", "favourite", "lieblings")
# Lower-case words that are names all the same, by what they are; one kind holds one at a time only where the text says so.
KINDS: Mapping[str, str] = MappingProxyType(
    {
        word: line.split()[0]
        for line in (
            "database postgres postgresql mysql mariadb sqlite oracle mongodb mongo cassandra dynamodb cockroachdb db2 duckdb",
            "cache redis memcached valkey",
            "search elasticsearch opensearch solr meilisearch typesense",
            "queue rabbitmq kafka sqs nats pulsar celery",
            "package npm yarn pnpm bun pip poetry uv pipenv conda",
            "build webpack vite rollup esbuild parcel maven gradle bazel",
            "ci jenkins circleci travis buildkite teamcity drone",
            "cloud aws gcp azure hetzner ovh digitalocean heroku vercel netlify fly.io cloudflare",
            "chat slack teams discord zulip mattermost rocketchat",
            "ui react vue svelte angular solid jquery",
            "web django flask fastapi rails express nestjs spring laravel",
            "language python go rust java kotlin typescript javascript ruby php elixir scala zig "
            "c++ c# haskell clojure perl ocaml erlang fortran cobol",
            "editor vim neovim emacs vscode intellij pycharm sublime zed",
            "host github gitlab bitbucket gitea forgejo codeberg",
            "tracker jira linear trello asana youtrack redmine",
            "monitor datadog grafana newrelic prometheus splunk",
            "container docker podman kubernetes nomad swarm",
            "notes notion obsidian evernote confluence roam",
            "wire graphql grpc soap rest",
            "lint eslint pylint flake8 ruff biome black prettier",
            "test pytest unittest jest vitest mocha",
            "terraform pulumi opentofu ansible",
            "proxy nginx caddy traefik haproxy apache",
        )
        for word in line.split()
    }
)


# What the kind of a name says of the slot that it fills, whatever verb joins them: stems, as slots have them.
SLOT_OF_KIND: Mapping[str, str] = MappingProxyType({"database": "databas", "language": "written"})


def is_single(said: str, *, german: bool) -> bool:
    """Whether a phrase's head is a noun of which there is one: the word before "of", "for" or "in", or the last."""
    low = said.lower().replace("’s", "'s")
    if any(mark in low for mark in FAVOURITE):
        return True
    head = _OF.split(low, maxsplit=1)[0].split()
    if not head or low.startswith(("a ", "an ", "another ", "ein ", "eine ", "one ", "some ")):
        return False
    last = head[-1].strip(".'\"")
    return last in SINGLE or (german and any(last.endswith(noun) for noun in _GERMAN_ENDS))


_OF = re.compile(r" (?:of|for|in|at|on|behind|von|des|der|für|im|vom|vom|am|beim|to) ")
_GERMAN_ENDS = (
    "arzt",
    "ärztin",
    "leiter",
    "leiterin",
    "leitung",
    "adresse",
    "farbe",
    "anbieter",
    "nummer",
    "name",
    "partner",
    "bank",
    "passwort",
    "sprache",
    "editor",
)
