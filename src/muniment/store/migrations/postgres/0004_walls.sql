-- The second lock: row-level security, forced on the owner too. A transaction declares the workspaces it is for in two settings
-- that end with it, `muniment.read` and `muniment.write`: numbers as {1,2}, or * for a transaction of the keeper. What is unset,
-- empty or anything else is no workspace. A role that was granted too much still sees no row before it declares something.
--
-- `content` changes where a caller may write, `work` where it may read; `also` are rows that everybody reads. The settings stand in
-- sub-selects, so that a statement reads them once and not for every row. The list is that of store/walls.py.
DO $walls$
DECLARE
    reads CONSTANT TEXT := $$(SELECT CASE WHEN current_setting('muniment.read', true) ~ '^\{[0-9,]+\}$'
        THEN current_setting('muniment.read', true) END)::bigint[]$$;
    writes CONSTANT TEXT := $$(SELECT CASE WHEN current_setting('muniment.write', true) ~ '^\{[0-9,]+\}$'
        THEN current_setting('muniment.write', true) END)::bigint[]$$;
    walled RECORD;
    seen TEXT;
    changed TEXT;
BEGIN
    FOR walled IN SELECT * FROM (VALUES
        ('workspace', 'id', 'work', NULL),
        ('workspace_alias', 'workspace', 'content', NULL),
        ('session', 'workspace', 'content', NULL),
        ('speaker', 'workspace', 'content', NULL),
        ('record', 'workspace', 'content', NULL),
        ('record_version', 'workspace', 'content', NULL),
        ('label', 'workspace', 'content', NULL),
        ('corroboration', 'workspace', 'content', NULL),
        ('source_file', 'workspace', 'content', NULL),
        ('passage', 'workspace', 'content', NULL),
        ('roster', 'workspace', 'content', NULL),
        ('posting', 'workspace', 'content', NULL),
        ('vocabulary', 'workspace', 'content', NULL),
        ('entity', 'workspace', 'content', NULL),
        ('alias', 'workspace', 'content', NULL),
        ('entity_block', 'workspace', 'content', NULL),
        ('mention', 'workspace', 'content', NULL),
        ('episode', 'workspace', 'content', NULL),
        ('space', 'workspace', 'content', NULL),
        ('vector', 'workspace', 'content', NULL),
        ('code', 'workspace', 'content', NULL),
        ('link', 'workspace', 'content', NULL),
        ('claim', 'workspace', 'content', NULL),
        ('claim_evidence', 'workspace', 'content', NULL),
        ('forgotten', 'workspace', 'content', 'everywhere = 1'),
        ('action', 'workspace', 'work', NULL),
        ('effect', 'workspace', 'work', NULL),
        ('outbox', 'workspace', 'work', NULL),
        ('watermark', 'workspace', 'work', NULL),
        ('candidate', 'workspace', 'work', NULL),
        ('notice', 'workspace', 'work', NULL),
        ('proposal', 'workspace', 'work', NULL),
        ('conflict', 'workspace', 'work', NULL),
        ('conflict_member', 'workspace', 'work', NULL),
        ('conflict_step', 'workspace', 'work', NULL)
    ) AS list (name, key, sort, also)
    LOOP
        seen := format('%I = ANY (%s)', walled.key, reads);
        changed := CASE walled.sort WHEN 'work' THEN seen ELSE format('%I = ANY (%s)', walled.key, writes) END;
        seen := seen || coalesce(' OR ' || walled.also, '');
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', walled.name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', walled.name);
        EXECUTE format('CREATE POLICY seen ON %I FOR SELECT TO muniment_reader, muniment_writer USING (%s)', walled.name, seen);
        EXECUTE format('CREATE POLICY added ON %I FOR INSERT TO muniment_writer WITH CHECK (%s)', walled.name, changed);
        EXECUTE format('CREATE POLICY changed ON %I FOR UPDATE TO muniment_writer USING (%s)', walled.name, changed);
        EXECUTE format('CREATE POLICY removed ON %I FOR DELETE TO muniment_writer USING (%s)', walled.name, changed);
        -- Only who acts as the keeper may be there for everything; a reader that declares * sees nothing.
        EXECUTE format($$CREATE POLICY kept ON %I TO muniment_keeper
            USING ((SELECT current_setting('muniment.read', true)) = '*')
            WITH CHECK ((SELECT current_setting('muniment.write', true)) = '*')$$, walled.name);
    END LOOP;
