-- moving_records_park
-- A uid is one record's in the whole store: the row that goes makes room for the one that comes.
UPDATE record SET uid = '~' || uid WHERE workspace = :source AND id BETWEEN :first AND :last;

-- moving_records
-- A run of records under new numbers. The numbers of sessions move by `sessions`; heirs are set afterwards.
INSERT INTO record (workspace, id, uid, kind, tier, state, version, subject, text, session, seq, speaker, event_at, event_zone,
    recorded_at, fingerprint, external_id, source_type, source_ref, url, origin, trust, taint, principal, client, protection,
    versions, valid_from, valid_to, retired_at, superseded_by, supersede_why)
SELECT :target, r.id + :step, substr(r.uid, 2), r.kind, r.tier, r.state, r.version, r.subject, r.text, r.session + :sessions, r.seq,
    (SELECT t.id FROM speaker s JOIN speaker t ON t.workspace = :target AND t.name = s.name
        WHERE s.workspace = r.workspace AND s.id = r.speaker),
    r.event_at, r.event_zone, r.recorded_at, r.fingerprint, r.external_id, r.source_type, r.source_ref, r.url, r.origin, r.trust,
    r.taint, r.principal, r.client, r.protection, r.versions, r.valid_from, r.valid_to, r.retired_at, NULL, r.supersede_why
FROM record r WHERE r.workspace = :source AND r.id BETWEEN :first AND :last;

-- moving_records_gone
DELETE FROM record WHERE workspace = :source AND id BETWEEN :first AND :last;

-- moving_evidence_gone
-- What a claim that stays rested on.
DELETE FROM claim_evidence WHERE workspace = :source AND record BETWEEN :first AND :last;

-- moving_mentions_gone
DELETE FROM mention WHERE workspace = :source AND ordinal BETWEEN :first AND :last;

-- moving_passages_gone
DELETE FROM passage WHERE workspace = :source AND ordinal BETWEEN :first AND :last;

-- moving_heirs
SELECT id, superseded_by FROM record WHERE workspace = :workspace AND superseded_by IS NOT NULL ORDER BY id;

-- moving_heir
UPDATE record SET superseded_by = :heir WHERE workspace = :workspace AND id = :record;

-- moving_versions
UPDATE record_version SET workspace = :target, record = record + :step WHERE workspace = :source AND record BETWEEN :first AND :last;

-- moving_labels
UPDATE label SET workspace = :target, record = record + :step WHERE workspace = :source AND record BETWEEN :first AND :last;

-- moving_corroborations
UPDATE corroboration SET workspace = :target, record = record + :step WHERE workspace = :source AND record BETWEEN :first AND :last;

-- moving_sessions_park
UPDATE session SET uid = '~' || uid WHERE workspace = :source AND id BETWEEN :first AND :last;

-- moving_sessions
-- A conversation that the target has by the same id of the client keeps its own uid behind it; so it is found when it goes back.
INSERT INTO session (workspace, id, uid, external_id, title, client, cwd, parent, first_at, last_at, turns, recorded_at)
SELECT :target, s.id + :step, substr(s.uid, 2),
    CASE WHEN EXISTS (SELECT 1 FROM session t
            WHERE t.workspace = :target AND t.external_id = replace(s.external_id, s.uid, ''))
        THEN replace(s.external_id, s.uid, '') || s.uid ELSE replace(s.external_id, s.uid, '') END,
    s.title, s.client, s.cwd, s.parent, s.first_at, s.last_at, s.turns, s.recorded_at
FROM session s WHERE s.workspace = :source AND s.id BETWEEN :first AND :last;

-- moving_sessions_gone
DELETE FROM session WHERE workspace = :source AND id BETWEEN :first AND :last;

-- moving_speakers
-- Who spoke, of some records.
SELECT DISTINCT s.name FROM record r JOIN speaker s ON s.workspace = r.workspace AND s.id = r.speaker
WHERE r.workspace = :source AND r.id BETWEEN :first AND :last ORDER BY s.name;

-- moving_link
UPDATE link SET workspace = :target, id = :number, src = :src, dst = :dst WHERE workspace = :source AND id = :id;

-- moving_link_set
UPDATE link SET live = :live WHERE workspace = :workspace AND id = :id;

-- moving_claims_park
UPDATE claim SET uid = '~' || uid WHERE workspace = :source AND id BETWEEN :first AND :last;

-- moving_claims
-- Their entities are there by name.
INSERT INTO claim (workspace, id, uid, subject, attribute, said, object, value, value_norm, qualifier, polarity, many, causal,
    valid_from, valid_to, recorded_at, confidence, method, detector, live)
SELECT :target, c.id + :step, substr(c.uid, 2),
    (SELECT t.id FROM entity s JOIN entity t ON t.workspace = :target AND t.norm = s.norm
        WHERE s.workspace = c.workspace AND s.id = c.subject),
    c.attribute, c.said,
    (SELECT t.id FROM entity s JOIN entity t ON t.workspace = :target AND t.norm = s.norm
        WHERE s.workspace = c.workspace AND s.id = c.object),
    c.value, c.value_norm, c.qualifier, c.polarity, c.many, c.causal, c.valid_from, c.valid_to, c.recorded_at, c.confidence,
    c.method, c.detector, c.live
FROM claim c WHERE c.workspace = :source AND c.id BETWEEN :first AND :last;

-- moving_claims_gone
DELETE FROM claim WHERE workspace = :source AND id BETWEEN :first AND :last;

-- moving_evidence
UPDATE claim_evidence SET workspace = :target, claim = :to_claim, record = :to_record
WHERE workspace = :source AND claim = :claim AND record = :record;

