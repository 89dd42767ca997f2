-- queue_proposals
-- The most contaminated first: they were put aside for a closer look.
SELECT p.uid, p.state, p.op, p.text, w.name, p.at, p.taint, t.kind, t.uid, s.kind, s.uid, p.kind, p.reason
FROM proposal p JOIN principal w ON w.id = p.principal
LEFT JOIN record t ON t.workspace = p.workspace AND t.id = p.target
LEFT JOIN record s ON s.workspace = p.workspace AND s.id = p.supersedes
WHERE p.workspace = :workspace AND p.state IN ('queued', 'quarantined', 'accepted') ORDER BY p.taint DESC, p.id LIMIT :limit;

-- queue_proposal_counts
SELECT state, count(*) FROM proposal WHERE workspace = :workspace AND state IN ('queued', 'quarantined', 'accepted')
GROUP BY state ORDER BY state;
