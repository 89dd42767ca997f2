-- workspace_led_to
-- A former name, or the name of one whose records went elsewhere.
SELECT workspace FROM workspace_alias WHERE alias IN (:alias, :spelling) AND decision = 'redirect'
UNION SELECT id FROM workspace WHERE slug IN (:alias, :spelling) AND merged_into IS NOT NULL ORDER BY 1;

-- workspaces_apart
SELECT workspace FROM workspace_alias WHERE alias = :alias AND decision = 'keep_separate';

-- workspace_aliases
SELECT alias, workspace, decision FROM workspace_alias ORDER BY alias, workspace;

-- workspace_alias_put
-- A name leads to one workspace at most; what was decided about it and another one stays.
INSERT INTO workspace_alias (alias, workspace, decision, principal, at) VALUES (:alias, :workspace, :decision, :principal, :at)
ON CONFLICT (alias, workspace) DO UPDATE SET decision = excluded.decision, principal = excluded.principal, at = excluded.at;

-- workspace_alias_cut
DELETE FROM workspace_alias WHERE alias = :alias AND workspace = :workspace;

-- workspace_aliases_drop
-- The names that led to a workspace or are not it, and its own where it was kept apart from another one.
DELETE FROM workspace_alias WHERE workspace = :workspace OR alias IN (SELECT slug FROM workspace WHERE id = :workspace);
