-- workspace_add
INSERT INTO workspace (uid, slug, name, kind, root, created_at) VALUES (:uid, :slug, :name, :kind, :root, :now)
ON CONFLICT DO NOTHING;

-- workspaces
SELECT id, uid, slug, name, kind, state, root, data_class, isolation, admits_similar FROM workspace ORDER BY slug;

-- workspace_by_slug
SELECT id, uid, slug, name, kind, state, root, data_class, isolation, admits_similar FROM workspace WHERE slug = :slug;

-- workspace_governed
-- What an action may set of a workspace, which is its own target.
SELECT state, data_class, isolation, admits_similar, merged_into FROM workspace WHERE id = :workspace AND id = :target;

-- workspace_govern
UPDATE workspace SET state = :state, data_class = :data_class, isolation = :isolation, admits_similar = :admits_similar,
    merged_into = :merged_into, stamp = stamp + 1
WHERE id = :workspace AND id = :target;

-- workspace_named
UPDATE workspace SET slug = :slug, name = :name, stamp = stamp + 1 WHERE id = :workspace;

-- workspace_begun
-- How a workspace starts that was made a moment ago.
UPDATE workspace SET state = :state, data_class = :data_class, isolation = :isolation WHERE id = :workspace;

-- workspace_by_uid
SELECT id, uid, slug, name, kind, state, root, data_class, isolation, admits_similar FROM workspace WHERE uid = :uid;

-- workspace_merged_into
SELECT merged_into FROM workspace WHERE id = :workspace;

-- workspaces_rooted
SELECT id, root, repository FROM workspace WHERE root IS NOT NULL ORDER BY id;

-- workspace_settle
-- Where the project's folder lies now, and how its repository is known when it moves again.
UPDATE workspace SET root = :root, repository = :repository WHERE id = :workspace;

-- workspace_take
-- Reserves numbers and holds the workspace for this transaction. Answers the new last numbers.
UPDATE workspace SET
    records = records + :records, sessions = sessions + :sessions, speakers = speakers + :speakers,
    entities = entities + :entities, passages = passages + :passages, blocks = blocks + :blocks,
    actions = actions + :actions, stamp = stamp + 1
WHERE id = :workspace
RETURNING records, sessions, speakers, entities, passages, blocks, actions, stamp;

-- workspace_stamp
SELECT stamp, passages FROM workspace WHERE id = :workspace;

-- workspace_counts
-- turns and documents are told apart by the caller from the kinds.
SELECT kind, count(*) FROM record WHERE workspace = :workspace AND state = 'active' GROUP BY kind ORDER BY kind;

-- workspace_sizes
SELECT
    (SELECT count(*) FROM session WHERE workspace = :workspace),
    (SELECT count(*) FROM passage WHERE workspace = :workspace AND live = 1),
    (SELECT count(*) FROM entity WHERE workspace = :workspace),
    (SELECT max(last_at) FROM session WHERE workspace = :workspace),
    (SELECT max(recorded_at) FROM record WHERE workspace = :workspace);
