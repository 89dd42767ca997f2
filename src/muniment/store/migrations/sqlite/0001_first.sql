-- The first schema. Keys are (workspace, number); numbers come from the counters of the workspace row,
-- so they are never reused and say nothing about another workspace. Times are Unix milliseconds UTC.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE workspace (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('shared', 'project', 'client', 'inbox')),
    state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'pending', 'archived')),
    root TEXT UNIQUE,
    created_at INTEGER NOT NULL,
    records INTEGER NOT NULL DEFAULT 0,
    sessions INTEGER NOT NULL DEFAULT 0,
    speakers INTEGER NOT NULL DEFAULT 0,
    entities INTEGER NOT NULL DEFAULT 0,
    passages INTEGER NOT NULL DEFAULT 0,
    blocks INTEGER NOT NULL DEFAULT 0,
    actions INTEGER NOT NULL DEFAULT 0,
    stamp INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE principal (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('person', 'agent', 'service')),
    level TEXT NOT NULL,
    created_at INTEGER NOT NULL
);

CREATE TABLE token (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    principal INTEGER NOT NULL REFERENCES principal (id),
    hash TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    scopes TEXT NOT NULL,
    read_workspaces TEXT,
    write_workspaces TEXT,
    default_workspace TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
);

CREATE TABLE session (
    workspace INTEGER NOT NULL REFERENCES workspace (id),
    id INTEGER NOT NULL,
    uid TEXT NOT NULL UNIQUE,
    external_id TEXT NOT NULL,
    title TEXT,
    client TEXT,
    cwd TEXT,
    parent TEXT,
    first_at INTEGER,
    last_at INTEGER,
    turns INTEGER NOT NULL DEFAULT 0,
    recorded_at INTEGER NOT NULL,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, external_id)
) WITHOUT ROWID;

CREATE TABLE speaker (
    workspace INTEGER NOT NULL REFERENCES workspace (id),
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, name)
) WITHOUT ROWID;

CREATE TABLE record (
    workspace INTEGER NOT NULL REFERENCES workspace (id),
    id INTEGER NOT NULL,
    uid TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('turn', 'document', 'fact', 'decision', 'preference', 'rejection', 'procedure',
        'incident', 'relationship', 'background', 'thread', 'policy', 'goal', 'identity', 'note', 'brief')),
    tier TEXT NOT NULL CHECK (tier IN ('preferences', 'project-context', 'conversations')),
    state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('pending', 'active', 'superseded', 'archived', 'rejected')),
    version INTEGER NOT NULL DEFAULT 1,
    subject TEXT,
    text TEXT NOT NULL,
    session INTEGER,
    seq INTEGER,
    speaker INTEGER,
    event_at INTEGER,
    event_zone INTEGER,
    recorded_at INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    external_id TEXT,
    source_type TEXT NOT NULL CHECK (source_type IN ('user_confirmed', 'document_extracted', 'agent_generated', 'pending', 'unknown')),
    source_ref TEXT,
    url TEXT,
    origin TEXT NOT NULL CHECK (origin IN ('own', 'collected')),
    trust REAL NOT NULL,
    taint INTEGER NOT NULL DEFAULT 0 CHECK (taint BETWEEN 0 AND 3),
    principal INTEGER NOT NULL REFERENCES principal (id),
    client TEXT,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, session) REFERENCES session (workspace, id),
    CHECK ((kind = 'turn') = (session IS NOT NULL AND seq IS NOT NULL))
);
CREATE UNIQUE INDEX record_session ON record (workspace, session, seq) WHERE session IS NOT NULL;
CREATE UNIQUE INDEX record_fingerprint ON record (workspace, fingerprint);
CREATE INDEX record_kept ON record (workspace, kind, recorded_at) WHERE kind <> 'turn';

CREATE TABLE record_version (
    workspace INTEGER NOT NULL,
    record INTEGER NOT NULL,
    version INTEGER NOT NULL,
    subject TEXT,
    text TEXT NOT NULL,
    labels TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    reason TEXT,
    principal INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (workspace, record, version),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
) WITHOUT ROWID;

CREATE TABLE label (
    workspace INTEGER NOT NULL,
    record INTEGER NOT NULL,
    sort TEXT NOT NULL CHECK (sort IN ('topic', 'tag', 'person')),
    norm TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (workspace, record, sort, norm),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
) WITHOUT ROWID;
CREATE INDEX label_norm ON label (workspace, sort, norm, record);

CREATE TABLE corroboration (
    workspace INTEGER NOT NULL,
    record INTEGER NOT NULL,
    at INTEGER NOT NULL,
    principal INTEGER NOT NULL,
    source_ref TEXT NOT NULL,
    PRIMARY KEY (workspace, record, principal, source_ref),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
) WITHOUT ROWID;

