-- conflict_spans_of_records
-- The conflicts that wait and have one of these records as a member, with the words that are in question.
SELECT m.record, m.starts, m.ends, c.uid FROM conflict_member m JOIN conflict c ON c.workspace = m.workspace AND c.id = m.conflict
WHERE m.workspace = :workspace AND c.status IN ('open', 'applying') AND m.record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json))
ORDER BY c.id;

-- claims_of_property
-- The newest claims of one property of these entities.
SELECT c.id FROM claim c
WHERE c.workspace = :workspace AND c.subject IN (SELECT value::bigint FROM json_array_elements_text(:ids::json)) AND c.attribute = :attribute
ORDER BY c.id DESC LIMIT :limit;
