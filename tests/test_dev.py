"""`dev.py` is what a newcomer runs first: it refuses kindly, installs once, and its demo asks what the sample can answer."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import ModuleType

import pytest

from tests.places import ROOT, script


@pytest.fixture
def dev() -> ModuleType:
    return script(ROOT / "dev.py")


@pytest.fixture
def elsewhere(dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """dev.py in a checkout of its own, with the three files that decide whether an install is stale."""
    for name in dev.INSTALL_INPUTS:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((ROOT / name).read_bytes())
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(dev, "STAMP", tmp_path / ".venv" / "installed.txt")
    monkeypatch.setattr(dev, "BIN", tmp_path / ".venv" / "bin")
    monkeypatch.setattr(dev, "LOCK", tmp_path / "requirements.lock")
    return dev


def test_an_old_python_is_told_which_one_is_needed(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    with pytest.raises(dev.Stop, match=r"3\.11 or newer and this is 3\.9\.2"):
        dev.main()


def test_a_python_without_ensurepip_is_told_what_to_install(elsewhere: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ensurepip" else name)
    with pytest.raises(elsewhere.Stop, match="python3-venv"):
        elsewhere.make_environment()


def test_dev_py_imports_nothing_but_the_standard_library() -> None:
    tops = re.findall(r"^(?:import|from) (\w+)", (ROOT / "dev.py").read_text(encoding="utf-8"), re.MULTILINE)
    assert tops
    assert [top for top in tops if top not in sys.stdlib_module_names] == []


def test_an_install_is_stale_when_the_lock_or_the_version_changed(elsewhere: ModuleType) -> None:
    before = elsewhere.stamp(True)
    assert elsewhere.stamp(True) == before
    assert elsewhere.stamp(False) != before
    with elsewhere.LOCK.open("a") as lock:
        lock.write("\n")
    assert elsewhere.stamp(True) != before


def test_an_environment_that_moved_with_its_checkout_is_made_anew(elsewhere: ModuleType) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(elsewhere.VENV)], check=True)
    (pip,) = [path / "pip" for path in elsewhere.VENV.glob("lib/python*/site-packages")] or [
        elsewhere.VENV / "Lib/site-packages/pip"
    ]
    pip.mkdir()
    assert elsewhere.usable()
    elsewhere.STAMP.write_text(elsewhere.stamp(True).replace(str(elsewhere.ROOT), "/another/place"), encoding="utf-8")
    assert not elsewhere.usable()


def test_the_demo_installs_only_what_the_product_needs(elsewhere: ModuleType) -> None:
    elsewhere.VENV.mkdir()
    text = elsewhere.product_lock().read_text(encoding="utf-8")
    pins = {elsewhere.name_of(block) for block in elsewhere.blocks(text)}
    assert {"numpy", "mcp", "hatchling"} <= pins
    assert not pins & {"pytest", "mypy", "onnxruntime", "psycopg"}


def test_a_failing_step_shows_its_output_and_does_not_hide_the_next(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "tool", lambda name: sys.executable)
    steps = (("first", ("python", "-c", "print('broken here'); raise SystemExit(3)")), ("second", ("python", "-c", "pass")))
    assert dev.all_pass(steps) is False
    printed = capsys.readouterr().out
    assert "first: FAILED" in printed
    assert "broken here" in printed
    assert "second: ok" in printed


def test_a_failed_check_keeps_pytest_from_closing_with_passed(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "install", lambda: None)
    monkeypatch.setattr(dev, "all_pass", lambda steps: False)
    monkeypatch.setattr(subprocess, "call", lambda *_, **__: pytest.fail("pytest was called"))
    with pytest.raises(dev.Stop, match="tests were not run"):
        dev.test([])


# --- the browser --------------------------------------------------------------------------------------------------


@dataclass
class Machine:
    """A machine with apt and without a browser. `works` says which apt commands do; `asked` are those that were given."""

    folder: Path
    works: tuple[str, ...] = ("update", "install")
    asked: list[str] = field(default_factory=list)

    def step(self, title: str, command: list[str]) -> tuple[int, float, str]:
        (what,) = {"update", "install"} & set(command)
        self.asked.append(what)
        done = what in self.works and ("update" in self.asked or (self.folder / "lists" / "a_Packages").exists())
        if what == "install" and done:
            self.program("chromium")
        return (0, 2.0, "") if done else (100, 1.0, f"no {what} today")

    def program(self, name: str) -> str:
        path = self.folder / "bin" / name
        path.write_text("#!/bin/sh\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)


@pytest.fixture
def machine(dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    if os.name == "nt":
        pytest.skip("There is no apt on Windows.")
    made = Machine(tmp_path)
    for name in ("bin", "lists"):
        (tmp_path / name).mkdir()
    made.program("apt-get")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv(dev.CHROMIUM_VARIABLE, raising=False)
    monkeypatch.setattr(dev, "CHROMIUM_PATHS", ())
    monkeypatch.setattr(dev, "APT_LISTS", tmp_path / "lists")
    monkeypatch.setattr(dev, "step", made.step)
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    return made


def test_a_browser_is_installed_once_and_the_lists_before_it(
    dev: ModuleType, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    dev.bring_chromium()
    assert machine.asked == ["update", "install"]
    assert capsys.readouterr().out == "Installing Chromium for the browser tests, once: 4 s\n"
    assert dev.chromium() == str(machine.folder / "bin" / "chromium")
    dev.bring_chromium()
    assert machine.asked == ["update", "install"]


def test_lists_that_are_there_are_believed_first(dev: ModuleType, machine: Machine) -> None:
    (machine.folder / "lists" / "a_Packages").touch()
    dev.bring_chromium()
    assert machine.asked == ["install"]


def test_a_browser_that_cannot_be_installed_stops_nothing(
    dev: ModuleType, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    (machine.folder / "lists" / "a_Packages").touch()
    machine.works = ("update",)
    dev.bring_chromium()
    assert machine.asked == ["install", "update", "install"]
    printed = capsys.readouterr().out
    assert "not possible here, so they will skip" in printed
    assert "no install today" in printed


@pytest.mark.parametrize("lacking", ["root", "apt", "nothing", "a name"])
def test_no_system_is_changed_that_need_not_or_may_not_be(
    dev: ModuleType, machine: Machine, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    if lacking == "root":
        monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    elif lacking == "apt":
        (machine.folder / "bin" / "apt-get").unlink()
    elif lacking == "nothing":
        machine.program("google-chrome")
    else:
        monkeypatch.setenv(dev.CHROMIUM_VARIABLE, str(machine.folder / "elsewhere"))
    dev.bring_chromium()
    assert machine.asked == []


def test_the_variable_names_the_browser(dev: ModuleType, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.program("chromium")
    other = machine.program("brave")
    monkeypatch.setenv(dev.CHROMIUM_VARIABLE, other)
    assert dev.chromium() == other
    monkeypatch.setenv(dev.CHROMIUM_VARIABLE, other + "-that-is-not-there")
    assert dev.chromium() is None


# --- the sample that the demo asks about --------------------------------------------------------------------------


def turns(dev: ModuleType) -> list[dict[str, str]]:
    return [json.loads(line) for line in dev.SAMPLE.read_text(encoding="utf-8").splitlines()]


def test_the_sample_is_a_dated_conversation_in_spoken_order(dev: ModuleType) -> None:
    spoken = turns(dev)
    times = [datetime.fromisoformat(turn["time"]) for turn in spoken]
    assert all(time.utcoffset() is not None for time in times)
    assert times == sorted(times)
    assert len({turn["id"] for turn in spoken}) == len(spoken)
    assert {turn["speaker"] for turn in spoken} == {"Maren Voss", "Lin Yue", "assistant"}


def test_the_sample_holds_two_of_the_answers_and_nothing_of_the_third(dev: ModuleType) -> None:
    text = dev.SAMPLE.read_text(encoding="utf-8")
    assert "deposit for a winter berth is 180 euros" in text
    assert "port 8471 instead of 8080" in text
    assert not re.search("torben|crane|insurance", text, re.IGNORECASE)
    assert [title.rpartition(" ")[2] for title, _ in dev.QUESTIONS] == ["question", "past", "hold"]


@pytest.mark.parametrize("rest", [["-x", "-q", "tests/access"], ["tests/access", "-x"], []])
def test_what_follows_a_chore_is_passed_on_options_too(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, rest: list[str]
) -> None:
    passed: list[list[str]] = []
    monkeypatch.setitem(dev.COMMANDS, "test", (passed.append, "", True))
    monkeypatch.setattr("sys.argv", ["dev.py", "test", *rest])
    dev.main()
    assert passed == [rest]