CREATE TABLE passage (
    workspace INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    record INTEGER NOT NULL,
    version INTEGER NOT NULL,
    starts INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    hash TEXT NOT NULL,
    live INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (workspace, ordinal),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
) WITHOUT ROWID;
CREATE INDEX passage_record ON passage (workspace, record);
CREATE INDEX passage_dead ON passage (workspace, ordinal) WHERE live = 0;

CREATE TABLE roster (
    workspace INTEGER NOT NULL,
    first_ordinal INTEGER NOT NULL,
    last_ordinal INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (workspace, first_ordinal)
) WITHOUT ROWID;

CREATE TABLE posting (
    workspace INTEGER NOT NULL,
    term TEXT NOT NULL,
    first_ordinal INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (workspace, term, first_ordinal)
) WITHOUT ROWID;

CREATE TABLE vocabulary (
    workspace INTEGER NOT NULL,
    term TEXT NOT NULL,
    PRIMARY KEY (workspace, term)
) WITHOUT ROWID;

CREATE TABLE entity (
    workspace INTEGER NOT NULL,
    id INTEGER NOT NULL,
    sort TEXT NOT NULL,
    canonical TEXT NOT NULL,
    norm TEXT NOT NULL,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, norm)
) WITHOUT ROWID;

CREATE TABLE mention (
    workspace INTEGER NOT NULL,
    entity INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    starts INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    PRIMARY KEY (workspace, entity, ordinal, starts)
) WITHOUT ROWID;
CREATE INDEX mention_ordinal ON mention (workspace, ordinal);

CREATE TABLE episode (
    workspace INTEGER NOT NULL,
    session INTEGER NOT NULL,
    episode INTEGER NOT NULL,
    number INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    first_at INTEGER,
    last_at INTEGER,
    entities TEXT NOT NULL,
    PRIMARY KEY (workspace, session, number),
    FOREIGN KEY (workspace, session) REFERENCES session (workspace, id)
) WITHOUT ROWID;
CREATE INDEX episode_time ON episode (workspace, first_at, last_at);

CREATE TABLE generation (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    spec_hash TEXT NOT NULL,
    spec TEXT NOT NULL,
    api_key TEXT NOT NULL DEFAULT '',
    dimension INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('building', 'live', 'retired', 'failed')),
    created_at INTEGER NOT NULL,
    live_at INTEGER
);
CREATE UNIQUE INDEX generation_live ON generation (state) WHERE state = 'live';
CREATE UNIQUE INDEX generation_building ON generation (state) WHERE state = 'building';

CREATE TABLE space (
    workspace INTEGER NOT NULL,
    generation INTEGER NOT NULL REFERENCES generation (id),
    mean BLOB NOT NULL,
    floor REAL NOT NULL,
    measured INTEGER NOT NULL,
    PRIMARY KEY (workspace, generation)
) WITHOUT ROWID;

CREATE TABLE vector (
    workspace INTEGER NOT NULL,
    generation INTEGER NOT NULL REFERENCES generation (id),
    ordinal INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (workspace, generation, ordinal)
) WITHOUT ROWID;

CREATE TABLE code (
    workspace INTEGER NOT NULL,
    generation INTEGER NOT NULL REFERENCES generation (id),
    block INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (workspace, generation, block)
) WITHOUT ROWID;

CREATE TABLE action (
    workspace INTEGER NOT NULL REFERENCES workspace (id),
    seq INTEGER NOT NULL,
    uid TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    targets TEXT NOT NULL,
    before_hash TEXT,
    after_hash TEXT,
    inverse TEXT,
    reason TEXT,
    principal INTEGER NOT NULL REFERENCES principal (id),
    token INTEGER,
    client TEXT,
    at INTEGER NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (workspace, seq)
) WITHOUT ROWID;

CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL REFERENCES workspace (id),
    job TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    error TEXT
);
CREATE INDEX outbox_due ON outbox (not_before, id);
CREATE UNIQUE INDEX outbox_merge ON outbox (workspace) WHERE job = 'merge';

CREATE TABLE request (
    principal INTEGER NOT NULL REFERENCES principal (id),
    request_id TEXT NOT NULL,
    payload_hash TEXT NOT NULL,
    answer TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (principal, request_id)
) WITHOUT ROWID;

CREATE TABLE source_file (
    workspace INTEGER NOT NULL REFERENCES workspace (id),
    path TEXT NOT NULL,
    client TEXT NOT NULL,
    file_id TEXT NOT NULL,
    size INTEGER NOT NULL,
    position INTEGER NOT NULL,
    tail_hash TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (path)
) WITHOUT ROWID;

CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until INTEGER NOT NULL
) WITHOUT ROWID;
