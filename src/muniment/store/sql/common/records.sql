-- record_add
INSERT INTO record (workspace, id, uid, kind, tier, subject, text, session, seq, speaker, event_at, event_zone, recorded_at,
    fingerprint, external_id, source_type, source_ref, url, origin, trust, taint, principal, client, protection, valid_from,
    valid_to)
VALUES (:workspace, :id, :uid, :kind, :tier, :subject, :text, :session, :seq, :speaker, :event_at, :event_zone, :recorded_at,
    :fingerprint, :external_id, :source_type, :source_ref, :url, :origin, :trust, :taint, :principal, :client, :protection,
    :valid_from, :valid_to);

-- record_by_uid
SELECT r.workspace, r.id, r.uid, r.kind, r.tier, r.state, r.version, r.text, r.subject, r.session, r.seq, s.name, r.event_at,
    r.event_zone, r.recorded_at, r.source_type, r.source_ref, r.url, r.origin, r.trust, r.taint, r.principal, r.client,
    r.protection, r.versions, r.valid_from, r.valid_to, r.retired_at, r.superseded_by, r.supersede_why, r.fingerprint
FROM record r LEFT JOIN speaker s ON s.workspace = r.workspace AND s.id = r.speaker
WHERE r.uid = :uid;

-- records_of_session
-- In spoken order, from a place on.
SELECT r.workspace, r.id, r.uid, r.kind, r.tier, r.state, r.version, r.text, r.subject, r.session, r.seq, s.name, r.event_at,
    r.event_zone, r.recorded_at, r.source_type, r.source_ref, r.url, r.origin, r.trust, r.taint, r.principal, r.client,
    r.protection, r.versions, r.valid_from, r.valid_to, r.retired_at, r.superseded_by, r.supersede_why, r.fingerprint
FROM record r LEFT JOIN speaker s ON s.workspace = r.workspace AND s.id = r.speaker
WHERE r.workspace = :workspace AND r.session = :session AND r.seq >= :from AND r.seq <= :to
ORDER BY r.seq LIMIT :limit;

-- records_kept
-- Memories of some kinds, newest first.
SELECT r.workspace, r.id, r.uid, r.kind, r.tier, r.state, r.version, r.text, r.subject, r.session, r.seq, s.name, r.event_at,
    r.event_zone, r.recorded_at, r.source_type, r.source_ref, r.url, r.origin, r.trust, r.taint, r.principal, r.client,
    r.protection, r.versions, r.valid_from, r.valid_to, r.retired_at, r.superseded_by, r.supersede_why, r.fingerprint
FROM record r LEFT JOIN speaker s ON s.workspace = r.workspace AND s.id = r.speaker
WHERE r.workspace = :workspace AND r.kind = :kind AND r.kind <> 'turn' AND r.state = 'active'
ORDER BY coalesce(r.event_at, r.recorded_at) DESC, r.id DESC LIMIT :limit;

-- label_add
INSERT INTO label (workspace, record, sort, norm, value) VALUES (:workspace, :record, :sort, :norm, :value) ON CONFLICT DO NOTHING;

-- labels_of
SELECT sort, value FROM label WHERE workspace = :workspace AND record = :record ORDER BY sort, norm;

-- labels_drop
DELETE FROM label WHERE workspace = :workspace AND record = :record;

-- corroborate
-- Answers nothing when this principal confirmed it from this source before.
INSERT INTO corroboration (workspace, record, at, principal, source_ref) VALUES (:workspace, :record, :at, :principal, :source_ref)
ON CONFLICT DO NOTHING RETURNING record;

-- corroborations
SELECT count(*) FROM corroboration WHERE workspace = :workspace AND record = :record;

-- request_get
SELECT payload_hash, answer FROM request WHERE principal = :principal AND request_id = :request_id;

-- request_put
-- Answers nothing when the id is taken.
INSERT INTO request (principal, request_id, payload_hash, answer, at) VALUES (:principal, :request_id, :payload_hash, :answer, :at)
ON CONFLICT DO NOTHING RETURNING request_id;

-- source_get
SELECT workspace, path, client, file_id, size, position, tail_hash, at FROM source_file WHERE path = :path;

-- sources_behind
-- Files of which more is known to be there than was read, and those read lately, whose client may have gone on writing.
SELECT workspace, path, client, file_id, size, position, tail_hash, at FROM source_file
WHERE position < size OR at >= :since ORDER BY at, path LIMIT :limit;

-- source_put
INSERT INTO source_file (workspace, path, client, file_id, size, position, tail_hash, at)
VALUES (:workspace, :path, :client, :file_id, :size, :position, :tail_hash, :at)
ON CONFLICT (path) DO UPDATE SET workspace = excluded.workspace, client = excluded.client, file_id = excluded.file_id,
    size = excluded.size, position = excluded.position, tail_hash = excluded.tail_hash, at = excluded.at;

-- records_sourced
-- What came from one kind of place; a null asks for any.
SELECT id FROM record WHERE workspace = :workspace AND state = 'active'
    AND origin = coalesce(:origin, origin) AND source_type = coalesce(:source_type, source_type);

-- documents_at
-- The documents that stand under an address.
SELECT id, uid FROM record WHERE workspace = :workspace AND kind = 'document' AND state = 'active'
    AND ((:url <> '' AND url = :url) OR (:url = '' AND source_ref = :source_ref));
