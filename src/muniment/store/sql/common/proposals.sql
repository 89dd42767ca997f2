-- proposal_add
-- Answers nothing where the principal has used the request's id in another workspace at this moment.
INSERT INTO proposal (workspace, id, uid, principal, client, request_id, payload_hash, op, kind, target, target_version,
    supersedes, supersedes_version, text, idea, evidence, taint, trust, zone, state, reason, decider, at, decided_at, answer)
VALUES (:workspace, :id, :uid, :principal, :client, :request_id, :payload_hash, :op, :kind, :target, :target_version,
    :supersedes, :supersedes_version, :text, :idea, :evidence, :taint, :trust, :zone, :state, :reason, :decider, :at, :decided_at,
    :answer)
ON CONFLICT DO NOTHING RETURNING id;

-- proposal_by_uid
SELECT p.workspace, p.id, p.uid, p.principal, w.name, p.client, p.op, p.kind, p.target, p.target_version, p.supersedes,
    p.supersedes_version, p.text, p.idea, p.evidence, p.taint, p.trust, p.zone, p.state, p.reason, p.decider, p.action, p.record,
    p.at, p.decided_at, p.ordinal
FROM proposal p JOIN principal w ON w.id = p.principal WHERE p.uid = :uid;

-- proposal_asked
-- What was answered to this id of this caller.
SELECT uid, payload_hash, answer FROM proposal WHERE principal = :principal AND request_id = :request_id;

-- proposals_listed
-- Newest first; an empty state asks for those that wait, 0 for those of every principal.
SELECT p.workspace, p.id, p.uid, p.principal, w.name, p.client, p.op, p.kind, p.target, p.target_version, p.supersedes,
    p.supersedes_version, p.text, p.idea, p.evidence, p.taint, p.trust, p.zone, p.state, p.reason, p.decider, p.action, p.record,
    p.at, p.decided_at, p.ordinal
FROM proposal p JOIN principal w ON w.id = p.principal
WHERE p.workspace = :workspace AND p.id < :before AND (:principal = 0 OR p.principal = :principal)
    AND (p.state = :state OR (:state = '' AND p.state IN ('queued', 'quarantined', 'accepted')))
ORDER BY p.id DESC LIMIT :limit;

-- proposals_queued
-- Those that a rule may accept, oldest first.
SELECT p.workspace, p.id, p.uid, p.principal, w.name, p.client, p.op, p.kind, p.target, p.target_version, p.supersedes,
    p.supersedes_version, p.text, p.idea, p.evidence, p.taint, p.trust, p.zone, p.state, p.reason, p.decider, p.action, p.record,
    p.at, p.decided_at, p.ordinal
FROM proposal p JOIN principal w ON w.id = p.principal
WHERE p.workspace = :workspace AND p.state = 'queued' AND p.taint = 0 AND p.id > :after ORDER BY p.id LIMIT :limit;

-- proposals_accepted
-- What is to be applied, in the order in which it was accepted.
SELECT p.workspace, p.id, p.uid, p.principal, w.name, p.client, p.op, p.kind, p.target, p.target_version, p.supersedes,
    p.supersedes_version, p.text, p.idea, p.evidence, p.taint, p.trust, p.zone, p.state, p.reason, p.decider, p.action, p.record,
    p.at, p.decided_at, p.ordinal
FROM proposal p JOIN principal w ON w.id = p.principal
WHERE p.workspace = :workspace AND p.state = 'accepted' AND p.ordinal > :after ORDER BY p.ordinal LIMIT :limit;

-- proposal_refused
-- The same idea, refused before.
SELECT uid, reason FROM proposal WHERE workspace = :workspace AND idea = :idea AND state = 'rejected' ORDER BY id LIMIT 1;

-- proposal_decide
-- Answers nothing when somebody else decided meanwhile.
UPDATE proposal SET state = :state, reason = :reason, decider = :decider, decided_at = :at, ordinal = :ordinal
WHERE workspace = :workspace AND id = :id AND state IN ('queued', 'quarantined') RETURNING id;

-- proposal_settle
-- Answers nothing when it was settled meanwhile.
UPDATE proposal SET state = :state, reason = :reason, action = :action, record = :record
WHERE workspace = :workspace AND id = :id AND state = 'accepted' RETURNING id;

-- proposals_expire
UPDATE proposal SET state = 'expired', reason = :reason, decided_at = :now
WHERE workspace = :workspace AND state IN ('queued', 'quarantined') AND at < :before RETURNING uid;

-- proposals_overdue
-- The workspaces in which somebody was asked for too long.
SELECT DISTINCT workspace FROM proposal WHERE state IN ('queued', 'quarantined') AND at < :before ORDER BY workspace;

-- proposals_waiting
SELECT count(*) FROM proposal
WHERE workspace = :workspace AND (:principal = 0 OR principal = :principal) AND state IN ('queued', 'quarantined', 'accepted');

-- proposals_filed
-- How many a principal filed lately, wherever.
SELECT count(*) FROM proposal WHERE principal = :principal AND at >= :since;

-- writes_made
-- How often a principal lately wrote without being asked to wait, wherever, and how often that changed what stood.
SELECT count(*), coalesce(sum(CASE WHEN kind IN ('remember', 'corroborate') THEN 0 ELSE 1 END), 0) FROM action
WHERE principal = :principal AND at >= :since
    AND kind IN ('remember', 'corroborate', 'update', 'supersede', 'archive', 'restore', 'reject', 'close_thread');

-- proposals_aimed
-- The trusted records that a principal would lately have changed.
SELECT DISTINCT r.id FROM proposal p
JOIN record r ON r.workspace = p.workspace AND (r.id = p.target OR r.id = p.supersedes)
WHERE p.workspace = :workspace AND p.principal = :principal AND p.at >= :since AND p.op <> 'close_thread'
    AND r.taint = 0 AND r.trust >= :trust;

-- proposals_against
-- Other ideas that wait about the same records.
SELECT count(*) FROM proposal
WHERE workspace = :workspace AND id <> :id AND idea <> :idea AND state IN ('queued', 'quarantined', 'accepted')
    AND (target IN (:target, :supersedes) OR supersedes IN (:target, :supersedes));

-- conflicts_about
-- Whether a record stands in a conflict that nobody has settled.
SELECT count(*) FROM conflict_member m JOIN conflict c ON c.workspace = m.workspace AND c.id = m.conflict
WHERE m.workspace = :workspace AND m.record = :record AND c.status IN ('open', 'applying');

-- rule_get
SELECT auto_accept_clean FROM workspace WHERE id = :workspace;

-- rule_set
UPDATE workspace SET auto_accept_clean = :auto_accept_clean, stamp = stamp + 1 WHERE id = :workspace;

-- watermark_get
SELECT seq FROM watermark WHERE workspace = :workspace AND consumer = :consumer;

-- watermark_set
INSERT INTO watermark (workspace, consumer, seq, at) VALUES (:workspace, :consumer, :seq, :at)
ON CONFLICT (workspace, consumer) DO UPDATE SET seq = excluded.seq, at = excluded.at;

-- workspace_publish
UPDATE workspace SET compiled_at = :now, stamp = stamp + 1 WHERE id = :workspace;

-- freshness
-- When the working truth was published last, when the workspace was made, and since when accepted changes wait.
SELECT w.compiled_at, w.created_at, min(p.decided_at) FROM workspace w
LEFT JOIN proposal p ON p.workspace = w.id AND p.state = 'accepted'
WHERE w.id = :workspace GROUP BY w.compiled_at, w.created_at;

-- action_at
SELECT uid FROM action WHERE workspace = :workspace AND seq = :seq;
