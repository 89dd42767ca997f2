-- principal_add
INSERT INTO principal (uid, name, kind, level, created_at) VALUES (:uid, :name, :kind, :level, :now) ON CONFLICT DO NOTHING;

-- principal_by_name
SELECT id, uid, name, kind, level FROM principal WHERE name = :name;

-- token_add
INSERT INTO token (uid, principal, hash, label, scopes, read_workspaces, write_workspaces, default_workspace, created_at, expires_at,
    trust_zone, data_classes, write_mode)
VALUES (:uid, :principal, :hash, :label, :scopes, :read, :write, :default_workspace, :now, :expires_at, :zone, :classes, :mode);

-- token_by_hash
SELECT t.id, t.principal, p.name, t.scopes, t.read_workspaces, t.write_workspaces, t.default_workspace, t.label, t.trust_zone,
    t.data_classes, t.write_mode
FROM token t JOIN principal p ON p.id = t.principal
WHERE t.hash = :hash AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > :now);

-- tokens
SELECT t.uid, p.name, t.label, t.scopes, t.read_workspaces, t.write_workspaces, t.default_workspace, t.created_at, t.expires_at,
    t.revoked_at, t.trust_zone, t.data_classes, t.write_mode
FROM token t JOIN principal p ON p.id = t.principal ORDER BY t.id;

-- token_revoke
UPDATE token SET revoked_at = :now WHERE uid = :uid AND revoked_at IS NULL RETURNING uid;
