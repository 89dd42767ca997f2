"""Room for the bodies of requests: so many bytes for each caller, until its requests are answered.

What one caller holds is never taken from another one.
"""

from __future__ import annotations


class Room:
    """How many bytes of bodies each caller has on its way or worked on, so that nobody fills the memory by many large ones."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[str, int] = {}

    def take(self, key: str, size: int) -> bool:
        """Whether there is room for so many more bytes of a caller; they are its own until they are given back."""
        held = self._held.get(key, 0) + size
        if held > self._most:
            return False
        self._held[key] = held
        return True

    def give_back(self, key: str, size: int) -> None:
        left = self._held.get(key, 0) - size
        if left > 0:
            self._held[key] = left
        else:
            self._held.pop(key, None)


class Share:
    """What one request holds of the room of its caller."""

    def __init__(self, room: Room, key: str) -> None:
        self._room = room
        self._key = key
        self._size = 0

    def take(self, size: int) -> bool:
        taken = self._room.take(self._key, size)
        self._size += size if taken else 0
        return taken

    def end(self) -> None:
        self._room.give_back(self._key, self._size)
