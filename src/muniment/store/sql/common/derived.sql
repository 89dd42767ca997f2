-- passage_add
INSERT INTO passage (workspace, ordinal, record, version, starts, ends, hash)
VALUES (:workspace, :ordinal, :record, :version, :starts, :ends, :hash);

-- passages_bury
UPDATE passage SET live = 0 WHERE workspace = :workspace AND record = :record;

-- passages_revive
UPDATE passage SET live = 1 WHERE workspace = :workspace AND record = :record AND version = :version;

-- passages_dead
SELECT ordinal FROM passage WHERE workspace = :workspace AND live = 0 ORDER BY ordinal;

-- passages_between
-- The live passages of a run of ordinals, and those of earlier versions, which an answer as of an earlier day needs. Their
-- texts are asked for by record: a long document has thousands of passages.
SELECT p.ordinal, p.starts, p.ends, p.hash, p.record, p.version, p.live FROM passage p
JOIN record r ON r.workspace = p.workspace AND r.id = p.record
WHERE p.workspace = :workspace AND p.ordinal BETWEEN :first AND :last AND (p.live = 1 OR p.version <> r.version)
ORDER BY p.ordinal;

-- passages_of
SELECT ordinal, version, starts, ends FROM passage WHERE workspace = :workspace AND record = :record AND live = 1 ORDER BY ordinal;

-- roster_add
INSERT INTO roster (workspace, first_ordinal, last_ordinal, data) VALUES (:workspace, :first, :last, :data);

-- rosters_from
SELECT first_ordinal, last_ordinal, data FROM roster WHERE workspace = :workspace AND last_ordinal > :have ORDER BY first_ordinal;

-- roster_first
-- Where the ordinals of the index begin (1, or further on once it was rebuilt), and how often something was forgotten.
SELECT (SELECT min(first_ordinal) FROM roster WHERE workspace = :workspace), forgettings FROM workspace WHERE id = :workspace;

-- roster_count
SELECT count(*) FROM roster WHERE workspace = :workspace;

-- rosters_drop
DELETE FROM roster WHERE workspace = :workspace;

-- posting_add
INSERT INTO posting (workspace, term, first_ordinal, data) VALUES (:workspace, :term, :first, :data);

-- postings_of
SELECT first_ordinal, data FROM posting WHERE workspace = :workspace AND term = :term ORDER BY first_ordinal;

-- blocks_small
-- Terms whose postings lie in many small rows.
SELECT term FROM posting WHERE workspace = :workspace GROUP BY term HAVING count(*) >= :least ORDER BY count(*) DESC, term LIMIT :limit;

-- posting_drop
DELETE FROM posting WHERE workspace = :workspace AND term = :term;

-- postings_drop
DELETE FROM posting WHERE workspace = :workspace;

-- vocabulary_add
INSERT INTO vocabulary (workspace, term) VALUES (:workspace, :term) ON CONFLICT DO NOTHING;

-- vocabulary_drop
DELETE FROM vocabulary WHERE workspace = :workspace;

-- entity_add
INSERT INTO entity (workspace, id, sort, canonical, norm) VALUES (:workspace, :id, :sort, :canonical, :norm);

-- entities_drop
-- Those that nothing but mentions rests on: what was claimed and said of the others stays theirs.
DELETE FROM entity WHERE workspace = :workspace AND merged_into IS NULL
    AND NOT EXISTS (SELECT 1 FROM claim c WHERE c.workspace = entity.workspace AND (c.subject = entity.id OR c.object = entity.id))
    AND NOT EXISTS (SELECT 1 FROM alias a WHERE a.workspace = entity.workspace AND a.entity = entity.id)
    AND NOT EXISTS (SELECT 1 FROM effect x WHERE x.workspace = entity.workspace AND x.sort = 'entity' AND x.target = entity.id)
    AND NOT EXISTS (SELECT 1 FROM entity e WHERE e.workspace = entity.workspace AND e.merged_into = entity.id);

-- mention_add
INSERT INTO mention (workspace, entity, ordinal, starts, ends) VALUES (:workspace, :entity, :ordinal, :starts, :ends) ON CONFLICT DO NOTHING;

-- mentions_drop
DELETE FROM mention WHERE workspace = :workspace;

-- passages_drop
DELETE FROM passage WHERE workspace = :workspace;

-- records_all
-- A page of every record, for rebuilding what is derived.
SELECT r.id, r.kind, r.tier, r.state, r.version, r.text, r.subject, r.session, r.seq, r.speaker, r.event_at, r.recorded_at,
    r.versions
FROM record r WHERE r.workspace = :workspace AND r.id > :after ORDER BY r.id LIMIT :limit;
