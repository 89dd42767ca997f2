-- conflict_add
INSERT INTO conflict (workspace, id, uid, slot, subject, attribute, qualifier, status, detector, fingerprint, opened_at, changed_at)
VALUES (:workspace, :id, :uid, :slot, :subject, :attribute, :qualifier, 'open', :detector, :fingerprint, :at, :at);

-- conflict_by_uid
SELECT workspace, id, uid, slot, subject, attribute, qualifier, status, revision, detector, fingerprint, chosen, resolution,
    resolution_version, decider, reason, plan, opened_at
FROM conflict WHERE uid = :uid;

-- conflict_of_slot
-- The one that waits; there is never a second.
SELECT workspace, id, uid, slot, subject, attribute, qualifier, status, revision, detector, fingerprint, chosen, resolution,
    resolution_version, decider, reason, plan, opened_at
FROM conflict WHERE workspace = :workspace AND slot = :slot AND status IN ('open', 'applying');

-- conflicts_listed
-- Newest first, in one of two states.
SELECT workspace, id, uid, slot, subject, attribute, qualifier, status, revision, detector, fingerprint, chosen, resolution,
    resolution_version, decider, reason, plan, opened_at
FROM conflict WHERE workspace = :workspace AND status IN (:one, :other) AND id < :before ORDER BY id DESC LIMIT :limit;

-- conflicts_around
-- Those that wait and have a record as a member.
SELECT DISTINCT c.workspace, c.id, c.uid, c.slot, c.subject, c.attribute, c.qualifier, c.status, c.revision, c.detector,
    c.fingerprint, c.chosen, c.resolution, c.resolution_version, c.decider, c.reason, c.plan, c.opened_at
FROM conflict_member m JOIN conflict c ON c.workspace = m.workspace AND c.id = m.conflict
WHERE m.workspace = :workspace AND m.record = :record AND c.status IN ('open', 'applying') ORDER BY c.id;

-- conflict_set
-- Compares and sets the revision: of two judges one finds nothing to set.
UPDATE conflict SET status = :status, revision = revision + 1, fingerprint = :fingerprint, chosen = :chosen,
    resolution = :resolution, resolution_version = :resolution_version, decider = :decider, reason = :reason, plan = :plan,
    changed_at = :at
WHERE workspace = :workspace AND id = :id AND revision = :revision RETURNING revision;

-- conflict_counts
SELECT status, count(*) FROM conflict WHERE workspace = :workspace GROUP BY status ORDER BY status;

-- fingerprint_taken
SELECT id FROM conflict WHERE workspace = :workspace AND slot = :slot AND fingerprint = :fingerprint;

-- member_put
INSERT INTO conflict_member (workspace, conflict, record, version, value_norm, value, quote, starts, ends)
VALUES (:workspace, :conflict, :record, :version, :value_norm, :value, :quote, :starts, :ends)
ON CONFLICT (workspace, conflict, record, value_norm) DO UPDATE SET version = excluded.version, value = excluded.value,
    quote = excluded.quote, starts = excluded.starts, ends = excluded.ends;

-- member_drop
DELETE FROM conflict_member
WHERE workspace = :workspace AND conflict = :conflict AND record = :record AND value_norm = :value_norm;

-- members_of
SELECT record, version, value_norm, value, quote, starts, ends FROM conflict_member
WHERE workspace = :workspace AND conflict = :conflict ORDER BY record, value_norm;

-- members_settled
-- Who was found to stand side by side in a slot, and at which versions.
SELECT m.conflict, m.record, m.version, m.value_norm FROM conflict c
JOIN conflict_member m ON m.workspace = c.workspace AND m.conflict = c.id
WHERE c.workspace = :workspace AND c.slot = :slot AND c.status = 'not_a_conflict' AND c.detector = :detector
ORDER BY m.conflict, m.record, m.value_norm;

-- step_add
INSERT INTO conflict_step (workspace, conflict, plan, number, record, op, expected_version, state, result_version)
VALUES (:workspace, :conflict, :plan, :number, :record, :op, :expected_version, :state, :result_version);

-- step_set
UPDATE conflict_step SET state = :state, result_version = :result_version, error = :error
WHERE workspace = :workspace AND conflict = :conflict AND plan = :plan AND number = :number;

-- steps_of
SELECT plan, number, record, op, expected_version, state, result_version, error FROM conflict_step
WHERE workspace = :workspace AND conflict = :conflict ORDER BY plan, number;
