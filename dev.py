#!/usr/bin/env python3
"""Every chore of a checkout in one command; the Makefile only calls it.

It needs Python 3.11 or newer with venv and pip, nothing else, and writes only inside the checkout.
"""

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

PYTHON_LEAST = (3, 11)
ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
STAMP = VENV / "installed.txt"
LOCK = ROOT / "requirements.lock"
# Each worker of the tests has a PostgreSQL of its own.
WORKERS_MOST = 4
# What the container image installs: the product with its PostgreSQL driver.
IMAGE_LOCK = ROOT / "deploy" / "requirements.lock"
SAMPLE = ROOT / "src" / "muniment" / "samples" / "harbour.jsonl"
# An install is stale when one of these changed.
INSTALL_INPUTS = ("pyproject.toml", "requirements.lock", "src/muniment/__init__.py")
# The lock holds what the product needs first; a demo installs only that.
DEVELOPMENT_LINE = "# For development and for the extras: everything below."
LOCK_HEAD = "# Made by `python3 dev.py lock` from pyproject.toml. Every file is held by its hash.\n"
LOCK_EXTRAS = ("postgres", "onnx")
# It needs other versions of what we need, so it has an environment of its own.
MCP_FUZZER = "mcp-fuzzer==0.7.0"
# What the browser tests drive. The variable names another one than is found.
CHROMIUM_VARIABLE = "CHROME_BIN"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
CHROMIUM_PATHS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
    r"%LocalAppData%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
)
APT_WAIT_S = 120
APT_LISTS = Path("/var/lib/apt/lists")
LITTER = (".mypy_cache", ".pytest_cache", ".ruff_cache", ".import_linter_cache", ".hypothesis", "build", "dist")

QUESTIONS = (
    ("A plain question", "How much is the deposit for a winter berth?"),
    ("A question about the past", "Which port did the booking service listen on in March?"),
    ("A question that memory does not hold", "What does Torben think about the crane insurance?"),
)


class Stop(Exception):
    """Something a person has to know, in words; the program ends with code 2."""


