-- Authority: what a workspace is, who may see it, and what proves it. Walls name workspaces by number, which a new name does not change.

ALTER TABLE workspace ADD COLUMN data_class TEXT NOT NULL DEFAULT 'internal'
    CHECK (data_class IN ('public', 'internal', 'confidential', 'restricted'));
-- none: a question covers the workspace it names; weak: all, this one preferred; strict: this one alone, and no other one finds it.
ALTER TABLE workspace ADD COLUMN isolation TEXT NOT NULL DEFAULT 'none' CHECK (isolation IN ('none', 'weak', 'strict'));
-- Whether a strict workspace also reads those of nearly its name.
ALTER TABLE workspace ADD COLUMN admits_similar INTEGER NOT NULL DEFAULT 0 CHECK (admits_similar IN (0, 1));
-- Where its records went when it was merged into another one.
ALTER TABLE workspace ADD COLUMN merged_into INTEGER REFERENCES workspace (id);
-- How its repository is known when its folder moves: the first commit or the remote, hashed.
ALTER TABLE workspace ADD COLUMN repository TEXT;

-- `alias` leads to the workspace (redirect), or is not to be taken for it however alike they are (keep_separate).
CREATE TABLE workspace_alias (
    alias TEXT NOT NULL,
    workspace INTEGER NOT NULL REFERENCES workspace (id),
    decision TEXT NOT NULL CHECK (decision IN ('redirect', 'keep_separate')),
    principal INTEGER NOT NULL REFERENCES principal (id),
    at INTEGER NOT NULL,
    PRIMARY KEY (alias, workspace)
) WITHOUT ROWID;
CREATE UNIQUE INDEX workspace_redirect ON workspace_alias (alias) WHERE decision = 'redirect';

-- A profile is a principal that may log in. Its walls and limits are the most that a grant of it may hold.
ALTER TABLE principal ADD COLUMN secret_hash TEXT;
-- Whom another issuer's tokens call by this name, where one is configured.
ALTER TABLE principal ADD COLUMN subject TEXT;
CREATE UNIQUE INDEX principal_subject ON principal (subject) WHERE subject IS NOT NULL;
ALTER TABLE principal ADD COLUMN trust_zone TEXT NOT NULL DEFAULT 'trusted' CHECK (trust_zone IN ('trusted', 'shared', 'untrusted'));
ALTER TABLE principal ADD COLUMN read_workspaces TEXT;
ALTER TABLE principal ADD COLUMN write_workspaces TEXT;
ALTER TABLE principal ADD COLUMN data_classes TEXT NOT NULL DEFAULT 'public internal';
ALTER TABLE principal ADD COLUMN write_mode TEXT NOT NULL DEFAULT 'direct' CHECK (write_mode IN ('direct', 'propose', 'add_only'));
ALTER TABLE principal ADD COLUMN configured INTEGER NOT NULL DEFAULT 0 CHECK (configured IN (0, 1));
ALTER TABLE principal ADD COLUMN ended_at INTEGER;

ALTER TABLE token DROP COLUMN read_workspaces;
ALTER TABLE token DROP COLUMN write_workspaces;
ALTER TABLE token DROP COLUMN default_workspace;
-- Numbers of workspaces, separated by spaces; NULL: all there are.
ALTER TABLE token ADD COLUMN read_workspaces TEXT;
ALTER TABLE token ADD COLUMN write_workspaces TEXT;
ALTER TABLE token ADD COLUMN default_workspace INTEGER REFERENCES workspace (id);
ALTER TABLE token ADD COLUMN data_classes TEXT NOT NULL DEFAULT 'public internal confidential restricted';
ALTER TABLE token ADD COLUMN write_mode TEXT NOT NULL DEFAULT 'direct' CHECK (write_mode IN ('direct', 'propose', 'add_only'));
ALTER TABLE token ADD COLUMN used_at INTEGER;
-- An access token of OAuth: the grant it came from, and the address it is good for.
ALTER TABLE token ADD COLUMN oauth_grant INTEGER;
ALTER TABLE token ADD COLUMN audience TEXT;
-- Whose bearer made it, over a server: with that principal or that grant it ends. NULL: made at the command line.
ALTER TABLE token ADD COLUMN made_by INTEGER;
ALTER TABLE token ADD COLUMN made_by_grant INTEGER;

-- `document`: its id is the address of its metadata. `redirects` and `metadata`, which says how it signs, are JSON.
CREATE TABLE oauth_client (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('registered', 'document', 'configured')),
    name TEXT NOT NULL,
    redirects TEXT NOT NULL,
    auth_method TEXT NOT NULL CHECK (
        auth_method IN ('none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt')
    ),
    secret_hash TEXT,
    metadata TEXT NOT NULL DEFAULT '{}',
    -- What a public client registers with, hashed: the same again is the same client. `checked_at`: when a document was last read.
    fingerprint TEXT UNIQUE,
    checked_at INTEGER,
    -- The key set that lay at its address, when it was read, and when somebody last looked for a newer one.
    keys TEXT,
    keys_at INTEGER,
    keys_tried_at INTEGER,
    created_at INTEGER NOT NULL,
    used_at INTEGER,
    expires_at INTEGER
);

