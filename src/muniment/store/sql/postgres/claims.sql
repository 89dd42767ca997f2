-- claims_about
-- The newest claims of which one of these entities is the subject, or the object.
SELECT c.id FROM claim c WHERE c.workspace = :workspace AND c.subject IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) ORDER BY c.id DESC LIMIT :limit;

-- claims_naming
SELECT c.id FROM claim c WHERE c.workspace = :workspace AND c.object IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) ORDER BY c.id DESC LIMIT :limit;

-- claims_of_records
SELECT e.claim FROM claim_evidence e WHERE e.workspace = :workspace AND e.record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) ORDER BY e.claim;

-- claims_causal
-- Claims that say what one of these entities comes of, or what comes of it.
SELECT c.id FROM claim c WHERE c.workspace = :workspace AND c.causal = 1 AND c.polarity = 1 AND c.live = 1
    AND c.subject IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) AND c.object IS NOT NULL ORDER BY c.id DESC LIMIT :limit;

-- claims_causal_naming
SELECT c.id FROM claim c WHERE c.workspace = :workspace AND c.causal = 1 AND c.polarity = 1 AND c.live = 1
    AND c.object IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) ORDER BY c.id DESC LIMIT :limit;

-- claims_seen
-- Claims with each version that they quote. `retired` is when that version stopped being the one in force, `told_apart` when its
-- record was told to be replaced.
SELECT c.id, c.uid, c.subject, c.attribute, c.said, c.object, c.value, c.value_norm, c.qualifier, c.polarity, c.many, c.causal,
    c.valid_from, c.valid_to, c.recorded_at, c.confidence, c.method, e.record, e.version, e.starts, e.ends, e.quote, r.uid, r.kind,
    r.version, r.valid_from, r.valid_to, r.retired_at, r.event_at, r.event_zone, r.taint,
    CASE WHEN e.version < r.version THEN (SELECT min(v.at) FROM record_version v
        WHERE v.workspace = e.workspace AND v.record = e.record AND v.version > e.version) END AS retired,
    CASE WHEN r.superseded_by IS NOT NULL THEN (SELECT l.recorded_at FROM link l
        WHERE l.workspace = r.workspace AND l.src = r.superseded_by AND l.dst = r.id AND l.relation = 'supersedes') END AS told_apart,
    r.protection, r.source_type
FROM claim c
JOIN claim_evidence e ON e.workspace = c.workspace AND e.claim = c.id
JOIN record r ON r.workspace = e.workspace AND r.id = e.record AND r.state IN ('active', 'superseded')
WHERE c.workspace = :workspace AND c.live = 1 AND c.id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json))
ORDER BY c.id, e.record, e.version, e.starts;

-- claims_held
-- What was claimed of these records before, whatever stands of it.
SELECT c.id, c.subject, c.attribute, c.value_norm, c.qualifier, c.polarity, c.method, c.detector, e.record, e.version, e.starts
FROM claim_evidence e JOIN claim c ON c.workspace = e.workspace AND c.id = e.claim
WHERE e.workspace = :workspace AND e.record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json));

-- links_causal
-- Links by which one record came of another, of records that are read now, in both directions.
SELECT l.id, l.src, l.src_version, l.dst, l.dst_version, l.relation, l.confidence, l.rationale, l.method, l.recorded_at FROM link l
JOIN record a ON a.workspace = l.workspace AND a.id = l.src AND a.state IN ('active', 'superseded')
JOIN record b ON b.workspace = l.workspace AND b.id = l.dst AND b.state IN ('active', 'superseded')
WHERE l.workspace = :workspace AND l.live = 1 AND l.recorded_at <= :known
    AND l.relation IN ('depends_on', 'derived_from', 'supersedes', 'evolved_into') AND (l.src IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) OR l.dst IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)))
ORDER BY l.id DESC LIMIT :limit;

-- records_about
-- Records that have causal links and are about one of these things: it is claimed of them, or they are memories that name it.
SELECT DISTINCT e.record FROM claim c JOIN claim_evidence e ON e.workspace = c.workspace AND e.claim = c.id
JOIN record r ON r.workspace = e.workspace AND r.id = e.record AND r.version = e.version
WHERE c.workspace = :workspace AND c.live = 1 AND (c.subject IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) OR c.object IN (SELECT value::bigint FROM json_array_elements_text(:ids::json))) AND EXISTS (
    SELECT 1 FROM link l WHERE l.workspace = e.workspace AND l.live = 1 AND (l.src = e.record OR l.dst = e.record))
UNION
SELECT DISTINCT p.record FROM mention m JOIN passage p ON p.workspace = m.workspace AND p.ordinal = m.ordinal AND p.live = 1
JOIN record r ON r.workspace = p.workspace AND r.id = p.record AND r.kind NOT IN ('turn', 'document')
WHERE m.workspace = :workspace AND m.entity IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) AND EXISTS (
    SELECT 1 FROM link l WHERE l.workspace = p.workspace AND l.live = 1 AND (l.src = p.record OR l.dst = p.record))
ORDER BY 1 LIMIT :limit;

-- claims_in_slots
-- What may have taken the place of these claims: everything in their slots, and where a slot may hold several values, what is said
-- of the same value.
SELECT o.id FROM (SELECT DISTINCT c.subject, c.attribute, c.qualifier FROM claim c
    WHERE c.workspace = :workspace AND c.id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) AND c.many = 0) s
CROSS JOIN claim o WHERE o.workspace = :workspace AND o.subject = s.subject AND o.attribute = s.attribute AND o.qualifier = s.qualifier
UNION
SELECT o.id FROM (SELECT DISTINCT c.subject, c.attribute, c.qualifier, c.value_norm FROM claim c
    WHERE c.workspace = :workspace AND c.id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) AND c.many = 1) s
CROSS JOIN claim o WHERE o.workspace = :workspace AND o.subject = s.subject AND o.attribute = s.attribute AND o.qualifier = s.qualifier
    AND o.value_norm = s.value_norm
ORDER BY 1 DESC LIMIT :limit;
