-- turns_of_sessions
SELECT session, id FROM record
WHERE workspace = :workspace AND session IN (SELECT value::bigint FROM json_array_elements_text(:ids::json))
ORDER BY session, id;

-- postings_of_words
-- Every block of some words, in the order of their ordinals.
SELECT term, first_ordinal, data FROM posting
WHERE workspace = :workspace AND term IN (SELECT value FROM json_array_elements_text(:terms::json)) ORDER BY term, first_ordinal;