-- What a person granted a client: the family that its codes, access tokens and refresh tokens belong to.
CREATE TABLE oauth_grant (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    client INTEGER NOT NULL REFERENCES oauth_client (id),
    principal INTEGER NOT NULL REFERENCES principal (id),
    scopes TEXT NOT NULL,
    read_workspaces TEXT,
    write_workspaces TEXT,
    -- Where its client works when it names no workspace; NULL: where the server does.
    default_workspace INTEGER REFERENCES workspace (id),
    data_classes TEXT NOT NULL,
    audience TEXT NOT NULL,
    -- Whether its client signed for the code: then it signs for every token that comes of it.
    signed INTEGER NOT NULL DEFAULT 0 CHECK (signed IN (0, 1)),
    -- Where it was given: the browser, hashed, and the address that the client was answered at.
    browser TEXT NOT NULL,
    redirect TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER,
    revoked_at INTEGER,
    revoked_why TEXT
);
CREATE INDEX oauth_grant_client ON oauth_grant (client);
CREATE INDEX oauth_grant_principal ON oauth_grant (principal);
CREATE INDEX token_oauth_grant ON token (oauth_grant) WHERE oauth_grant IS NOT NULL;
CREATE INDEX token_made_by_grant ON token (made_by_grant) WHERE made_by_grant IS NOT NULL;

CREATE TABLE oauth_code (
    hash TEXT PRIMARY KEY,
    oauth_grant INTEGER NOT NULL REFERENCES oauth_grant (id),
    redirect TEXT NOT NULL,
    redirect_given INTEGER NOT NULL CHECK (redirect_given IN (0, 1)),
    challenge TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    spent_at INTEGER
);

CREATE TABLE oauth_refresh (
    hash TEXT PRIMARY KEY,
    oauth_grant INTEGER NOT NULL REFERENCES oauth_grant (id),
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    spent_at INTEGER,
    -- How often new tokens were given for it.
    answers INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX oauth_refresh_grant ON oauth_refresh (oauth_grant);

-- What a client signed with, hashed, until it expires by itself: each is good once.
CREATE TABLE oauth_assertion (
    hash TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
);
CREATE INDEX oauth_assertion_expires ON oauth_assertion (expires_at);

-- A person's browser after the login.
CREATE TABLE browser (
    hash TEXT PRIMARY KEY,
    principal INTEGER NOT NULL REFERENCES principal (id),
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);

-- What a consent page asks, kept here so that nothing of it comes back from the browser but a ticket, good once.
CREATE TABLE oauth_ask (
    hash TEXT PRIMARY KEY,
    browser TEXT NOT NULL REFERENCES browser (hash) ON DELETE CASCADE,
    request TEXT NOT NULL,
    expires_at INTEGER NOT NULL
);
CREATE INDEX oauth_ask_browser ON oauth_ask (browser);

-- Failed logins by door-independent key (a hashed name or address), so that no second door has a budget of its own. Registrations of
-- clients are counted in the same way.
CREATE TABLE attempt (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    -- When somebody was told to wait, since it began: it is noted once.
    told_at INTEGER
);

-- What was done to tokens, profiles, clients and grants, in a chain of its own. It is only added to: a name is taken out when a
-- principal is forgotten, and nothing else of it ever changes. `principal` acted, by a token or grant (`via`); `subject` is whose
-- authority it is, and `target` the ref. `detail` is JSON: what was given, walls by
-- number, and why; never the name of a person, a secret, or what is remembered.
CREATE TABLE access_event (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    door TEXT NOT NULL,
    principal INTEGER REFERENCES principal (id),
    via TEXT,
    subject INTEGER REFERENCES principal (id),
    target TEXT,
    detail TEXT NOT NULL,
    -- What somebody called it: a token's label, a client's name. Its hash is in the chain, and guessable only with the salt.
    name TEXT,
    salt TEXT,
    name_hash TEXT,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX access_event_kind ON access_event (kind, at);

-- How many there are, so that none can be cut off at the end unseen. Its one row is held by whoever adds one.
CREATE TABLE access_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    events INTEGER NOT NULL
);

CREATE TRIGGER access_event_kept BEFORE DELETE ON access_event
BEGIN
    SELECT RAISE(ABORT, 'the access log loses no row');
END;
CREATE TRIGGER access_event_fixed BEFORE UPDATE ON access_event
WHEN NEW.name IS NOT NULL OR NEW.salt IS NOT NULL
    OR (NEW.seq, NEW.at, NEW.kind, NEW.door, NEW.principal, NEW.via, NEW.subject, NEW.target, NEW.detail, NEW.name_hash, NEW.previous,
        NEW.hash)
    IS NOT (OLD.seq, OLD.at, OLD.kind, OLD.door, OLD.principal, OLD.via, OLD.subject, OLD.target, OLD.detail, OLD.name_hash,
        OLD.previous, OLD.hash)
BEGIN
    SELECT RAISE(ABORT, 'of the access log only names are taken out');
END;
CREATE TRIGGER access_event_next BEFORE INSERT ON access_event
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM access_event)
BEGIN
    SELECT RAISE(ABORT, 'the access log goes on where it ended');
END;
