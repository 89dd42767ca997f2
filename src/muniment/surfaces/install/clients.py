"""The programs Muniment can be put into: where their files are and what an entry looks like.

One thing is always true: a path is computed from the machine that was passed in, never from the one that runs, so the
table can be tested for Windows and macOS anywhere. Secrets appear only as the variable form a client expands itself.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

from muniment.errors import InvalidInput

Platform = Literal["linux", "darwin", "win32"]
Entry = dict[str, Any]

SERVER = "muniment"
# The id of the question that VS Code asks for the token.
TOKEN_INPUT = "muniment-token"


@dataclass(frozen=True, slots=True)
class Machine:
    """What paths depend on. `environ` holds the overrides of the clients, such as CODEX_HOME."""

    home: PurePath
    cwd: PurePath
    platform: Platform
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Launch:
    """A server the client starts itself: the program, its arguments, and variables to set."""

    program: str
    args: tuple[str, ...]
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Remote:
    """A server reached over HTTP; `token_env` names the variable that holds the token, or is empty."""

    url: str
    token_env: str


Place = Callable[[Machine], PurePath]


@dataclass(frozen=True, slots=True)
class Client:
    """One program. `user` and `project` list candidate files, the preferred one first.

    `token` is the form the client expands in a header, with VAR for the variable's name; empty when it expands none.
    `folder` is there when the client is. `hooks` is Claude Code's settings file, per scope.
    """

    name: str
    title: str
    folder: Place
    user: tuple[Place, ...]
    project: tuple[str, ...]
    keys: tuple[str, ...]
    stdio: Callable[[Launch], Entry]
    http: Callable[[Remote, str], Entry] | None
    token: str
    next_step: str
    format: Literal["json", "toml"] = "json"
    aliases: tuple[str, ...] = ()
    hooks: tuple[Place, str] | None = None
    inputs: bool = False

    @property
    def path(self) -> tuple[str, ...]:
        """The keys that lead to our entry."""
        return (*self.keys, SERVER)


def find(name: str) -> Client:
    """The client of a name or an alias. Raises InvalidInput with the nearest names."""
    for client in CLIENTS:
        if name.lower() in (client.name, *client.aliases):
            return client
    known = [client.name for client in CLIENTS]
    near = difflib.get_close_matches(name.lower(), known, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"Use one of {', '.join(known)}."
    raise InvalidInput(f"{name!r} is no client that Muniment knows.", hint)


def files(client: Client, machine: Machine, scope: Literal["user", "project"]) -> tuple[PurePath, ...]:
    """Candidate files, the preferred one first. Raises InvalidInput when the client has no file per project."""
    if scope == "user":
        return tuple(place(machine) for place in client.user)
    if not client.project:
        raise InvalidInput(f"{client.title} has no file per project.", "Install it with --scope user.")
    return tuple(machine.cwd / name for name in client.project)


def hook_file(client: Client, machine: Machine, scope: Literal["user", "project"]) -> PurePath | None:
    """The file that holds the client's hooks, or None when it has none."""
    if client.hooks is None:
        return None
    user, project = client.hooks
    return user(machine) if scope == "user" else machine.cwd / project


def entry(client: Client, what: Launch | Remote) -> Entry:
    """The value that goes under the client's key. Raises InvalidInput when the client cannot say it in its file."""
    if isinstance(what, Launch):
        return client.stdio(what)
    if client.http is None:
        raise InvalidInput(
            f"{client.title} takes no server address in its file.",
            f"Add {what.url} under Settings → Connectors, or install without --url to use the memory of this machine.",
        )
    if what.token_env and not client.token:
        raise InvalidInput(
            f"{client.title} expands no variables in headers, and Muniment writes no token into a file.",
            "Install without --token-env and sign in when it asks, or install without --url.",
        )
    return client.http(what, client.token.replace("VAR", what.token_env) if what.token_env else "")


# Places


def _folder(machine: Machine, text: str) -> PurePath:
    return type(machine.home)(text)


def _in_home(*parts: str) -> Place:
    return lambda machine: machine.home.joinpath(*parts)


