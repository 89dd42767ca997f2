-- refs_by_id
SELECT id, kind, uid FROM record WHERE workspace = :workspace AND id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json));

-- records_named
-- What is known of the standing of records, usual or not.
SELECT r.id, r.kind, r.uid, r.state, r.version, r.versions, coalesce(v.at, r.recorded_at), r.event_at, r.valid_from, r.valid_to,
    r.retired_at, r.superseded_by, r.supersede_why
FROM record r LEFT JOIN record_version v ON v.workspace = r.workspace AND v.record = r.id AND v.version = 1
WHERE r.workspace = :workspace AND r.id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json));

-- versions_by_id
-- Every kept version of some records, with what it says and where that came from.
SELECT record, version, subject, text, tier, event_at, event_zone, source_type, source_ref, trust, taint, principal, client, at,
    fingerprint
FROM record_version WHERE workspace = :workspace AND record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json));

-- passages_by_record
-- The passages of all versions of some records, dead and live.
SELECT ordinal, record, version, live FROM passage
WHERE workspace = :workspace AND record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json));

-- conflicts_of_records
SELECT m.record, c.uid FROM conflict_member m JOIN conflict c ON c.workspace = m.workspace AND c.id = m.conflict
WHERE m.workspace = :workspace AND c.status IN ('open', 'applying') AND m.record IN (SELECT value::bigint FROM json_array_elements_text(:ids::json))
GROUP BY m.record, c.uid, c.id ORDER BY c.id;
