"""Passphrases: what a person logs in with. Only their argon2id hash is ever kept, and checking one always costs the same.

Parameters: RFC 9106, section 4, the second recommended option (64 MiB). A hash made with others is found by `outdated`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from muniment.errors import InvalidInput

if TYPE_CHECKING:
    from argon2 import PasswordHasher

LENGTH_MIN = 12
BYTES_MAX = 4096
TIME_COST, MEMORY_KIB, LANES = 3, 65_536, 4
# A configured hash may be stronger than ours, but not so that one login stops the server; weaker ones are guessed.
MEMORY_KIB_MIN, MEMORY_KIB_MAX = 19_456, 1_048_576
TIME_COST_MAX = 16
# What an unknown name is checked against: the hash of random bytes that nobody kept, with the parameters above.
NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$QZoO3xj0fZ2NDXL/IFouVQ$A5ssZKDiA8dthNXnuaNiDCCdCR7jxPMM2YchoFf9t/4"
HOW = "Hash it with `muniment profile add NAME --print`, and write the hash down instead."
_SHAPE = re.compile(r"\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,2})\$[A-Za-z0-9+/]{11,88}\$[A-Za-z0-9+/]{22,88}")


def sound(passphrase: str) -> str:
    """A passphrase that may be kept. Raises InvalidInput, which never repeats it."""
    if len(passphrase) < LENGTH_MIN:
        raise InvalidInput(f"A passphrase has at least {LENGTH_MIN} characters.", "Choose a longer one: a few words will do.")
    if len(_bytes(passphrase)) > BYTES_MAX:
        raise InvalidInput(f"A passphrase has at most {BYTES_MAX} bytes.", "Choose a shorter one.")
    return passphrase


def hashed(passphrase: str) -> str:
    """The hash of a sound passphrase: argon2id with a salt of its own."""
    return str(_hasher().hash(_bytes(sound(passphrase))))


def matches(held: str | None, passphrase: str) -> bool:
    """Whether a passphrase is the one of a hash; without a hash it takes as long and is not."""
    from argon2.exceptions import InvalidHashError, VerificationError

    given = _bytes(passphrase)
    try:
        found = bool(_hasher().verify(held or NOBODY, given if len(given) <= BYTES_MAX else b""))
    except (VerificationError, InvalidHashError):
        return False
    return found and held is not None and len(given) <= BYTES_MAX


def outdated(held: str) -> bool:
    """Whether a hash was made with other parameters than today's."""
    return bool(_hasher().check_needs_rehash(held))


def checked(held: str) -> str:
    """A hash that came from outside. Raises InvalidInput for a passphrase in plain text, which is not repeated, and for a hash
    that is weak or ruinous."""
    shape = _SHAPE.fullmatch(held)
    if shape is None:
        raise InvalidInput("This is no argon2id hash.", HOW)
    memory, time = int(shape[1]), int(shape[2])
    if not MEMORY_KIB_MIN <= memory <= MEMORY_KIB_MAX or not 1 <= time <= TIME_COST_MAX or not int(shape[3]):
        raise InvalidInput(f"A hash with m={memory} and t={time} is too weak or too costly.", HOW)
    return held


def _bytes(passphrase: str) -> bytes:
    # Keyboards differ in how they write one character (NIST SP 800-63B, 3.1.1.2).
    return unicodedata.normalize("NFKC", passphrase).encode("utf-8", "replace")


def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=TIME_COST, memory_cost=MEMORY_KIB, parallelism=LANES)
