-- Facts that change: versions of everything, links, claims, conflicts, proposals, and effects that can be taken back.
-- Numbers of links, claims, aliases, blocks, conflicts, notices, candidates and proposals come from one counter of the workspace.

ALTER TABLE workspace ADD COLUMN numbers BIGINT NOT NULL DEFAULT 0;
-- How often something of it was forgotten: what a process holds of its index is read anew then.
ALTER TABLE workspace ADD COLUMN forgettings BIGINT NOT NULL DEFAULT 0;
ALTER TABLE workspace ADD COLUMN auto_accept_clean BIGINT NOT NULL DEFAULT 0 CHECK (auto_accept_clean IN (0, 1));
ALTER TABLE workspace ADD COLUMN compiled_at BIGINT;
ALTER TABLE token ADD COLUMN trust_zone TEXT COLLATE "C" NOT NULL DEFAULT 'trusted' CHECK (trust_zone IN ('trusted', 'shared', 'untrusted'));

ALTER TABLE record ADD COLUMN protection TEXT COLLATE "C" NOT NULL DEFAULT 'normal' CHECK (protection IN ('normal', 'protected', 'locked'));
ALTER TABLE record ADD COLUMN versions BIGINT NOT NULL DEFAULT 1;
ALTER TABLE record ADD COLUMN valid_from BIGINT;
ALTER TABLE record ADD COLUMN valid_to BIGINT;
ALTER TABLE record ADD COLUMN retired_at BIGINT;
ALTER TABLE record ADD COLUMN superseded_by BIGINT;
ALTER TABLE record ADD COLUMN supersede_why TEXT COLLATE "C" CHECK (supersede_why IN ('change', 'correction'));

-- What was said before may be said again once its record was changed: writers look under the lock of the workspace.
DROP INDEX record_fingerprint;
CREATE INDEX record_fingerprint ON record (workspace, fingerprint);
-- The records whose standing is not the usual one: few, and asked for at every recall.
CREATE INDEX record_standing ON record (workspace, id)
    WHERE state <> 'active' OR valid_from IS NOT NULL OR valid_to IS NOT NULL OR versions > 1;

-- What a briefing tells first, and what it tells only the refs of.
CREATE INDEX record_settled ON record (workspace) WHERE protection <> 'normal' OR source_type = 'user_confirmed';
CREATE INDEX record_doubted ON record (workspace) WHERE taint > 1 AND kind NOT IN ('turn', 'document');

ALTER TABLE record_version DROP COLUMN content_hash;
-- From its first change on, every version of a record is here, the current one too.
ALTER TABLE record_version ADD COLUMN tier TEXT COLLATE "C";
ALTER TABLE record_version ADD COLUMN event_at BIGINT;
ALTER TABLE record_version ADD COLUMN event_zone BIGINT;
ALTER TABLE record_version ADD COLUMN source_type TEXT COLLATE "C";
ALTER TABLE record_version ADD COLUMN source_ref TEXT COLLATE "C";
ALTER TABLE record_version ADD COLUMN trust DOUBLE PRECISION;
ALTER TABLE record_version ADD COLUMN taint BIGINT;
ALTER TABLE record_version ADD COLUMN client TEXT COLLATE "C";
ALTER TABLE record_version ADD COLUMN fingerprint TEXT COLLATE "C";

-- The salt makes hashes of short texts unguessable; it dies with `forget`, and the chain does not cover it.
ALTER TABLE action ADD COLUMN salt TEXT COLLATE "C";
ALTER TABLE action ADD COLUMN run TEXT COLLATE "C";
ALTER TABLE action ADD COLUMN undone_by BIGINT;
CREATE INDEX action_run ON action (workspace, run) WHERE run IS NOT NULL;
CREATE INDEX action_uid ON action (uid);
CREATE INDEX action_by ON action (principal, at);

-- What an action set, field by field. The value of a field is that of its last effect whose action is not undone, or
-- `before` of its first.
CREATE TABLE effect (
    workspace BIGINT NOT NULL,
    action BIGINT NOT NULL,
    number BIGINT NOT NULL,
    sort TEXT COLLATE "C" NOT NULL CHECK (sort IN ('record', 'link', 'alias', 'block', 'entity', 'claim', 'workspace')),
    target BIGINT NOT NULL,
    field TEXT COLLATE "C" NOT NULL,
    before TEXT COLLATE "C" NOT NULL,
    after TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace, action, number),
    FOREIGN KEY (workspace, action) REFERENCES action (workspace, seq)
);
CREATE INDEX effect_target ON effect (workspace, sort, target, field, action);

