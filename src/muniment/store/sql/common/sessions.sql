-- session_add
INSERT INTO session (workspace, id, uid, external_id, title, client, cwd, parent, recorded_at)
VALUES (:workspace, :id, :uid, :external_id, :title, :client, :cwd, :parent, :now);

-- session_by_external
SELECT workspace, id, uid, external_id, title, client, cwd, first_at, last_at, turns
FROM session WHERE workspace = :workspace AND external_id = :external_id;

-- session_by_uid
SELECT workspace, id, uid, external_id, title, client, cwd, first_at, last_at, turns FROM session WHERE uid = :uid;

-- session_learn
-- Later knowledge fills what was missing; a newer title wins unless it is a guess. Answers nothing when nothing was new.
UPDATE session SET title = CASE WHEN :guessed = 1 THEN coalesce(title, :title) ELSE coalesce(:title, title) END, client = coalesce(client, :client), cwd = coalesce(cwd, :cwd),
    parent = coalesce(parent, :parent)
WHERE workspace = :workspace AND id = :id
    AND (title IS DISTINCT FROM CASE WHEN :guessed = 1 THEN coalesce(title, :title) ELSE coalesce(:title, title) END OR client IS DISTINCT FROM coalesce(client, :client)
        OR cwd IS DISTINCT FROM coalesce(cwd, :cwd) OR parent IS DISTINCT FROM coalesce(parent, :parent))
RETURNING id;

-- session_grow
UPDATE session SET turns = :turns,
    first_at = CASE WHEN first_at IS NULL OR :first_at < first_at THEN coalesce(:first_at, first_at) ELSE first_at END,
    last_at = CASE WHEN last_at IS NULL OR :last_at > last_at THEN coalesce(:last_at, last_at) ELSE last_at END
WHERE workspace = :workspace AND id = :id;

-- sessions_recent
SELECT workspace, id, uid, external_id, title, client, cwd, first_at, last_at, turns
FROM session WHERE workspace = :workspace
ORDER BY coalesce(last_at, recorded_at) DESC, id DESC LIMIT :limit;

-- speakers
SELECT id, name FROM speaker WHERE workspace = :workspace ORDER BY id;

-- speaker_add
INSERT INTO speaker (workspace, id, name) VALUES (:workspace, :id, :name);

-- episodes_last
-- The window that may still grow, and the one before it.
SELECT episode, number, first_seq, last_seq, first_at, last_at, entities
FROM episode WHERE workspace = :workspace AND session = :session ORDER BY number DESC LIMIT 2;

-- episode_put
INSERT INTO episode (workspace, session, episode, number, first_seq, last_seq, first_at, last_at, entities)
VALUES (:workspace, :session, :episode, :number, :first_seq, :last_seq, :first_at, :last_at, :entities)
ON CONFLICT (workspace, session, number) DO UPDATE SET last_seq = excluded.last_seq, first_at = excluded.first_at,
    last_at = excluded.last_at, entities = excluded.entities, episode = excluded.episode;

-- episodes_between
-- Windows that touch the asked time, latest first.
SELECT session, episode, number, first_seq, last_seq FROM episode
WHERE workspace = :workspace AND first_at < :before AND last_at >= :after
ORDER BY last_at DESC, session, number LIMIT :limit;

-- episodes_drop
DELETE FROM episode WHERE workspace = :workspace;
