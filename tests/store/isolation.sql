-- Every wall of a PostgreSQL store, tried from both sides. To be run by whoever owns the tables, on a store with at least two
-- workspaces: it changes nothing, since it ends with ROLLBACK, and it fails at the first wall that does not hold.
--
--     psql "$MUNIMENT_STORE_ADMIN" -v ON_ERROR_STOP=1 -f isolation.sql

BEGIN;

CREATE FUNCTION pg_temp.expect(held BOOLEAN, what TEXT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('isolation.checks', (coalesce(nullif(current_setting('isolation.checks', true), ''), '0')::int + 1)::text, true);
    IF held IS NOT TRUE THEN
        RAISE EXCEPTION 'ISOLATION: % does not hold', what;
    END IF;
END $$;

-- Take on a role and declare workspaces, as a transaction of the runtime begins.
CREATE FUNCTION pg_temp.as_(role TEXT, reads TEXT, writes TEXT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RESET ROLE;
    PERFORM set_config('muniment.read', reads, true), set_config('muniment.write', writes, true);
    EXECUTE format('SET LOCAL ROLE %I', role);
END $$;

CREATE FUNCTION pg_temp.rows(name TEXT, condition TEXT DEFAULT 'true') RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    found BIGINT;
BEGIN
    EXECUTE format('SELECT count(*) FROM %I WHERE %s', name, condition) INTO found;
    RETURN found;
END $$;

-- What a statement does: how many rows it changes, -1 where it is refused, and a million where only the data stood in its way.
CREATE FUNCTION pg_temp.done(statement TEXT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    changed BIGINT;
BEGIN
    EXECUTE statement;
    GET DIAGNOSTICS changed = ROW_COUNT;
    RETURN changed;
EXCEPTION
    WHEN insufficient_privilege THEN RETURN -1;
    WHEN integrity_constraint_violation THEN RETURN 1000000;
END $$;

-- 1. The walls stand, on every table that has workspaces.
SELECT pg_temp.expect(t.relrowsecurity AND t.relforcerowsecurity, format('%s: row-level security, forced', t.relname))
FROM pg_class t WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p')
    AND (t.relname = 'workspace' OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'workspace'));

-- 2. Nobody who serves may pass them by.
SELECT pg_temp.expect(NOT (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolcanlogin), r.rolname || ': a plain group')
FROM pg_roles r WHERE r.rolname LIKE 'muniment\_%' AND r.rolname IN
    ('muniment_reader', 'muniment_writer', 'muniment_keeper', 'muniment_gateway', 'muniment_clerk');
SELECT pg_temp.expect(NOT pg_has_role(r.rolname, t.relowner, 'MEMBER'), format('%s does not own %s', r.rolname, t.relname))
FROM pg_class t, pg_roles r WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p')
    AND r.rolname IN ('muniment_reader', 'muniment_writer', 'muniment_keeper', 'muniment_gateway', 'muniment_clerk');

-- 3. Rights: none to empty a table, to refer to it or to watch it; the ledger is added to; secrets are the keeper's.
SELECT pg_temp.expect(NOT has_table_privilege(role, t.oid, 'TRUNCATE, REFERENCES, TRIGGER'), format('%s: plain rights on %s', role, t.relname))
FROM pg_class t, unnest(ARRAY['muniment_reader', 'muniment_writer', 'muniment_keeper', 'muniment_gateway', 'muniment_clerk']) AS role
WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p');
SELECT pg_temp.expect(NOT has_any_column_privilege('muniment_reader', t.oid, 'INSERT, UPDATE') AND NOT has_table_privilege('muniment_reader', t.oid, 'DELETE'),
    format('the reader only reads %s', t.relname))
FROM pg_class t WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p');
SELECT pg_temp.expect(NOT has_any_column_privilege('muniment_gateway', t.oid, 'SELECT, INSERT, UPDATE') AND NOT has_table_privilege('muniment_gateway', t.oid, 'DELETE'),
    format('the gateway does not know %s', t.relname))
FROM pg_class t WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p');
SELECT pg_temp.expect(NOT has_table_privilege(role, 'action', 'DELETE'), role || ': the ledger loses no row')
FROM unnest(ARRAY['muniment_reader', 'muniment_writer', 'muniment_keeper', 'muniment_clerk']) AS role;
SELECT pg_temp.expect(NOT has_column_privilege(role, 'action', fixed, 'UPDATE'), format('%s: action.%s stays as it was', role, fixed))
FROM unnest(ARRAY['muniment_writer', 'muniment_keeper']) AS role,
    unnest(ARRAY['workspace', 'seq', 'uid', 'kind', 'targets', 'principal', 'at', 'previous', 'hash']) AS fixed;
SELECT pg_temp.expect(NOT has_any_column_privilege(role, closed, 'SELECT, INSERT, UPDATE'), format('%s: %s is closed', role, closed))
FROM unnest(ARRAY['muniment_reader', 'muniment_writer', 'muniment_clerk']) AS role,
    unnest(ARRAY['token', 'oauth_client', 'oauth_grant', 'oauth_code', 'oauth_refresh', 'browser', 'attempt', 'lease', 'migration',
        'access_event', 'access_head']) AS closed;
SELECT pg_temp.expect(NOT has_table_privilege(role, closed, 'DELETE'), format('%s: %s loses no row', role, closed))
FROM unnest(ARRAY['muniment_reader', 'muniment_writer', 'muniment_keeper', 'muniment_clerk']) AS role,
    unnest(ARRAY['access_event', 'access_head']) AS closed;
SELECT pg_temp.expect(NOT has_column_privilege('muniment_keeper', 'access_event', fixed, 'UPDATE'), 'access_event.' || fixed || ' stays as it was')
FROM unnest(ARRAY['seq', 'at', 'kind', 'door', 'principal', 'via', 'subject', 'target', 'detail', 'name_hash', 'previous', 'hash']) AS fixed;
SELECT pg_temp.expect(NOT has_column_privilege(role, 'principal', 'secret_hash', 'SELECT'), role || ': passphrases are hidden')
FROM unnest(ARRAY['muniment_reader', 'muniment_writer', 'muniment_gateway', 'muniment_clerk']) AS role;
SELECT pg_temp.expect(NOT has_schema_privilege(role, current_schema(), 'CREATE'), role || ': makes nothing')
FROM unnest(ARRAY['muniment_reader', 'muniment_writer', 'muniment_keeper', 'muniment_gateway', 'muniment_clerk']) AS role;

-- 4. The gateway's functions are four; they run as the clerk, under names that no caller can change; nobody else has them.
SELECT pg_temp.expect(count(*) = 4 AND bool_and(f.prosecdef AND f.proowner = 'muniment_clerk'::regrole
    AND f.proconfig[1] LIKE 'search\_path=pg\_catalog, %, pg\_temp'), 'four functions of the gateway, run by the clerk')
FROM pg_proc f WHERE f.pronamespace = current_schema()::regnamespace AND has_function_privilege('muniment_gateway', f.oid, 'EXECUTE')
    AND f.proname LIKE 'gateway\_%';
SELECT pg_temp.expect(NOT has_function_privilege(role, f.oid, 'EXECUTE'), format('%s: %s is the gateway''s', role, f.proname))
FROM pg_proc f, unnest(ARRAY['muniment_reader', 'muniment_writer', 'muniment_keeper']) AS role
WHERE f.pronamespace = current_schema()::regnamespace AND f.proname LIKE 'gateway\_%';
SELECT pg_temp.expect(NOT has_function_privilege('muniment_gateway', f.oid, 'EXECUTE'), 'the gateway: not ' || f.proname)
FROM pg_proc f WHERE f.pronamespace = current_schema()::regnamespace AND f.proname IN ('gateway_enter', 'gateway_uid', 'gateway_note', 'gateway_masked');
SELECT pg_temp.expect(count(*) = 0, 'no other function of the schema runs as somebody else')
FROM pg_proc f WHERE f.pronamespace = current_schema()::regnamespace AND f.prosecdef AND f.proowner <> 'muniment_clerk'::regrole;

-- 5. A role that was granted everything by mistake, and one that was let in among the readers: neither sees a row.
CREATE ROLE muniment_stray NOLOGIN;
CREATE ROLE muniment_guest NOLOGIN IN ROLE muniment_reader;
DO $$ BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO muniment_stray, muniment_guest', current_schema());
    EXECUTE format('GRANT ALL ON ALL TABLES IN SCHEMA %I TO muniment_stray', current_schema());
END $$;

-- 6. Each table, from each side.
DO $walls$
DECLARE
    walled RECORD;
    here BIGINT;
    there BIGINT;
    own TEXT;
    whole BIGINT;
    mine BIGINT;
    theirs BIGINT;
    declared TEXT;
    open_ TEXT;
    row_ JSONB;
BEGIN
    PERFORM pg_temp.as_('muniment_keeper', '*', '*');
    SELECT min(id), max(id) INTO here, there FROM (SELECT workspace AS id FROM record GROUP BY workspace ORDER BY count(*) DESC LIMIT 2) AS two;
    PERFORM pg_temp.expect(here <> there, 'two workspaces with records to try this with:');
    own := '{' || here || '}';
    FOR walled IN SELECT t.relname AS name, CASE t.relname WHEN 'workspace' THEN 'id' ELSE 'workspace' END AS key,
            CASE t.relname WHEN 'workspace' THEN 'stamp' ELSE 'workspace' END AS plain
        FROM pg_class t WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') AND t.relname <> 'gateway_call'
            AND (t.relname = 'workspace' OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'workspace'))
    LOOP
        open_ := CASE walled.name WHEN 'forgotten' THEN 'everywhere = 0' ELSE 'true' END;
        PERFORM pg_temp.as_('muniment_keeper', '*', '*');
        whole := pg_temp.rows(walled.name, open_);
        mine := pg_temp.rows(walled.name, format('%I = %s AND %s', walled.key, here, open_));
        theirs := pg_temp.rows(walled.name, format('%I = %s AND %s', walled.key, there, open_));
        EXECUTE format('SELECT to_jsonb(t) FROM %I t WHERE %I = %s LIMIT 1', walled.name, walled.key, there) INTO row_;

        FOREACH declared IN ARRAY ARRAY['', '*', '{}', '{', '1', own || own, '{' || here || ',', 'null', '{*}', E'*\n'] LOOP
            PERFORM pg_temp.as_('muniment_reader', declared, declared);
            BEGIN
                PERFORM pg_temp.expect(pg_temp.rows(walled.name, open_) = 0, format('reader of %s, declaring %L', walled.name, declared));
            EXCEPTION WHEN invalid_text_representation THEN
                NULL;  -- refused outright
            END;
        END LOOP;
        FOREACH declared IN ARRAY ARRAY['', own, '{}', '**', '{*}'] LOOP
            PERFORM pg_temp.as_('muniment_keeper', declared, '*');
            PERFORM pg_temp.expect(pg_temp.rows(walled.name, open_) = 0, format('keeper of %s, declaring %L', walled.name, declared));
        END LOOP;
        FOREACH declared IN ARRAY ARRAY['muniment_stray', 'muniment_guest'] LOOP
            PERFORM pg_temp.as_(declared, '', '');
            PERFORM pg_temp.expect(pg_temp.rows(walled.name, open_) = 0, format('%s in %s', declared, walled.name));
        END LOOP;
        PERFORM pg_temp.as_('muniment_stray', own, own);
        PERFORM pg_temp.expect(pg_temp.rows(walled.name) = 0, 'a wrong grant, declaring a workspace, in ' || walled.name);
        PERFORM pg_temp.as_('muniment_stray', '*', '*');
        PERFORM pg_temp.expect(pg_temp.rows(walled.name) = 0, 'a wrong grant, declaring everything, in ' || walled.name);

        PERFORM pg_temp.as_('muniment_reader', own, '');
        PERFORM pg_temp.expect(pg_temp.rows(walled.name, open_) = mine, 'a reader sees its own and nothing else of ' || walled.name);
        PERFORM pg_temp.expect(pg_temp.done(format('DELETE FROM %I', walled.name)) = -1, 'a reader removes nothing of ' || walled.name);

        PERFORM pg_temp.as_('muniment_writer', own, own);
        PERFORM pg_temp.expect(pg_temp.rows(walled.name, open_) = mine, 'a writer sees its own and nothing else of ' || walled.name);
        PERFORM pg_temp.expect(pg_temp.done(format('DELETE FROM %I WHERE %I = %s', walled.name, walled.key, there)) <= 0,
            'a writer removes nothing foreign of ' || walled.name);
        PERFORM pg_temp.expect(pg_temp.done(format('UPDATE %I SET %I = %I WHERE %I = %s', walled.name, walled.plain, walled.plain, walled.key, there)) <= 0,
            'a writer changes nothing foreign of ' || walled.name);
        IF row_ IS NOT NULL THEN
            PERFORM pg_temp.expect(pg_temp.done(format('INSERT INTO %I OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_record(NULL::%I.%I, %L)',
                walled.name, current_schema(), walled.name, row_)) = -1, 'a writer adds nothing foreign to ' || walled.name);
        END IF;
        -- A right that nobody has, and the wall behind it, both ways: moving a row away, and moving one in.
        RESET ROLE;
        EXECUTE format('GRANT UPDATE, DELETE ON %I TO muniment_writer', walled.name);
        PERFORM pg_temp.as_('muniment_writer', own, own);
        PERFORM pg_temp.expect(pg_temp.done(format('UPDATE %I SET %I = %I WHERE %I = %s', walled.name, walled.plain, walled.plain, walled.key, there)) = 0,
            'with every right a writer changes nothing foreign of ' || walled.name);
        PERFORM pg_temp.expect(pg_temp.done(format('DELETE FROM %I WHERE %I = %s', walled.name, walled.key, there)) = 0,
            'with every right a writer removes nothing foreign of ' || walled.name);
        IF mine > 0 AND walled.name <> 'workspace' THEN
            PERFORM pg_temp.expect(pg_temp.done(format('UPDATE %I SET %I = %s', walled.name, walled.key, there)) = -1,
                'a writer moves nothing out of ' || walled.name);
        END IF;
        PERFORM pg_temp.as_('muniment_writer', '', '');
        PERFORM pg_temp.expect(pg_temp.done(format('DELETE FROM %I WHERE %s', walled.name, open_)) = 0,
            'with every right a writer that declares nothing removes nothing of ' || walled.name);
        PERFORM pg_temp.as_('muniment_writer', '*', '*');
        PERFORM pg_temp.expect(pg_temp.done(format('DELETE FROM %I WHERE %s', walled.name, open_)) = 0,
            'a writer that declares everything removes nothing of ' || walled.name);

        PERFORM pg_temp.as_('muniment_keeper', '*', '*');
        PERFORM pg_temp.expect(pg_temp.rows(walled.name, open_) = whole, 'the keeper sees all of ' || walled.name);
        PERFORM pg_temp.expect(pg_temp.rows(walled.name, format('%I = %s AND %s', walled.key, there, open_)) = theirs,
            'nothing foreign was changed in ' || walled.name);
    END LOOP;
    RESET ROLE;
END $walls$;

-- 7. Content that a caller may read and not write: its work may change, its memory not.
DO $$
DECLARE
    here BIGINT;
BEGIN
    PERFORM pg_temp.as_('muniment_keeper', '*', '*');
    SELECT workspace INTO here FROM record GROUP BY workspace ORDER BY count(*) DESC LIMIT 1;
    PERFORM pg_temp.as_('muniment_writer', '{' || here || '}', '');
    PERFORM pg_temp.expect(pg_temp.rows('record') > 0, 'what may be read is seen while nothing may be written:');
    PERFORM pg_temp.expect(pg_temp.done('UPDATE record SET text = text') = 0, 'no text changes where only reading is declared:');
    PERFORM pg_temp.expect(pg_temp.done('DELETE FROM passage') = 0, 'no passage goes where only reading is declared:');
    PERFORM pg_temp.expect(pg_temp.done(format('UPDATE workspace SET stamp = stamp WHERE id = %s', here)) = 1, 'who proposes holds the workspace:');
    RESET ROLE;
END $$;

SELECT current_setting('isolation.checks')::int AS checks;
ROLLBACK;
