-- Authority: what a workspace is, who may see it, and what proves it. Walls name workspaces by number, which a new name does not change.

ALTER TABLE workspace ADD COLUMN data_class TEXT COLLATE "C" NOT NULL DEFAULT 'internal'
    CHECK (data_class IN ('public', 'internal', 'confidential', 'restricted'));
-- none: a question covers the workspace it names; weak: all, this one preferred; strict: this one alone, and no other one finds it.
ALTER TABLE workspace ADD COLUMN isolation TEXT COLLATE "C" NOT NULL DEFAULT 'none' CHECK (isolation IN ('none', 'weak', 'strict'));
-- Whether a strict workspace also reads those of nearly its name.
ALTER TABLE workspace ADD COLUMN admits_similar BIGINT NOT NULL DEFAULT 0 CHECK (admits_similar IN (0, 1));
-- Where its records went when it was merged into another one.
ALTER TABLE workspace ADD COLUMN merged_into BIGINT REFERENCES workspace (id);
-- How its repository is known when its folder moves: the first commit or the remote, hashed.
ALTER TABLE workspace ADD COLUMN repository TEXT COLLATE "C";

-- `alias` leads to the workspace (redirect), or is not to be taken for it however alike they are (keep_separate).
CREATE TABLE workspace_alias (
    alias TEXT COLLATE "C" NOT NULL,
    workspace BIGINT NOT NULL REFERENCES workspace (id),
    decision TEXT COLLATE "C" NOT NULL CHECK (decision IN ('redirect', 'keep_separate')),
    principal BIGINT NOT NULL REFERENCES principal (id),
    at BIGINT NOT NULL,
    PRIMARY KEY (alias, workspace)
);
CREATE UNIQUE INDEX workspace_redirect ON workspace_alias (alias) WHERE decision = 'redirect';

-- A profile is a principal that may log in. Its walls and limits are the most that a grant of it may hold.
ALTER TABLE principal ADD COLUMN secret_hash TEXT COLLATE "C";
-- Whom another issuer's tokens call by this name, where one is configured.
ALTER TABLE principal ADD COLUMN subject TEXT COLLATE "C";
CREATE UNIQUE INDEX principal_subject ON principal (subject) WHERE subject IS NOT NULL;
ALTER TABLE principal ADD COLUMN trust_zone TEXT COLLATE "C" NOT NULL DEFAULT 'trusted' CHECK (trust_zone IN ('trusted', 'shared', 'untrusted'));
ALTER TABLE principal ADD COLUMN read_workspaces TEXT COLLATE "C";
ALTER TABLE principal ADD COLUMN write_workspaces TEXT COLLATE "C";
ALTER TABLE principal ADD COLUMN data_classes TEXT COLLATE "C" NOT NULL DEFAULT 'public internal';
ALTER TABLE principal ADD COLUMN write_mode TEXT COLLATE "C" NOT NULL DEFAULT 'direct' CHECK (write_mode IN ('direct', 'propose', 'add_only'));
ALTER TABLE principal ADD COLUMN configured BIGINT NOT NULL DEFAULT 0 CHECK (configured IN (0, 1));
ALTER TABLE principal ADD COLUMN ended_at BIGINT;

ALTER TABLE token DROP COLUMN read_workspaces;
ALTER TABLE token DROP COLUMN write_workspaces;
ALTER TABLE token DROP COLUMN default_workspace;
-- Numbers of workspaces, separated by spaces; NULL: all there are.
ALTER TABLE token ADD COLUMN read_workspaces TEXT COLLATE "C";
ALTER TABLE token ADD COLUMN write_workspaces TEXT COLLATE "C";
ALTER TABLE token ADD COLUMN default_workspace BIGINT REFERENCES workspace (id);
ALTER TABLE token ADD COLUMN data_classes TEXT COLLATE "C" NOT NULL DEFAULT 'public internal confidential restricted';
ALTER TABLE token ADD COLUMN write_mode TEXT COLLATE "C" NOT NULL DEFAULT 'direct' CHECK (write_mode IN ('direct', 'propose', 'add_only'));
ALTER TABLE token ADD COLUMN used_at BIGINT;
-- An access token of OAuth: the grant it came from, and the address it is good for.
ALTER TABLE token ADD COLUMN oauth_grant BIGINT;
ALTER TABLE token ADD COLUMN audience TEXT COLLATE "C";
-- Whose bearer made it, over a server: with that principal or that grant it ends. NULL: made at the command line.
ALTER TABLE token ADD COLUMN made_by BIGINT;
ALTER TABLE token ADD COLUMN made_by_grant BIGINT;

-- `document`: its id is the address of its metadata. `redirects` and `metadata`, which says how it signs, are JSON.
CREATE TABLE oauth_client (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('registered', 'document', 'configured')),
    name TEXT COLLATE "C" NOT NULL,
    redirects TEXT COLLATE "C" NOT NULL,
    auth_method TEXT COLLATE "C" NOT NULL CHECK (
        auth_method IN ('none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt')
    ),
    secret_hash TEXT COLLATE "C",
    metadata TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    -- What a public client registers with, hashed: the same again is the same client. `checked_at`: when a document was last read.
    fingerprint TEXT COLLATE "C" UNIQUE,
    checked_at BIGINT,
    -- The key set that lay at its address, when it was read, and when somebody last looked for a newer one.
    keys TEXT COLLATE "C",
    keys_at BIGINT,
    keys_tried_at BIGINT,
    created_at BIGINT NOT NULL,
    used_at BIGINT,
    expires_at BIGINT
);

