"""Where every `muniment` command begins. `stdio` and `hook` start before click and all that hangs on it is imported."""

from __future__ import annotations

import os
import sys

HELP = ("--help", "-h")


def main() -> None:
    """Run the command that was typed; ends the process with its exit code."""
    _stand_in()
    command, rest = split(sys.argv[1:])
    if command == "stdio" and not set(HELP).intersection(rest):
        from muniment.surfaces import stdio

        sys.exit(stdio.main(rest))
    if command == "hook" and not set(HELP).intersection(rest):
        from muniment.surfaces import hook

        sys.exit(hook.main(rest))
    from muniment.surfaces import cli

    cli.main()


def _stand_in() -> None:
    """Who started us may have left out a stream: it is empty, or goes nowhere, and no file of ours takes its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (as long as the process)


def split(arguments: list[str]) -> tuple[str, list[str]]:
    """The command and all else, for options may stand before it: `muniment --store PATH stdio`."""
    if not arguments or not arguments[0].startswith("--"):
        return (arguments[0], arguments[1:]) if arguments else ("", [])
    from muniment.settings import SETTINGS

    switches = {"--" + setting.name.replace("_", "-") for setting in SETTINGS if isinstance(setting.default, bool)}
    at = 0
    while at < len(arguments) and arguments[at].startswith("--"):
        at += 1 if "=" in arguments[at] or arguments[at] in switches or arguments[at] in HELP else 2
    if at >= len(arguments):
        return "", arguments
    return arguments[at], arguments[:at] + arguments[at + 1 :]
