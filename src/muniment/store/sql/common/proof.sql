-- effects_all
-- Every effect in the order of the ledger, with what its action says of it.
SELECT e.action, e.number, e.sort, e.target, e.field, e.before, e.after, a.inverse, a.undone_by
FROM effect e JOIN action a ON a.workspace = e.workspace AND a.seq = e.action
WHERE e.workspace = :workspace AND (e.action > :action OR (e.action = :action AND e.number > :number))
ORDER BY e.action, e.number LIMIT :limit;

-- effects_missing
-- The first action that says what it did where no effect is left of it.
SELECT min(a.seq) FROM action a WHERE a.workspace = :workspace AND a.inverse LIKE 'sha256:%' AND NOT EXISTS (
    SELECT 1 FROM effect e WHERE e.workspace = a.workspace AND e.action = a.seq);
