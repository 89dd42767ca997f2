-- profiles_hold
-- Nobody else sets or ends a profile before this transaction ends. The row is the one that is always there and is none.
UPDATE principal SET name = name WHERE name = :local;

-- profile_by_name
SELECT id, name, kind, level, trust_zone, read_workspaces, write_workspaces, data_classes, write_mode, configured, created_at, ended_at,
    secret_hash, subject
FROM principal WHERE name = :name;

-- profile_by_id
SELECT id, name, kind, level, trust_zone, read_workspaces, write_workspaces, data_classes, write_mode, configured, created_at, ended_at,
    secret_hash, subject
FROM principal WHERE id = :principal;

-- profiles
SELECT id, name, kind, level, trust_zone, read_workspaces, write_workspaces, data_classes, write_mode, configured, created_at, ended_at,
    secret_hash, subject
FROM principal WHERE secret_hash IS NOT NULL OR subject IS NOT NULL ORDER BY id;

-- profile_set
UPDATE principal SET level = :level, kind = :kind, trust_zone = :zone, read_workspaces = :read, write_workspaces = :write,
    data_classes = :classes, write_mode = :mode, configured = :configured, secret_hash = :hash, subject = :subject,
    ended_at = NULL
WHERE id = :principal;

-- profile_rehash
-- Only where nobody changed the passphrase meanwhile.
UPDATE principal SET secret_hash = :hash WHERE id = :principal AND secret_hash = :before;

-- profile_end
UPDATE principal SET ended_at = :now WHERE id = :principal AND ended_at IS NULL;

-- profile_tokens_end
UPDATE token SET revoked_at = :now WHERE (principal = :principal OR made_by = :principal) AND revoked_at IS NULL
RETURNING uid, oauth_grant;

-- profile_grants_end
UPDATE oauth_grant SET revoked_at = :now, revoked_why = :why WHERE principal = :principal AND revoked_at IS NULL
RETURNING id;

-- profile_browsers_end
DELETE FROM browser WHERE principal = :principal;

-- profile_by_subject
SELECT id, name, kind, level, trust_zone, read_workspaces, write_workspaces, data_classes, write_mode, configured, created_at, ended_at,
    secret_hash, subject
FROM principal WHERE subject = :subject;

-- profile_subject_drop
UPDATE principal SET subject = NULL WHERE id = :principal;
