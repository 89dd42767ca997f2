-- access_event_count
-- How many there are with the next one; nobody else adds one before this transaction ends.
INSERT INTO access_head (id, events) VALUES (1, 1)
ON CONFLICT (id) DO UPDATE SET events = access_head.events + 1 RETURNING events;

-- access_events_counted
SELECT events FROM access_head;

-- access_event_hash
SELECT hash FROM access_event WHERE seq = :seq;

-- access_event_add
INSERT INTO access_event (seq, at, kind, door, principal, via, subject, target, detail, name, salt, name_hash, previous, hash)
VALUES (:seq, :at, :kind, :door, :principal, :via, :subject, :target, :detail, :name, :salt, :name_hash, :previous, :hash);

-- access_events
-- In order, for whoever checks the chain.
SELECT seq, at, kind, door, principal, via, subject, target, detail, name_hash, previous, hash, name, salt
FROM access_event WHERE seq > :after ORDER BY seq LIMIT :limit;

-- access_events_back
-- Newest first, for whoever reads them; whose name is asked for acted, or it was theirs.
SELECT e.seq, e.at, e.kind, e.door, e.principal, p.name, e.via, e.subject, s.name, e.target, e.detail, e.name
FROM access_event e LEFT JOIN principal p ON p.id = e.principal LEFT JOIN principal s ON s.id = e.subject
WHERE e.seq < :before AND e.at >= :since AND (CAST(:who AS BIGINT) IS NULL OR e.principal = :who OR e.subject = :who)
ORDER BY e.seq DESC LIMIT :limit;

-- access_events_lately
SELECT count(*) FROM access_event WHERE kind = :kind AND at >= :since;

-- access_events_of
SELECT seq FROM access_event WHERE (principal = :principal OR subject = :principal) AND name_hash IS NOT NULL ORDER BY seq;

-- access_events_forgetting
SELECT detail FROM access_event WHERE kind = 'principal_forgotten' ORDER BY seq;

-- access_events_unname
UPDATE access_event SET name = NULL, salt = NULL WHERE (principal = :principal OR subject = :principal) AND name_hash IS NOT NULL;

-- access_via
-- The token that somebody acts with, and the grant that it came from.
SELECT t.uid, g.uid FROM token t LEFT JOIN oauth_grant g ON g.id = t.oauth_grant WHERE t.id = :token;

-- access_token
SELECT uid, principal, label, scopes, read_workspaces, write_workspaces, data_classes, trust_zone, write_mode, expires_at
FROM token WHERE uid = :uid;

-- access_grant
-- With what its profile allows at most.
SELECT g.uid, g.principal, c.name, g.scopes, g.read_workspaces, g.write_workspaces, g.data_classes, p.trust_zone, p.write_mode,
    c.uid, p.level, p.read_workspaces, p.write_workspaces, p.data_classes
FROM oauth_grant g JOIN oauth_client c ON c.id = g.client JOIN principal p ON p.id = g.principal WHERE g.id = :id;