END $walls$;

-- The gateway: services outside come in through four functions, each for one workspace, one level and one person. They run as the
-- clerk, who is behind the walls like everybody, sees projects and clients of the classes that a profile has by default, and can
-- change nothing but by filing a proposal. Which person is on which project the calling service decides.
CREATE TABLE gateway_call (
    workspace BIGINT NOT NULL REFERENCES workspace (id),
    id BIGINT GENERATED ALWAYS AS IDENTITY,
    at BIGINT NOT NULL,
    service TEXT COLLATE "C" NOT NULL,
    on_behalf_of TEXT COLLATE "C" NOT NULL,
    level TEXT COLLATE "C" NOT NULL CHECK (level IN ('viewer', 'agent')),
    what TEXT COLLATE "C" NOT NULL CHECK (what IN ('status', 'search', 'fetch', 'add')),
    PRIMARY KEY (workspace, id)
);
ALTER TABLE gateway_call ENABLE ROW LEVEL SECURITY;
ALTER TABLE gateway_call FORCE ROW LEVEL SECURITY;
CREATE POLICY kept ON gateway_call TO muniment_keeper USING ((SELECT current_setting('muniment.read', true)) = '*');
CREATE POLICY called ON gateway_call FOR INSERT TO muniment_clerk
    WITH CHECK (workspace = (SELECT nullif(current_setting('muniment.desk', true), '')::bigint));

-- When a workspace is forgotten, so is who had asked about it.
CREATE FUNCTION gateway_forget() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM set_config('muniment.desk', NEW.id::text, true);
    DELETE FROM gateway_call WHERE workspace = NEW.id;
    PERFORM set_config('muniment.desk', '', true);
    RETURN NULL;
END $$;
CREATE TRIGGER gateway_forget AFTER UPDATE OF forgettings ON workspace FOR EACH ROW
    WHEN (NEW.slug LIKE 'forgotten-%') EXECUTE FUNCTION gateway_forget();
CREATE POLICY counted ON gateway_call FOR SELECT TO muniment_clerk
    USING (workspace = (SELECT nullif(current_setting('muniment.desk', true), '')::bigint));
CREATE POLICY forgotten ON gateway_call FOR DELETE TO muniment_clerk
    USING (workspace = (SELECT nullif(current_setting('muniment.desk', true), '')::bigint));

-- The clerk finds the one workspace by its name, or by a former one that leads to it, and from then on sees that one.
CREATE POLICY led ON workspace_alias FOR SELECT TO muniment_clerk
    USING (alias = (SELECT nullif(current_setting('muniment.name', true), '')) AND decision = 'redirect');
CREATE POLICY named ON workspace FOR SELECT TO muniment_clerk
    USING ((slug = (SELECT nullif(current_setting('muniment.name', true), ''))
            OR id = (SELECT a.workspace FROM workspace_alias a
                WHERE a.alias = (SELECT nullif(current_setting('muniment.name', true), '')) AND a.decision = 'redirect'))
        AND state = 'active' AND merged_into IS NULL
        AND kind IN ('project', 'client') AND data_class IN ('public', 'internal'));
CREATE POLICY counted ON workspace FOR UPDATE TO muniment_clerk
    USING (id = (SELECT nullif(current_setting('muniment.desk', true), '')::bigint));
CREATE POLICY shown ON record FOR SELECT TO muniment_clerk
    USING (workspace = (SELECT nullif(current_setting('muniment.desk', true), '')::bigint) AND state = 'active' AND taint < 2);
CREATE POLICY asked ON proposal FOR SELECT TO muniment_clerk
    USING (workspace = (SELECT nullif(current_setting('muniment.desk', true), '')::bigint));