-- moving_conflict_park
UPDATE conflict SET uid = '~' || uid WHERE workspace = :source AND id = :id;

-- moving_conflict
INSERT INTO conflict (workspace, id, uid, slot, subject, attribute, qualifier, status, revision, detector, fingerprint, chosen,
    resolution, resolution_version, decider, reason, plan, opened_at, changed_at)
SELECT :target, CAST(:number AS INTEGER), substr(uid, 2), slot, subject, attribute, qualifier, status, revision, detector, uid, chosen,
    CAST(:resolution AS INTEGER), resolution_version, decider, reason, plan, opened_at, changed_at
FROM conflict WHERE workspace = :source AND id = :id;

-- moving_conflict_mark
UPDATE conflict SET fingerprint = :fingerprint WHERE workspace = :workspace AND id = :id;

-- moving_conflict_gone
DELETE FROM conflict WHERE workspace = :source AND id = :id;

-- moving_member
UPDATE conflict_member SET workspace = :target, conflict = :to_conflict, record = :to_record
WHERE workspace = :source AND conflict = :conflict AND record = :record;

-- moving_step
UPDATE conflict_step SET workspace = :target, conflict = :to_conflict, record = :to_record
WHERE workspace = :source AND conflict = :conflict AND record = :record;

-- moving_candidate
UPDATE candidate SET workspace = :target, id = :number, key = :key, members = :members WHERE workspace = :source AND id = :id;

-- moving_notice
UPDATE notice SET workspace = :target, id = :number WHERE workspace = :source AND id = :id;

-- moving_proposal
-- What it led to stays in the ledger of the workspace where that was done.
UPDATE proposal SET workspace = :target, id = :number, target = :aim, supersedes = :supersedes, record = :record,
    evidence = :evidence
WHERE workspace = :source AND id = :id;

-- moving_aliases
INSERT INTO alias (workspace, id, entity, norm, surface, method, live)
SELECT :target, a.id + :step,
    (SELECT t.id FROM entity s JOIN entity t ON t.workspace = :target AND t.norm = s.norm
        WHERE s.workspace = a.workspace AND s.id = a.entity),
    a.norm, a.surface, a.method, a.live
FROM alias a WHERE a.workspace = :source AND a.id BETWEEN :first AND :last
ON CONFLICT DO NOTHING;

-- moving_blocks
INSERT INTO entity_block (workspace, id, norm, live)
SELECT :target, b.id + :step, b.norm, b.live FROM entity_block b
WHERE b.workspace = :source AND b.id BETWEEN :first AND :last
ON CONFLICT DO NOTHING;

-- moving_sources
UPDATE source_file SET workspace = :target WHERE workspace = :source;

-- moving_source
UPDATE source_file SET workspace = :target WHERE workspace = :source AND path = :path;

-- moving_marks
INSERT INTO forgotten (workspace, mark, everywhere)
SELECT CAST(:target AS INTEGER), f.mark, f.everywhere FROM forgotten f WHERE f.workspace = :source
ON CONFLICT DO NOTHING;

-- moving_rows
-- A page of a run of records, for the index.
SELECT r.id, r.kind, r.tier, r.state, r.version, r.text, r.subject, r.session, r.seq, r.speaker, r.event_at, r.recorded_at,
    r.versions
FROM record r WHERE r.workspace = :workspace AND r.id > :after AND r.id <= :last ORDER BY r.id LIMIT :limit;

-- moving_everything
-- What a workspace has a number for, with the sort of it.
SELECT 'record', id FROM record WHERE workspace = :workspace
UNION ALL SELECT 'session', id FROM session WHERE workspace = :workspace
UNION ALL SELECT 'link', id FROM link WHERE workspace = :workspace
UNION ALL SELECT 'claim', id FROM claim WHERE workspace = :workspace
UNION ALL SELECT 'conflict', id FROM conflict WHERE workspace = :workspace
UNION ALL SELECT 'candidate', id FROM candidate WHERE workspace = :workspace
UNION ALL SELECT 'notice', id FROM notice WHERE workspace = :workspace
UNION ALL SELECT 'proposal', id FROM proposal WHERE workspace = :workspace
UNION ALL SELECT 'entity', id FROM entity WHERE workspace = :workspace
UNION ALL SELECT 'alias', id FROM alias WHERE workspace = :workspace
UNION ALL SELECT 'entity_block', id FROM entity_block WHERE workspace = :workspace;

-- moving_links
SELECT id, src, src_version, dst, dst_version, relation, confidence, method, recorded_at, live FROM link
WHERE workspace = :workspace ORDER BY id;

-- moving_evidences
SELECT DISTINCT claim, record FROM claim_evidence WHERE workspace = :workspace ORDER BY claim, record;

-- moving_conflicts
SELECT id, uid, slot, status, resolution FROM conflict WHERE workspace = :workspace ORDER BY id;

-- moving_members
SELECT DISTINCT conflict, record FROM conflict_member WHERE workspace = :workspace
UNION SELECT DISTINCT conflict, record FROM conflict_step WHERE workspace = :workspace;

-- moving_proposals
SELECT id, uid, state, target, supersedes, record, evidence FROM proposal WHERE workspace = :workspace ORDER BY id;

-- moving_sources_of
SELECT path FROM source_file WHERE workspace = :workspace ORDER BY path;

-- moving_protected
-- How many of each sort of protection a workspace holds.
SELECT protection, count(*) FROM record WHERE workspace = :workspace AND protection <> 'normal' GROUP BY protection ORDER BY protection;

-- workspace_moved_into
-- Whether anybody moved something into a workspace.
SELECT 1 FROM action WHERE workspace = :workspace AND kind = 'move' LIMIT 1;
