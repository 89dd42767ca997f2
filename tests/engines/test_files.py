"""Weight files: checked over all bytes, and a refusal says what to do."""

from __future__ import annotations

import hashlib

import pytest

from muniment.engines.files import check, digest
from muniment.errors import EngineUnavailable


def test_a_digest_is_over_all_files_in_their_order(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(b"one" * 500_000)
    second.write_bytes(b"two")
    assert digest([first, second]) == hashlib.sha256(b"one" * 500_000 + b"two").hexdigest()
    check([first, second], digest([first, second]), "Nothing to do.")
    with pytest.raises(EngineUnavailable, match=r"b and a are not the ones.*Install it again\."):
        check([second, first], digest([first, second]), "Install it again.")


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(EngineUnavailable, match=r"cannot be read.*Install it again\."):
        check([tmp_path / "none"], "", "Install it again.")
