-- Facts that change: versions of everything, links, claims, conflicts, proposals, and effects that can be taken back.
-- Numbers of links, claims, aliases, blocks, conflicts, notices, candidates and proposals come from one counter of the workspace.

ALTER TABLE workspace ADD COLUMN numbers INTEGER NOT NULL DEFAULT 0;
-- How often something of it was forgotten: what a process holds of its index is read anew then.
ALTER TABLE workspace ADD COLUMN forgettings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workspace ADD COLUMN auto_accept_clean INTEGER NOT NULL DEFAULT 0 CHECK (auto_accept_clean IN (0, 1));
ALTER TABLE workspace ADD COLUMN compiled_at INTEGER;
ALTER TABLE token ADD COLUMN trust_zone TEXT NOT NULL DEFAULT 'trusted' CHECK (trust_zone IN ('trusted', 'shared', 'untrusted'));

ALTER TABLE record ADD COLUMN protection TEXT NOT NULL DEFAULT 'normal' CHECK (protection IN ('normal', 'protected', 'locked'));
ALTER TABLE record ADD COLUMN versions INTEGER NOT NULL DEFAULT 1;
ALTER TABLE record ADD COLUMN valid_from INTEGER;
ALTER TABLE record ADD COLUMN valid_to INTEGER;
ALTER TABLE record ADD COLUMN retired_at INTEGER;
ALTER TABLE record ADD COLUMN superseded_by INTEGER;
ALTER TABLE record ADD COLUMN supersede_why TEXT CHECK (supersede_why IN ('change', 'correction'));

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
ALTER TABLE record_version ADD COLUMN tier TEXT;
ALTER TABLE record_version ADD COLUMN event_at INTEGER;
ALTER TABLE record_version ADD COLUMN event_zone INTEGER;
ALTER TABLE record_version ADD COLUMN source_type TEXT;
ALTER TABLE record_version ADD COLUMN source_ref TEXT;
ALTER TABLE record_version ADD COLUMN trust REAL;
ALTER TABLE record_version ADD COLUMN taint INTEGER;
ALTER TABLE record_version ADD COLUMN client TEXT;
ALTER TABLE record_version ADD COLUMN fingerprint TEXT;

-- The salt makes hashes of short texts unguessable; it dies with `forget`, and the chain does not cover it.
ALTER TABLE action ADD COLUMN salt TEXT;
ALTER TABLE action ADD COLUMN run TEXT;
ALTER TABLE action ADD COLUMN undone_by INTEGER;
CREATE INDEX action_run ON action (workspace, run) WHERE run IS NOT NULL;
CREATE INDEX action_uid ON action (uid);
CREATE INDEX action_by ON action (principal, at);

-- What an action set, field by field. The value of a field is that of its last effect whose action is not undone, or
-- `before` of its first.
CREATE TABLE effect (
    workspace INTEGER NOT NULL,
    action INTEGER NOT NULL,
    number INTEGER NOT NULL,
    sort TEXT NOT NULL CHECK (sort IN ('record', 'link', 'alias', 'block', 'entity', 'claim', 'workspace')),
    target INTEGER NOT NULL,
    field TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    PRIMARY KEY (workspace, action, number),
    FOREIGN KEY (workspace, action) REFERENCES action (workspace, seq)
) WITHOUT ROWID;
CREATE INDEX effect_target ON effect (workspace, sort, target, field, action);

CREATE TABLE link (
    workspace INTEGER NOT NULL,
    id INTEGER NOT NULL,
    src INTEGER NOT NULL,
    src_version INTEGER NOT NULL,
    dst INTEGER NOT NULL,
    dst_version INTEGER NOT NULL,
    relation TEXT NOT NULL CHECK (relation IN ('supports', 'contradicts', 'supersedes', 'evolved_into', 'depends_on',
        'related_to', 'derived_from', 'covers')),
    confidence REAL NOT NULL,
    rationale TEXT,
    method TEXT NOT NULL CHECK (method IN ('rule', 'model', 'agent')),
    recorded_at INTEGER NOT NULL,
    live INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, src, dst, relation),
    FOREIGN KEY (workspace, src) REFERENCES record (workspace, id),
    FOREIGN KEY (workspace, dst) REFERENCES record (workspace, id),
    CHECK (src <> dst)
) WITHOUT ROWID;
CREATE INDEX link_dst ON link (workspace, dst);

