-- meta_get
SELECT value FROM meta WHERE key = :key;

-- meta_set
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- lease_take
-- One holder at a time; a lease that ran out may be taken over.
INSERT INTO lease (name, holder, until) VALUES (:name, :holder, :until)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE lease.until < :now OR lease.holder = excluded.holder
RETURNING holder;

-- lease_drop
DELETE FROM lease WHERE name = :name AND holder = :holder;
