-- The first schema. Keys are (workspace, number); numbers come from the counters of the workspace row,
-- so they are never reused and say nothing about another workspace. Times are Unix milliseconds UTC.
-- Every text is COLLATE "C": it sorts by its bytes, as in SQLite, whatever the locale of the database.

CREATE TABLE meta (key TEXT COLLATE "C" PRIMARY KEY, value TEXT COLLATE "C" NOT NULL);

CREATE TABLE workspace (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    slug TEXT COLLATE "C" NOT NULL UNIQUE,
    name TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('shared', 'project', 'client', 'inbox')),
    state TEXT COLLATE "C" NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'pending', 'archived')),
    root TEXT COLLATE "C" UNIQUE,
    created_at BIGINT NOT NULL,
    records BIGINT NOT NULL DEFAULT 0,
    sessions BIGINT NOT NULL DEFAULT 0,
    speakers BIGINT NOT NULL DEFAULT 0,
    entities BIGINT NOT NULL DEFAULT 0,
    passages BIGINT NOT NULL DEFAULT 0,
    blocks BIGINT NOT NULL DEFAULT 0,
    actions BIGINT NOT NULL DEFAULT 0,
    stamp BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE principal (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('person', 'agent', 'service')),
    level TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE token (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    principal BIGINT NOT NULL REFERENCES principal (id),
    hash TEXT COLLATE "C" NOT NULL UNIQUE,
    label TEXT COLLATE "C" NOT NULL,
    scopes TEXT COLLATE "C" NOT NULL,
    read_workspaces TEXT COLLATE "C",
    write_workspaces TEXT COLLATE "C",
    default_workspace TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT
);

CREATE TABLE session (
    workspace BIGINT NOT NULL REFERENCES workspace (id),
    id BIGINT NOT NULL,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    external_id TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C",
    client TEXT COLLATE "C",
    cwd TEXT COLLATE "C",
    parent TEXT COLLATE "C",
    first_at BIGINT,
    last_at BIGINT,
    turns BIGINT NOT NULL DEFAULT 0,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, external_id)
);

CREATE TABLE speaker (
    workspace BIGINT NOT NULL REFERENCES workspace (id),
    id BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, name)
);

CREATE TABLE record (
    workspace BIGINT NOT NULL REFERENCES workspace (id),
    id BIGINT NOT NULL,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('turn', 'document', 'fact', 'decision', 'preference', 'rejection', 'procedure',
        'incident', 'relationship', 'background', 'thread', 'policy', 'goal', 'identity', 'note', 'brief')),
    tier TEXT COLLATE "C" NOT NULL CHECK (tier IN ('preferences', 'project-context', 'conversations')),
    state TEXT COLLATE "C" NOT NULL DEFAULT 'active' CHECK (state IN ('pending', 'active', 'superseded', 'archived', 'rejected')),
    version BIGINT NOT NULL DEFAULT 1,
    subject TEXT COLLATE "C",
    text TEXT COLLATE "C" NOT NULL,
    session BIGINT,
    seq BIGINT,
    speaker BIGINT,
    event_at BIGINT,
    event_zone BIGINT,
    recorded_at BIGINT NOT NULL,
    fingerprint TEXT COLLATE "C" NOT NULL,
    external_id TEXT COLLATE "C",
    source_type TEXT COLLATE "C" NOT NULL CHECK (source_type IN ('user_confirmed', 'document_extracted', 'agent_generated', 'pending', 'unknown')),
    source_ref TEXT COLLATE "C",
    url TEXT COLLATE "C",
    origin TEXT COLLATE "C" NOT NULL CHECK (origin IN ('own', 'collected')),
    trust DOUBLE PRECISION NOT NULL,
    taint SMALLINT NOT NULL DEFAULT 0 CHECK (taint BETWEEN 0 AND 3),
    principal BIGINT NOT NULL REFERENCES principal (id),
    client TEXT COLLATE "C",
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, session) REFERENCES session (workspace, id),
    CHECK ((kind = 'turn') = (session IS NOT NULL AND seq IS NOT NULL))
);
CREATE UNIQUE INDEX record_session ON record (workspace, session, seq) WHERE session IS NOT NULL;
CREATE UNIQUE INDEX record_fingerprint ON record (workspace, fingerprint);
CREATE INDEX record_kept ON record (workspace, kind, recorded_at) WHERE kind <> 'turn';

CREATE TABLE record_version (
    workspace BIGINT NOT NULL,
    record BIGINT NOT NULL,
    version BIGINT NOT NULL,
    subject TEXT COLLATE "C",
    text TEXT COLLATE "C" NOT NULL,
    labels TEXT COLLATE "C" NOT NULL,
    content_hash TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C",
    principal BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (workspace, record, version),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
);

CREATE TABLE label (
    workspace BIGINT NOT NULL,
    record BIGINT NOT NULL,
    sort TEXT COLLATE "C" NOT NULL CHECK (sort IN ('topic', 'tag', 'person')),
    norm TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace, record, sort, norm),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
);
CREATE INDEX label_norm ON label (workspace, sort, norm, record);

CREATE TABLE corroboration (
    workspace BIGINT NOT NULL,
    record BIGINT NOT NULL,
    at BIGINT NOT NULL,
    principal BIGINT NOT NULL,
    source_ref TEXT COLLATE "C" NOT NULL,
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
);
-- A reference may be longer than an index entry may be (2,704 bytes), so its digest stands for it.
CREATE UNIQUE INDEX corroboration_once ON corroboration (workspace, record, principal, md5(source_ref));

