-- workspace_led_to
SELECT workspace FROM workspace_alias WHERE alias IN (:alias, :spelling) AND decision = 'redirect' ORDER BY alias;

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

-- workspace_aliases_turn
-- What led to a workspace that was merged leads to where its records went.
UPDATE workspace_alias SET workspace = :into WHERE workspace = :workspace AND decision = 'redirect';

-- workspace_aliases_drop
DELETE FROM workspace_alias WHERE workspace = :workspace;
