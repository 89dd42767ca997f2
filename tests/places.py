"""Where tests find what does not lie in the repository. A test that misses it skips, with one agreed reason.

The measuring data lies in a folder `shared` beside the checkout, or where MUNIMENT_SHARED says.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("MUNIMENT_SHARED") or ROOT.parent / "shared")
# The one kind of skip that does not fail CI: `tests/conftest.py` looks for this.
DATA_MISSING = "measuring data not here:"


def script(path: Path) -> ModuleType:
    """A program of the checkout that lies in no package, loaded anew."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shared(*parts: str) -> Path:
    """A file or folder of the measuring data; skips the test when it is not on this machine."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{DATA_MISSING} {'/'.join(parts) or 'shared'}", allow_module_level=True)
    return path
