"""Names of things: a public ref is a letter and a UUIDv7, and carries no count of anything.

`t_` turn, `d_` document, `m_` memory, `s_` session, `w_` workspace, `k_` token, `a_` action, `g_` generation,
`c_` conflict, `p_` proposal, `q_` claim, `n_` notice, `l_` candidate, `o_` OAuth grant.
The 128 bits are written in Crockford's base 32 (26 characters), so refs sort by the time they were made.
"""

from __future__ import annotations

import re

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
UID_LENGTH = 26
TAIL_LENGTH = 7  # characters that count up within a run
_REF = re.compile(rf"([a-z])_([{ALPHABET}]{{{UID_LENGTH}}})")
_LETTERS = {"turn": "t", "document": "d"}


def uid(now_ms: int, entropy: bytes) -> str:
    """A UUIDv7 (RFC 9562) as 26 characters. `now_ms`: Unix milliseconds; `entropy`: 10 random bytes."""
    return uid_run(now_ms, entropy, 1)[0]


def uid_run(now_ms: int, entropy: bytes, count: int) -> list[str]:
    """`count` UUIDv7s of one moment: the random tail of the first, counted up (RFC 9562, method 2)."""
    tail = int.from_bytes(entropy[:10], "big")
    head = encode((now_ms & 0xFFFF_FFFF_FFFF) << 80 | 7 << 76 | (tail >> 68 & 0xFFF) << 64 | 2 << 62 | tail & 0x3FFF_FFFF << 32)
    # The last 35 bits are seven characters; they are drawn low enough to count up without a carry.
    low = tail & 0x1_FFFF_FFFF
    return [head[:-TAIL_LENGTH] + encode(low + step, TAIL_LENGTH) for step in range(count)]


def place(uid: str) -> tuple[str, int]:
    """What all uids of one run have in common, and where in its count this one stands."""
    number = 0
    for letter in uid[-TAIL_LENGTH:]:
        number = number << 5 | ALPHABET.index(letter)
    return uid[:-TAIL_LENGTH], number


def encode(bits: int, length: int = UID_LENGTH) -> str:
    """The low bits of a number, five a character."""
    out = []
    for _ in range(length):
        out.append(ALPHABET[bits & 31])
        bits >>= 5
    return "".join(reversed(out))


def ref(kind: str, uid: str) -> str:
    """The public name of a record: `t_…` for a turn, `d_…` for a document, `m_…` for every kind of memory."""
    return f"{_LETTERS.get(kind, 'm')}_{uid}"


def parse(text: str) -> tuple[str, str] | None:
    """The letter and the uid of a ref, or None when the text is no ref."""
    match = _REF.fullmatch(text.strip().lower())
    return (match[1], match[2]) if match else None
