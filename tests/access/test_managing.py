"""Managing tokens, grants and profiles over a real store: an owner gives and sees what it has itself, and nothing beyond."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from muniment.access import passphrases, profiles, tokens, walls
from muniment.access.managing import manage
from muniment.access.oauth import grants
from muniment.context import Context
from muniment.errors import InsufficientScope, InvalidInput, NotFound
from muniment.model.access import DATA_CLASSES, LEVEL_SCOPES
from muniment.model.managing import (
    CreateToken,
    EndProfile,
    ListGrants,
    ListProfiles,
    ListTokens,
    Managed,
    RevokeGrant,
    RevokeToken,
    RotateToken,
    SetProfile,
    TokensAnswer,
    TokensRequest,
)
from muniment.model.workspaces import SetWorkspace
from tests.governance.placing import manages
from tests.makers import DAY, Memory
from tests.places import ROOT


@pytest.fixture
def three(memory: Memory) -> Memory:
    for slug in ("alpha", "beta"):
        memory.in_(slug)
    return memory


@pytest.fixture(scope="module")
def held() -> str:
    return passphrases.hashed("four plain wooden words")


def do(context: Context, verb: Managed) -> TokensAnswer:
    return manage(context, TokensRequest(verb))


def create(context: Context, name: str, **more: Any) -> TokensAnswer:
    return do(context, CreateToken("create", name, **more))


def bearer(memory: Memory, name: str, level: str = "owner", **more: Any) -> Context:
    """The context of whoever holds a new token of that name, behind the walls that it has."""
    context = memory.context
    with context.system.write() as connection:
        new = tokens.NewToken(name, level, **more)
        secret = tokens.add(connection, new, uid=context.uid(), now=context.now())
    return acting(memory, secret)


def acting(memory: Memory, secret: str) -> Context:
    context = memory.context
    with context.system.read() as connection:
        grant = tokens.find(connection, secret, context.now())
    assert grant is not None
    made = memory.app.context(grant)
    return replace(made, clock=memory.clock, entropy=memory.entropy)


def seen(context: Context) -> list[str]:
    return [one.name for one in do(context, ListTokens("list")).tokens]


def refused(memory: Memory, secret: str) -> bool:
    with memory.context.system.read() as connection:
        return tokens.find(connection, secret, memory.context.now()) is None


def test_a_token_that_was_made_works_and_is_listed_without_its_secret(three: Memory) -> None:
    made = create(three.context, "scout", level="operator", read=("alpha",), expires="30d", write_mode="add_only")
    assert made.token
    (one,) = made.tokens
    assert (one.name, one.principal, one.read, one.write, one.valid) == ("scout", "scout", ("alpha",), ("alpha",), True)
    assert (one.data_classes, one.write_mode, one.zone) == (("internal", "public"), "add_only", "trusted")
    grant = acting(three, made.token).grant
    assert (grant.read, grant.write_mode) == ({"alpha"}, "add_only")
    assert made.token not in repr(do(three.context, ListTokens("list", all=True)))


def test_a_token_sees_the_classes_of_its_level_unless_it_says_so(three: Memory) -> None:
    for level in LEVEL_SCOPES:
        (one,) = create(three.context, level, level=level).tokens
        assert set(one.data_classes) == (DATA_CLASSES if level in ("owner", "admin") else {"public", "internal"})
    assert create(three.context, "x", data_classes=("public", "restricted")).tokens[0].data_classes == ("public", "restricted")


def test_in_prod_no_two_tokens_that_work_have_one_name(three: Memory) -> None:
    prod = replace(three.context, ring="prod")
    first = create(prod, "scout").tokens[0].ref
    with pytest.raises(InvalidInput, match="'scout' is taken"):
        create(prod, "scout")
    do(prod, RevokeToken("revoke", first))
    create(prod, "scout")
    create(three.context, "scout")


def test_only_who_shares_or_administers_manages(three: Memory) -> None:
    for level, scopes in LEVEL_SCOPES.items():
        context = bearer(three, level, level)
        if scopes & {"share", "admin"}:
            do(context, ListTokens("list"))
        else:
            with pytest.raises(InsufficientScope):
                do(context, ListTokens("list"))


def test_an_owner_gives_its_own_limits_where_nothing_is_said(three: Memory) -> None:
    owner = bearer(three, "maren", read=["alpha", "beta"], write=["alpha"], zone="shared", classes=["internal"])
    (made,) = create(owner, "scout").tokens
    assert (made.read, made.write) == (("alpha", "beta"), ("alpha",))
    assert (made.zone, made.data_classes) == ("shared", ("internal",))
    assert made.expires_at


@pytest.mark.parametrize(
    "beyond",
    [
        {"level": "admin"},
        {"read": ("beta",)},
        {"read": ("*",)},
        {"read": ("alpha",), "write": ("alpha", "beta")},
        {"read": ("*",), "write": ("*",)},
        {"data_classes": ("internal", "restricted")},
        {"zone": "trusted"},
        {"expires": "80d"},
    ],
)
def test_nobody_gives_what_it_has_not(three: Memory, beyond: dict[str, Any]) -> None:
    ends = three.context.now() + 60 * DAY
    limits: dict[str, Any] = {"zone": "shared", "classes": ["internal"], "expires_at": ends}
    owner = bearer(three, "maren", read=["alpha"], **limits)
    with pytest.raises(InsufficientScope):
        create(owner, "scout", **beyond)
    assert seen(three.context) == ["maren"]


def test_what_is_not_trusted_ends_by_itself_also_while_the_clock_goes_on(three: Memory) -> None:
    times = iter(range(three.context.now(), three.context.now() + 1000))
    going = replace(three.context, clock=lambda: next(times))
    assert create(going, "visitor", zone="untrusted").tokens[0].expires_at
    assert create(going, "guest", zone="shared", expires="90d").tokens[0].expires_at


def test_a_token_does_not_outlast_the_one_that_made_it(three: Memory) -> None:
    owner = bearer(three, "maren", expires_at=three.context.now() + DAY)
    secret = create(owner, "scout").token
    assert secret
    assert not refused(three, secret)
    three.clock.move(DAY)
    assert refused(three, secret)


def test_an_owner_sees_and_ends_only_what_lies_within_its_own(three: Memory) -> None:
    mine = create(three.context, "mine", read=("alpha",))
    others = [
        create(three.context, "theirs", read=("beta",)),
        create(three.context, "both", read=("alpha", "beta")),
        create(three.context, "everywhere"),
        create(three.context, "chief", level="admin", read=("alpha",)),
    ]
    owner = bearer(three, "maren", read=["alpha"])
    assert seen(owner) == ["mine", "maren"]
    missing = "k_" + "0" * 26
    for verb in (RevokeToken, RotateToken):
        name = "revoke" if verb is RevokeToken else "rotate"
        with pytest.raises(NotFound) as absent:
            do(owner, verb(name, missing))  # type: ignore[arg-type]
        for one in others:
            with pytest.raises(NotFound) as foreign:
                do(owner, verb(name, one.tokens[0].ref))  # type: ignore[arg-type]
            assert str(foreign.value) == str(absent.value).replace(missing, one.tokens[0].ref)
    do(owner, RevokeToken("revoke", mine.tokens[0].ref))
    assert mine.token
    assert refused(three, mine.token)
    assert not any(refused(three, one.token or "") for one in others)


def test_a_rotated_token_has_another_secret_and_the_same_rights(three: Memory) -> None:
    made = create(three.context, "scout", read=("alpha",))
    again = do(three.context, RotateToken("rotate", made.tokens[0].ref))
    assert made.token
    assert again.token
    assert refused(three, made.token)
    assert acting(three, again.token).grant.read == {"alpha"}
    do(three.context, RevokeToken("revoke", made.tokens[0].ref))
    with pytest.raises(NotFound):
        do(three.context, RotateToken("rotate", made.tokens[0].ref))


def test_nobody_is_made_to_act_as_somebody_else(three: Memory, held: str) -> None:
    create(three.context, "kai", level="owner", read=("alpha",))
    create(three.context, "wide", read=("alpha", "beta"))
    create(three.context, "scout", read=("alpha",))
    do(three.context, SetProfile("set_profile", "ines", "owner", read=("alpha",), secret_hash=held))
    owner = bearer(three, "maren", read=["alpha"])
    for name in ("local", "kai", "wide", "ines"):
        with pytest.raises(InsufficientScope, match="act as"):
            create(owner, "x", principal=name)
        with pytest.raises((InsufficientScope, InvalidInput)):
            do(owner, SetProfile("set_profile", name, "viewer", read=("alpha",), secret_hash=held))
    for name in ("maren", "scout", "somebody new"):
        assert create(owner, "x", principal=name).tokens[0].principal == name


def test_a_name_that_a_manager_does_not_see_is_in_no_answer(three: Memory, held: str) -> None:
    """Its own walls name the workspace, which was made restricted later; so do a profile, a grant and a token within them."""
    both = ("alpha", "beta")
    owner = bearer(three, "maren", read=both, default_workspace="beta", classes=("public", "internal"))
    do(owner, SetProfile("set_profile", "ines", "agent", read=both, secret_hash=held))
    create(owner, "scout", read=both, default_workspace="beta")
    with three.context.system.read() as connection:
        number = walls.numbers(connection, both)
    wall = walls.held(frozenset(both), number)
    granted(three, "ines", read=wall, write=wall, current=number["beta"])
    everything = (ListTokens("list"), ListGrants("grants"), ListProfiles("profiles"))
    assert all("beta" in str(do(owner, verb)) for verb in everything)
    manages(three, SetWorkspace("set", "beta", data_class="restricted"))
    for verb in (*everything, CreateToken("create", "mate"), SetProfile("set_profile", "ines", zone="shared")):
        answer = do(owner, verb)
        assert "beta" not in str(answer), verb
        assert "alpha" in str(answer)
    assert all("beta" in str(do(three.context, verb)) for verb in everything), "the owner of this machine sees everything"


def test_a_refusal_does_not_name_what_the_own_profile_reaches_besides(three: Memory, held: str) -> None:
    do(three.context, SetProfile("set_profile", "maren", "owner", read=("alpha", "beta"), secret_hash=held))
    owner = bearer(three, "laptop", principal="maren", read=["alpha"])
    with pytest.raises(InsufficientScope, match="other workspaces") as refused_:
        do(owner, SetProfile("set_profile", "maren", zone="shared"))
    assert "beta" not in str(refused_.value) + str(refused_.value.do_next)


def test_a_client_sets_nobodys_passphrase(three: Memory, held: str) -> None:
    """It would outlive the grant that let the client in."""
    owner = bearer(three, "maren", read=["alpha"])
    client = replace(owner, grant=replace(owner.grant, oauth=1))
    for name in ("maren", "somebody new"):
        with pytest.raises(InsufficientScope, match="find its way back"):
            do(client, SetProfile("set_profile", name, "viewer", read=("alpha",), secret_hash=held))


def test_a_walled_admin_takes_nobodys_place_either(three: Memory, held: str) -> None:
    do(three.context, SetProfile("set_profile", "ines", "admin", secret_hash=held))
    admin = bearer(three, "deputy", "admin", read=["alpha"])
    with pytest.raises(InsufficientScope, match="act as"):
        do(admin, SetProfile("set_profile", "ines", "admin", read=("alpha",), secret_hash=held))
    with pytest.raises(InsufficientScope, match="act as"):
        create(admin, "x", principal="local")
    with pytest.raises(NotFound):
        do(admin, EndProfile("end_profile", "ines"))


def test_a_profile_is_set_changed_and_ended(three: Memory, held: str) -> None:
    with pytest.raises(InvalidInput, match="secret_hash"):
        do(three.context, SetProfile("set_profile", "ines", "owner"))
    do(three.context, SetProfile("set_profile", "ines", "owner", read=("alpha",), secret_hash=held))
    assert profiles.login(three.context.system, "ines", "four plain wooden words", three.context.now())
    (one,) = do(three.context, SetProfile("set_profile", "ines", "agent", write_mode="propose")).profiles
    assert (one.level, one.read, one.write_mode, one.data_classes) == ("agent", ("alpha",), "propose", ("internal", "public"))
    secret = create(three.context, "laptop", level="admin", principal="ines").token
    assert secret
    assert acting(three, secret).grant.scopes == LEVEL_SCOPES["agent"]
    do(three.context, EndProfile("end_profile", "ines"))
    assert refused(three, secret)
    assert do(three.context, ListProfiles("profiles")).profiles == ()
    assert [one.valid for one in do(three.context, ListProfiles("profiles", all=True)).profiles] == [False]


def test_an_owner_sees_the_profiles_within_its_own(three: Memory, held: str) -> None:
    for name, level, read in (("ines", "agent", ("alpha",)), ("kai", "agent", ("beta",)), ("chief", "admin", ("alpha",))):
        do(three.context, SetProfile("set_profile", name, level, read=read, secret_hash=held))  # type: ignore[arg-type]
    owner = bearer(three, "maren", read=["alpha"])
    assert [one.name for one in do(owner, ListProfiles("profiles")).profiles] == ["ines"]
    for name in ("kai", "chief", "nobody"):
        with pytest.raises(NotFound, match="no profile"):
            do(owner, EndProfile("end_profile", name))
    do(owner, SetProfile("set_profile", "ines", "viewer"))
    do(owner, EndProfile("end_profile", "ines"))


def test_a_server_that_only_reads_lists_and_changes_nothing(three: Memory, held: str) -> None:
    made = create(three.context, "scout")
    still = replace(three.context, read_only=True)
    assert seen(still) == ["scout"]
    for verb in (
        CreateToken("create", "x"),
        RevokeToken("revoke", made.tokens[0].ref),
        RotateToken("rotate", made.tokens[0].ref),
        SetProfile("set_profile", "ines", "owner", secret_hash=held),
        EndProfile("end_profile", "ines"),
    ):
        with pytest.raises(InsufficientScope, match="only reads"):
            do(still, verb)


def granted(memory: Memory, name: str, **limits: Any) -> tuple[str, str]:
    """A grant of a profile to a client, and an access token of it: the ref of one and the secret of the other."""
    context, now = memory.context, memory.context.now()
    with context.system.write() as connection:
        profile = profiles.named(connection, name)
        uid = context.uid()
        values = {"uid": f"client-{uid}", "kind": "registered", "name": "Chat", "redirects": "[]", "auth_method": "none"}
        values |= {
            "secret_hash": None,
            "fingerprint": None,
            "checked_at": None,
            "expires_at": None,
            "now": now,
            "metadata": "{}",
        }
        connection.run("oauth_client_add", values)
        client = connection.one("oauth_client_by_uid", {"uid": f"client-{uid}"})
        assert client is not None
        given: dict[str, Any] = {"scopes": "read", "read": None, "write": None, "current": None, "classes": "public internal"}
        given |= limits
        given |= {"client": client[0], "principal": profile.principal, "audience": "https://memory.example/mcp", "uid": uid}
        connection.run("oauth_grant_add", given | {"browser": "b", "redirect": "https://chat.example/", "now": now})
        row = connection.one("oauth_grant_id", {"uid": uid})
        assert row is not None
        connection.one("oauth_grant_hold", {"id": row[0], "now": now})
        secret, key = tokens.mint()
        told = {
            "uid": context.uid(),
            "principal": profile.principal,
            "hash": key,
            "label": "Chat",
            "now": now,
            "expires_at": now + DAY,
        }
        told |= {"default_workspace": None, "zone": "trusted", "mode": "direct", "grant": row[0], "audience": given["audience"]}
        connection.run("oauth_token_add", told | {name: given[name] for name in ("scopes", "read", "write", "classes")})
    return f"o_{uid}", secret


def test_a_grant_is_seen_and_ended_by_who_manages_its_reach(three: Memory, held: str) -> None:
    for name, read in (("ines", ("alpha",)), ("kai", ("beta",))):
        do(three.context, SetProfile("set_profile", name, "agent", read=read, secret_hash=held))
    (own, secret), (other, theirs) = granted(three, "ines"), granted(three, "kai")
    # It is as wide as its profile, whatever it says itself.
    assert acting(three, secret).grant.read == {"alpha"}
    assert [one.ref for one in do(three.context, ListGrants("grants")).grants] == [own, other]
    owner = bearer(three, "maren", read=["alpha"])
    (seen_,) = do(owner, ListGrants("grants")).grants
    assert (seen_.ref, seen_.client, seen_.principal, seen_.valid) == (own, "Chat", "ines", True)
    for ref in (other, "o_" + "0" * 26):
        with pytest.raises(NotFound):
            do(owner, RevokeGrant("revoke_grant", ref))
    do(owner, RevokeGrant("revoke_grant", own))
    assert refused(three, secret)
    assert not refused(three, theirs)
    assert do(owner, ListGrants("grants")).grants == ()
    assert [one.valid for one in do(owner, ListGrants("grants", all=True)).grants] == [False]
    with pytest.raises(NotFound):
        do(owner, RevokeGrant("revoke_grant", own))


def test_a_grant_says_whether_its_owner_or_somebody_else_revoked_it(three: Memory, held: str) -> None:
    do(three.context, SetProfile("set_profile", "ines", "owner", secret_hash=held))
    _, secret = granted(three, "ines", scopes="read share")
    (ref, _), (other, _) = granted(three, "ines"), granted(three, "ines")
    do(acting(three, secret), RevokeGrant("revoke_grant", ref))
    do(three.context, RevokeGrant("revoke_grant", other))
    with three.context.system.read() as connection:
        why = {one.ref: one.revoked_why for one in grants.listing(connection)}
    assert (why[ref], why[other]) == (grants.BY_OWNER, grants.BY_MANAGER)


def test_tokens_of_clients_stand_with_their_grants_and_not_among_the_others(three: Memory, held: str) -> None:
    do(three.context, SetProfile("set_profile", "ines", "agent", secret_hash=held))
    _, secret = granted(three, "ines")
    assert seen(three.context) == []
    do(three.context, EndProfile("end_profile", "ines"))
    assert refused(three, secret)


def test_a_profile_that_is_moved_writes_where_it_reads_and_no_further_than_who_moves_it(three: Memory, held: str) -> None:
    do(three.context, SetProfile("set_profile", "ines", "agent", read=("alpha",), secret_hash=held))
    owner = bearer(three, "maren", read=["alpha", "beta"], write=["alpha"])
    (wider,) = do(owner, SetProfile("set_profile", "ines", read=("alpha", "beta"))).profiles
    assert (wider.read, wider.write) == (("alpha", "beta"), ("alpha",))
    (moved,) = do(three.context, SetProfile("set_profile", "ines", read=("beta",))).profiles
    assert (moved.read, moved.write) == (("beta",), ())


def client(memory: Memory, held: str, name: str = "ines") -> tuple[str, Context]:
    """What a person of her own profile let a client do, managing too: the ref of the grant, and who calls by it."""
    do(memory.context, SetProfile("set_profile", name, "owner", secret_hash=held))
    ref, secret = granted(memory, name, scopes=" ".join(sorted(LEVEL_SCOPES["owner"])))
    return ref, acting(memory, secret)


def made_by(maker: Context, name: str, **more: Any) -> str:
    secret = create(maker, name, **more).token
    assert secret is not None
    return secret


def test_what_a_client_made_ends_with_its_grant(three: Memory, held: str) -> None:
    ref, chat = client(three, held)
    direct = made_by(chat, "scout", level="owner")
    indirect = made_by(acting(three, direct), "helper")
    own = made_by(three.context, "maren")
    do(three.context, RevokeGrant("revoke_grant", ref))
    assert refused(three, direct)
    assert refused(three, indirect)
    assert not refused(three, own)
    assert seen(three.context) == ["maren"]


def test_a_client_that_was_let_in_just_before_makes_nothing_that_lasts(three: Memory, held: str) -> None:
    ref, chat = client(three, held)
    do(three.context, RevokeGrant("revoke_grant", ref))
    assert refused(three, made_by(chat, "late"))


@pytest.mark.parametrize("through", ["client", "token"])
def test_what_a_profile_made_ends_with_it_and_does_not_come_back_with_it(three: Memory, held: str, through: str) -> None:
    _, maker = client(three, held)
    if through == "token":
        maker = acting(three, made_by(three.context, "desk", level="owner", principal="ines"))
    direct = made_by(maker, "scout", level="owner")
    indirect = made_by(acting(three, direct), "helper")
    do(three.context, EndProfile("end_profile", "ines"))
    for secret in (direct, indirect):
        assert refused(three, secret)
    assert seen(three.context) == []
    do(three.context, SetProfile("set_profile", "ines", "owner", secret_hash=held))
    assert refused(three, direct)


def test_another_secret_ends_with_the_grant_too(three: Memory, held: str) -> None:
    ref, chat = client(three, held)
    made = create(chat, "scout").tokens[0].ref
    before = create(three.context, "clerk").tokens[0].ref
    rotated = [do(three.context, RotateToken("rotate", made)).token, do(chat, RotateToken("rotate", before)).token]
    do(three.context, RevokeGrant("revoke_grant", ref))
    assert [refused(three, secret or "") for secret in rotated] == [True, True]


def test_a_grant_that_made_a_token_stays_to_be_revoked(three: Memory, held: str) -> None:
    ref, chat = client(three, held)
    secret = made_by(chat, "scout")
    with three.context.system.write() as connection:
        after = {"codes_before": three.context.now(), "revoked_before": three.context.now(), "now": three.context.now()}
        connection.run("oauth_grants_sweep", after)
    assert not refused(three, secret)
    do(three.context, RevokeGrant("revoke_grant", ref))
    assert refused(three, secret)


def test_nothing_else_goes_around_the_walls_of_its_caller() -> None:
    package = ROOT / "src" / "muniment"
    around = {
        path.relative_to(package).as_posix() for path in package.rglob("*.py") if "context.system" in path.read_text("utf-8")
    }
    assert around == {"access/managing.py"}
