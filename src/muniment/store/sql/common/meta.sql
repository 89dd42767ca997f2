-- meta_get
SELECT value FROM meta WHERE key = :key;

-- meta_set
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- lease_take
-- One holder at a time; a lease that ran out may be taken over, and so may one that ends an hour after any other could:
-- it was taken while the clock was wrong.
INSERT INTO lease (name, holder, until) VALUES (:name, :holder, :until)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE lease.until < :now OR lease.until > :until + 3600000 OR lease.holder = excluded.holder
RETURNING holder;

-- lease_drop
DELETE FROM lease WHERE name = :name AND holder = :holder;

-- lease_held
SELECT holder FROM lease WHERE name = :name AND until >= :now;

-- derived_counts
-- How much of a workspace the index holds: passages with their first and last ordinal, bytes, start and end of the rosters,
-- bytes of postings.
SELECT
    (SELECT count(*) FROM passage WHERE workspace = :workspace),
    (SELECT coalesce(min(ordinal), 1) FROM passage WHERE workspace = :workspace),
    (SELECT coalesce(max(ordinal), 0) FROM passage WHERE workspace = :workspace),
    (SELECT CAST(coalesce(sum(length(data)), 0) AS BIGINT) FROM roster WHERE workspace = :workspace),
    (SELECT coalesce(min(first_ordinal), 1) FROM roster WHERE workspace = :workspace),
    (SELECT coalesce(max(last_ordinal), 0) FROM roster WHERE workspace = :workspace),
    (SELECT CAST(coalesce(sum(length(data)), 0) AS BIGINT) FROM posting WHERE workspace = :workspace);

-- records_unindexed
-- Active records that no live passage of their newest version stands for.
SELECT count(*) FROM record r WHERE r.workspace = :workspace AND r.state = 'active' AND NOT EXISTS (
    SELECT 1 FROM passage p WHERE p.workspace = r.workspace AND p.record = r.id AND p.version = r.version AND p.live = 1);

-- jobs_failing
SELECT job, attempts, error FROM outbox WHERE attempts > 0 ORDER BY attempts DESC, id LIMIT :limit;
