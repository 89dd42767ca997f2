-- forgotten_any
SELECT 1 FROM forgotten LIMIT 1;

-- forgotten_add
INSERT INTO forgotten (workspace, mark, everywhere) VALUES (:workspace, :mark, :everywhere) ON CONFLICT DO NOTHING;

-- workspace_forgot
UPDATE workspace SET forgettings = forgettings + 1, stamp = stamp + 1 WHERE id = :workspace;

-- session_record_ids
SELECT id FROM record WHERE workspace = :workspace AND session = :session ORDER BY id;

-- principal_record_ids
-- A record is of everybody who wrote a version of it.
SELECT id FROM record WHERE workspace = :workspace AND principal = :principal
UNION SELECT record FROM record_version WHERE workspace = :workspace AND principal = :principal ORDER BY 1;

-- workspace_record_uids
SELECT uid FROM record WHERE workspace = :workspace;

-- sessions_whole
-- Of sessions what they are called, and how many turns they have.
SELECT s.id, s.uid, s.external_id, s.title, (SELECT count(*) FROM record r WHERE r.workspace = s.workspace AND r.session = s.id)
FROM session s WHERE s.workspace = :workspace AND s.id = :session;

-- session_texts
SELECT seq, event_at, text FROM record WHERE workspace = :workspace AND session = :session ORDER BY seq;

-- session_places
SELECT id, seq FROM record WHERE workspace = :workspace AND session = :session ORDER BY seq;

-- session_unseat
-- Places are given anew; until then nobody sits on a place that another one gets.
UPDATE record SET seq = -seq WHERE workspace = :workspace AND session = :session;

-- record_seat
UPDATE record SET seq = :seq WHERE workspace = :workspace AND id = :record;

-- session_measure
UPDATE session SET turns = (SELECT count(*) FROM record r WHERE r.workspace = session.workspace AND r.session = session.id),
    first_at = (SELECT min(r.event_at) FROM record r WHERE r.workspace = session.workspace AND r.session = session.id),
    last_at = (SELECT max(r.event_at) FROM record r WHERE r.workspace = session.workspace AND r.session = session.id)
WHERE workspace = :workspace AND id = :session;

-- session_untitle
UPDATE session SET title = NULL WHERE workspace = :workspace AND id = :session;

-- session_orphan
-- Forks of a conversation that is forgotten came from nowhere.
UPDATE session SET parent = NULL WHERE workspace = :workspace AND parent = :external_id;

-- session_cut
DELETE FROM session WHERE workspace = :workspace AND id = :session;

-- episodes_of_drop
DELETE FROM episode WHERE workspace = :workspace AND session = :session;

-- speaker_elsewhere
SELECT 1 FROM record WHERE workspace = :workspace AND speaker = :speaker LIMIT 1;

-- speaker_cut
DELETE FROM speaker WHERE workspace = :workspace AND id = :speaker;

-- postings_page
-- Every word's postings, a page at a time.
SELECT term, first_ordinal, data FROM posting
WHERE workspace = :workspace AND first_ordinal <= :last AND (term, first_ordinal) > (:term, :first)
ORDER BY term, first_ordinal LIMIT :limit;

-- posting_cut
DELETE FROM posting WHERE workspace = :workspace AND term = :term AND first_ordinal = :first;

-- vocabulary_cut
DELETE FROM vocabulary WHERE workspace = :workspace AND term = :term;

-- roster_put
UPDATE roster SET data = :data WHERE workspace = :workspace AND first_ordinal = :first;

-- vector_cut
DELETE FROM vector WHERE workspace = :workspace AND generation = :generation AND ordinal = :ordinal;

-- mention_cut
DELETE FROM mention WHERE workspace = :workspace AND ordinal = :ordinal;

-- mention_first
-- Where an entity is named first, and what stands there.
SELECT m.starts, m.ends, coalesce(v.text, r.text) FROM mention m
JOIN passage p ON p.workspace = m.workspace AND p.ordinal = m.ordinal
JOIN record r ON r.workspace = p.workspace AND r.id = p.record
LEFT JOIN record_version v ON v.workspace = p.workspace AND v.record = p.record AND v.version = p.version
WHERE m.workspace = :workspace AND m.entity = :entity ORDER BY m.ordinal, m.starts LIMIT 1;

-- entity_called
UPDATE entity SET canonical = :canonical WHERE workspace = :workspace AND id = :entity;

-- entity_unmerge
UPDATE entity SET merged_into = NULL WHERE workspace = :workspace AND merged_into = :entity;

-- entity_cut
DELETE FROM entity WHERE workspace = :workspace AND id = :entity;

-- alias_cut
DELETE FROM alias WHERE workspace = :workspace AND id = :alias;

-- block_cut
DELETE FROM entity_block WHERE workspace = :workspace AND id = :block;

-- passages_cut
DELETE FROM passage WHERE workspace = :workspace AND record = :record;

-- labels_cut
DELETE FROM label WHERE workspace = :workspace AND record = :record;

