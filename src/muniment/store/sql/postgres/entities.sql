-- entities_meant
-- What each of these names means: the entity that is written so and every entity that it is an alias of. A blocked name means
-- nothing, and says so.
SELECT e.norm, 'own', e.id FROM entity e WHERE e.workspace = :workspace AND e.norm IN (SELECT value FROM json_array_elements_text(:norms::json))
UNION ALL
SELECT a.norm, 'alias', a.entity FROM alias a WHERE a.workspace = :workspace AND a.live = 1 AND a.norm IN (SELECT value FROM json_array_elements_text(:norms::json))
UNION ALL
SELECT b.norm, 'block', 0 FROM entity_block b WHERE b.workspace = :workspace AND b.live = 1 AND b.norm IN (SELECT value FROM json_array_elements_text(:norms::json));

-- entities_above
-- Of these entities the ones that stand for no thing of their own, with what they stand for: an alias before a merge. An alias of
-- two things is none.
SELECT e.id, coalesce((SELECT min(a.entity) FROM alias a WHERE a.workspace = e.workspace AND a.norm = e.norm AND a.live = 1
    AND a.entity <> e.id HAVING count(*) = 1), e.merged_into) AS above
FROM entity e WHERE e.workspace = :workspace AND e.id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json));

-- entities_below
-- What stands for one of these entities: the other side of entities_above.
SELECT e.id FROM entity e WHERE e.workspace = :workspace AND e.merged_into IN (SELECT value::bigint FROM json_array_elements_text(:ids::json))
    AND (SELECT count(*) FROM alias a WHERE a.workspace = e.workspace AND a.norm = e.norm AND a.live = 1 AND a.entity <> e.id) <> 1
UNION ALL
SELECT e.id FROM alias a JOIN entity e ON e.workspace = a.workspace AND e.norm = a.norm
WHERE a.workspace = :workspace AND a.live = 1 AND a.entity IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) AND e.id <> a.entity AND NOT EXISTS (
    SELECT 1 FROM alias b WHERE b.workspace = a.workspace AND b.norm = a.norm AND b.live = 1 AND b.entity NOT IN (a.entity, e.id));

-- entities_by_id
SELECT e.id, e.canonical, e.norm, e.sort, e.type, e.merged_into, EXISTS (
    SELECT 1 FROM entity_block b WHERE b.workspace = e.workspace AND b.norm = e.norm AND b.live = 1) AS blocked
FROM entity e WHERE e.workspace = :workspace AND e.id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json));

-- aliases_of
SELECT entity, norm, surface FROM alias WHERE workspace = :workspace AND live = 1 AND entity IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) ORDER BY entity, id;

-- entities_counted
-- How often each of these entities is mentioned in what the index shows, and in how many claims it stands.
SELECT e.id,
    (SELECT count(*) FROM mention m JOIN passage p ON p.workspace = m.workspace AND p.ordinal = m.ordinal AND p.live = 1
        WHERE m.workspace = e.workspace AND m.entity = e.id),
    (SELECT count(*) FROM claim c WHERE c.workspace = e.workspace AND c.subject = e.id AND c.live = 1)
        + (SELECT count(*) FROM claim c WHERE c.workspace = e.workspace AND c.object = e.id AND c.live = 1)
FROM entity e WHERE e.workspace = :workspace AND e.id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json));

-- entities_listed
-- A page of the names of things and of the names that are blocked, in the order they were met.
SELECT e.id FROM entity e WHERE e.workspace = :workspace AND e.id > :after AND (:part = '' OR strpos(e.norm, :part) > 0) ORDER BY e.id LIMIT :limit;
