-- browser_add
INSERT INTO browser (hash, principal, created_at, used_at, expires_at) VALUES (:hash, :principal, :now, :now, :expires_at);

-- browser_by_hash
SELECT b.hash, b.principal FROM browser b JOIN principal p ON p.id = b.principal
WHERE b.hash = :hash AND b.expires_at > :now AND p.secret_hash IS NOT NULL AND p.ended_at IS NULL;

-- browser_end
DELETE FROM browser WHERE hash = :hash;

-- attempt_hold
-- The row, made if it is not there, and held until the transaction ends.
INSERT INTO attempt (key, failures, first_at, last_at) VALUES (:key, 0, :now, :now)
ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING failures, first_at, last_at, told_at;

-- attempt_set
UPDATE attempt SET failures = :failures, first_at = :first_at, last_at = :last_at, told_at = :told_at WHERE key = :key;
