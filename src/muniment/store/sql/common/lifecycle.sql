-- records_unusual
-- The records whose standing is not the usual one, by the partial index that holds them.
SELECT r.id, r.kind, r.uid, r.state, r.version, r.versions, coalesce(v.at, r.recorded_at), r.event_at, r.valid_from, r.valid_to,
    r.retired_at, r.superseded_by, r.supersede_why
FROM record r LEFT JOIN record_version v ON v.workspace = r.workspace AND v.record = r.id AND v.version = 1
WHERE r.workspace = :workspace AND (r.state <> 'active' OR r.valid_from IS NOT NULL OR r.valid_to IS NOT NULL OR r.versions > 1)
ORDER BY r.id;

-- effects_later
-- Every effect on the records on which something took effect, or was taken back, after a moment: their whole story.
SELECT e.target, e.field, e.before, e.after, a.at, u.at FROM effect e
JOIN action a ON a.workspace = e.workspace AND a.seq = e.action
LEFT JOIN action u ON u.workspace = e.workspace AND u.seq = a.undone_by
WHERE e.workspace = :workspace AND e.sort = 'record' AND e.target IN (
    SELECT t.target FROM action x JOIN effect t ON t.workspace = x.workspace AND t.action = x.seq
    LEFT JOIN action y ON y.workspace = x.workspace AND y.seq = x.undone_by
    WHERE x.workspace = :workspace AND t.sort = 'record' AND (x.at > :at OR y.at > :at))
ORDER BY e.target, e.action, e.number;

-- effects_of_versions
-- Which version of a record was put in force when, and when that was taken back.
SELECT e.target, e.before, e.after, a.at, u.at FROM effect e
JOIN action a ON a.workspace = e.workspace AND a.seq = e.action
LEFT JOIN action u ON u.workspace = e.workspace AND u.seq = a.undone_by
WHERE e.workspace = :workspace AND e.sort = 'record' AND e.field = 'version'
ORDER BY e.target, e.action, e.number;

-- versions_dated
-- When each version of a changed record was written, and the time that it tells of.
SELECT record, version, at, event_at FROM record_version WHERE workspace = :workspace ORDER BY record, version;

-- versions_between
-- All versions of the changed records of a run of numbers, for rebuilding what is derived.
SELECT record, version, text, subject, tier, event_at, at FROM record_version
WHERE workspace = :workspace AND record > :after AND record <= :last ORDER BY record, version;