-- What a person granted a client: the family that its codes, access tokens and refresh tokens belong to.
CREATE TABLE oauth_grant (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    client BIGINT NOT NULL REFERENCES oauth_client (id),
    principal BIGINT NOT NULL REFERENCES principal (id),
    scopes TEXT COLLATE "C" NOT NULL,
    read_workspaces TEXT COLLATE "C",
    write_workspaces TEXT COLLATE "C",
    -- Where its client works when it names no workspace; NULL: where the server does.
    default_workspace BIGINT REFERENCES workspace (id),
    data_classes TEXT COLLATE "C" NOT NULL,
    audience TEXT COLLATE "C" NOT NULL,
    -- Whether its client signed for the code: then it signs for every token that comes of it.
    signed BIGINT NOT NULL DEFAULT 0 CHECK (signed IN (0, 1)),
    -- Where it was given: the browser, hashed, and the address that the client was answered at.
    browser TEXT COLLATE "C" NOT NULL,
    redirect TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT,
    revoked_at BIGINT,
    revoked_why TEXT COLLATE "C"
);
CREATE INDEX oauth_grant_client ON oauth_grant (client);
CREATE INDEX oauth_grant_principal ON oauth_grant (principal);
CREATE INDEX token_oauth_grant ON token (oauth_grant) WHERE oauth_grant IS NOT NULL;
CREATE INDEX token_made_by_grant ON token (made_by_grant) WHERE made_by_grant IS NOT NULL;

CREATE TABLE oauth_code (
    hash TEXT COLLATE "C" PRIMARY KEY,
    oauth_grant BIGINT NOT NULL REFERENCES oauth_grant (id),
    redirect TEXT COLLATE "C" NOT NULL,
    redirect_given BIGINT NOT NULL CHECK (redirect_given IN (0, 1)),
    challenge TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    spent_at BIGINT
);

CREATE TABLE oauth_refresh (
    hash TEXT COLLATE "C" PRIMARY KEY,
    oauth_grant BIGINT NOT NULL REFERENCES oauth_grant (id),
    scopes TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    spent_at BIGINT,
    -- How often new tokens were given for it.
    answers BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX oauth_refresh_grant ON oauth_refresh (oauth_grant);

-- What a client signed with, hashed, until it expires by itself: each is good once.
CREATE TABLE oauth_assertion (
    hash TEXT COLLATE "C" PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_assertion_expires ON oauth_assertion (expires_at);

-- A person's browser after the login.
CREATE TABLE browser (
    hash TEXT COLLATE "C" PRIMARY KEY,
    principal BIGINT NOT NULL REFERENCES principal (id),
    created_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

-- What a consent page asks, kept here so that nothing of it comes back from the browser but a ticket, good once.
CREATE TABLE oauth_ask (
    hash TEXT COLLATE "C" PRIMARY KEY,
    browser TEXT COLLATE "C" NOT NULL REFERENCES browser (hash) ON DELETE CASCADE,
    request TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_ask_browser ON oauth_ask (browser);

-- Failed logins by door-independent key (a hashed name or address), so that no second door has a budget of its own. Registrations of
-- clients are counted in the same way.
CREATE TABLE attempt (
    key TEXT COLLATE "C" PRIMARY KEY,
    failures BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    -- When somebody was told to wait, since it began: it is noted once.
    told_at BIGINT
);

-- What was done to tokens, profiles, clients and grants, in a chain of its own. It is only added to: a name is taken out when a
-- principal is forgotten, and nothing else of it ever changes. `principal` acted, by a token or grant (`via`); `subject` is whose
-- authority it is, and `target` the ref. `detail` is JSON: what was given, walls by
-- number, and why; never the name of a person, a secret, or what is remembered.
CREATE TABLE access_event (
    seq BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    door TEXT COLLATE "C" NOT NULL,
    principal BIGINT REFERENCES principal (id),
    via TEXT COLLATE "C",
    subject BIGINT REFERENCES principal (id),
    target TEXT COLLATE "C",
    detail TEXT COLLATE "C" NOT NULL,
    -- What somebody called it: a token's label, a client's name. Its hash is in the chain, and guessable only with the salt.
    name TEXT COLLATE "C",
    salt TEXT COLLATE "C",
    name_hash TEXT COLLATE "C",
    previous TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL
);
CREATE INDEX access_event_kind ON access_event (kind, at);

-- How many there are, so that none can be cut off at the end unseen. Its one row is held by whoever adds one.
CREATE TABLE access_head (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    events BIGINT NOT NULL
);

-- Nobody who serves has the right to more than this; it holds the owner too. Rows are removed by no role but the owner's.
CREATE FUNCTION access_event_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.name IS NOT NULL OR NEW.salt IS NOT NULL OR (NEW.seq, NEW.at, NEW.kind, NEW.door, NEW.principal, NEW.via, NEW.subject,
            NEW.target, NEW.detail, NEW.name_hash, NEW.previous, NEW.hash)
        IS DISTINCT FROM (OLD.seq, OLD.at, OLD.kind, OLD.door, OLD.principal, OLD.via, OLD.subject, OLD.target, OLD.detail,
            OLD.name_hash, OLD.previous, OLD.hash) THEN
        RAISE EXCEPTION 'of the access log only names are taken out' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER access_event_fixed BEFORE UPDATE ON access_event FOR EACH ROW EXECUTE FUNCTION access_event_fixed();
