-- document_archived_by
-- The kind of the action that set a record's state last; nothing where no action did.
SELECT a.kind FROM effect e JOIN action a ON a.workspace = e.workspace AND a.seq = e.action
WHERE e.workspace = :workspace AND e.sort = 'record' AND e.target = :record AND e.field = 'state' AND a.undone_by IS NULL
ORDER BY e.action DESC, e.number DESC LIMIT 1;
