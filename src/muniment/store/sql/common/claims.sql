-- claim_add
INSERT INTO claim (workspace, id, uid, subject, attribute, said, object, value, value_norm, qualifier, polarity, many, causal,
    valid_from, valid_to, recorded_at, confidence, method, detector)
VALUES (:workspace, :id, :uid, :subject, :attribute, :said, :object, :value, :value_norm, :qualifier, :polarity, :many, :causal,
    :valid_from, :valid_to, :recorded_at, :confidence, :method, :detector);

-- claim_quote_add
INSERT INTO claim_evidence (workspace, claim, record, version, starts, ends, quote)
VALUES (:workspace, :claim, :record, :version, :starts, :ends, :quote);

-- claim_read_again
UPDATE claim SET detector = :detector WHERE workspace = :workspace AND id = :id;

-- claim_quotes_drop
-- What a detector finds no more goes, unless somebody decided about it.
DELETE FROM claim_evidence WHERE workspace = :workspace AND claim = :id AND NOT EXISTS (
    SELECT 1 FROM effect x WHERE x.workspace = :workspace AND x.sort = 'claim' AND x.target = :id);

-- claim_drop
DELETE FROM claim WHERE workspace = :workspace AND id = :id AND NOT EXISTS (
    SELECT 1 FROM claim_evidence e WHERE e.workspace = :workspace AND e.claim = :id);

-- claim_sources
-- A page of texts that may state something: every version of the records of a run of numbers.
SELECT r.id, r.version, r.text, r.subject, s.name, r.event_at, r.recorded_at
FROM record r LEFT JOIN speaker s ON s.workspace = r.workspace AND s.id = r.speaker
WHERE r.workspace = :workspace AND r.id BETWEEN :first AND :last
UNION ALL
SELECT v.record, v.version, v.text, v.subject, NULL, v.event_at, v.at
FROM record_version v JOIN record r ON r.workspace = v.workspace AND r.id = v.record AND r.version <> v.version
WHERE v.workspace = :workspace AND v.record BETWEEN :first AND :last
ORDER BY 1, 2;

-- claim_records
SELECT id FROM record WHERE workspace = :workspace AND id BETWEEN :first AND :last;

-- claims_unread
-- How many records each workspace has had, and the first one that waits to be read.
SELECT w.id, w.records, (SELECT min(o.first) FROM outbox o WHERE o.workspace = w.id AND o.job = :job)
FROM workspace w WHERE w.records > 0 ORDER BY w.id;
