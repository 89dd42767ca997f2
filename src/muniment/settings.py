"""Every setting once: name, default, help. Nothing but `app.py` and the surfaces that start it reads them.

A flag beats the environment (`MUNIMENT_<NAME>`), which beats the file (`MUNIMENT_CONFIG`, else the user's
`config.toml`), which beats the default. All invalid settings are reported together.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muniment.errors import InvalidInput
from muniment.model.access import LEVELS

PREFIX = "MUNIMENT_"
# The value of `auth` with which the tokens of another issuer are taken.
EXTERNAL = "external"
WORD_LENGTH_MAX = 500
# How near a name comes to that of a setting when it is a slip: BASEURL is at 0.93, TOKEN at 0.6 from STORE.
MISSPELT = 0.8
# Behind the user of an address, or as one of its parameters.
_PASSWORD = re.compile(r"(?<=://)(?P<user>[^:/@\s]*):[^@\s]*(?=@)|(?<=[?&]password=)[^&\s]+")

# It goes into metadata and links as it stands, so it holds nothing that a client could take for anything but an address.
_ADDRESS = re.compile(r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?(/[A-Za-z0-9._~%-]*)*")
_ON_THIS_MACHINE = re.compile(r"http://(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?(/|$)")
_ONE_WORD = re.compile(rf"[!-~]{{0,{WORD_LENGTH_MAX}}}")


@dataclass(frozen=True, slots=True)
class Setting:
    """`choices` bounds a text, `at_least` and `at_most` a number, `address` the form; a secret is never shown."""

    name: str
    default: str | int | bool
    help: str
    choices: tuple[str, ...] = ()
    at_least: int = 0
    at_most: int | None = None
    secret: bool = False
    address: bool = False


SETTINGS = (
    Setting(
        "store", "", "Where memory lies: a file, or a postgresql:// address. Empty: muniment.db in the user's data folder."
    ),
    Setting(
        "store_admin",
        "",
        "PostgreSQL only: the address of the role that owns the tables, for init, upgrade and cleaning up. Serve without it.",
        secret=True,
    ),
    Setting(
        "prepare", True, "PostgreSQL only: prepared statements. Switch them off behind a pooler that hides that it is one."
    ),
    Setting("workspace", "", "The current workspace. Empty: the git project of the folder, else inbox."),
    Setting(
        "isolation",
        "none",
        "Of new workspaces. none: a question covers its workspace and global; weak: all, its own first; strict: its own alone.",
        choices=("none", "weak", "strict"),
    ),
    Setting("session", "", "The id of the running conversation; recall leaves it out."),
    Setting(
        "durability", "normal", "full: every write reaches the disk before it is acknowledged.", choices=("normal", "full")
    ),
    Setting("wait_ms_max", 30_000, "How long a write waits for other processes.", at_least=1),
    Setting("redact", True, "Mask secrets on every way in."),
    Setting("read_only", False, "Refuse every write and stop the worker."),
    Setting(
        "embedder",
        "auto",
        "Overrides the store's embedder in this process: none switches meaning off.",
        choices=("auto", "none"),
    ),
    Setting("scan_every_hours", 0, "How often the worker looks through everything for conflicts. 0: never.", at_most=8760),
    Setting("embedding_api_key", "", "Key of the store's embedding endpoint; overrides the stored one.", secret=True),
    Setting("host", "127.0.0.1", "Address that `serve` binds."),
    Setting("port", 8750, "Port that `serve` binds.", at_least=1, at_most=65_535),
    Setting("base_url", "", "Public address of the server, for links. Empty: http://HOST:PORT.", address=True),
    Setting(
        "ring",
        "alpha",
        "What serve insists on. alpha: little; beta: a store that lasts, no static token; prod: PostgreSQL and https too.",
        choices=("alpha", "beta", "prod"),
    ),
    Setting("static_token", "", "One token that all callers share, of 32 characters or more; in ring alpha only.", secret=True),
    Setting("static_token_level", "agent", "What the static token may do.", choices=LEVELS),
    Setting("profiles", "", "Who may log in, as JSON: for each name its level, and secret_hash or subject.", secret=True),
    Setting("profiles_file", "", "Who may log in, as a TOML file with a table for each name."),
    Setting("allowed_hosts", "", "Further Host names the server answers to, separated by commas."),
    Setting("allowed_origins", "", "Origins whose pages may call the server, separated by commas."),
    Setting(
        "auth",
        "auto",
        "How callers get tokens. auto: by OAuth too, as soon as a profile exists; oauth: by OAuth too, always; "
        "tokens: only from the command line; external: from external_issuer. A server with read_only gives out none.",
        choices=("auto", "oauth", "tokens", "external"),
    ),
    Setting(
        "external_issuer",
        "",
        "With auth=external: the issuer whose tokens are taken, as it writes itself into them. https, or http on this machine.",
        address=True,
    ),
    Setting("external_audience", "", "Whom its tokens are meant for. Empty: the address of MCP, BASE_URL/mcp."),
    Setting("external_claim", "sub", "The claim that says who it is; `muniment profile add NAME --subject` names its value."),
    Setting(
        "external_scopes",
        "token",
        "token: the claim scope or scp says what of the profile a token may do; profile: all of it.",
        choices=("token", "profile"),
    ),
    Setting(
        "oauth_app_schemes",
        "cursor,vscode,vscode-insiders",
        "Schemes of apps that may be sent an answer besides https and this machine, separated by commas.",
    ),
    Setting(
        "oauth_metadata_documents",
        True,
        "With OAuth on: fetch what a client says of itself from the https address that is its id, for who is logged in, and "
        "the keys that it signs with from theirs.",
    ),
    Setting("body_bytes_max", 16_777_216, "Largest request body the server reads.", at_least=1024),
    Setting(
        "toolsets",
        "",
        "Narrow the tools offered: connect, recall, write, propose, govern, admin; with commas. Empty: all the token may use.",
    ),
    Setting(
        "stdio_toolsets",
        "connect,recall,write",
        "The tools offered to the agent on this machine. With govern it may also decide and change what stands.",
    ),
    Setting(
        "http_toolsets",
        "",
        "Tools over MCP on the network. Empty: connect, recall, write; govern and admin to who may, propose to who cannot add.",
    ),
    Setting(
        "trusted_proxies",
        "",
        "Addresses or networks of proxies whose X-Forwarded-For is believed, separated by commas. Empty: nobody's.",
    ),
    Setting(
        "rate_per_minute",
        1200,
        "How many requests a minute one token, or one person in a browser, may make; a quarter of them at once. 0: no limit.",
    ),
    Setting(
        "stranger_rate_per_minute",
        120,
        "How many requests a minute that show nothing good one address (over IPv6 one /64) may make, and as many "
        "for its people in browsers. 0: no limit.",
    ),
    Setting("log_format", "text", "How the server writes its log.", choices=("text", "json")),
    Setting("log_level", "info", "How much the server says on stderr.", choices=("debug", "info", "warning", "error")),
)


if TYPE_CHECKING:

    @dataclass(frozen=True)
    class Settings:
        """One value for each of SETTINGS."""

        store: str
        store_admin: str
        prepare: bool
        workspace: str
        isolation: str
        session: str
        durability: str
        wait_ms_max: int
        redact: bool
        read_only: bool
        embedder: str
        scan_every_hours: int
        embedding_api_key: str
        host: str
        port: int
        base_url: str
        ring: str
        static_token: str
        static_token_level: str
        profiles: str
        profiles_file: str
        allowed_hosts: str
        allowed_origins: str
        auth: str
        external_issuer: str
        external_audience: str
        external_claim: str
        external_scopes: str
        oauth_app_schemes: str
        oauth_metadata_documents: bool
        body_bytes_max: int
        toolsets: str
        stdio_toolsets: str
        http_toolsets: str
        trusted_proxies: str
        rate_per_minute: int
        stranger_rate_per_minute: int
        log_format: str
        log_level: str
        named: frozenset[str]

else:
    Settings = make_dataclass(
        "Settings",
        [(setting.name, type(setting.default), field(repr=not setting.secret)) for setting in SETTINGS]
        + [("named", frozenset)],
        frozen=True,
    )


def load(flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read every setting. `flags` holds only what the command line named. Raises InvalidInput with all faults at once."""
    environ = os.environ if environ is None else environ
    file, faults = _file(environ)
    flags = {name: value for name, value in (flags or {}).items() if value not in (None, "")}
    values: dict[str, Any] = {}
    named = set()
    for setting in SETTINGS:
        raw = flags.get(setting.name, environ.get(PREFIX + setting.name.upper()) or file.get(setting.name, ""))
        if raw == "":
            values[setting.name] = setting.default
            continue
        named.add(setting.name)
        try:
            values[setting.name] = _parse(setting, raw)
        except ValueError as fault:
            faults.append(f"{setting.name}: {fault}")
    faults += [_unknown(name) for name in (*file, *flags) if name not in values]
    faults += _of_the_issuer(values, named)
    if faults:
        raise InvalidInput("Some settings cannot be used: " + "; ".join(faults) + ".", "Correct them and start again.")
    return Settings(**values, named=frozenset(named))