ALTER TABLE entity ADD COLUMN type TEXT NOT NULL DEFAULT 'other'
    CHECK (type IN ('person', 'project', 'tool', 'decision', 'org', 'place', 'other'));
ALTER TABLE entity ADD COLUMN merged_into INTEGER;
CREATE INDEX entity_merged ON entity (workspace, merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE alias (
    workspace INTEGER NOT NULL,
    id INTEGER NOT NULL,
    entity INTEGER NOT NULL,
    norm TEXT NOT NULL,
    surface TEXT NOT NULL,
    method TEXT NOT NULL CHECK (method IN ('rule', 'model', 'agent')),
    live INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, norm, entity),
    FOREIGN KEY (workspace, entity) REFERENCES entity (workspace, id)
) WITHOUT ROWID;
CREATE INDEX alias_entity ON alias (workspace, entity);

CREATE TABLE entity_block (
    workspace INTEGER NOT NULL,
    id INTEGER NOT NULL,
    norm TEXT NOT NULL,
    live INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, norm)
) WITHOUT ROWID;

-- A claim stands as long as a version that it quotes is current; its own interval is cut by that of its record. `attribute` is
-- the slot, in which spellings of one property meet; `said` is how this claim words it.
CREATE TABLE claim (
    workspace INTEGER NOT NULL,
    id INTEGER NOT NULL,
    uid TEXT NOT NULL UNIQUE,
    subject INTEGER NOT NULL,
    attribute TEXT NOT NULL,
    said TEXT NOT NULL DEFAULT '',
    object INTEGER,
    value TEXT NOT NULL,
    value_norm TEXT NOT NULL,
    qualifier TEXT NOT NULL DEFAULT '',
    polarity INTEGER NOT NULL CHECK (polarity IN (-1, 1)),
    many INTEGER NOT NULL DEFAULT 0 CHECK (many IN (0, 1)),
    causal INTEGER NOT NULL DEFAULT 0 CHECK (causal IN (0, 1)),
    valid_from INTEGER,
    valid_to INTEGER,
    recorded_at INTEGER NOT NULL,
    confidence REAL NOT NULL,
    method TEXT NOT NULL CHECK (method IN ('rule', 'model', 'agent')),
    detector INTEGER NOT NULL,
    live INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, subject) REFERENCES entity (workspace, id),
    CHECK (valid_to IS NULL OR valid_from IS NULL OR valid_from < valid_to)
) WITHOUT ROWID;
CREATE INDEX claim_slot ON claim (workspace, subject, attribute, qualifier, value_norm);
CREATE INDEX claim_object ON claim (workspace, object) WHERE object IS NOT NULL;

CREATE TABLE claim_evidence (
    workspace INTEGER NOT NULL,
    claim INTEGER NOT NULL,
    record INTEGER NOT NULL,
    version INTEGER NOT NULL,
    starts INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    quote TEXT NOT NULL,
    PRIMARY KEY (workspace, claim, record, version, starts),
    FOREIGN KEY (workspace, claim) REFERENCES claim (workspace, id),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
) WITHOUT ROWID;
CREATE INDEX claim_evidence_record ON claim_evidence (workspace, record);

CREATE TABLE conflict (
    workspace INTEGER NOT NULL,
    id INTEGER NOT NULL,
    uid TEXT NOT NULL UNIQUE,
    slot TEXT NOT NULL,
    subject TEXT NOT NULL,
    attribute TEXT NOT NULL,
    qualifier TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'applying', 'resolved', 'not_a_conflict')),
    revision INTEGER NOT NULL DEFAULT 1,
    detector INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    chosen TEXT,
    resolution INTEGER,
    resolution_version INTEGER,
    decider TEXT,
    reason TEXT,
    plan INTEGER NOT NULL DEFAULT 0,
    opened_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (workspace, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX conflict_open ON conflict (workspace, slot) WHERE status IN ('open', 'applying');
CREATE UNIQUE INDEX conflict_members ON conflict (workspace, slot, fingerprint);

CREATE TABLE conflict_member (
    workspace INTEGER NOT NULL,
    conflict INTEGER NOT NULL,
    record INTEGER NOT NULL,
    version INTEGER NOT NULL,
    value_norm TEXT NOT NULL,
    value TEXT NOT NULL,
    quote TEXT NOT NULL,
    starts INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    PRIMARY KEY (workspace, conflict, record, value_norm),
    FOREIGN KEY (workspace, conflict) REFERENCES conflict (workspace, id),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
) WITHOUT ROWID;
CREATE INDEX conflict_member_record ON conflict_member (workspace, record);

CREATE TABLE conflict_step (
    workspace INTEGER NOT NULL,
    conflict INTEGER NOT NULL,
    plan INTEGER NOT NULL,
    number INTEGER NOT NULL,
    record INTEGER NOT NULL,
    op TEXT NOT NULL CHECK (op IN ('update_current_claim', 'append_superseded_context', 'preserve_historical_record',
        'use_as_resolution', 'needs_authorization')),
    expected_version INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed', 'blocked')),
    result_version INTEGER,
    error TEXT,
    PRIMARY KEY (workspace, conflict, plan, number),
    FOREIGN KEY (workspace, conflict) REFERENCES conflict (workspace, id),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
) WITHOUT ROWID;

CREATE TABLE candidate (
    workspace INTEGER NOT NULL,
    id INTEGER NOT NULL,
    uid TEXT NOT NULL UNIQUE,
    sort TEXT NOT NULL,
    key TEXT NOT NULL,
    detector INTEGER NOT NULL,
    members TEXT NOT NULL,
    score REAL NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'deferred', 'decided', 'stale')),
    verdict TEXT,
    decider TEXT,
    reason TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, sort, key, detector)
) WITHOUT ROWID;