CREATE TABLE link (
    workspace BIGINT NOT NULL,
    id BIGINT NOT NULL,
    src BIGINT NOT NULL,
    src_version BIGINT NOT NULL,
    dst BIGINT NOT NULL,
    dst_version BIGINT NOT NULL,
    relation TEXT COLLATE "C" NOT NULL CHECK (relation IN ('supports', 'contradicts', 'supersedes', 'evolved_into', 'depends_on',
        'related_to', 'derived_from', 'covers')),
    confidence DOUBLE PRECISION NOT NULL,
    rationale TEXT COLLATE "C",
    method TEXT COLLATE "C" NOT NULL CHECK (method IN ('rule', 'model', 'agent')),
    recorded_at BIGINT NOT NULL,
    live BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, src, dst, relation),
    FOREIGN KEY (workspace, src) REFERENCES record (workspace, id),
    FOREIGN KEY (workspace, dst) REFERENCES record (workspace, id),
    CHECK (src <> dst)
);
CREATE INDEX link_dst ON link (workspace, dst);

ALTER TABLE entity ADD COLUMN type TEXT COLLATE "C" NOT NULL DEFAULT 'other'
    CHECK (type IN ('person', 'project', 'tool', 'decision', 'org', 'place', 'other'));
ALTER TABLE entity ADD COLUMN merged_into BIGINT;
CREATE INDEX entity_merged ON entity (workspace, merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE alias (
    workspace BIGINT NOT NULL,
    id BIGINT NOT NULL,
    entity BIGINT NOT NULL,
    norm TEXT COLLATE "C" NOT NULL,
    surface TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL CHECK (method IN ('rule', 'model', 'agent')),
    live BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, norm, entity),
    FOREIGN KEY (workspace, entity) REFERENCES entity (workspace, id)
);
CREATE INDEX alias_entity ON alias (workspace, entity);

CREATE TABLE entity_block (
    workspace BIGINT NOT NULL,
    id BIGINT NOT NULL,
    norm TEXT COLLATE "C" NOT NULL,
    live BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, norm)
);

-- A claim stands as long as a version that it quotes is current; its own interval is cut by that of its record. `attribute` is
-- the slot, in which spellings of one property meet; `said` is how this claim words it.
CREATE TABLE claim (
    workspace BIGINT NOT NULL,
    id BIGINT NOT NULL,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    subject BIGINT NOT NULL,
    attribute TEXT COLLATE "C" NOT NULL,
    said TEXT COLLATE "C" NOT NULL DEFAULT '',
    object BIGINT,
    value TEXT COLLATE "C" NOT NULL,
    value_norm TEXT COLLATE "C" NOT NULL,
    qualifier TEXT COLLATE "C" NOT NULL DEFAULT '',
    polarity BIGINT NOT NULL CHECK (polarity IN (-1, 1)),
    many BIGINT NOT NULL DEFAULT 0 CHECK (many IN (0, 1)),
    causal BIGINT NOT NULL DEFAULT 0 CHECK (causal IN (0, 1)),
    valid_from BIGINT,
    valid_to BIGINT,
    recorded_at BIGINT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    method TEXT COLLATE "C" NOT NULL CHECK (method IN ('rule', 'model', 'agent')),
    detector BIGINT NOT NULL,
    live BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, subject) REFERENCES entity (workspace, id),
    CHECK (valid_to IS NULL OR valid_from IS NULL OR valid_from < valid_to)
);
CREATE INDEX claim_slot ON claim (workspace, subject, attribute, qualifier, value_norm);
CREATE INDEX claim_object ON claim (workspace, object) WHERE object IS NOT NULL;

CREATE TABLE claim_evidence (
    workspace BIGINT NOT NULL,
    claim BIGINT NOT NULL,
    record BIGINT NOT NULL,
    version BIGINT NOT NULL,
    starts BIGINT NOT NULL,
    ends BIGINT NOT NULL,
    quote TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace, claim, record, version, starts),
    FOREIGN KEY (workspace, claim) REFERENCES claim (workspace, id),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
);
CREATE INDEX claim_evidence_record ON claim_evidence (workspace, record);

CREATE TABLE conflict (
    workspace BIGINT NOT NULL,
    id BIGINT NOT NULL,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    slot TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    attribute TEXT COLLATE "C" NOT NULL,
    qualifier TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL CHECK (status IN ('open', 'applying', 'resolved', 'not_a_conflict')),
    revision BIGINT NOT NULL DEFAULT 1,
    detector BIGINT NOT NULL,
    fingerprint TEXT COLLATE "C" NOT NULL,
    chosen TEXT COLLATE "C",
    resolution BIGINT,
    resolution_version BIGINT,
    decider TEXT COLLATE "C",
    reason TEXT COLLATE "C",
    plan BIGINT NOT NULL DEFAULT 0,
    opened_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (workspace, id)
);
CREATE UNIQUE INDEX conflict_open ON conflict (workspace, slot) WHERE status IN ('open', 'applying');
CREATE UNIQUE INDEX conflict_members ON conflict (workspace, slot, fingerprint);

