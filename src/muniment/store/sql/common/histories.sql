-- versions
-- Every version of a record that was ever changed, newest first.
SELECT v.version, v.text, v.subject, v.labels, v.reason, v.at, v.source_type, v.tier, v.client, p.name
FROM record_version v LEFT JOIN principal p ON p.id = v.principal
WHERE v.workspace = :workspace AND v.record = :record ORDER BY v.version DESC;

-- principal_name
SELECT name FROM principal WHERE id = :id;

-- ledger_page
-- The ledger, newest first; of one run or of all.
SELECT a.seq, a.uid, a.kind, a.targets, a.inverse, a.reason, a.client, a.at, a.run, a.undone_by, p.name
FROM action a LEFT JOIN principal p ON p.id = a.principal
WHERE a.workspace = :workspace AND a.seq < :before AND (:run = '' OR a.run = :run)
ORDER BY a.seq DESC LIMIT :limit;

-- ledger_of_record
-- What concerned one record, newest first: what set something about it or its links, what names it, and what took that back.
WITH touching AS (
    SELECT seq, undone_by FROM action WHERE workspace = :workspace AND (
        targets LIKE '%' || :uid || '%'
        OR seq IN (SELECT action FROM effect WHERE workspace = :workspace AND sort = 'record' AND target = :record)
        OR seq IN (SELECT e.action FROM link l JOIN effect e ON e.workspace = l.workspace AND e.sort = 'link' AND e.target = l.id
            WHERE l.workspace = :workspace AND (l.src = :record OR l.dst = :record))))
SELECT a.seq, a.uid, a.kind, a.targets, a.inverse, a.reason, a.client, a.at, a.run, a.undone_by, p.name
FROM action a LEFT JOIN principal p ON p.id = a.principal
WHERE a.workspace = :workspace AND a.seq < :before AND (:run = '' OR a.run = :run)
    AND (a.seq IN (SELECT seq FROM touching) OR a.seq IN (SELECT undone_by FROM touching))
ORDER BY a.seq DESC LIMIT :limit;

-- records_retired
-- What recall no longer shows, newest first.
SELECT r.workspace, r.id, r.uid, r.kind, r.tier, r.state, r.version, r.text, r.subject, r.session, r.seq, s.name, r.event_at,
    r.event_zone, r.recorded_at, r.source_type, r.source_ref, r.url, r.origin, r.trust, r.taint, r.principal, r.client,
    r.protection, r.versions, r.valid_from, r.valid_to, r.retired_at, r.superseded_by, r.supersede_why, r.fingerprint
FROM record r LEFT JOIN speaker s ON s.workspace = r.workspace AND s.id = r.speaker
WHERE r.workspace = :workspace AND r.id < :before AND r.state <> 'active' AND r.state IN ('superseded', 'archived', 'rejected')
    AND (:state = '' OR r.state = :state)
ORDER BY r.id DESC LIMIT :limit;