CREATE POLICY chained ON action FOR SELECT TO muniment_clerk
    USING (workspace = (SELECT nullif(current_setting('muniment.desk', true), '')::bigint));
CREATE POLICY noted ON action FOR INSERT TO muniment_clerk
    WITH CHECK (workspace = (SELECT nullif(current_setting('muniment.desk', true), '')::bigint) AND kind = 'propose');
CREATE POLICY filed ON proposal FOR INSERT TO muniment_clerk
    WITH CHECK (workspace = (SELECT nullif(current_setting('muniment.desk', true), '')::bigint)
        AND state IN ('queued', 'quarantined', 'rejected') AND zone = 'shared' AND taint > 0);

-- Lets a service in, once a call: notes who asks, and answers the number of the workspace. Every function begins with it, so that
-- nothing counts that was declared before.
CREATE FUNCTION gateway_enter(slug TEXT, level TEXT, on_behalf_of TEXT, what TEXT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    found BIGINT;
BEGIN
    IF level IS NULL OR level NOT IN ('viewer', 'agent') OR (what = 'add' AND level <> 'agent') THEN
        RAISE EXCEPTION 'This level may not do that.' USING ERRCODE = 'insufficient_privilege', HINT = 'viewer reads; agent also adds.';
    END IF;
    IF coalesce(btrim(on_behalf_of), '') = '' OR length(on_behalf_of) > 200 THEN
        RAISE EXCEPTION 'A call names the person it is for.' USING ERRCODE = 'invalid_parameter_value', HINT = 'Pass on_behalf_of.';
    END IF;
    PERFORM set_config('muniment.name', coalesce(slug, ''), true);
    -- The policies show what bears this name or is led to by it; the very name goes first, as on every door.
    SELECT w.id INTO found FROM workspace w ORDER BY w.slug = gateway_enter.slug DESC LIMIT 1;
    IF found IS NULL THEN
        RAISE EXCEPTION 'There is no such workspace.' USING ERRCODE = 'no_data_found', HINT = 'Ask who runs this memory.';
    END IF;
    PERFORM set_config('muniment.desk', found::text, true);
    INSERT INTO gateway_call (workspace, at, service, on_behalf_of, level, what)
    VALUES (found, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, session_user, btrim(on_behalf_of), level, what);
    RETURN found;
END $$;

-- A UUIDv7 as 26 characters of Crockford's base 32, like every uid of the store.
CREATE FUNCTION gateway_uid(now BIGINT) RETURNS TEXT LANGUAGE sql AS $$
    SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + substring(bits FROM 1 + 5 * place FOR 5)::int, 1), '' ORDER BY place)
    FROM (SELECT B'00' || now::bit(48) || B'0111' || substring(random FROM 1 FOR 12) || B'10' || substring(random FROM 67) AS bits
        FROM (SELECT ('x' || replace(gen_random_uuid()::text, '-', ''))::bit(128) AS random) AS drawn) AS whole,
        generate_series(0, 25) AS place
$$;

CREATE FUNCTION gateway_status(slug TEXT, level TEXT, on_behalf_of TEXT)
RETURNS TABLE (kind TEXT, records BIGINT, last_at BIGINT) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    desk CONSTANT BIGINT := gateway_enter(slug, level, on_behalf_of, 'status');
BEGIN
    RETURN QUERY SELECT r.kind, count(*), max(r.recorded_at) FROM record r WHERE r.workspace = desk GROUP BY r.kind ORDER BY r.kind;
END $$;