-- corroborations_cut
DELETE FROM corroboration WHERE workspace = :workspace AND record = :record;

-- versions_cut
DELETE FROM record_version WHERE workspace = :workspace AND record = :record;

-- evidence_cut
DELETE FROM claim_evidence WHERE workspace = :workspace AND record = :record;

-- record_cut
DELETE FROM record WHERE workspace = :workspace AND id = :record;

-- heir_cut
-- What was replaced by something that is forgotten stays replaced, by nothing that anybody knows.
UPDATE record SET superseded_by = NULL WHERE workspace = :workspace AND id = :record;

-- effects_cut
DELETE FROM effect WHERE workspace = :workspace AND sort = :sort AND target = :target;

-- link_cut
DELETE FROM link WHERE workspace = :workspace AND id = :link;

-- claim_cut
DELETE FROM claim WHERE workspace = :workspace AND id = :claim;

-- conflict_steps_cut
DELETE FROM conflict_step WHERE workspace = :workspace AND conflict = :conflict;

-- conflict_members_cut
DELETE FROM conflict_member WHERE workspace = :workspace AND conflict = :conflict;

-- conflict_cut
DELETE FROM conflict WHERE workspace = :workspace AND id = :conflict;

-- candidates_held
SELECT id, uid, members FROM candidate WHERE workspace = :workspace ORDER BY id;

-- candidate_cut
DELETE FROM candidate WHERE workspace = :workspace AND id = :candidate;

-- notices_held
SELECT id, ref, dedupe FROM notice WHERE workspace = :workspace ORDER BY id;

-- notice_cut
DELETE FROM notice WHERE workspace = :workspace AND id = :notice;

-- proposals_held
SELECT id, uid, principal, target, supersedes, record, text, evidence FROM proposal WHERE workspace = :workspace ORDER BY id;

-- proposal_cut
DELETE FROM proposal WHERE workspace = :workspace AND id = :proposal;

-- requests_held
-- Of all workspaces: an answer is kept for its caller, wherever what it names may be.
SELECT principal, request_id, answer FROM request WHERE (principal, request_id) > (:principal, :request_id)
ORDER BY principal, request_id LIMIT :limit;

-- request_cut
DELETE FROM request WHERE principal = :principal AND request_id = :request_id;

-- confirmations_drop
-- Each holds a hash of everything that a call said.
DELETE FROM confirmation;

-- actions_named
SELECT seq, targets, principal FROM action WHERE workspace = :workspace AND seq > :after ORDER BY seq LIMIT :limit;

-- action_blank
-- Hashes that were made without a salt could be guessed; the others say nothing once their salt is gone.
UPDATE action SET reason = NULL, run = NULL, salt = NULL,
    before_hash = CASE WHEN salt IS NULL THEN NULL ELSE before_hash END,
    after_hash = CASE WHEN salt IS NULL THEN NULL ELSE after_hash END
WHERE workspace = :workspace AND seq = :seq;

-- actions_unname
-- Nothing of the row is checked any more but its place in the chain, so it keeps no hash either. What says that others were
-- blanked has to stay as it is.
UPDATE action SET client = NULL, before_hash = NULL, after_hash = NULL WHERE workspace = :workspace AND principal = :principal AND kind <> 'forget';

-- actions_forgetting
-- The rows that say which actions were blanked.
SELECT targets FROM action WHERE workspace = :workspace AND kind = 'forget' ORDER BY seq;

-- effects_between
SELECT action, number, sort, target, field, before, after FROM effect
WHERE workspace = :workspace AND action BETWEEN :first AND :last ORDER BY action, number;

-- sources_held
SELECT path FROM source_file ORDER BY path;

-- source_elsewhere
-- Whether any workspace holds something that was read from a file of that name: a file belongs to all of them.
SELECT 1 FROM record WHERE substr(source_ref, 1, CAST(:length AS INTEGER)) = :start LIMIT 1;

-- source_cut
DELETE FROM source_file WHERE path = :path;

-- tokens_forget
UPDATE token SET revoked_at = coalesce(revoked_at, :now), label = '' WHERE principal = :principal;

-- tokens_of
SELECT count(*) FROM token WHERE principal = :principal;

-- principal_rename
-- It acts and logs in no more.
UPDATE principal SET name = :name, secret_hash = NULL, subject = NULL, ended_at = coalesce(ended_at, :now) WHERE id = :principal;

-- requests_of
SELECT count(*) FROM request WHERE principal = :principal;

-- requests_of_drop
DELETE FROM request WHERE principal = :principal;

-- corroborations_of_drop
DELETE FROM corroboration WHERE workspace = :workspace AND principal = :principal;

-- links_unreason
-- Why a link was made, in the words of whoever made it.
UPDATE link SET rationale = NULL WHERE workspace = :workspace AND id IN (
    SELECT e.target FROM effect e JOIN action a ON a.workspace = e.workspace AND a.seq = e.action
    WHERE e.workspace = :workspace AND e.sort = 'link' AND a.principal = :principal);