def _application(*parts: str) -> Place:
    """The folder where desktop programs keep their settings on each system."""

    def place(machine: Machine) -> PurePath:
        if machine.platform == "darwin":
            return machine.home.joinpath("Library", "Application Support", *parts)
        if machine.platform == "win32":
            roaming = machine.environ.get("APPDATA")
            base = _folder(machine, roaming) if roaming else machine.home.joinpath("AppData", "Roaming")
            return base.joinpath(*parts)
        return _xdg(machine).joinpath(*parts)

    return place


def _xdg(machine: Machine) -> PurePath:
    named = machine.environ.get("XDG_CONFIG_HOME")
    return _folder(machine, named) if named else machine.home / ".config"


def _configuration(*parts: str) -> Place:
    return lambda machine: _xdg(machine).joinpath(*parts)


def _overridden(variable: str, default: str, *parts: str) -> Place:
    """A folder in the home that a variable can move."""

    def place(machine: Machine) -> PurePath:
        named = machine.environ.get(variable)
        return (_folder(machine, named) if named else machine.home / default).joinpath(*parts)

    return place


def _claude_file(machine: Machine) -> PurePath:
    named = machine.environ.get("CLAUDE_CONFIG_DIR")
    return (_folder(machine, named) if named else machine.home) / ".claude.json"


def _zed(*parts: str) -> Place:
    """Zed keeps to ~/.config on macOS, unlike other desktop programs."""

    def place(machine: Machine) -> PurePath:
        if machine.platform == "darwin":
            return machine.home.joinpath(".config", "zed", *parts)
        return _application("Zed" if machine.platform == "win32" else "zed", *parts)(machine)

    return place


# Entries


def _local(lead: Entry, more: Entry) -> Callable[[Launch], Entry]:
    def build(launch: Launch) -> Entry:
        env = {"env": dict(launch.env)} if launch.env else {}
        return {**lead, "command": launch.program, "args": list(launch.args), **env, **more}

    return build


def _served(lead: Entry, more: Entry, *, url: str = "url") -> Callable[[Remote, str], Entry]:
    def build(remote: Remote, token: str) -> Entry:
        headers = {"headers": {"Authorization": f"Bearer {token}"}} if token else {}
        return {**lead, url: remote.url, **headers, **more}

    return build


def _codex_served(remote: Remote, token: str) -> Entry:
    return {"url": remote.url, **({"bearer_token_env_var": token} if token else {})}


def _opencode_local(launch: Launch) -> Entry:
    env = {"environment": dict(launch.env)} if launch.env else {}
    return {"type": "local", "command": [launch.program, *launch.args], **env, "enabled": True}


_ASK = "then ask it: what do you remember about this project?"
_CLINE = ("Code", "User", "globalStorage", "saoudrizwan.claude-dev")