-- Those that hold most of the words first, then the newest. At most 16 words and 50 records.
CREATE FUNCTION gateway_search(slug TEXT, level TEXT, on_behalf_of TEXT, query TEXT, most INTEGER DEFAULT 10)
RETURNS TABLE (ref TEXT, kind TEXT, at BIGINT, words BIGINT, taint SMALLINT, start TEXT) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    desk CONSTANT BIGINT := gateway_enter(slug, level, on_behalf_of, 'search');
BEGIN
    RETURN QUERY
    WITH asked AS (
        SELECT DISTINCT word FROM (SELECT word FROM regexp_split_to_table(lower(left(query, 1000)), '\W+') AS word
            WHERE word <> '' LIMIT 16) AS first
    )
    SELECT CASE r.kind WHEN 'turn' THEN 't_' WHEN 'document' THEN 'd_' ELSE 'm_' END || r.uid, r.kind,
        coalesce(r.event_at, r.recorded_at), count(*), r.taint, left(r.text, 400)
    FROM record r JOIN asked ON strpos(lower(r.text), asked.word) > 0
    WHERE r.workspace = desk
    GROUP BY r.workspace, r.id ORDER BY count(*) DESC, coalesce(r.event_at, r.recorded_at) DESC, r.id DESC
    LIMIT least(greatest(coalesce(most, 10), 1), 50);
END $$;

CREATE FUNCTION gateway_fetch(slug TEXT, level TEXT, on_behalf_of TEXT, ref TEXT)
RETURNS TABLE (kind TEXT, version BIGINT, recorded_at BIGINT, valid_from BIGINT, valid_to BIGINT, source_type TEXT, source_ref TEXT,
    taint SMALLINT, text TEXT) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    desk CONSTANT BIGINT := gateway_enter(slug, level, on_behalf_of, 'fetch');
BEGIN
    RETURN QUERY SELECT r.kind, r.version, r.recorded_at, r.valid_from, r.valid_to, r.source_type, r.source_ref, r.taint, r.text
    FROM record r WHERE r.workspace = desk AND r.uid = substr(gateway_fetch.ref, 3);
END $$;

