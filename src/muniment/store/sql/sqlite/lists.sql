-- records_by_fingerprint
-- Whatever state they are in: what was retired is not new when it is said again.
SELECT r.fingerprint, r.id, r.uid, r.text, r.state, r.version, s.name
FROM record r LEFT JOIN speaker s ON s.workspace = r.workspace AND s.id = r.speaker
WHERE r.workspace = :workspace AND r.fingerprint IN (SELECT value FROM json_each(:fingerprints));

-- records_by_id
SELECT r.workspace, r.id, r.uid, r.kind, r.tier, r.state, r.version, r.text, r.subject, r.session, r.seq, s.name, r.event_at,
    r.event_zone, r.recorded_at, r.source_type, r.source_ref, r.url, r.origin, r.trust, r.taint, r.principal, r.client,
    r.protection, r.versions, r.valid_from, r.valid_to, r.retired_at, r.superseded_by, r.supersede_why, r.fingerprint
FROM record r LEFT JOIN speaker s ON s.workspace = r.workspace AND s.id = r.speaker
WHERE r.workspace = :workspace AND r.id IN (SELECT value FROM json_each(:ids));

-- speakers_named
SELECT name, id FROM speaker WHERE workspace = :workspace AND name IN (SELECT value FROM json_each(:names));

-- entities_by_norm
SELECT norm, id FROM entity WHERE workspace = :workspace AND norm IN (SELECT value FROM json_each(:norms));

-- mentions_of
SELECT ordinal, entity FROM mention WHERE workspace = :workspace AND entity IN (SELECT value FROM json_each(:entities));

-- labels_named
SELECT DISTINCT record FROM label
WHERE workspace = :workspace AND sort = :sort AND norm IN (SELECT value FROM json_each(:norms));

-- postings
-- Every block of the asked terms, in the order of their ordinals.
SELECT term, data FROM posting WHERE workspace = :workspace AND term IN (SELECT value FROM json_each(:terms))
ORDER BY term, first_ordinal;

-- vectors_at
SELECT ordinal, data FROM vector
WHERE workspace = :workspace AND generation = :generation AND ordinal IN (SELECT value FROM json_each(:ordinals));

-- sessions_by_id
SELECT workspace, id, uid, external_id, title, client, cwd, first_at, last_at, turns
FROM session WHERE workspace = :workspace AND id IN (SELECT value FROM json_each(:ids));

-- corroborated
SELECT record, count(*) FROM corroboration
WHERE workspace = :workspace AND record IN (SELECT value FROM json_each(:ids)) GROUP BY record;

-- workspace_hold
-- The write lock that every SQLite transaction takes holds the workspace already.
SELECT id FROM workspace WHERE id = :workspace;

-- workspaces_hold
SELECT id FROM workspace ORDER BY id;

-- terms_holding
-- Words of the workspace that hold a piece, shortest first.
SELECT term FROM vocabulary WHERE workspace = :workspace AND instr(term, :piece) > 0 ORDER BY length(term), term LIMIT :limit;

-- passages_kept
-- Of these passages the live ones of what is kept: memories and documents.
SELECT p.ordinal, p.record FROM passage p JOIN record r ON r.workspace = p.workspace AND r.id = p.record
WHERE p.workspace = :workspace AND p.live = 1 AND r.kind <> 'turn' AND r.state = 'active' AND p.ordinal IN (SELECT value FROM json_each(:ordinals));

-- passages_at
SELECT ordinal, record, starts, ends FROM passage
WHERE workspace = :workspace AND ordinal IN (SELECT value FROM json_each(:ordinals));

-- passage_texts
-- Each from the version that it is a passage of.
SELECT p.ordinal, CASE WHEN v.version IS NULL THEN r.subject ELSE v.subject END AS subject,
    substr(coalesce(v.text, r.text), p.starts + 1, p.ends - p.starts) AS text
FROM passage p JOIN record r ON r.workspace = p.workspace AND r.id = p.record
LEFT JOIN record_version v ON v.workspace = p.workspace AND v.record = p.record AND v.version = p.version
WHERE p.workspace = :workspace AND p.ordinal IN (SELECT value FROM json_each(:ordinals));

-- links_of
-- Both directions, of records that are asked for.
SELECT id, src, src_version, dst, dst_version, relation, confidence, rationale, method, recorded_at FROM link
WHERE workspace = :workspace AND live = 1
    AND (src IN (SELECT value FROM json_each(:ids)) OR dst IN (SELECT value FROM json_each(:ids)))
ORDER BY id;

-- workspaces_by_id
SELECT id, uid, slug, name, kind, state, root, data_class, isolation, admits_similar FROM workspace
WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY slug;

-- workspaces_by_slug
SELECT id, uid, slug, name, kind, state, root, data_class, isolation, admits_similar FROM workspace
WHERE slug IN (SELECT value FROM json_each(:slugs)) ORDER BY slug;