def _of_the_issuer(values: Mapping[str, Any], named: set[str]) -> list[str]:
    """What does not fit together of the settings for tokens of another issuer."""
    if "auth" not in values:
        return []  # it has a fault of its own
    if values["auth"] != EXTERNAL:
        return [f"{name}: it is only used with auth={EXTERNAL}" for name in sorted(named) if name.startswith("external_")]
    faults = []
    issuer = values.get("external_issuer")
    if issuer == "":
        faults.append(f"external_issuer: auth={EXTERNAL} needs the address of the issuer")
    elif issuer and not issuer.startswith("https://") and not _ON_THIS_MACHINE.match(issuer):
        faults.append(f"external_issuer: {issuer!r} is neither https nor on this machine")
    for name in ("external_audience", "external_claim"):
        if not _ONE_WORD.fullmatch(values.get(name, "")):
            faults.append(f"{name}: {values[name]!r} is not one word of {WORD_LENGTH_MAX} characters at most")
    return faults


def _file(environ: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    path = Path(environ.get(PREFIX + "CONFIG") or config_path())
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")), []
    except FileNotFoundError:
        return {}, [f"MUNIMENT_CONFIG: {path} does not exist"] if environ.get(PREFIX + "CONFIG") else []
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        return {}, [f"{path}: {fault}"]


def _unknown(name: str) -> str:
    from difflib import get_close_matches  # only a faulty file pays for it

    near = get_close_matches(name.lower().replace("-", "_"), [setting.name for setting in SETTINGS], 1)
    return f"{name}: there is no such setting" + (f" (did you mean {near[0]}?)" if near else "")


def misspelt(environ: Mapping[str, str] | None = None) -> list[tuple[str, str]]:
    """The variables of the environment that look like a setting and are none, each with the one that it comes near.

    Others that begin as ours do are somebody's own, such as the variable that holds a client's token.
    """
    from difflib import get_close_matches

    known = [setting.name.upper() for setting in SETTINGS]
    given = os.environ if environ is None else environ
    ends = sorted(name.removeprefix(PREFIX) for name in given if name.startswith(PREFIX))
    near = {end: get_close_matches(end, known, 1, MISSPELT) for end in ends if end not in known}
    return [(PREFIX + end, PREFIX + found[0]) for end, found in near.items() if found]


def _parse(setting: Setting, raw: Any) -> Any:
    """The value of a setting. A fault repeats what was written, unless it is secret."""
    written = "its value" if setting.secret else repr(raw)
    if isinstance(setting.default, bool):
        text = str(raw).strip().lower()
        if text not in ("1", "true", "yes", "on", "0", "false", "no", "off"):
            raise ValueError(f"{written} is neither true nor false")
        return text in ("1", "true", "yes", "on")
    if isinstance(setting.default, int):
        try:
            number = int(str(raw))
        except ValueError:
            raise ValueError(f"{written} is no whole number") from None
        if number < setting.at_least:
            raise ValueError(f"{number} is less than {setting.at_least}")
        if setting.at_most is not None and number > setting.at_most:
            raise ValueError(f"{number} is more than {setting.at_most}")
        return number
    if not isinstance(raw, str):
        raise ValueError(f"{written} is no text")
    if setting.choices and raw not in setting.choices:
        raise ValueError(f"{written} is none of {', '.join(setting.choices)}")
    if setting.address and not _ADDRESS.fullmatch(raw):
        raise ValueError(f"{written} is no plain http or https address")
    return raw


def config_path() -> Path:
    """The user's settings file; it need not exist."""
    import platformdirs

    return Path(platformdirs.user_config_dir("muniment", appauthor=False)) / "config.toml"


def store_path() -> Path:
    """Where the store lies when nobody names another place."""
    import platformdirs

    return Path(platformdirs.user_data_dir("muniment", appauthor=False)) / "muniment.db"


def shown(settings: Settings) -> dict[str, Any]:
    """The settings as a person may see them: secrets as `set` or empty, addresses without their password."""
    return {setting.name: _shown(setting, getattr(settings, setting.name)) for setting in SETTINGS}


def _shown(setting: Setting, value: Any) -> Any:
    if setting.secret:
        return "set" if value else ""
    if not isinstance(value, str):
        return value
    return _PASSWORD.sub(lambda found: "…" if found["user"] is None else f"{found['user']}:…", value)
