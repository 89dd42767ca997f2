-- effects_all
-- Every effect in the order of the ledger, with what took its action back.
SELECT e.action, e.number, e.sort, e.target, e.field, e.before, e.after, a.undone_by
FROM effect e JOIN action a ON a.workspace = e.workspace AND a.seq = e.action
WHERE e.workspace = :workspace AND (e.action > :action OR (e.action = :action AND e.number > :number))
ORDER BY e.action, e.number LIMIT :limit;
