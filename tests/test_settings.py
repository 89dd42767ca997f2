"""Settings have one order of precedence, tell all their faults at once, and keep secrets to themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muniment import settings
from muniment.errors import InvalidInput

EXTERNAL = {"auth": "external", "external_issuer": "https://login.example/realm"}
KEY = "sk-" + "embedding-key-0123456789"


def load(folder: Path, flags: dict[str, Any] | None = None, file: str = "", **environ: str) -> settings.Settings:
    path = folder / "config.toml"
    path.write_text(file, encoding="utf-8")
    return settings.load(flags, {"MUNIMENT_CONFIG": str(path)} | {f"MUNIMENT_{name.upper()}": v for name, v in environ.items()})


def test_a_flag_beats_the_environment_beats_the_file_beats_the_default(tmp_path: Path) -> None:
    file = 'port = 1\nhost = "file"\nworkspace = "file"\n'
    got = load(tmp_path, {"port": 3}, file, port="2", host="environment")
    assert (got.port, got.host, got.workspace, got.log_level) == (3, "environment", "file", "info")
    assert got.named == {"port", "host", "workspace"}


def test_what_is_empty_is_not_given(tmp_path: Path) -> None:
    got = load(tmp_path, {"host": "", "workspace": None}, 'host = "file"\nsession = ""', workspace="", host="")
    assert (got.host, got.workspace, got.session) == ("file", "", "")
    assert got.named == {"host"}
    assert load(tmp_path, {"host": ""}, 'host = "file"', host="environment").host == "environment"


def test_false_and_other_words_are_values(tmp_path: Path) -> None:
    assert load(tmp_path, {"redact": False}, "redact = true", redact="yes").redact is False
    assert load(tmp_path, None, "redact = false\nread_only = true").read_only is True
    assert load(tmp_path, None, "", redact=" Off ").redact is False


def test_all_faults_are_told_together(tmp_path: Path) -> None:
    file = 'prot = 1\nallowed_hosts = ["a"]\nwait_ms_max = 1.5\n[store]\npath = "x"\n'
    with pytest.raises(InvalidInput) as caught:
        load(tmp_path, {"port": "70000", "nonsense": 1}, file, durability="sometimes", redact="perhaps", body_bytes_max="12")
    said = caught.value.message
    for part in (
        "port: 70000 is more than 65535",
        "durability: 'sometimes' is none of normal, full",
        "redact: 'perhaps' is neither true nor false",
        "body_bytes_max: 12 is less than 1024",
        "wait_ms_max: 1.5 is no whole number",
        "allowed_hosts: ['a'] is no text",
        "store: {'path': 'x'} is no text",
        "prot: there is no such setting (did you mean port?)",
        "nonsense: there is no such setting",
    ):
        assert part in said
    assert caught.value.do_next


@pytest.mark.parametrize("name", [setting.name for setting in settings.SETTINGS])
def test_every_setting_can_be_given_in_each_way(tmp_path: Path, name: str) -> None:
    setting = next(one for one in settings.SETTINGS if one.name == name)
    value: Any = setting.choices[-1] if setting.choices else setting.default
    if isinstance(value, bool):
        value = not value
    elif isinstance(value, int):
        value += 1
    elif not setting.choices:
        value = "https://memory.example/mem" if setting.address else "something"
    written = str(value).lower() if isinstance(value, int) else f'"{value}"'
    # Some are only taken together.
    beside = EXTERNAL if name == "auth" or name.startswith("external_") else {}
    beside = {other: told for other, told in beside.items() if other != name}
    for got in (
        load(tmp_path, {name: value} | beside),
        load(tmp_path, beside, f"{name} = {written}"),
        load(tmp_path, beside, **{name: str(value)}),
    ):
        assert getattr(got, name) == value
        assert got.named == {name, *beside}
    assert setting.help.endswith(".")


def test_a_file_that_was_named_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"MUNIMENT_CONFIG: .*gone\.toml does not exist"):
        settings.load({}, {"MUNIMENT_CONFIG": str(tmp_path / "gone.toml")})


@pytest.mark.parametrize("content", [b"port = ", b"\xff\xfe", b"port = 1\nport = 2"])
def test_a_file_that_cannot_be_read_is_a_fault_that_names_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"config\.toml"):
        settings.load({}, {"MUNIMENT_CONFIG": str(path)})
    with pytest.raises(InvalidInput, match=str(tmp_path)):
        settings.load({}, {"MUNIMENT_CONFIG": str(tmp_path)})


def test_a_secret_is_never_shown(tmp_path: Path) -> None:
    store = "postgresql://ann:pa:ss@db.example/memory?password=hidden&sslmode=require"
    got = load(tmp_path, {"embedding_api_key": KEY, "store": store})
    assert got.embedding_api_key == KEY
    shown = settings.shown(got)
    assert shown["embedding_api_key"] == "set"
    assert shown["store"] == "postgresql://ann:…@db.example/memory?password=…&sslmode=require"
    assert KEY not in repr(got)
    assert settings.shown(load(tmp_path))["embedding_api_key"] == ""
    with pytest.raises(InvalidInput) as caught:
        load(tmp_path, {"embedding_api_key": [KEY]})
    assert KEY not in str(caught.value)


def test_shown_names_every_setting(tmp_path: Path) -> None:
    assert list(settings.shown(load(tmp_path))) == [setting.name for setting in settings.SETTINGS]


@pytest.mark.parametrize(
    ("issuer", "sound"),
    [
        ("https://login.example", True),
        ("https://login.example/", True),
        ("https://10.0.0.7:8443/realms/x", True),
        ("http://localhost:8080/realms/x", True),
        ("http://127.0.0.1", True),
        ("http://[::1]:80/", True),
        ("http://login.example", False),
        ("http://localhost.login.example", False),
        ("http://127.0.0.1.login.example", False),
        ("https://login.example?x=1", False),
        ("https://user@login.example", False),
        ("login.example", False),
    ],
)
def test_an_issuer_is_https_or_on_this_machine(tmp_path: Path, issuer: str, sound: bool) -> None:
    told = EXTERNAL | {"external_issuer": issuer}
    if sound:
        assert load(tmp_path, told).external_issuer == issuer
        return
    with pytest.raises(InvalidInput, match="external_issuer"):
        load(tmp_path, told)


def test_what_does_not_fit_together_is_told_together(tmp_path: Path) -> None:
    told = {
        "auth": "external",
        "external_audience": "two words",
        "external_claim": "c" * 501,
        "external_scopes": "all",
        "port": 0,
    }
    with pytest.raises(InvalidInput) as caught:
        load(tmp_path, told)
    for part in (
        "external_issuer: auth=external needs",
        "external_audience: ",
        "external_claim: ",
        "external_scopes: ",
        "port: ",
    ):
        assert part in caught.value.message
    with pytest.raises(InvalidInput, match="external_claim: it is only used with auth=external; external_issuer: it is only"):
        load(tmp_path, {"external_issuer": "https://login.example", "external_claim": "oid"})


def test_a_name_that_comes_near_a_setting_is_known_as_a_slip() -> None:
    ours = {f"MUNIMENT_{setting.name.upper()}": "x" for setting in settings.SETTINGS}
    others = dict.fromkeys(("MUNIMENT_CONFIG", "MUNIMENT_TOKEN", "MUNIMENT_TOKEN_WORK", "MUNIMENT_SHARED", "BASEURL"), "x")
    assert settings.misspelt(ours | others) == []
    slips = {"MUNIMENT_BASEURL": "x", "MUNIMENT_READONLY": "1", "MUNIMENT_EXTERNAL_ISSUR": "x"}
    assert settings.misspelt(slips) == [
        ("MUNIMENT_BASEURL", "MUNIMENT_BASE_URL"),
        ("MUNIMENT_EXTERNAL_ISSUR", "MUNIMENT_EXTERNAL_ISSUER"),
        ("MUNIMENT_READONLY", "MUNIMENT_READ_ONLY"),
    ]
