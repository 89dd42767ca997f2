-- claims_about
-- The newest claims of which one of these entities is the subject. CROSS JOIN keeps the order of the joins here and below, and
-- INDEXED BY the index: in a store whose statistics are of its first hour the planner would read the whole workspace.
SELECT c.id FROM json_each(:ids) j CROSS JOIN claim c INDEXED BY claim_slot
WHERE c.workspace = :workspace AND c.subject = j.value
ORDER BY c.id DESC LIMIT :limit;

-- claims_naming
SELECT c.id FROM json_each(:ids) j CROSS JOIN claim c INDEXED BY claim_object
WHERE c.workspace = :workspace AND c.object = j.value
ORDER BY c.id DESC LIMIT :limit;

-- claims_of_records
SELECT e.claim FROM claim_evidence e WHERE e.workspace = :workspace AND e.record IN (SELECT value FROM json_each(:ids)) ORDER BY e.claim;

-- claims_causal
-- Claims that say what one of these entities comes of, or what comes of it.
SELECT c.id FROM json_each(:ids) j CROSS JOIN claim c INDEXED BY claim_slot
WHERE c.workspace = :workspace AND c.subject = j.value
    AND c.causal = 1 AND c.polarity = 1 AND c.live = 1 AND c.object IS NOT NULL ORDER BY c.id DESC LIMIT :limit;

-- claims_causal_naming
SELECT c.id FROM json_each(:ids) j CROSS JOIN claim c INDEXED BY claim_object
WHERE c.workspace = :workspace AND c.object = j.value
    AND c.causal = 1 AND c.polarity = 1 AND c.live = 1 ORDER BY c.id DESC LIMIT :limit;

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
WHERE c.workspace = :workspace AND c.live = 1 AND c.id IN (SELECT value FROM json_each(:ids))
ORDER BY c.id, e.record, e.version, e.starts;

-- claims_held
-- What was claimed of these records before, whatever stands of it.
SELECT c.id, c.subject, c.attribute, c.value_norm, c.qualifier, c.polarity, c.method, c.detector, e.record, e.version, e.starts
FROM claim_evidence e JOIN claim c ON c.workspace = e.workspace AND c.id = e.claim
WHERE e.workspace = :workspace AND e.record IN (SELECT value FROM json_each(:ids));

-- links_causal
-- Links by which one record came of another, of records that are read now, in both directions.
SELECT l.id, l.src, l.src_version, l.dst, l.dst_version, l.relation, l.confidence, l.rationale, l.method, l.recorded_at
FROM (SELECT k.id FROM json_each(:ids) j CROSS JOIN link k WHERE k.workspace = :workspace AND k.src = j.value
    UNION SELECT k.id FROM json_each(:ids) j CROSS JOIN link k INDEXED BY link_dst
        WHERE k.workspace = :workspace AND k.dst = j.value) n
CROSS JOIN link l
JOIN record a ON a.workspace = l.workspace AND a.id = l.src AND a.state IN ('active', 'superseded')
JOIN record b ON b.workspace = l.workspace AND b.id = l.dst AND b.state IN ('active', 'superseded')
WHERE l.workspace = :workspace AND l.id = n.id AND l.live = 1 AND l.recorded_at <= :known
    AND l.relation IN ('depends_on', 'derived_from', 'supersedes', 'evolved_into')
ORDER BY l.id DESC LIMIT :limit;

-- records_about
-- Records that have causal links and are about one of these things: it is claimed of them, or they are memories that name it.
SELECT e.record FROM (SELECT c.id FROM json_each(:ids) j CROSS JOIN claim c INDEXED BY claim_slot
WHERE c.workspace = :workspace AND c.subject = j.value
        AND c.live = 1
    UNION SELECT c.id FROM json_each(:ids) j CROSS JOIN claim c INDEXED BY claim_object
WHERE c.workspace = :workspace AND c.object = j.value
        AND c.live = 1) n
CROSS JOIN claim_evidence e CROSS JOIN record r
WHERE e.workspace = :workspace AND e.claim = n.id AND r.workspace = e.workspace AND r.id = e.record AND r.version = e.version
    AND (EXISTS (SELECT 1 FROM link l WHERE l.workspace = e.workspace AND l.src = e.record AND l.live = 1)
        OR EXISTS (SELECT 1 FROM link l INDEXED BY link_dst WHERE l.workspace = e.workspace AND l.dst = e.record AND l.live = 1))
UNION
SELECT p.record FROM json_each(:ids) j CROSS JOIN mention m CROSS JOIN passage p CROSS JOIN record r
WHERE m.workspace = :workspace AND m.entity = j.value AND p.workspace = m.workspace AND p.ordinal = m.ordinal AND p.live = 1
    AND r.workspace = p.workspace AND r.id = p.record AND r.kind NOT IN ('turn', 'document')
    AND (EXISTS (SELECT 1 FROM link l WHERE l.workspace = p.workspace AND l.src = p.record AND l.live = 1)
        OR EXISTS (SELECT 1 FROM link l INDEXED BY link_dst WHERE l.workspace = p.workspace AND l.dst = p.record AND l.live = 1))
ORDER BY 1 LIMIT :limit;

-- claims_in_slots
-- What may have taken the place of these claims: everything in their slots, and where a slot may hold several values, what is said
-- of the same value.
SELECT o.id FROM (SELECT DISTINCT c.subject, c.attribute, c.qualifier FROM json_each(:ids) j CROSS JOIN claim c
    WHERE c.workspace = :workspace AND c.id = j.value AND c.many = 0) s
CROSS JOIN claim o WHERE o.workspace = :workspace AND o.subject = s.subject AND o.attribute = s.attribute AND o.qualifier = s.qualifier
UNION
SELECT o.id FROM (SELECT DISTINCT c.subject, c.attribute, c.qualifier, c.value_norm FROM json_each(:ids) j CROSS JOIN claim c
    WHERE c.workspace = :workspace AND c.id = j.value AND c.many = 1) s
CROSS JOIN claim o WHERE o.workspace = :workspace AND o.subject = s.subject AND o.attribute = s.attribute AND o.qualifier = s.qualifier
    AND o.value_norm = s.value_norm
ORDER BY 1 DESC LIMIT :limit;
