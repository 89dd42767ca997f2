-- candidate_put
-- Once for each detector and versions of its members, whatever was decided of it.
INSERT INTO candidate (workspace, id, uid, sort, key, detector, members, score, state, at)
VALUES (:workspace, :id, :uid, :sort, :key, :detector, :members, :score, 'open', :at)
ON CONFLICT DO NOTHING RETURNING id;

-- candidate_known
SELECT id FROM candidate WHERE workspace = :workspace AND sort = :sort AND key = :key AND detector = :detector;

-- candidate_by_uid
SELECT workspace, id, uid, sort, key, detector, members, score, state, at FROM candidate WHERE uid = :uid;

-- candidates_waiting
-- The most certain first.
SELECT workspace, id, uid, sort, key, detector, members, score, state, at FROM candidate
WHERE workspace = :workspace AND state = 'open' ORDER BY score DESC, id LIMIT :limit;

-- candidates_open
SELECT workspace, id, uid, sort, key, detector, members, score, state, at FROM candidate
WHERE workspace = :workspace AND sort = :sort AND state IN ('open', 'deferred') AND id > :after ORDER BY id LIMIT :limit;

-- candidate_set
UPDATE candidate SET state = :state, verdict = :verdict, decider = :decider, reason = :reason
WHERE workspace = :workspace AND id = :id AND state IN ('open', 'deferred') RETURNING id;

-- candidate_counts
SELECT sort, state, count(*) FROM candidate WHERE workspace = :workspace AND state IN ('open', 'deferred')
GROUP BY sort, state ORDER BY sort, state;
