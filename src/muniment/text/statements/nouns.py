"""Nouns of which a thing or a person has one at a time, and names by the kind of thing that they name.

Always true here: a noun that may have several holders at once ("friend", "member") is not in the list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

# Nouns of which a subject has one at a time, so that "the NOUN is X" fills a slot with a word.
SINGLE = frozenset(
    """
    database language framework name owner lead manager boss supervisor editor provider host hostname address email
    capital colour color city employer job title theme format branch model stack tool library license licence currency
    timezone venue location room topic major gym dentist doctor landlord nickname codename default server vendor cloud
    region broker queue cache registry shell ide browser linter formatter contact maintainer ceo cto cfo chair president
    director head captain coach teacher mentor advisor assignee reviewer approver sponsor client customer contractor
    supplier bank insurer carrier operator roommate husband wife partner girlfriend boyfriend fiance hometown phone number
    password username account endpoint url domain path directory folder file bucket image runtime driver protocol encoding
    algorithm strategy policy platform engine backend frontend orm scheduler proxy gateway birthplace status state
    position salary destination headquarters office secretary treasurer slogan motto logo winner trainer trainerin kapitän
    kapitänin bürgermeister bürgermeisterin lehrer lehrerin anschrift datenbank sprache name besitzer leiter leiterin
    leitung chef chefin editor anbieter adresse farbe lieblingsfarbe stadt arbeitgeber beruf titel thema format modell
    werkzeug bibliothek lizenz währung zeitzone ort raum hausarzt zahnarzt vermieter server zweig passwort ansprechpartner
    ansprechpartnerin projektleiter projektleiterin hauptstadt partner partnerin besprechungsraum lieferant bank status
    """.split()
)
# What people are by trade: one may be two of them, so that only a change says that one is another now.
OCCUPATIONS = frozenset(
    """
    accountant administrator agent analyst apprentice architect artist assistant baker barista biologist builder carpenter
    cashier chef chemist cleaner clerk coach consultant contractor cook counsellor dentist designer developer director doctor
    driver economist editor electrician engineer farmer freelancer gardener intern inspector instructor journalist lawyer
    lead lecturer librarian manager mechanic midwife musician nurse officer operator paramedic photographer physicist pilot
    plumber producer professor programmer recruiter researcher salesperson scientist secretary strategist student supervisor
    surgeon teacher technician tester therapist trainee translator tutor waiter waitress writer
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
