-- records_briefed
-- The newest of one kind that holds now and may be told unasked.
SELECT r.workspace, r.id, r.uid, r.kind, r.tier, r.state, r.version, r.text, r.subject, r.session, r.seq, s.name, r.event_at,
    r.event_zone, r.recorded_at, r.source_type, r.source_ref, r.url, r.origin, r.trust, r.taint, r.principal, r.client,
    r.protection, r.versions, r.valid_from, r.valid_to, r.retired_at, r.superseded_by, r.supersede_why, r.fingerprint
FROM record r LEFT JOIN speaker s ON s.workspace = r.workspace AND s.id = r.speaker
WHERE r.workspace = :workspace AND r.kind = :kind AND r.kind <> 'turn' AND r.state = 'active' AND r.taint <= 1
    AND (r.valid_from IS NULL OR r.valid_from <= :now) AND (r.valid_to IS NULL OR r.valid_to > :now)
ORDER BY coalesce(r.event_at, r.recorded_at) DESC, r.id DESC LIMIT :limit;

-- records_settled
-- The newest of what is protected or was confirmed by a person.
SELECT r.workspace, r.id, r.uid, r.kind, r.tier, r.state, r.version, r.text, r.subject, r.session, r.seq, s.name, r.event_at,
    r.event_zone, r.recorded_at, r.source_type, r.source_ref, r.url, r.origin, r.trust, r.taint, r.principal, r.client,
    r.protection, r.versions, r.valid_from, r.valid_to, r.retired_at, r.superseded_by, r.supersede_why, r.fingerprint
FROM record r LEFT JOIN speaker s ON s.workspace = r.workspace AND s.id = r.speaker
WHERE r.workspace = :workspace AND (r.protection <> 'normal' OR r.source_type = 'user_confirmed')
    AND r.kind <> 'turn' AND r.state = 'active' AND r.taint <= 1
    AND (r.valid_from IS NULL OR r.valid_from <= :now) AND (r.valid_to IS NULL OR r.valid_to > :now)
ORDER BY coalesce(r.event_at, r.recorded_at) DESC, r.id DESC LIMIT :limit;

-- records_doubted
-- The newest memories that nobody may take for true unasked.
SELECT uid, kind, taint, coalesce(event_at, recorded_at) AS at FROM record
WHERE workspace = :workspace AND taint > 1 AND kind NOT IN ('turn', 'document') AND state = 'active'
ORDER BY at DESC, id DESC LIMIT :limit;

-- conflicts_briefed
-- What cannot all be right and waits for somebody, newest first.
SELECT id, uid, subject, attribute, qualifier FROM conflict
WHERE workspace = :workspace AND status IN ('open', 'applying') ORDER BY changed_at DESC, id DESC LIMIT :limit;

-- conflict_values
SELECT DISTINCT value FROM conflict_member WHERE workspace = :workspace AND conflict = :conflict ORDER BY value LIMIT :limit;