-- applied_unreason
-- Why somebody accepted a proposal also stands in the action that carried it out, whoever did that.
UPDATE action SET reason = NULL WHERE workspace = :workspace AND seq IN (
    SELECT action FROM proposal WHERE workspace = :workspace AND decider = :decider AND action IS NOT NULL);

-- versions_unreason
-- And in the version that it made.
UPDATE record_version SET reason = NULL WHERE workspace = :workspace AND EXISTS (
    SELECT 1 FROM proposal p WHERE p.workspace = :workspace AND p.decider = :decider AND p.record = record_version.record
        AND p.reason = record_version.reason);

-- conflicts_undecide
UPDATE conflict SET decider = :name, reason = NULL WHERE workspace = :workspace AND decider = :decider;

-- candidates_undecide
UPDATE candidate SET decider = :name, reason = NULL WHERE workspace = :workspace AND decider = :decider;

-- proposals_undecide
UPDATE proposal SET decider = :name, reason = NULL WHERE workspace = :workspace AND decider = :decider;

-- workspace_neutral
UPDATE workspace SET slug = :slug, name = :name, root = NULL, repository = NULL, state = 'archived' WHERE id = :workspace;

-- workspace_held
-- How much a workspace holds, table by table.
SELECT
    (SELECT count(*) FROM record WHERE workspace = :workspace),
    (SELECT count(*) FROM record_version WHERE workspace = :workspace),
    (SELECT count(*) FROM label WHERE workspace = :workspace),
    (SELECT count(*) FROM corroboration WHERE workspace = :workspace),
    (SELECT count(*) FROM passage WHERE workspace = :workspace),
    (SELECT count(*) FROM vector WHERE workspace = :workspace),
    (SELECT count(*) FROM mention WHERE workspace = :workspace),
    (SELECT count(*) FROM entity WHERE workspace = :workspace),
    (SELECT count(*) FROM alias WHERE workspace = :workspace),
    (SELECT count(*) FROM entity_block WHERE workspace = :workspace),
    (SELECT count(*) FROM claim WHERE workspace = :workspace),
    (SELECT count(*) FROM claim_evidence WHERE workspace = :workspace),
    (SELECT count(*) FROM link WHERE workspace = :workspace),
    (SELECT count(*) FROM conflict WHERE workspace = :workspace),
    (SELECT count(*) FROM candidate WHERE workspace = :workspace),
    (SELECT count(*) FROM notice WHERE workspace = :workspace),
    (SELECT count(*) FROM proposal WHERE workspace = :workspace),
    (SELECT count(*) FROM session WHERE workspace = :workspace),
    (SELECT count(*) FROM speaker WHERE workspace = :workspace),
    (SELECT count(*) FROM source_file WHERE workspace = :workspace);

-- workspace_sessions
SELECT id, external_id FROM session WHERE workspace = :workspace ORDER BY id;

-- proposals_all_drop
DELETE FROM proposal WHERE workspace = :workspace;

-- notices_all_drop
DELETE FROM notice WHERE workspace = :workspace;

-- candidates_all_drop
DELETE FROM candidate WHERE workspace = :workspace;

-- conflict_steps_all_drop
DELETE FROM conflict_step WHERE workspace = :workspace;

-- conflict_members_all_drop
DELETE FROM conflict_member WHERE workspace = :workspace;

-- conflicts_all_drop
DELETE FROM conflict WHERE workspace = :workspace;

-- evidence_all_drop
DELETE FROM claim_evidence WHERE workspace = :workspace;

-- claims_all_drop
DELETE FROM claim WHERE workspace = :workspace;

-- links_all_drop
DELETE FROM link WHERE workspace = :workspace;

-- effects_all_drop
DELETE FROM effect WHERE workspace = :workspace;

-- aliases_all_drop
DELETE FROM alias WHERE workspace = :workspace;

-- blocks_all_drop
DELETE FROM entity_block WHERE workspace = :workspace;

-- vectors_all_drop
DELETE FROM vector WHERE workspace = :workspace;

-- codes_all_drop
DELETE FROM code WHERE workspace = :workspace;

-- spaces_all_drop
DELETE FROM space WHERE workspace = :workspace;

-- labels_all_drop
DELETE FROM label WHERE workspace = :workspace;

-- corroborations_all_drop
DELETE FROM corroboration WHERE workspace = :workspace;

-- versions_all_drop
DELETE FROM record_version WHERE workspace = :workspace;

-- records_all_drop
DELETE FROM record WHERE workspace = :workspace;

-- sessions_all_drop
DELETE FROM session WHERE workspace = :workspace;

-- speakers_all_drop
DELETE FROM speaker WHERE workspace = :workspace;

-- jobs_all_drop
DELETE FROM outbox WHERE workspace = :workspace;

-- sources_all_drop
DELETE FROM source_file WHERE workspace = :workspace;

-- marks_all_drop
DELETE FROM watermark WHERE workspace = :workspace;
