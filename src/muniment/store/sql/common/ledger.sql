-- action_add
INSERT INTO action (workspace, seq, uid, kind, targets, before_hash, after_hash, inverse, reason, principal, token, client, at, previous, hash,
    salt, run)
VALUES (:workspace, :seq, :uid, :kind, :targets, :before_hash, :after_hash, :inverse, :reason, :principal, :token, :client, :at,
    :previous, :hash, :salt, :run);

-- action_hash
SELECT hash FROM action WHERE workspace = :workspace AND seq = :seq;

-- actions
SELECT seq, uid, kind, targets, before_hash, after_hash, inverse, principal, token, client, at, previous, hash
FROM action WHERE workspace = :workspace AND seq > :after ORDER BY seq LIMIT :limit;

-- actions_count
-- How many actions the workspace has had.
SELECT actions FROM workspace WHERE id = :workspace;

-- job_add
INSERT INTO outbox (workspace, job, first, last, not_before) VALUES (:workspace, :job, :first, :last, :not_before) ON CONFLICT DO NOTHING;

-- jobs_due
-- No job waits for more than an hour; one that would was put off while the clock was wrong.
SELECT id, workspace, job, first, last, attempts FROM outbox
WHERE (not_before <= :now OR not_before > :now + 7200000) AND job <> :but ORDER BY id LIMIT :limit;

-- job_done
DELETE FROM outbox WHERE id = :id;

-- job_shrink
UPDATE outbox SET first = :first WHERE id = :id;

-- job_failed
UPDATE outbox SET attempts = attempts + 1, not_before = :not_before, error = :error WHERE id = :id;

-- jobs_waiting
SELECT job, count(*), CAST(coalesce(sum(last - first + 1), 0) AS BIGINT), max(attempts), max(error) FROM outbox GROUP BY job ORDER BY job;
