-- notice_add
INSERT INTO notice (workspace, id, uid, sort, severity, ref, dedupe, state, at)
VALUES (:workspace, :id, :uid, :sort, :severity, :ref, :dedupe, 'pending', :at) ON CONFLICT DO NOTHING;

-- notice_waits
-- Whether any workspace has something to tell; asked with every answer.
SELECT workspace FROM notice WHERE state = 'pending' LIMIT 1;

-- notice_next
SELECT workspace, id, uid, sort, severity, ref, state, at FROM notice
WHERE workspace = :workspace AND state = 'pending' ORDER BY severity DESC, id LIMIT 1;

-- notice_by_uid
SELECT workspace, id, uid, sort, severity, ref, state, at FROM notice WHERE uid = :uid;

-- notices_listed
-- Newest first, in one of two states.
SELECT workspace, id, uid, sort, severity, ref, state, at FROM notice
WHERE workspace = :workspace AND state IN (:one, :other) ORDER BY id DESC LIMIT :limit;

-- notice_set
UPDATE notice SET state = :state, delivered_at = coalesce(delivered_at, :delivered_at)
WHERE workspace = :workspace AND id = :id AND state IN (:one, :other) RETURNING id;

-- notices_settle
-- What was told, or was to be told, of something that is decided now.
UPDATE notice SET state = :state WHERE workspace = :workspace AND ref = :ref AND state IN (:one, :other);

-- notice_counts
SELECT count(*) FROM notice WHERE workspace = :workspace AND state = 'pending';
