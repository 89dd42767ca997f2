-- record_govern
-- Sets everything about a record that is not its content.
UPDATE record SET state = :state, protection = :protection, valid_from = :valid_from, valid_to = :valid_to,
    retired_at = :retired_at, superseded_by = :superseded_by, supersede_why = :supersede_why
WHERE workspace = :workspace AND id = :target;

-- record_governed
SELECT state, protection, valid_from, valid_to, retired_at, superseded_by, supersede_why, version
FROM record WHERE workspace = :workspace AND id = :target;

-- record_as_version
-- Puts a kept version in force.
UPDATE record SET version = v.version, subject = v.subject, text = v.text, tier = v.tier, event_at = v.event_at,
    event_zone = v.event_zone, source_type = v.source_type, source_ref = v.source_ref, trust = v.trust, taint = v.taint,
    principal = v.principal, client = v.client, fingerprint = v.fingerprint, recorded_at = v.at
FROM record_version v
WHERE record.workspace = :workspace AND record.id = :target
    AND v.workspace = record.workspace AND v.record = record.id AND v.version = :version;

-- record_number_version
-- The number of the next version: none is given twice.
UPDATE record SET versions = versions + 1 WHERE workspace = :workspace AND id = :id RETURNING versions;

-- version_keep
INSERT INTO record_version (workspace, record, version, subject, text, labels, reason, principal, at, tier, event_at,
    event_zone, source_type, source_ref, trust, taint, client, fingerprint)
VALUES (:workspace, :record, :version, :subject, :text, :labels, :reason, :principal, :at, :tier, :event_at,
    :event_zone, :source_type, :source_ref, :trust, :taint, :client, :fingerprint)
ON CONFLICT DO NOTHING;

-- version_labels
SELECT labels FROM record_version WHERE workspace = :workspace AND record = :record AND version = :version;

-- effect_add
INSERT INTO effect (workspace, action, number, sort, target, field, before, after)
VALUES (:workspace, :action, :number, :sort, :target, :field, :before, :after);

-- effects_of
SELECT number, sort, target, field, before, after FROM effect WHERE workspace = :workspace AND action = :action ORDER BY number;

-- effect_first
SELECT before FROM effect WHERE workspace = :workspace AND sort = :sort AND target = :target AND field = :field
ORDER BY action, number LIMIT 1;

-- effect_last
-- What a field is now: what the last action set that nobody took back.
SELECT e.after FROM effect e JOIN action a ON a.workspace = e.workspace AND a.seq = e.action
WHERE e.workspace = :workspace AND e.sort = :sort AND e.target = :target AND e.field = :field AND a.undone_by IS NULL
ORDER BY e.action DESC, e.number DESC LIMIT 1;

-- action_by_uid
SELECT workspace, seq, uid, kind, targets, inverse, reason, principal, client, at, run, undone_by FROM action WHERE uid = :uid;

-- actions_of_run
SELECT workspace, seq, uid, kind, targets, inverse, reason, principal, client, at, run, undone_by FROM action
WHERE workspace = :workspace AND run = :run AND undone_by IS NULL AND inverse IS NOT NULL AND kind <> 'undo' ORDER BY seq DESC;

-- action_undone
UPDATE action SET undone_by = :by WHERE workspace = :workspace AND seq = :seq AND undone_by IS NULL RETURNING seq;

-- link_add
INSERT INTO link (workspace, id, src, src_version, dst, dst_version, relation, confidence, rationale, method, recorded_at)
VALUES (:workspace, :id, :src, :src_version, :dst, :dst_version, :relation, :confidence, :rationale, :method, :recorded_at);

-- link_known
SELECT id, live FROM link WHERE workspace = :workspace AND src = :src AND dst = :dst AND relation = :relation;

-- link_live
SELECT live FROM link WHERE workspace = :workspace AND id = :target;

-- link_set_live
UPDATE link SET live = :live WHERE workspace = :workspace AND id = :target;

-- numbers_take
-- Numbers for links, claims, conflicts and the like; holds the workspace.
UPDATE workspace SET numbers = numbers + :count, stamp = stamp + 1 WHERE id = :workspace RETURNING numbers;

-- alias_live
SELECT live FROM alias WHERE workspace = :workspace AND id = :target;

-- alias_set_live
UPDATE alias SET live = :live WHERE workspace = :workspace AND id = :target;

-- block_live
SELECT live FROM entity_block WHERE workspace = :workspace AND id = :target;

-- block_set_live
UPDATE entity_block SET live = :live WHERE workspace = :workspace AND id = :target;

-- entity_governed
SELECT merged_into, type FROM entity WHERE workspace = :workspace AND id = :target;

-- entity_govern
UPDATE entity SET merged_into = :merged_into, type = :type WHERE workspace = :workspace AND id = :target;

-- claim_live
SELECT live FROM claim WHERE workspace = :workspace AND id = :target;

-- claim_set_live
UPDATE claim SET live = :live WHERE workspace = :workspace AND id = :target;

-- confirmation_add
INSERT INTO confirmation (uid, principal, payload, expires_at) VALUES (:uid, :principal, :payload, :expires_at);

-- confirmation_spend
UPDATE confirmation SET spent_at = :now
WHERE uid = :uid AND principal = :principal AND payload = :payload AND spent_at IS NULL AND expires_at > :now RETURNING uid;

-- confirmations_expire
DELETE FROM confirmation WHERE expires_at <= :now;
