-- action_records
-- The records that an action set something about, and those at both ends of the links it set.
SELECT target FROM effect WHERE workspace = :workspace AND action = :action AND sort = 'record'
UNION SELECT l.src FROM effect e JOIN link l ON l.workspace = e.workspace AND l.id = e.target
WHERE e.workspace = :workspace AND e.action = :action AND e.sort = 'link'
UNION SELECT l.dst FROM effect e JOIN link l ON l.workspace = e.workspace AND l.id = e.target
WHERE e.workspace = :workspace AND e.action = :action AND e.sort = 'link';
