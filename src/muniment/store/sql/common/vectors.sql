-- generation_add
INSERT INTO generation (uid, spec_hash, spec, api_key, dimension, state, created_at, live_at)
VALUES (:uid, :spec_hash, :spec, :api_key, :dimension, :state, :now, :live_at);

-- generations
SELECT id, uid, spec_hash, spec, api_key, dimension, state, created_at, live_at FROM generation ORDER BY id;

-- generation_state
UPDATE generation SET state = :state, live_at = coalesce(:live_at, live_at) WHERE id = :generation;

-- vector_add
INSERT INTO vector (workspace, generation, ordinal, data) VALUES (:workspace, :generation, :ordinal, :data)
ON CONFLICT (workspace, generation, ordinal) DO UPDATE SET data = excluded.data;

-- vectors_all
SELECT ordinal, data FROM vector WHERE workspace = :workspace AND generation = :generation AND ordinal > :after
ORDER BY ordinal LIMIT :limit;

-- vectors_count
SELECT count(*) FROM vector v JOIN passage p ON p.workspace = v.workspace AND p.ordinal = v.ordinal
WHERE v.workspace = :workspace AND v.generation = :generation AND p.live = 1;

-- vectors_held
SELECT ordinal FROM vector WHERE workspace = :workspace AND generation = :generation AND ordinal BETWEEN :first AND :last;

-- vectors_drop
DELETE FROM vector WHERE generation = :generation AND workspace = :workspace;

-- space_get
SELECT mean, floor, measured FROM space WHERE workspace = :workspace AND generation = :generation;

-- space_put
INSERT INTO space (workspace, generation, mean, floor, measured) VALUES (:workspace, :generation, :mean, :floor, :measured)
ON CONFLICT (workspace, generation) DO UPDATE SET mean = excluded.mean, floor = excluded.floor, measured = excluded.measured;

-- space_drop
DELETE FROM space WHERE workspace = :workspace AND generation = :generation;

-- code_add
INSERT INTO code (workspace, generation, block, data) VALUES (:workspace, :generation, :block, :data);

-- codes_from
SELECT block, data FROM code WHERE workspace = :workspace AND generation = :generation AND block > :have ORDER BY block;

-- code_held
SELECT block FROM code WHERE workspace = :workspace AND generation = :generation AND block = :block;

-- codes_drop
DELETE FROM code WHERE workspace = :workspace AND generation = :generation;