CREATE TABLE notice (
    workspace INTEGER NOT NULL,
    id INTEGER NOT NULL,
    uid TEXT NOT NULL UNIQUE,
    sort TEXT NOT NULL,
    severity INTEGER NOT NULL,
    ref TEXT NOT NULL,
    dedupe TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'dismissed', 'resolved', 'stale')),
    at INTEGER NOT NULL,
    delivered_at INTEGER,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, dedupe)
) WITHOUT ROWID;
CREATE INDEX notice_pending ON notice (workspace, severity DESC, id) WHERE state = 'pending';

-- `idea` is equal for the same change; `answer` is what its first call was told; `ordinal` is its place among the accepted.
CREATE TABLE proposal (
    workspace INTEGER NOT NULL,
    id INTEGER NOT NULL,
    uid TEXT NOT NULL UNIQUE,
    principal INTEGER NOT NULL REFERENCES principal (id),
    client TEXT,
    request_id TEXT NOT NULL,
    payload_hash TEXT NOT NULL,
    op TEXT NOT NULL CHECK (op IN ('add_fact', 'update_fact', 'open_thread', 'close_thread', 'reject')),
    kind TEXT NOT NULL,
    target INTEGER,
    target_version INTEGER,
    supersedes INTEGER,
    supersedes_version INTEGER,
    text TEXT,
    idea TEXT NOT NULL DEFAULT '',
    evidence TEXT NOT NULL,
    taint INTEGER NOT NULL CHECK (taint BETWEEN 0 AND 3),
    trust REAL NOT NULL,
    zone TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'quarantined', 'accepted', 'applied', 'rejected', 'stale', 'expired')),
    reason TEXT,
    decider TEXT,
    action INTEGER,
    record INTEGER,
    at INTEGER NOT NULL,
    decided_at INTEGER,
    ordinal INTEGER,
    answer TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (workspace, id),
    UNIQUE (principal, request_id)
) WITHOUT ROWID;
CREATE INDEX proposal_waiting ON proposal (workspace, id) WHERE state IN ('queued', 'quarantined', 'accepted');
CREATE INDEX proposal_by ON proposal (principal, at);
CREATE INDEX proposal_refused ON proposal (workspace, idea) WHERE state = 'rejected';

CREATE TABLE watermark (
    workspace INTEGER NOT NULL REFERENCES workspace (id),
    consumer TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (workspace, consumer)
) WITHOUT ROWID;

CREATE TABLE confirmation (
    uid TEXT PRIMARY KEY,
    principal INTEGER NOT NULL REFERENCES principal (id),
    payload TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    spent_at INTEGER
) WITHOUT ROWID;

-- What must not come back by importing it once more: hashes of ids, never of a text. `everywhere`: in no other workspace
-- either, which only ids have that nobody can guess.
CREATE TABLE forgotten (
    workspace INTEGER NOT NULL REFERENCES workspace (id),
    mark TEXT NOT NULL,
    everywhere INTEGER NOT NULL DEFAULT 0 CHECK (everywhere IN (0, 1)),
    PRIMARY KEY (mark, workspace)
) WITHOUT ROWID;
