-- principal_add
INSERT INTO principal (uid, name, kind, level, created_at) VALUES (:uid, :name, :kind, :level, :now) ON CONFLICT DO NOTHING;

-- principal_by_name
SELECT id, uid, name, kind, level FROM principal WHERE name = :name;

-- principal_names
SELECT name FROM principal ORDER BY id;

-- token_add
INSERT INTO token (uid, principal, hash, label, scopes, read_workspaces, write_workspaces, default_workspace, created_at, expires_at,
    trust_zone, data_classes, write_mode, made_by, made_by_grant)
VALUES (:uid, :principal, :hash, :label, :scopes, :read, :write, :default_workspace, :now, :expires_at, :zone, :classes, :mode,
    :made_by, :made_by_grant);

-- token_by_hash
-- With what the profile of its principal allows, where that has one.
SELECT t.id, t.principal, p.name, t.scopes, t.read_workspaces, t.write_workspaces, t.default_workspace, t.label, t.trust_zone,
    t.data_classes, t.write_mode, CASE WHEN coalesce(p.secret_hash, p.subject) IS NOT NULL THEN p.level END AS level, p.trust_zone,
    p.read_workspaces, p.write_workspaces, p.data_classes, p.write_mode
FROM token t JOIN principal p ON p.id = t.principal LEFT JOIN principal m ON m.id = t.made_by
    LEFT JOIN oauth_grant g ON g.id = coalesce(t.oauth_grant, t.made_by_grant)
WHERE t.hash = :hash AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > :now)
    AND p.ended_at IS NULL AND m.ended_at IS NULL
    AND (coalesce(t.oauth_grant, t.made_by_grant) IS NULL OR (g.id IS NOT NULL AND g.revoked_at IS NULL));

-- token_maker
-- Whose a token is that this one makes: what was made through a chain of tokens is his who stands at its beginning.
SELECT coalesce(made_by, principal), coalesce(oauth_grant, made_by_grant) FROM token WHERE id = :token;

-- tokens
SELECT t.uid, p.name, t.label, t.scopes, t.read_workspaces, t.write_workspaces, t.default_workspace, t.created_at, t.expires_at,
    coalesce(t.revoked_at, m.ended_at), t.trust_zone, t.data_classes, t.write_mode, t.used_at
FROM token t JOIN principal p ON p.id = t.principal LEFT JOIN principal m ON m.id = t.made_by
WHERE t.oauth_grant IS NULL ORDER BY t.id;

-- token_revoke
UPDATE token SET revoked_at = :now WHERE uid = :uid AND revoked_at IS NULL RETURNING uid;

-- token_rotate
UPDATE token SET hash = :hash, made_by = coalesce(:made_by, made_by), made_by_grant = coalesce(:made_by_grant, made_by_grant)
WHERE uid = :uid AND oauth_grant IS NULL AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > :now) RETURNING uid;

-- token_end
SELECT expires_at FROM token WHERE id = :token;

-- token_used
UPDATE token SET used_at = :now WHERE id = :token AND (used_at IS NULL OR used_at < :before);

-- token_grant_used
UPDATE oauth_grant SET used_at = :now
WHERE id = (SELECT oauth_grant FROM token WHERE id = :token) AND (used_at IS NULL OR used_at < :before);
