"""The files that run a server elsewhere: they name only settings, commands and files that are there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from muniment import settings
from muniment.settings import SETTINGS
from muniment.surfaces import background, http, issuer
from muniment.surfaces.cli.program import program
from tests.places import ROOT

DOCKERFILE, COMPOSE, UNIT = (ROOT / name for name in ("Dockerfile", "compose.yaml", "deploy/muniment.service"))
EXAMPLE = ROOT / "deploy" / "env.example"
NAMES = {f"MUNIMENT_{setting.name.upper()}" for setting in SETTINGS}


def environment(name: str, values: dict[str, str]) -> dict[str, str]:
    """What a service of compose.yaml gets when `.env` holds some values: `${NAME}`, `${NAME:-else}` or `${NAME:?fault}`."""

    def value(match: re.Match[str]) -> str:
        given = values.get(match["name"], "")
        assert given or match["mark"] != ":?", match["rest"]
        return given or (match["rest"] if match["mark"] == ":-" else "")

    held = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"][name]["environment"]
    pattern = re.compile(r"\$\{(?P<name>[A-Z_]+)(?:(?P<mark>:[-?])(?P<rest>[^}]*))?\}")
    return {key: pattern.sub(value, str(text)) for key, text in held.items()}


def packages(path: Path) -> dict[str, str]:
    """Each package of a lock with its version and hashes."""
    parts = re.split(r"\n(?=[a-z0-9])", path.read_text(encoding="utf-8").partition("\n\n# For development")[0])
    parts += re.split(r"\n(?=[a-z0-9])", path.read_text(encoding="utf-8"))
    return {part.partition("==")[0]: part.partition("\n#")[0].rstrip("\n \\") for part in parts if "==" in part}


@pytest.mark.parametrize("path", [DOCKERFILE, COMPOSE, UNIT], ids=lambda path: path.name)
def test_only_settings_that_there_are_are_set(path: Path) -> None:
    assert set(re.findall(r"\bMUNIMENT_[A-Z_]+", path.read_text(encoding="utf-8"))) <= NAMES


def test_every_command_of_the_services_is_one_of_the_program() -> None:
    services = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    ours = {name: service["command"] for name, service in services.items() if service["image"] == "muniment"}
    assert sorted(ours) == ["server", "setup"]
    for command in (*ours.values(), ["profile", "add"], ["token", "add"]):
        assert CliRunner().invoke(program, [*command, "--help"]).exit_code == 0, command


def test_what_the_services_need_is_in_the_example() -> None:
    needed = set(re.findall(r"\$\{([A-Z_]+)", COMPOSE.read_text(encoding="utf-8")))
    assert needed == set(re.findall(r"^([A-Z_]+)=", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE))


def test_the_server_of_the_services_takes_what_the_example_leaves_empty(tmp_path: Path) -> None:
    (tmp_path / "config.toml").touch()
    needed = {"ADMINISTRATOR_PASSWORD": "a1", "SERVER_PASSWORD": "s1", "BASE_URL": "https://memory.example.org"}
    environ = environment("server", needed) | {"MUNIMENT_CONFIG": str(tmp_path / "config.toml")}
    found = settings.load(environ=environ)
    assert (found.store, found.ring) == ("postgresql://muniment:s1@database/muniment", "prod")
    assert (found.auth, found.external_issuer, found.external_claim) == ("auto", "", "sub")


def test_an_identity_provider_is_named_in_the_file_of_the_services(tmp_path: Path) -> None:
    (tmp_path / "config.toml").touch()
    given = {
        "SERVER_PASSWORD": "s1",
        "BASE_URL": "https://memory.example.org",
        "MUNIMENT_AUTH": "external",
        "MUNIMENT_EXTERNAL_ISSUER": "https://login.example.org/realms/harbour",
        "MUNIMENT_EXTERNAL_AUDIENCE": "api://memory",
        "MUNIMENT_EXTERNAL_CLAIM": "oid",
        "MUNIMENT_EXTERNAL_SCOPES": "profile",
    }
    environ = environment("server", given) | {"MUNIMENT_CONFIG": str(tmp_path / "config.toml")}
    found = settings.load(environ=environ)
    told = {name: getattr(found, name.removeprefix("MUNIMENT_").lower()) for name in given if name.startswith("MUNIMENT_")}
    assert told == {name: value for name, value in given.items() if name.startswith("MUNIMENT_")}
    # Each setting of an issuer can be named there.
    assert {f"MUNIMENT_{one.name.upper()}" for one in SETTINGS if one.name.startswith("external_")} <= environ.keys()


def test_a_server_is_killed_only_after_its_calls_had_their_time_to_end() -> None:
    services = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    unit = re.search(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert unit is not None
    for seconds in (services["server"]["stop_grace_period"].removesuffix("s"), unit[1]):
        assert int(seconds) > http.FINISH_S_MAX + background.STOP_S_MAX + issuer.STOP_S_MAX


def test_the_database_is_not_reachable_from_outside() -> None:
    held = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    assert held["networks"]["inside"]["internal"] is True
    assert held["services"]["database"]["networks"] == ["inside"]
    assert "ports" not in held["services"]["database"]
    assert held["services"]["server"]["ports"] == ["127.0.0.1:8750:8750"]


def test_the_server_never_holds_the_administration_address() -> None:
    services = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    assert [name for name, one in services.items() if "MUNIMENT_STORE_ADMIN" in one.get("environment", {})] == ["setup"]


def test_the_image_copies_what_is_there_and_let_in() -> None:
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")}
    copied = [
        name
        for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE)
        for name in line.split()
    ]
    assert copied
    assert set(copied) == let_in
    assert all((ROOT / name).exists() for name in copied)


def test_the_image_installs_what_the_lock_of_the_tests_holds() -> None:
    image, tests = packages(ROOT / "deploy" / "requirements.lock"), packages(ROOT / "requirements.lock")
    assert {"psycopg", "mcp", "hatchling"} <= set(image)
    assert not {"pytest", "ruff", "schemathesis"} & set(image)
    assert {name: tests.get(name) for name in image} == image


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    verifier = shutil.which("systemd-analyze")
    if verifier is None:
        return  # a machine without systemd has nothing to verify it with
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/muniment/bin/muniment", "/bin/true"), encoding="utf-8")
    found = subprocess.run([verifier, "verify", str(copy)], capture_output=True, text=True, timeout=60)
    assert [line for line in (found.stdout + found.stderr).splitlines() if UNIT.name in line] == []
