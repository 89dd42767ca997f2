-- lineage_sources
-- Text flows along these relations: what is derived from a record, and what covers it as a summary.
SELECT DISTINCT dst FROM link WHERE workspace = :workspace AND live = 1 AND relation IN ('derived_from', 'covers')
    AND src IN (SELECT value FROM json_each(:ids)) ORDER BY dst;

-- lineage_derived
SELECT DISTINCT src FROM link WHERE workspace = :workspace AND live = 1 AND relation IN ('derived_from', 'covers')
    AND dst IN (SELECT value FROM json_each(:ids)) ORDER BY src;

-- records_kinds
SELECT uid, kind FROM record WHERE workspace = :workspace AND uid IN (SELECT value FROM json_each(:uids));