def main():
    if sys.version_info < PYTHON_LEAST:
        found = ".".join(str(part) for part in sys.version_info[:3])
        raise Stop(f"Muniment needs Python 3.11 or newer and this is {found}. Call a newer one: python3.12 dev.py …")
    parser = argparse.ArgumentParser(prog="dev.py", description="Chores of a Muniment checkout. All of them use .venv here.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, words, takes_rest) in COMMANDS.items():
        command = commands.add_parser(name, help=words, description=words)
        if takes_rest:
            command.add_argument("rest", nargs=argparse.REMAINDER, help="passed on as they are")
    # argparse takes no rest that begins with an option, such as that of `test -x`.
    name, rest = (sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else ("", [])
    if name in COMMANDS and COMMANDS[name][2] and rest[:1] not in (["-h"], ["--help"]):
        return COMMANDS[name][0](rest)
    return COMMANDS[parser.parse_args().command][0]()


# --- what people call ---------------------------------------------------------------------------------------------


def demo():
    """Ingest the sample conversation into a throwaway store and ask it three questions."""
    install(development=False)
    folder = VENV / "demo"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    store = folder / "muniment.db"
    environment = demo_environment(folder)
    for arguments in (["init"], ["ingest", str(SAMPLE)]):
        muniment(store, arguments, environment)
    for number, (title, question) in enumerate(QUESTIONS, 1):
        print(f"\n{number}. {title}", flush=True)
        muniment(store, ["recall", question, "--limit", "3"], environment)
    print(f"\nThe store of this demo is {store.relative_to(ROOT)}. Your own memory was not touched.")
    print("Next: docs/quickstart.md. Remove all of this: python3 dev.py clean")
    return 0


def demo_environment(folder):
    """The caller's environment without its own Muniment settings, so that the demo is the same everywhere."""
    settings = folder / "config.toml"
    settings.write_text("", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    return {**kept, "MUNIMENT_CONFIG": str(settings), "MUNIMENT_WORKSPACE": "harbour", "PYTHONUTF8": "1"}


def muniment(store, arguments, environment):
    shown = [argument if " " not in argument else f'"{argument}"' for argument in arguments]
    print("$ muniment " + " ".join(shown).replace(str(ROOT) + os.sep, ""), flush=True)
    code = subprocess.call([str(BIN / "muniment"), "--store", str(store), *arguments], env=environment, cwd=str(store.parent))
    # 1 is an answer: that memory does not hold what was asked.
    if code > 1:
        raise Stop(f"The command above ended with code {code}; the demo stops here.")


def test(rest):
    """Everything that has to hold. pytest comes last, so that its closing line is the last one."""
    install()
    bring_chromium()
    if rest:
        return subprocess.call([tool("pytest"), *rest], cwd=str(ROOT))
    if not all_pass((*CHECKS, *SMOKE)):
        raise Stop("A check failed, so the tests were not run.")
    workers = max(1, min(WORKERS_MOST, os.cpu_count() or 1))
    # A file stays with one worker: its fixtures are made once.
    return subprocess.call([tool("pytest"), "-n", str(workers), "--dist", "loadfile"], cwd=str(ROOT))


def check():
    """Format, lint, types and import rules."""
    install()
    return 0 if all_pass(CHECKS) else 1


def fix():
    """Put right what ruff can put right."""
    install()
    subprocess.call([tool("ruff"), "check", "--fix", "."], cwd=str(ROOT))
    return subprocess.call([tool("ruff"), "format", "."], cwd=str(ROOT))


def golden():
    """Write again what is made from the code: the reference pages and the golden files."""
    install()
    code = subprocess.call([tool("python"), "docs/generate.py"], cwd=str(ROOT))
    written = subprocess.call([tool("pytest"), "-q", "--golden"], cwd=str(ROOT))
    # pytest ends with 5 when no test keeps a golden file.
    return code or (0 if written == 5 else written)


def pictures():
    """Take the pictures of the documentation anew, from the pages as they are now."""
    install()
    bring_chromium()
    if not chromium():
        raise Stop(f"No Chromium was found. Install one, or name it in {CHROMIUM_VARIABLE}.")
    return subprocess.call([tool("python"), "-m", "tests.browser.pictures"], cwd=str(ROOT), env=with_source())


def bench(rest):
    """Measure speed; the arguments go to `muniment bench`."""
    install()
    return subprocess.call([str(BIN / "muniment"), "bench", *rest], cwd=str(ROOT))


def outside():
    """What programs of others say: those that `test` runs too, and those that take longer than a change should wait for."""
    install()
    tools = VENV / "outside"
    if not (tools / "pyvenv.cfg").exists():
        run_quietly("Making a place for mcp-fuzzer", [tool("python"), "-m", "venv", str(tools)])
    python = str(tools / BIN.name / "python")
    run_quietly("Installing mcp-fuzzer", [python, "-m", "pip", "install", "--disable-pip-version-check", "-q", MCP_FUZZER])
    tests = subprocess.call([tool("pytest"), "-q", "-m", "clients"], cwd=str(ROOT))
    fuzzer = str(tools / BIN.name / "mcp-fuzzer")
    audits = subprocess.call([tool("python"), "-m", "tests.outside.audit", fuzzer], cwd=str(ROOT), env=with_source())
    return tests or audits


def with_source():
    return {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def lock():
    """Write requirements.lock and that of the image from pyproject.toml: by hash, for every platform, without addresses."""
    tools = VENV / "lock"
    make_environment()
    if not (tools / "pyvenv.cfg").exists():
        run_quietly("Making a place for uv", [tool("python"), "-m", "venv", str(tools)])
    python = str(tools / BIN.name / "python")
    run_quietly("Installing uv", [python, "-m", "pip", "install", "--disable-pip-version-check", "-q", "--upgrade", "uv"])
    extras = [part for extra in LOCK_EXTRAS for part in ("--extra", extra)]
    everything = blocks(compiled(python, ["--group", "dev", *extras]))
    needed = {name_of(block) for block in blocks(compiled(python, ["--group", "build"]))}
    product = [block for block in everything if name_of(block) in needed]
    rest = [block for block in everything if name_of(block) not in needed]
    served = {name_of(block) for block in blocks(compiled(python, ["--group", "build", "--extra", "postgres"]))}
    write_lock(LOCK, [*product, "", DEVELOPMENT_LINE, *rest])
    write_lock(IMAGE_LOCK, [block for block in everything if name_of(block) in served])
    print(f"requirements.lock: {len(product)} packages for use, {len(rest)} more for development.")
    return 0


def write_lock(path, parts):
    text = LOCK_HEAD + "\n".join(parts) + "\n"
    if "://" in text or str(ROOT) in text:
        raise Stop("The lock would name an address or a folder of this machine; nothing was written.")
    path.write_text(text, encoding="utf-8", newline="\n")


def clean():
    """Remove what dev.py and the tools made in this checkout. Your memory lies elsewhere and stays."""
    found = [VENV, *(ROOT / name for name in LITTER)]
    found += [path for room in ("src", "tests", "docs") for path in (ROOT / room).rglob("__pycache__")]
    for path in found:
        if path.is_dir():
            print(f"removing {path.relative_to(ROOT)}")
            shutil.rmtree(path)
    return 0


COMMANDS = {
    "demo": (demo, "install, ingest a sample conversation, answer three questions", False),
    "test": (test, "run everything; with arguments: only pytest, with those arguments", True),
    "check": (check, "format, lint, types and import rules", False),
    "fix": (fix, "let ruff put right what it can", False),
    "golden": (golden, "write the reference pages and golden files again", False),
    "pictures": (pictures, "take the pictures of the documentation anew, with Chromium", False),
    "bench": (bench, "measure speed; arguments go to `muniment bench`", True),
    "outside": (outside, "run what programs of others say of the server, the slow ones too", False),
    "lock": (lock, "write requirements.lock again", False),
    "clean": (clean, "remove .venv and caches of this checkout", False),
}
CHECKS = (
    ("format", ("ruff", "format", "--check", ".")),
    ("lint", ("ruff", "check", ".")),
    ("types", ("mypy",)),
    ("imports", ("lint-imports",)),
)
SMOKE = (("bench smoke", ("muniment", "bench", "--smoke")),)


# --- the environment ----------------------------------------------------------------------------------------------


def install(development=True):
    """Bring .venv up to date; does nothing when it is."""
    wanted = stamp(development)
    present = STAMP.read_text(encoding="utf-8") if STAMP.exists() else ""
    if usable() and present in (wanted, stamp(True)):
        return
    make_environment()
    STAMP.unlink(missing_ok=True)
    pip = [tool("python"), "-m", "pip", "--disable-pip-version-check", "install", "--no-input"]
    held = LOCK if development else product_lock()
    count = len(blocks(held.read_text(encoding="utf-8")))
    run_quietly(f"Installing up to {count} packages, once", [*pip, "--require-hashes", "-r", str(held)])
    run_quietly("Installing Muniment", [*pip, "--no-deps", "--no-build-isolation", "-e", str(ROOT)])
    STAMP.write_text(wanted, encoding="utf-8")


def stamp(development):
    digest = hashlib.sha256()
    for name in INSTALL_INPUTS:
        digest.update((ROOT / name).read_bytes())
    return f"{'development' if development else 'product'} {digest.hexdigest()}\n{ROOT}\n"


def product_lock():
    held = VENV / "product.lock"
    held.write_text(LOCK.read_text(encoding="utf-8").partition(DEVELOPMENT_LINE)[0], encoding="utf-8")
    return held


def usable():
    """Whether .venv runs: it does not after the checkout moved or its Python was removed."""
    if not (VENV / "pyvenv.cfg").exists():
        return False
    # Installed programs name the folder they were installed in.
    if STAMP.exists() and STAMP.read_text(encoding="utf-8").splitlines()[1:] != [str(ROOT)]:
        return False
    question = f"import pip, sys; sys.exit(sys.version_info < {PYTHON_LEAST})"
    try:
        return subprocess.call([tool("python"), "-c", question], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def make_environment():
    if usable():
        return
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        raise Stop(
            "This Python cannot make an environment: its venv or ensurepip module is missing. "
            "On Debian and Ubuntu `apt install python3-venv` brings it. Then call this again."
        )
    run_quietly("Making .venv", [sys.executable, "-m", "venv", "--clear", str(VENV)])


def tool(name):
    return str(BIN / name)


def chromium():
    """The Chromium on this machine, or None. It is what a browser test looks for, too."""
    named = os.environ.get(CHROMIUM_VARIABLE)
    places = (named,) if named else (*CHROMIUM_NAMES, *(os.path.expandvars(path) for path in CHROMIUM_PATHS))
    return next((found for place in places if (found := shutil.which(place))), None)


def bring_chromium():
    """Install Chromium where the system's own packages can: Debian and its like, as root. Elsewhere the browser tests skip."""
    may = shutil.which("apt-get") and os.geteuid() == 0
    if os.environ.get(CHROMIUM_VARIABLE) or chromium() or not may:
        return
    apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", f"DPkg::Lock::Timeout={APT_WAIT_S}"]
    bring = [*apt, "install", "-y", "-q", "--no-install-recommends", "chromium"]
    title = "Installing Chromium for the browser tests, once"
    # Lists may be missing, or older than the packages they name.
    code, seconds, printed = step(title, bring) if any(APT_LISTS.glob("*_Packages*")) else (1, 0.0, "")
    if code:
        looked = step(title, [*apt, "update", "-q"])
        code, more, printed = step(title, bring)
        seconds += looked[1] + more
    if code or not chromium():
        print(f"{title}: not possible here, so they will skip\n{printed}", flush=True)
    else:
        print(f"{title}: {seconds:.0f} s", flush=True)


# --- running things -----------------------------------------------------------------------------------------------


def run_quietly(title, command):
    """Run a step, say how long it took, and show what it printed only when it fails."""
    code, seconds, printed = step(title, command)
    if code:
        print(f"{title}: failed\n{printed}", flush=True)
        raise Stop(f"{title} did not work; the lines above say why. Put it right and call this again.")
    print(f"{title}: {seconds:.0f} s", flush=True)


def all_pass(steps):
    """Run every step even when one fails, so that one run shows all there is to mend."""
    passed = True
    for title, (program, *arguments) in steps:
        code, seconds, printed = step(title, [tool(program), *arguments])
        print(f"{title}: {'ok' if code == 0 else 'FAILED'}, {seconds:.1f} s", flush=True)
        if code:
            print(printed, flush=True)
        passed = passed and code == 0
    return passed


def step(title, command):
    """Run one command; at a terminal a counter shows that it goes on."""
    begun = time.monotonic()
    output = []
    with subprocess.Popen(
        command, cwd=str(ROOT), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        while True:
            try:
                output = process.communicate(timeout=1)[0]
                break
            except subprocess.TimeoutExpired:
                if sys.stdout.isatty():
                    print(f"\r{title} … {time.monotonic() - begun:.0f} s ", end="", flush=True)
    if sys.stdout.isatty():
        print("\r" + " " * (len(title) + 12) + "\r", end="", flush=True)
    return process.returncode, time.monotonic() - begun, output.decode("utf-8", "replace").rstrip()


# --- the lock -----------------------------------------------------------------------------------------------------


def compiled(python, choice):
    """What uv pins for every platform and Python that pyproject.toml allows. Versions in the present lock are kept."""
    command = [python, "-m", "uv", "pip", "compile", "--universal", "--generate-hashes", "--no-annotate", "--no-header"]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--python-version", "3.11", *choice, "pyproject.toml"]
    kept = VENV / "lock" / "kept.txt"
    kept.write_text(LOCK.read_text(encoding="utf-8") if LOCK.exists() else "", encoding="utf-8")
    done = subprocess.run([*command, "-q", "-o", str(kept)], cwd=str(ROOT), stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Stop(f"uv could not make the lock:\n{done.stderr}")
    return kept.read_text(encoding="utf-8")


def blocks(text):
    """One string per package: its pin and the hash lines under it."""
    return [block.rstrip() for block in re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE) if "==" in block]


def name_of(block):
    return block.partition("==")[0]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Stop as stop:
        print(stop, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