CREATE TABLE passage (
    workspace BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    record BIGINT NOT NULL,
    version BIGINT NOT NULL,
    starts BIGINT NOT NULL,
    ends BIGINT NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    live SMALLINT NOT NULL DEFAULT 1,
    PRIMARY KEY (workspace, ordinal),
    FOREIGN KEY (workspace, record) REFERENCES record (workspace, id)
);
CREATE INDEX passage_record ON passage (workspace, record);
CREATE INDEX passage_dead ON passage (workspace, ordinal) WHERE live = 0;

CREATE TABLE roster (
    workspace BIGINT NOT NULL,
    first_ordinal BIGINT NOT NULL,
    last_ordinal BIGINT NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (workspace, first_ordinal)
);

CREATE TABLE posting (
    workspace BIGINT NOT NULL,
    term TEXT COLLATE "C" NOT NULL,
    first_ordinal BIGINT NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (workspace, term, first_ordinal)
);

CREATE TABLE vocabulary (
    workspace BIGINT NOT NULL,
    term TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace, term)
);

CREATE TABLE entity (
    workspace BIGINT NOT NULL,
    id BIGINT NOT NULL,
    sort TEXT COLLATE "C" NOT NULL,
    canonical TEXT COLLATE "C" NOT NULL,
    norm TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, norm)
);

CREATE TABLE mention (
    workspace BIGINT NOT NULL,
    entity BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    starts BIGINT NOT NULL,
    ends BIGINT NOT NULL,
    PRIMARY KEY (workspace, entity, ordinal, starts)
);
CREATE INDEX mention_ordinal ON mention (workspace, ordinal);

CREATE TABLE episode (
    workspace BIGINT NOT NULL,
    session BIGINT NOT NULL,
    episode BIGINT NOT NULL,
    number BIGINT NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    first_at BIGINT,
    last_at BIGINT,
    entities TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace, session, number),
    FOREIGN KEY (workspace, session) REFERENCES session (workspace, id)
);
CREATE INDEX episode_time ON episode (workspace, first_at, last_at);

CREATE TABLE generation (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    spec_hash TEXT COLLATE "C" NOT NULL,
    spec TEXT COLLATE "C" NOT NULL,
    api_key TEXT COLLATE "C" NOT NULL DEFAULT '',
    dimension BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('building', 'live', 'retired', 'failed')),
    created_at BIGINT NOT NULL,
    live_at BIGINT
);
CREATE UNIQUE INDEX generation_live ON generation (state) WHERE state = 'live';
CREATE UNIQUE INDEX generation_building ON generation (state) WHERE state = 'building';

CREATE TABLE space (
    workspace BIGINT NOT NULL,
    generation BIGINT NOT NULL REFERENCES generation (id),
    mean BYTEA NOT NULL,
    floor DOUBLE PRECISION NOT NULL,
    measured BIGINT NOT NULL,
    PRIMARY KEY (workspace, generation)
);

CREATE TABLE vector (
    workspace BIGINT NOT NULL,
    generation BIGINT NOT NULL REFERENCES generation (id),
    ordinal BIGINT NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (workspace, generation, ordinal)
);

CREATE TABLE code (
    workspace BIGINT NOT NULL,
    generation BIGINT NOT NULL REFERENCES generation (id),
    block BIGINT NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (workspace, generation, block)
);
-- Sign codes do not compress; trying would only cost time.
ALTER TABLE code ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE action (
    workspace BIGINT NOT NULL REFERENCES workspace (id),
    seq BIGINT NOT NULL,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    kind TEXT COLLATE "C" NOT NULL,
    targets TEXT COLLATE "C" NOT NULL,
    before_hash TEXT COLLATE "C",
    after_hash TEXT COLLATE "C",
    inverse TEXT COLLATE "C",
    reason TEXT COLLATE "C",
    principal BIGINT NOT NULL REFERENCES principal (id),
    token BIGINT,
    client TEXT COLLATE "C",
    at BIGINT NOT NULL,
    previous TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace, seq)
);

CREATE TABLE outbox (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace BIGINT NOT NULL REFERENCES workspace (id),
    job TEXT COLLATE "C" NOT NULL,
    first BIGINT NOT NULL,
    last BIGINT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    not_before BIGINT NOT NULL DEFAULT 0,
    error TEXT COLLATE "C"
);
CREATE INDEX outbox_due ON outbox (not_before, id);
CREATE UNIQUE INDEX outbox_merge ON outbox (workspace) WHERE job = 'merge';

CREATE TABLE request (
    principal BIGINT NOT NULL REFERENCES principal (id),
    request_id TEXT COLLATE "C" NOT NULL,
    payload_hash TEXT COLLATE "C" NOT NULL,
    answer TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (principal, request_id)
);

CREATE TABLE source_file (
    workspace BIGINT NOT NULL REFERENCES workspace (id),
    path TEXT COLLATE "C" NOT NULL,
    client TEXT COLLATE "C" NOT NULL,
    file_id TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    position BIGINT NOT NULL,
    tail_hash TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (path)
);

CREATE TABLE lease (
    name TEXT COLLATE "C" PRIMARY KEY,
    holder TEXT COLLATE "C" NOT NULL,
    until BIGINT NOT NULL
);
