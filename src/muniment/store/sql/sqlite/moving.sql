-- turns_of_sessions
SELECT session, id FROM record WHERE workspace = :workspace AND session IN (SELECT value FROM json_each(:ids))
ORDER BY session, id;

-- postings_of_words
-- Every block of some words, in the order of their ordinals.
SELECT term, first_ordinal, data FROM posting
WHERE workspace = :workspace AND term IN (SELECT value FROM json_each(:terms)) ORDER BY term, first_ordinal;
