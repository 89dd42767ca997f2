-- doomed_records
SELECT r.id, r.uid, r.kind, r.version, r.versions, r.session, r.seq, r.speaker, r.fingerprint, r.external_id, r.source_ref, r.text,
    r.subject
FROM record r WHERE r.workspace = :workspace AND r.id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) ORDER BY r.id;

-- doomed_texts
-- What earlier and later versions say.
SELECT record, text FROM record_version WHERE workspace = :workspace AND record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json));

-- doomed_counts
SELECT
    (SELECT count(*) FROM record_version WHERE workspace = :workspace AND record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json))),
    (SELECT count(*) FROM label WHERE workspace = :workspace AND record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json))),
    (SELECT count(*) FROM corroboration WHERE workspace = :workspace AND record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)));

-- doomed_ordinals
SELECT ordinal FROM passage WHERE workspace = :workspace AND record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) ORDER BY ordinal;

-- doomed_vectors
SELECT count(*) FROM vector WHERE workspace = :workspace AND generation = :generation AND ordinal IN (SELECT value::bigint FROM json_array_elements_text(:ordinals::json));

-- doomed_mentions
SELECT entity, ordinal FROM mention WHERE workspace = :workspace AND ordinal IN (SELECT value::bigint FROM json_array_elements_text(:ordinals::json));

-- mentioned_elsewhere
SELECT DISTINCT entity FROM mention
WHERE workspace = :workspace AND entity IN (SELECT value::bigint FROM json_array_elements_text(:entities::json)) AND ordinal NOT IN (SELECT value::bigint FROM json_array_elements_text(:ordinals::json));

-- claimed_elsewhere
SELECT subject FROM claim WHERE workspace = :workspace AND subject IN (SELECT value::bigint FROM json_array_elements_text(:entities::json)) AND id NOT IN (SELECT value::bigint FROM json_array_elements_text(:claims::json))
UNION SELECT object FROM claim WHERE workspace = :workspace AND object IN (SELECT value::bigint FROM json_array_elements_text(:entities::json)) AND id NOT IN (SELECT value::bigint FROM json_array_elements_text(:claims::json));

-- merged_elsewhere
SELECT DISTINCT merged_into FROM entity
WHERE workspace = :workspace AND merged_into IN (SELECT value::bigint FROM json_array_elements_text(:entities::json)) AND id NOT IN (SELECT value::bigint FROM json_array_elements_text(:entities::json));

-- entities_at
SELECT id, norm FROM entity WHERE workspace = :workspace AND id IN (SELECT value::bigint FROM json_array_elements_text(:entities::json));

-- aliases_called
-- The spellings of entities that go, spellings that only they had, and those a rule found where nobody uses them any more.
SELECT a.id FROM alias a WHERE a.workspace = :workspace AND (a.entity IN (SELECT value::bigint FROM json_array_elements_text(:gone::json)) OR a.norm IN (SELECT value FROM json_array_elements_text(:norms::json))
    OR (a.method <> 'agent' AND a.entity IN (SELECT value::bigint FROM json_array_elements_text(:entities::json)) AND NOT EXISTS (
        SELECT 1 FROM entity e JOIN mention m ON m.workspace = e.workspace AND m.entity = e.id
        WHERE e.workspace = a.workspace AND e.norm = a.norm AND m.ordinal NOT IN (SELECT value::bigint FROM json_array_elements_text(:ordinals::json)))));

-- blocks_called
SELECT id FROM entity_block WHERE workspace = :workspace AND norm IN (SELECT value FROM json_array_elements_text(:norms::json));

-- doomed_links
SELECT id, src, dst FROM link WHERE workspace = :workspace AND (src IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) OR dst IN (SELECT value::bigint FROM json_array_elements_text(:ids::json))) ORDER BY id;

-- derived_from
SELECT DISTINCT src FROM link
WHERE workspace = :workspace AND live = 1 AND relation IN ('derived_from', 'covers') AND dst IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) ORDER BY src;

-- doomed_evidence
-- Everything that the claims rest on that a record is evidence of.
SELECT claim, record FROM claim_evidence WHERE workspace = :workspace AND claim IN (
    SELECT claim FROM claim_evidence WHERE workspace = :workspace AND record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)));

-- doomed_claims
SELECT id, uid, subject, object FROM claim WHERE workspace = :workspace AND id IN (SELECT value::bigint FROM json_array_elements_text(:claims::json)) ORDER BY id;

-- doomed_conflicts
SELECT c.id, c.uid FROM conflict c WHERE c.workspace = :workspace AND (c.resolution IN (SELECT value::bigint FROM json_array_elements_text(:ids::json))
    OR EXISTS (SELECT 1 FROM conflict_member m WHERE m.workspace = c.workspace AND m.conflict = c.id AND m.record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)))
    OR EXISTS (SELECT 1 FROM conflict_step s WHERE s.workspace = c.workspace AND s.conflict = c.id AND s.record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json))))
ORDER BY c.id;

-- heirs_lost
-- What stays and was replaced by something that goes.
SELECT id FROM record WHERE workspace = :workspace AND superseded_by IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) AND id NOT IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) ORDER BY id;

-- effects_towards
-- Actions that gave something that stays a value which goes: an heir, or an entity that it was merged into.
SELECT DISTINCT action FROM effect WHERE workspace = :workspace AND sort = :sort AND field = :field
    AND (before IN (SELECT value FROM json_array_elements_text(:values::json)) OR after IN (SELECT value FROM json_array_elements_text(:values::json)));

-- effects_turn
UPDATE effect SET before = CASE WHEN before IN (SELECT value FROM json_array_elements_text(:values::json)) THEN 'null' ELSE before END,
    after = CASE WHEN after IN (SELECT value FROM json_array_elements_text(:values::json)) THEN 'null' ELSE after END
WHERE workspace = :workspace AND sort = :sort AND field = :field AND (before IN (SELECT value FROM json_array_elements_text(:values::json)) OR after IN (SELECT value FROM json_array_elements_text(:values::json)));

-- effects_on
SELECT DISTINCT action FROM effect WHERE workspace = :workspace AND sort = :sort AND target IN (SELECT value::bigint FROM json_array_elements_text(:targets::json));

-- forgotten_among
SELECT mark FROM forgotten WHERE mark IN (SELECT value FROM json_array_elements_text(:marks::json)) AND (workspace = :workspace OR everywhere = 1);
