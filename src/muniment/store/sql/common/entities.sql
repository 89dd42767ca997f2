-- alias_add
INSERT INTO alias (workspace, id, entity, norm, surface, method) VALUES (:workspace, :id, :entity, :norm, :surface, :method);

-- alias_known
SELECT id, live FROM alias WHERE workspace = :workspace AND norm = :norm AND entity = :entity;

-- block_add
INSERT INTO entity_block (workspace, id, norm) VALUES (:workspace, :id, :norm);

-- block_known
SELECT id, live FROM entity_block WHERE workspace = :workspace AND norm = :norm;

-- entity_type_guess
-- What a name looks like fills the place of what nobody has said, and never undoes what somebody said.
UPDATE entity SET type = :type WHERE workspace = :workspace AND id = :id AND type = 'other' AND NOT EXISTS (
    SELECT 1 FROM effect x WHERE x.workspace = entity.workspace AND x.sort = 'entity' AND x.target = entity.id AND x.field = 'type');
