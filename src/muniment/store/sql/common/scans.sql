-- mark_get
SELECT seq, at FROM watermark WHERE workspace = :workspace AND consumer = :consumer;

-- mark_set
INSERT INTO watermark (workspace, consumer, seq, at) VALUES (:workspace, :consumer, :seq, :at)
ON CONFLICT (workspace, consumer) DO UPDATE SET seq = excluded.seq, at = excluded.at;

-- counters
SELECT actions, numbers, records FROM workspace WHERE id = :workspace;

-- changed_since
-- Whether something that a scan looks at came, or became another, after these numbers.
SELECT (EXISTS (SELECT 1 FROM effect WHERE workspace = :workspace AND action > :actions AND sort IN ('record', 'claim', 'entity'))
    OR EXISTS (SELECT 1 FROM action WHERE workspace = :workspace AND seq > :actions AND kind = 'undo')
    OR EXISTS (SELECT 1 FROM claim WHERE workspace = :workspace AND id > :numbers)
    OR EXISTS (SELECT 1 FROM record WHERE workspace = :workspace AND id > :records AND kind <> 'turn'));

-- memories_any
SELECT 1 FROM record WHERE workspace = :workspace AND state = 'active' AND kind NOT IN ('turn', 'document') LIMIT 1;

-- scan_next
-- Records to look at, in their order: what is kept, and turns of which something is claimed.
SELECT id FROM record r
WHERE r.workspace = :workspace AND r.id > :after AND r.state = 'active'
    AND (r.kind <> 'turn' OR EXISTS (SELECT 1 FROM claim_evidence e WHERE e.workspace = r.workspace AND e.record = r.id))
ORDER BY r.id LIMIT :limit;

-- labelled_alike
-- Kept records that share a person or two topics with one, newest first.
SELECT o.record FROM label l
JOIN label o ON o.workspace = l.workspace AND o.sort = l.sort AND o.norm = l.norm AND o.record <> l.record
JOIN record r ON r.workspace = o.workspace AND r.id = o.record AND r.state = 'active' AND r.kind <> 'turn'
WHERE l.workspace = :workspace AND l.record = :record AND l.sort IN ('topic', 'person')
GROUP BY o.record
HAVING max(CASE WHEN l.sort = 'person' THEN 1 ELSE 0 END) = 1 OR count(*) >= 2
ORDER BY o.record DESC LIMIT :limit;

-- slots_claimed
-- Of what something is claimed in a record as it stands; an entity that was merged counts as the other.
SELECT DISTINCT coalesce(s.merged_into, s.id), c.attribute, c.qualifier FROM claim_evidence e
JOIN record r ON r.workspace = e.workspace AND r.id = e.record AND r.version = e.version
JOIN claim c ON c.workspace = e.workspace AND c.id = e.claim AND c.live = 1 AND c.many = 0
JOIN entity s ON s.workspace = c.workspace AND s.id = c.subject
WHERE e.workspace = :workspace AND e.record = :record;

-- claimants
-- Active records in which something is claimed of one slot, the latest first.
SELECT DISTINCT e.record FROM claim c
JOIN claim_evidence e ON e.workspace = c.workspace AND e.claim = c.id
JOIN record r ON r.workspace = e.workspace AND r.id = e.record AND r.version = e.version AND r.state = 'active'
WHERE c.workspace = :workspace AND c.attribute = :attribute AND c.qualifier = :qualifier AND c.live = 1 AND c.many = 0
    AND c.subject IN (SELECT t.id FROM entity t WHERE t.workspace = :workspace AND (t.id = :subject OR t.merged_into = :subject))
ORDER BY e.record DESC LIMIT :limit;

-- claims_told
-- What is claimed of a record as it stands now, with the words that say it.
SELECT coalesce(t.norm, s.norm), coalesce(t.canonical, s.canonical), c.attribute, c.qualifier, c.value, c.value_norm, c.polarity,
    c.many, c.valid_from, c.valid_to, e.starts, e.ends, e.quote, c.method
FROM claim_evidence e
JOIN record r ON r.workspace = e.workspace AND r.id = e.record AND r.version = e.version
JOIN claim c ON c.workspace = e.workspace AND c.id = e.claim AND c.live = 1
JOIN entity s ON s.workspace = c.workspace AND s.id = c.subject
LEFT JOIN entity t ON t.workspace = s.workspace AND t.id = s.merged_into
WHERE e.workspace = :workspace AND e.record = :record ORDER BY c.id, e.starts;

-- job_waits
SELECT id FROM outbox WHERE workspace = :workspace AND job = :job AND first = :first LIMIT 1;
