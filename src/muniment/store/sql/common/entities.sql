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

-- entities_governed
-- Whether anybody ever made an alias, a merge or a block here; in most workspaces every name is a thing of its own.
SELECT CASE WHEN EXISTS (SELECT 1 FROM alias WHERE workspace = :workspace)
    OR EXISTS (SELECT 1 FROM entity WHERE workspace = :workspace AND merged_into IS NOT NULL)
    OR EXISTS (SELECT 1 FROM entity_block WHERE workspace = :workspace) THEN 1 ELSE 0 END AS governed;