-- Writes the row of the ledger that every proposal has, chained to the one before it as governance/ledger.py does. The text is told
-- by a salted hash alone.
CREATE FUNCTION gateway_note(desk BIGINT, proposal TEXT, text TEXT, service BIGINT, client TEXT, now BIGINT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    uid CONSTANT TEXT := gateway_uid(now);
    targets CONSTANT TEXT := format('{"proposal": "%s"}', proposal);
    salt CONSTANT TEXT := replace(gen_random_uuid()::text, '-', '');
    told CONSTANT TEXT := encode(sha256(convert_to(salt || gateway_note.text, 'UTF8') || '\x00'::bytea), 'hex');
    number BIGINT;
    last TEXT;
BEGIN
    UPDATE workspace w SET actions = w.actions + 1, stamp = w.stamp + 1 WHERE w.id = desk RETURNING w.actions INTO number;
    SELECT a.hash INTO last FROM action a WHERE a.workspace = desk AND a.seq = number - 1;
    last := coalesce(last, repeat('0', 64));
    INSERT INTO action (workspace, seq, uid, kind, targets, after_hash, principal, client, at, previous, salt, hash)
    VALUES (desk, number, uid, 'propose', targets, told, service, gateway_note.client, now, last, salt,
        encode(sha256(convert_to(format('[%s, "%s", "propose", %s, null, "%s", null, %s, null, %s, %s, "%s"]', number, uid, to_json(targets),
            told, service, to_json(gateway_note.client), now, last), 'UTF8')), 'hex'));
END $$;

-- Files what a person brings as a proposal: derived, of a shared zone, and in force only when somebody with authority accepts it.
-- Secrets are masked before anything is stored: `masked` says how many, and gateway_masked is made of the shapes that all other
-- ways in look for. The same request_id answers with the same proposal.
CREATE FUNCTION gateway_add(slug TEXT, level TEXT, on_behalf_of TEXT, text TEXT, request_id TEXT)
RETURNS TABLE (proposal TEXT, state TEXT, masked BIGINT) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    desk CONSTANT BIGINT := gateway_enter(slug, level, on_behalf_of, 'add');
    now CONSTANT BIGINT := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    payload CONSTANT TEXT := encode(sha256(convert_to(btrim(on_behalf_of) || chr(10) || gateway_add.text, 'UTF8')), 'hex');
    client CONSTANT TEXT := left(session_user || ' for ' || btrim(on_behalf_of), 200);
    asked CONSTANT TEXT := 'gateway:' || desk || ':' || gateway_add.request_id;
    number BIGINT;
    service BIGINT;
    again RECORD;
    become TEXT := 'queued';
    why TEXT;
    said TEXT;
    secrets BIGINT;
    thought TEXT;
    uid TEXT;
BEGIN
    IF coalesce(btrim(gateway_add.text), '') = '' OR length(gateway_add.text) > 20000 THEN
        RAISE EXCEPTION 'A proposal is a text of at most 20,000 characters.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF coalesce(gateway_add.request_id, '') = '' OR length(gateway_add.request_id) > 200 THEN
        RAISE EXCEPTION 'A request_id has at most 200 characters, and one at least.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT m.masked, m.secrets INTO said, secrets FROM gateway_masked(gateway_add.text) AS m;
    thought := 'gateway:' || encode(sha256(convert_to(lower(btrim(said)), 'UTF8')), 'hex');
    -- Holds the workspace, as every write does, so that two equal requests follow each other.
    UPDATE workspace w SET numbers = w.numbers + 1, stamp = w.stamp + 1 WHERE w.id = desk RETURNING w.numbers INTO number;
    INSERT INTO principal (uid, name, kind, level, created_at) VALUES (gateway_uid(now), 'gateway', 'service', 'agent', now)
    ON CONFLICT DO NOTHING;
    SELECT p.id INTO service FROM principal p WHERE p.name = 'gateway';
    SELECT p.uid, p.state, p.payload_hash INTO again FROM proposal p WHERE p.principal = service AND p.request_id = asked;
    IF FOUND THEN
        IF again.payload_hash <> payload THEN
            RAISE EXCEPTION 'This request_id came with another text before.' USING ERRCODE = 'unique_violation';
        END IF;
        RETURN QUERY SELECT 'p_' || again.uid, again.state::text, secrets;
        RETURN;
    END IF;
    IF (SELECT count(*) FROM proposal p WHERE p.workspace = desk AND p.principal = service
        AND p.state IN ('queued', 'quarantined', 'accepted')) >= 200 THEN
        RAISE EXCEPTION '200 proposals wait here already.' USING ERRCODE = 'program_limit_exceeded';
    END IF;
    SELECT 'The same was refused before (p_' || p.uid || ').' INTO why FROM proposal p
    WHERE p.workspace = desk AND p.idea = thought AND p.state = 'rejected' ORDER BY p.id LIMIT 1;
    become := CASE WHEN why IS NULL THEN 'queued' ELSE 'rejected' END;
    uid := gateway_uid(now);
    INSERT INTO proposal (workspace, id, uid, principal, client, request_id, payload_hash, op, kind, text, idea, evidence, taint,
        trust, zone, state, reason, decider, at, decided_at, answer)
    VALUES (desk, number, uid, service, client, asked, payload, 'add_fact', 'note', said, thought, '[]', 1, 0.5, 'shared', become, why, CASE become WHEN 'rejected' THEN 'rule:rejected_before' END, now,
        CASE become WHEN 'rejected' THEN now END, json_build_object('status', become, 'taint', 1, 'warnings', CASE secrets
            WHEN 0 THEN json_build_array() WHEN 1 THEN json_build_array('1 secret masked.')
            ELSE json_build_array(secrets || ' secrets masked.') END)::text);
    PERFORM gateway_note(desk, uid, said, service, client, now);
    RETURN QUERY SELECT 'p_' || uid, become, secrets;
END $$;

-- Every name in the functions means this schema, whatever a caller's search_path says.
DO $gateway$
DECLARE
    made REGPROCEDURE;
BEGIN
    EXECUTE format('GRANT CREATE ON SCHEMA %I TO muniment_clerk', current_schema());
    FOR made IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'gateway\_%'
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', made);
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', made, current_schema());
        EXECUTE format('ALTER FUNCTION %s OWNER TO muniment_clerk', made);
    END LOOP;
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM muniment_clerk', current_schema());
END $gateway$;