CREATE TABLE conflict_member (
    workspace BIGINT NOT NULL,
    conflict BIGINT NOT NULL,
    record BIGINT NOT NULL,
    version BIGINT NOT NULL,
    value_norm TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    quote TEXT COLLATE "C" NOT NULL,
    starts BIGINT NOT NULL,
    ends BIGINT NOT NULL,
    PRIMARY KEY (workspace, conflict, record, value_norm),
    FOREIGN KEY (workspace, conflict) REFERENCES conflict (workspace, id),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
);
CREATE INDEX conflict_member_record ON conflict_member (workspace, record);

CREATE TABLE conflict_step (
    workspace BIGINT NOT NULL,
    conflict BIGINT NOT NULL,
    plan BIGINT NOT NULL,
    number BIGINT NOT NULL,
    record BIGINT NOT NULL,
    op TEXT COLLATE "C" NOT NULL CHECK (op IN ('update_current_claim', 'append_superseded_context', 'preserve_historical_record',
        'use_as_resolution', 'needs_authorization')),
    expected_version BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'done', 'failed', 'blocked')),
    result_version BIGINT,
    error TEXT COLLATE "C",
    PRIMARY KEY (workspace, conflict, plan, number),
    FOREIGN KEY (workspace, conflict) REFERENCES conflict (workspace, id),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
);

CREATE TABLE candidate (
    workspace BIGINT NOT NULL,
    id BIGINT NOT NULL,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    sort TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    detector BIGINT NOT NULL,
    members TEXT COLLATE "C" NOT NULL,
    score DOUBLE PRECISION NOT NULL,
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('open', 'deferred', 'decided', 'stale')),
    verdict TEXT COLLATE "C",
    decider TEXT COLLATE "C",
    reason TEXT COLLATE "C",
    at BIGINT NOT NULL,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, sort, key, detector)
);

CREATE TABLE notice (
    workspace BIGINT NOT NULL,
    id BIGINT NOT NULL,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    sort TEXT COLLATE "C" NOT NULL,
    severity BIGINT NOT NULL,
    ref TEXT COLLATE "C" NOT NULL,
    dedupe TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'dismissed', 'resolved', 'stale')),
    at BIGINT NOT NULL,
    delivered_at BIGINT,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, dedupe)
);
CREATE INDEX notice_pending ON notice (workspace, severity DESC, id) WHERE state = 'pending';

-- `idea` is equal for the same change; `answer` is what its first call was told; `ordinal` is its place among the accepted.
CREATE TABLE proposal (
    workspace BIGINT NOT NULL,
    id BIGINT NOT NULL,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    principal BIGINT NOT NULL REFERENCES principal (id),
    client TEXT COLLATE "C",
    request_id TEXT COLLATE "C" NOT NULL,
    payload_hash TEXT COLLATE "C" NOT NULL,
    op TEXT COLLATE "C" NOT NULL CHECK (op IN ('add_fact', 'update_fact', 'open_thread', 'close_thread', 'reject')),
    kind TEXT COLLATE "C" NOT NULL,
    target BIGINT,
    target_version BIGINT,
    supersedes BIGINT,
    supersedes_version BIGINT,
    text TEXT COLLATE "C",
    idea TEXT COLLATE "C" NOT NULL DEFAULT '',
    evidence TEXT COLLATE "C" NOT NULL,
    taint BIGINT NOT NULL CHECK (taint BETWEEN 0 AND 3),
    trust DOUBLE PRECISION NOT NULL,
    zone TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'quarantined', 'accepted', 'applied', 'rejected', 'stale', 'expired')),
    reason TEXT COLLATE "C",
    decider TEXT COLLATE "C",
    action BIGINT,
    record BIGINT,
    at BIGINT NOT NULL,
    decided_at BIGINT,
    ordinal BIGINT,
    answer TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    PRIMARY KEY (workspace, id),
    UNIQUE (principal, request_id)
);
CREATE INDEX proposal_waiting ON proposal (workspace, id) WHERE state IN ('queued', 'quarantined', 'accepted');
CREATE INDEX proposal_by ON proposal (principal, at);
CREATE INDEX proposal_refused ON proposal (workspace, idea) WHERE state = 'rejected';

CREATE TABLE watermark (
    workspace BIGINT NOT NULL REFERENCES workspace (id),
    consumer TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (workspace, consumer)
);

CREATE TABLE confirmation (
    uid TEXT COLLATE "C" PRIMARY KEY,
    principal BIGINT NOT NULL REFERENCES principal (id),
    payload TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    spent_at BIGINT
);

-- What must not come back by importing it once more: hashes of ids, never of a text. `everywhere`: in no other workspace
-- either, which only ids have that nobody can guess.
CREATE TABLE forgotten (
    workspace BIGINT NOT NULL REFERENCES workspace (id),
    mark TEXT COLLATE "C" NOT NULL,
    everywhere BIGINT NOT NULL DEFAULT 0 CHECK (everywhere IN (0, 1)),
    PRIMARY KEY (mark, workspace)
);
