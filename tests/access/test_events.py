"""The access log: who gave, changed and ended what, by which door; a chain that loses nothing and tells nobody's secret."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from muniment.access import attempts, configured, events, passphrases, principals, profiles, tokens
from muniment.access.attempts import FREE_OF_NAME
from muniment.access.managing import manage
from muniment.access.profiles import NewProfile
from muniment.context import Context
from muniment.errors import InsufficientScope, MunimentError, NotFound
from muniment.insight.health import examine
from muniment.model.managing import (
    CreateToken,
    EndProfile,
    EventSeen,
    ListHistory,
    ListTokens,
    Managed,
    RevokeToken,
    RotateToken,
    SetProfile,
    TokensAnswer,
    TokensRequest,
)
from tests.governance.forgetting import done
from tests.makers import DAY, Memory
from tests.stores import past

WORDS = "four plain wooden words"


@pytest.fixture(scope="module")
def held() -> str:
    return passphrases.hashed(WORDS)


@pytest.fixture
def three(memory: Memory) -> Memory:
    for slug in ("alpha", "beta"):
        memory.in_(slug)
    return memory


def do(context: Context, verb: Managed) -> TokensAnswer:
    return manage(context, TokensRequest(verb))


def bearer(memory: Memory, name: str, level: str = "owner", **more: Any) -> Context:
    """The context of whoever holds a new token of that name."""
    context = memory.context
    with context.system.write() as connection:
        new = tokens.NewToken(name, level, **more)
        secret = tokens.add(connection, new, uid=context.uid(), now=context.now())
        grant = tokens.find(connection, secret, context.now())
    assert grant is not None
    return replace(memory.app.context(grant), clock=memory.clock, entropy=memory.entropy)


def history(context: Context, **asked: Any) -> list[EventSeen]:
    """Oldest first."""
    return list(reversed(do(context, ListHistory("history", **asked)).events))


def kinds(context: Context, **asked: Any) -> list[str]:
    return [one.kind for one in history(context, **asked)]


def broken(memory: Memory) -> int | None:
    with memory.context.system.read() as connection:
        return events.broken(connection)


def test_the_life_of_a_token_is_told_with_what_was_given_and_by_whom(three: Memory) -> None:
    secret = do(three.context, CreateToken("create", "scout", "operator", read=("alpha",), write_mode="add_only", expires="1d"))
    (made,) = secret.tokens
    three.clock.move(1000)
    again = do(three.context, RotateToken("rotate", made.ref)).token
    do(three.context, RevokeToken("revoke", made.ref))
    first, second, third = history(three.context)
    assert (first.kind, first.target, first.name, first.principal, first.level) == (
        "token_made",
        made.ref,
        "scout",
        "scout",
        "operator",
    )
    assert first.given is not None
    assert (first.given.read, first.given.write, first.given.write_mode, first.given.zone) == (
        ("alpha",),
        ("alpha",),
        "add_only",
        "trusted",
    )
    assert first.expires_at == made.expires_at
    assert (second.kind, third.kind) == ("token_rotated", "token_ended")
    assert {one.by for one in (first, second, third)} == {"local"}
    assert {one.door for one in (first, second, third)} == {three.context.door}
    assert second.at > first.at
    told = repr((first, second, third))
    assert str(secret.token) not in told
    assert str(again) not in told


def test_the_token_that_acted_is_named(three: Memory) -> None:
    owner = bearer(three, "maren")
    ref = do(owner, ListTokens("list")).tokens[0].ref
    do(owner, CreateToken("create", "scout"))
    made = history(three.context)[-1]
    assert (made.by, made.via, made.door) == ("maren", ref, "bearer")
    assert history(owner)[-1].via == ref


def test_the_life_of_a_profile_is_told_and_what_ended_with_it(three: Memory, held: str) -> None:
    do(three.context, SetProfile("set_profile", "maren", "owner", read=("alpha", "beta"), secret_hash=held))
    do(three.context, SetProfile("set_profile", "maren", read=("alpha",)))
    do(three.context, SetProfile("set_profile", "maren", secret_hash=passphrases.hashed("four other wooden words")))
    do(three.context, SetProfile("set_profile", "maren", read=("alpha",)))  # nothing new
    ref = do(three.context, CreateToken("create", "desk", principal="maren")).tokens[0].ref
    do(three.context, EndProfile("end_profile", "maren"))
    found = history(three.context)
    assert [one.kind for one in found] == [
        "profile_made",
        "profile_changed",
        "passphrase_set",
        "token_made",
        "profile_ended",
        "token_ended",
    ]
    changed = found[1]
    assert changed.before is not None
    assert changed.given is not None
    assert (changed.before.read, changed.given.read) == (("alpha", "beta"), ("alpha",))
    assert (found[-1].target, found[-1].why, found[-1].by) == (ref, profiles.ENDED, "local")
    assert {one.principal for one in found} == {"maren"}
    assert held not in repr(found)


def test_what_became_of_a_way_in_is_told_and_never_the_subject(three: Memory, held: str) -> None:
    do(three.context, SetProfile("set_profile", "maren", "owner", subject="auth0|7"))
    do(three.context, SetProfile("set_profile", "maren", secret_hash=held))  # its limits stay: no change of the profile
    do(three.context, SetProfile("set_profile", "maren", subject="auth0|8"))
    do(three.context, SetProfile("set_profile", "maren", subject=""))
    do(three.context, SetProfile("set_profile", "maren", subject="auth0|7"))
    found = history(three.context)
    assert [(one.kind, one.told) for one in found] == [
        ("profile_made", ("subject: given",)),
        ("passphrase_set", ()),
        ("profile_changed", ("subject: changed",)),
        ("profile_changed", ("subject: taken off",)),
        ("profile_changed", ("subject: given",)),
    ]
    assert "auth0" not in repr(found)


def test_a_passphrase_that_the_settings_take_off_is_told_so(three: Memory, held: str) -> None:
    entry = '"level": "viewer", "subject": "auth0|7"'
    for text in (f'{{"kai": {{{entry}, "secret_hash": "{held}"}}}}', f'{{"kai": {{{entry}}}}}'):
        configured.settle(three.app.store, configured.read(text, ""), three.clock.now, read_only=False)
    last = history(three.context)[-1]
    assert (last.kind, last.told) == ("passphrase_set", ("passphrase: taken off",))


def test_a_profile_of_the_settings_is_theirs(three: Memory, held: str) -> None:
    text = f'{{"kai": {{"level": "viewer", "secret_hash": "{held}"}}}}'
    for wanted in (text, text, ""):
        configured.settle(three.app.store, configured.read(wanted, ""), three.clock.now, read_only=False)
    made, ended = history(three.context)
    assert [(one.kind, one.door, one.by, one.principal) for one in (made, ended)] == [
        ("profile_made", "settings", None, "kai"),
        ("profile_ended", "settings", None, "kai"),
    ]
    assert made.told == ("configured: yes",)


def test_what_fails_is_not_told(three: Memory) -> None:
    owner = bearer(three, "maren", read=["alpha"])
    before = kinds(three.context)
    for fault, verb in ((InsufficientScope, CreateToken("create", "x", "admin")), (NotFound, RevokeToken("revoke", "k_none"))):
        with pytest.raises(fault):
            do(owner, verb)
    assert kinds(three.context) == before

    # Not even of a transaction that was nearly done.
    def half() -> None:
        with three.context.system.write() as connection:
            tokens.add(connection, tokens.NewToken("y", "viewer"), uid=three.context.uid(), now=0)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert kinds(three.context) == before
    assert broken(three) is None


def test_an_owner_reads_what_it_could_manage_and_nobody_else_reads_anything(three: Memory, held: str) -> None:
    alpha, beta = bearer(three, "ann", read=["alpha"]), bearer(three, "ben", read=["beta"])
    do(alpha, CreateToken("create", "scout"))
    do(beta, CreateToken("create", "spy"))
    do(three.context, CreateToken("create", "root", "admin"))
    do(three.context, SetProfile("set_profile", "ina", "viewer", read=("alpha",), secret_hash=held))
    assert {one.principal for one in history(alpha)} == {"ann", "scout", "ina"}
    assert {one.principal for one in history(beta)} == {"ben", "spy"}
    assert {one.principal for one in history(three.context)} == {"ann", "ben", "scout", "spy", "root", "ina"}
    told = repr(history(alpha))
    for name in ("beta", "spy", "root"):
        assert name not in told
    # Reaching further by now, a profile is not there for who does not.
    do(three.context, SetProfile("set_profile", "ina", read=("alpha", "beta")))
    assert {one.principal for one in history(alpha)} == {"ann", "scout"}
    for level in ("viewer", "agent", "operator", "curator"):
        with pytest.raises(InsufficientScope):
            history(bearer(three, f"l-{level}", level))


def test_an_owner_does_not_see_by_which_token_somebody_acted_that_it_does_not_know(three: Memory) -> None:
    owner, admin = bearer(three, "ann", read=["alpha"]), bearer(three, "root", "admin")
    ref = do(owner, CreateToken("create", "scout")).tokens[0].ref
    do(admin, RevokeToken("revoke", ref))
    assert history(three.context)[-1].via is not None
    ended = history(owner)[-1]
    assert (ended.kind, ended.target, ended.via) == ("token_ended", ref, None)


def test_the_name_of_a_workspace_that_somebody_does_not_see_is_never_told(three: Memory) -> None:
    do(three.context, CreateToken("create", "scout", "viewer", read=("alpha", "beta"), default_workspace="beta"))
    with past(three.app.store) as execute:
        execute("UPDATE workspace SET data_class = 'restricted' WHERE slug = 'beta'")
    owner = bearer(three, "ann", classes=["public", "internal"])
    (made,) = (one for one in history(owner) if one.name == "scout")
    assert made.given is not None
    assert made.given.read == ("alpha",)
    assert "beta" not in repr(history(owner)) + repr(do(owner, ListTokens("list")))
    assert "beta" in repr(history(three.context))


def test_history_is_paged_and_filtered(three: Memory) -> None:
    for name in ("a", "b", "c", "d", "e"):
        do(three.context, CreateToken("create", name))
        three.clock.move(DAY)
    seen, before = [], None
    while True:
        answer = do(three.context, ListHistory("history", before=before, limit=2))
        seen += [one.name for one in answer.events]
        before = answer.more
        if before is None:
            break
    assert seen == ["e", "d", "c", "b", "a"]
    third = history(three.context)[2].at
    assert [one.name for one in history(three.context, since=third)] == ["c", "d", "e"]
    assert [one.name for one in history(three.context, principal="b")] == ["b"]
    assert len(history(three.context, principal="local")) == 5
    assert history(three.context, principal="nobody at all") == []


def test_reading_it_is_no_change(three: Memory) -> None:
    only = replace(three.context, read_only=True)
    do(three.context, CreateToken("create", "a"))
    assert kinds(only) == ["token_made"]


# --- logins -------------------------------------------------------------------------------------------------------


def fail(memory: Memory, name: str, times: int) -> int:
    return max(attempts.reserve(memory.app.store, name, "192.0.2.1", memory.clock.now) for _ in range(times))


def test_a_login_that_has_to_wait_is_told_once(three: Memory, held: str) -> None:
    with three.context.system.write() as connection:
        profiles.keep(connection, NewProfile("maren", "owner", held), three.clock.now)
    fail(three, "maren", FREE_OF_NAME)
    assert kinds(three.context) == ["profile_made"]
    assert fail(three, "maren", 5) > 0
    blocked = history(three.context)[-1]
    assert (blocked.kind, blocked.door, blocked.principal, blocked.by) == ("login_blocked", "login", "maren", None)
    assert kinds(three.context) == ["profile_made", "login_blocked"]
    # After a login that is right it begins anew.
    attempts.succeeded(three.app.store, "maren", "192.0.2.1", three.clock.now)
    fail(three, "maren", FREE_OF_NAME + 2)
    assert kinds(three.context).count("login_blocked") == 2


def test_what_was_typed_as_a_name_that_is_none_is_not_kept(three: Memory) -> None:
    fail(three, WORDS, FREE_OF_NAME + 3)
    (blocked,) = history(three.context)
    assert (blocked.kind, blocked.principal, blocked.name) == ("login_blocked", None, None)
    assert WORDS not in repr(blocked)


def test_strangers_do_not_fill_the_log(three: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "STRANGERS_A_DAY_MAX", 3)
    for number in range(5):
        fail(three, f"name {number}", FREE_OF_NAME + 1)
    assert kinds(three.context) == ["login_blocked"] * 3
    three.clock.move(DAY + 1)
    fail(three, "another", FREE_OF_NAME + 1)
    assert kinds(three.context) == ["login_blocked"] * 4


# --- the chain ----------------------------------------------------------------------------------------------------


@pytest.fixture
def several(three: Memory) -> Memory:
    for name in ("a", "b", "c"):
        do(three.context, CreateToken("create", name))
    assert broken(three) is None
    return three


@pytest.mark.parametrize(
    ("damage", "where"),
    [
        ("UPDATE access_event SET detail = '{}' WHERE seq = 2", 2),
        ("UPDATE access_event SET name = 'x' WHERE seq = 2", 2),
        ("UPDATE access_event SET name = NULL, salt = NULL WHERE seq = 2", 2),
        ("UPDATE access_event SET principal = NULL WHERE seq = 1", 1),
        ("DELETE FROM access_event WHERE seq = 2", 2),
        ("DELETE FROM access_event WHERE seq = 3", 3),
        ("DELETE FROM access_event", 1),
    ],
)
def test_doctor_sees_what_was_changed_past_muniment(several: Memory, damage: str, where: int) -> None:
    file = several.app.store.path is not None
    with past(several.app.store) as execute:
        for trigger in ("access_event_kept", "access_event_fixed") if file else ():
            execute(f"DROP TRIGGER {trigger}")
        if file:
            execute(damage)
        else:
            execute(f"ALTER TABLE access_event DISABLE TRIGGER USER; {damage}; ALTER TABLE access_event ENABLE TRIGGER USER")
    assert broken(several) == where
    (told,) = (one for one in examine(several.context).findings if "access log" in one.what)
    assert (told.level, told.what) == ("fail", f"The access log is broken at event {where}.")


def test_doctor_says_that_it_holds(several: Memory) -> None:
    assert [one.level for one in examine(several.context).findings if "access log" in one.what] == ["ok"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE access_event SET detail = '{}'",
        "UPDATE access_event SET at = 0",
        "UPDATE access_event SET name = 'x'",
        "UPDATE access_event SET name = NULL, salt = NULL, hash = ''",
    ],
)
def test_the_store_itself_refuses_to_change_an_event(several: Memory, change: str) -> None:
    def try_it() -> None:
        with past(several.app.store) as execute:
            execute(change)

    with pytest.raises(MunimentError):
        try_it()
    assert broken(several) is None


def test_a_file_refuses_to_lose_an_event_or_to_take_one_out_of_its_turn(tmp_path: Any) -> None:
    from muniment.store import migrate
    from muniment.store.sqlite import SqliteStore

    store = SqliteStore(tmp_path / "m.db", create=True)
    migrate.apply(store, 0)
    row = "INSERT INTO access_event VALUES ({}, 0, 'k', 'd', NULL, NULL, NULL, NULL, '{{}}', NULL, NULL, NULL, '', '')"
    with store.ddl() as execute:
        execute(row.format(1))
    for statement in (row.format(3), "DELETE FROM access_event", "INSERT OR REPLACE" + row.format(1).removeprefix("INSERT")):
        with pytest.raises(MunimentError), store.ddl() as execute:
            execute(statement)
    store.close()


def test_a_principal_that_is_forgotten_leaves_the_chain_whole_and_no_name(three: Memory) -> None:
    with three.context.system.write() as connection:
        held = passphrases.hashed(WORDS)
        profiles.keep(connection, NewProfile("Quillfeather", "owner", held), three.clock.now)
    bearer(three, "Quilllabel", "viewer", principal="Quillfeather")
    bearer(three, "other")
    done(three, principal="Quillfeather")
    found = history(three.context)
    assert "Quill" not in repr(found)
    assert [one.kind for one in found][-2:] == ["token_ended", "principal_forgotten"]
    assert found[-1].principal == found[0].principal
    assert str(found[-1].principal).startswith("forgotten-")
    assert [one.name for one in found if one.kind == "token_made"] == [None, "other"]
    assert broken(three) is None
    with three.app.store.read() as connection:
        rows = connection.all("access_events", {"after": 0, "limit": 100})
        assert principals.number(connection, "Quillfeather") is None
    assert "Quill" not in repr(rows)


def test_what_many_do_at_once_is_one_chain(three: Memory) -> None:
    def make(number: int) -> None:
        with three.app.store.write() as connection:
            for more in range(3):
                new = tokens.NewToken(f"t{number}-{more}", "viewer")
                tokens.add(connection, new, uid=three.context.uid(), now=three.clock.now)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(make, range(12)))
    assert len(history(three.context)) == 36
    assert broken(three) is None