CLIENTS = (
    Client(
        name="claude-code",
        title="Claude Code",
        aliases=("claude", "claudecode"),
        folder=_overridden("CLAUDE_CONFIG_DIR", ".claude"),
        user=(_claude_file,),
        project=(".mcp.json",),
        hooks=(_overridden("CLAUDE_CONFIG_DIR", ".claude", "settings.json"), ".claude/settings.json"),
        keys=("mcpServers",),
        stdio=_local({"type": "stdio"}, {}),
        http=_served({"type": "http"}, {}),
        token="${VAR}",
        next_step=f"Start Claude Code anew, {_ASK}",
    ),
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        folder=_application("Claude"),
        user=(_application("Claude", "claude_desktop_config.json"),),
        project=(),
        keys=("mcpServers",),
        stdio=_local({}, {}),
        http=None,
        token="",
        next_step=f"Quit Claude Desktop fully and open it again, {_ASK}",
    ),
    Client(
        name="cursor",
        title="Cursor",
        folder=_in_home(".cursor"),
        user=(_in_home(".cursor", "mcp.json"),),
        project=(".cursor/mcp.json",),
        keys=("mcpServers",),
        stdio=_local({}, {}),
        http=_served({}, {}),
        token="${env:VAR}",
        next_step=f"Switch muniment on under Settings → MCP in Cursor, {_ASK}",
    ),
    Client(
        name="vscode",
        title="VS Code",
        aliases=("vs-code", "code"),
        folder=_application("Code", "User"),
        user=(_application("Code", "User", "mcp.json"),),
        project=(".vscode/mcp.json",),
        keys=("servers",),
        stdio=_local({"type": "stdio"}, {}),
        http=_served({"type": "http"}, {}),
        token="${input:" + TOKEN_INPUT + "}",
        inputs=True,
        next_step=f"Run `MCP: List Servers` in VS Code and start muniment, {_ASK}",
    ),
    Client(
        name="codex",
        title="Codex",
        aliases=("codex-cli",),
        folder=_overridden("CODEX_HOME", ".codex"),
        user=(_overridden("CODEX_HOME", ".codex", "config.toml"),),
        project=(".codex/config.toml",),
        keys=("mcp_servers",),
        stdio=_local({}, {}),
        http=_codex_served,
        token="VAR",
        format="toml",
        next_step=f"Start Codex anew, {_ASK}",
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        aliases=("gemini-cli",),
        folder=_in_home(".gemini"),
        user=(_in_home(".gemini", "settings.json"),),
        project=(".gemini/settings.json",),
        keys=("mcpServers",),
        stdio=_local({}, {}),
        http=_served({"type": "http"}, {}),
        token="${VAR}",
        next_step=f"Start Gemini CLI anew in a folder it trusts, {_ASK}",
    ),
    Client(
        name="windsurf",
        title="Windsurf",
        folder=_in_home(".codeium", "windsurf"),
        user=(_in_home(".codeium", "windsurf", "mcp_config.json"),),
        project=(),
        keys=("mcpServers",),
        stdio=_local({}, {}),
        http=_served({}, {}, url="serverUrl"),
        token="${env:VAR}",
        next_step=f"Refresh the MCP servers in Windsurf, {_ASK}",
    ),
    Client(
        name="antigravity",
        title="Antigravity",
        folder=_in_home(".gemini", "config"),
        user=(_in_home(".gemini", "config", "mcp_config.json"),),
        project=(),
        keys=("mcpServers",),
        stdio=_local({}, {}),
        http=_served({}, {}, url="serverUrl"),
        token="",
        next_step=f"Refresh the MCP servers in Antigravity, {_ASK}",
    ),
    Client(
        name="zed",
        title="Zed",
        folder=_zed(),
        user=(_zed("settings.json"),),
        project=(".zed/settings.json",),
        keys=("context_servers",),
        stdio=_local({"source": "custom"}, {}),
        http=_served({"source": "custom", "type": "http"}, {}),
        token="",
        next_step=f"Check that muniment shows a green dot in Zed's agent settings, {_ASK}",
    ),
    Client(
        name="opencode",
        title="opencode",
        folder=_configuration("opencode"),
        user=(_configuration("opencode", "opencode.jsonc"), _configuration("opencode", "opencode.json")),
        project=("opencode.jsonc", "opencode.json"),
        keys=("mcp",),
        stdio=_opencode_local,
        http=_served({"type": "remote"}, {"enabled": True}),
        token="{env:VAR}",
        next_step=f"Start opencode anew, {_ASK}",
    ),
    Client(
        name="copilot",
        title="GitHub Copilot CLI",
        aliases=("copilot-cli", "github-copilot-cli"),
        folder=_overridden("COPILOT_HOME", ".copilot"),
        user=(_overridden("COPILOT_HOME", ".copilot", "mcp-config.json"),),
        project=(".mcp.json", ".github/mcp.json"),
        keys=("mcpServers",),
        stdio=_local({"type": "stdio"}, {"tools": ["*"]}),
        http=_served({"type": "http"}, {"tools": ["*"]}),
        token="${VAR}",
        next_step=f"Start Copilot CLI anew, {_ASK}",
    ),
    Client(
        name="cline",
        title="Cline",
        folder=_application(*_CLINE),
        user=(_application(*_CLINE, "settings", "cline_mcp_settings.json"),),
        project=(),
        keys=("mcpServers",),
        stdio=_local({}, {"disabled": False}),
        http=_served({"type": "streamableHttp"}, {"disabled": False}),
        token="${env:VAR}",
        next_step=f"Check muniment under MCP Servers in Cline, {_ASK}",
    ),
    Client(
        name="kiro",
        title="Kiro",
        aliases=("kiro-cli",),
        folder=_in_home(".kiro"),
        user=(_in_home(".kiro", "settings", "mcp.json"),),
        project=(".kiro/settings/mcp.json",),
        keys=("mcpServers",),
        stdio=_local({}, {}),
        http=_served({}, {}),
        token="${VAR}",
        next_step=f"Check muniment in Kiro's MCP panel, {_ASK}",
    ),
)
