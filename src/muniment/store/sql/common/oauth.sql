-- oauth_client_add
-- Nothing, where the same was registered before.
INSERT INTO oauth_client (uid, kind, name, redirects, auth_method, secret_hash, metadata, fingerprint, checked_at, created_at, expires_at)
VALUES (:uid, :kind, :name, :redirects, :auth_method, :secret_hash, :metadata, :fingerprint, :checked_at, :now, :expires_at)
ON CONFLICT DO NOTHING;

-- oauth_client_by_uid
SELECT id, uid, kind, name, redirects, auth_method, secret_hash, metadata, checked_at, created_at, used_at, expires_at
FROM oauth_client WHERE uid = :uid;

-- oauth_client_by_id
SELECT id, uid, kind, name, redirects, auth_method, secret_hash, metadata, checked_at, created_at, used_at, expires_at
FROM oauth_client WHERE id = :id;

-- oauth_client_by_fingerprint
SELECT id, uid, kind, name, redirects, auth_method, secret_hash, metadata, checked_at, created_at, used_at, expires_at
FROM oauth_client WHERE fingerprint = :fingerprint;

-- oauth_client_renew
-- One that was registered again has its time again.
UPDATE oauth_client SET expires_at = :expires_at WHERE id = :id AND used_at IS NULL;

-- oauth_client_read
-- Keys that were fetched from another address than is named now are not its keys any more.
UPDATE oauth_client SET name = :name, redirects = :redirects, auth_method = :auth_method, checked_at = :now, metadata = :metadata,
    keys = CASE WHEN metadata = :metadata THEN keys END, keys_at = CASE WHEN metadata = :metadata THEN keys_at END
WHERE id = :id;

-- oauth_client_keys
SELECT keys, keys_at FROM oauth_client WHERE id = :id;

-- oauth_client_keys_try
-- Of all who would look for newer keys at once, one does.
UPDATE oauth_client SET keys_tried_at = :now WHERE id = :id AND (keys_tried_at IS NULL OR keys_tried_at <= :before) RETURNING id;

-- oauth_client_keys_keep
-- Nothing, where the client has come to sign in another way meanwhile.
UPDATE oauth_client SET keys = :keys, keys_at = :now WHERE id = :id AND metadata = :metadata;

-- oauth_assertion_spend
INSERT INTO oauth_assertion (hash, expires_at) VALUES (:hash, :expires_at) ON CONFLICT DO NOTHING RETURNING hash;

-- oauth_assertions_sweep
DELETE FROM oauth_assertion WHERE expires_at <= :now;

-- oauth_client_used
UPDATE oauth_client SET used_at = :now, expires_at = NULL WHERE id = :id;

-- oauth_clients_count
SELECT count(*) FROM oauth_client WHERE kind <> 'configured';

-- oauth_client_evict
-- The oldest of those that nobody ever granted anything.
DELETE FROM oauth_client WHERE id = (
    SELECT c.id FROM oauth_client c
    WHERE c.used_at IS NULL AND c.kind <> 'configured' AND NOT EXISTS (SELECT 1 FROM oauth_grant g WHERE g.client = c.id)
    ORDER BY c.created_at, c.id LIMIT 1
) RETURNING id;

-- oauth_clients_sweep
DELETE FROM oauth_client
WHERE kind <> 'configured' AND NOT EXISTS (SELECT 1 FROM oauth_grant g WHERE g.client = oauth_client.id)
    AND ((used_at IS NULL AND expires_at <= :now) OR used_at <= :used_before);

-- oauth_ask_add
INSERT INTO oauth_ask (hash, browser, request, expires_at) VALUES (:hash, :browser, :request, :expires_at);

-- oauth_asks_older
-- All but the newest few of one browser.
DELETE FROM oauth_ask WHERE browser = :browser AND hash NOT IN (
    SELECT hash FROM oauth_ask WHERE browser = :browser ORDER BY expires_at DESC, hash LIMIT :keep
);

-- oauth_ask_take
DELETE FROM oauth_ask WHERE hash = :hash AND browser = :browser AND expires_at > :now RETURNING request;

-- oauth_grant_add
INSERT INTO oauth_grant (uid, client, principal, scopes, read_workspaces, write_workspaces, default_workspace, data_classes, audience,
    browser, redirect, created_at)
VALUES (:uid, :client, :principal, :scopes, :read, :write, :current, :classes, :audience, :browser, :redirect, :now);

-- oauth_grant_id
SELECT id FROM oauth_grant WHERE uid = :uid;

-- oauth_grant_hold
-- Nobody else uses or ends the grant before this transaction ends.
UPDATE oauth_grant SET used_at = :now WHERE id = :id AND revoked_at IS NULL
RETURNING client, principal, scopes, read_workspaces, write_workspaces, default_workspace, data_classes, audience, created_at,
    signed;

-- oauth_grant_signed
UPDATE oauth_grant SET signed = 1 WHERE id = :id;

-- oauth_grant_before
-- What the same browser granted the same client at the same address last.
SELECT scopes, read_workspaces, default_workspace FROM oauth_grant
WHERE browser = :browser AND client = :client AND redirect = :redirect AND principal = :principal AND audience = :audience
    AND used_at IS NOT NULL AND revoked_at IS NULL
ORDER BY id DESC LIMIT 1;

-- oauth_grants
SELECT g.id, g.uid, c.uid, c.name, p.id, p.name, g.scopes, g.read_workspaces, g.write_workspaces, g.data_classes, g.audience, g.redirect,
    g.created_at, g.used_at, g.revoked_at, g.revoked_why, g.default_workspace
FROM oauth_grant g JOIN oauth_client c ON c.id = g.client JOIN principal p ON p.id = g.principal
ORDER BY g.id;

-- oauth_grant_revoke
UPDATE oauth_grant SET revoked_at = :now, revoked_why = :why WHERE id = :id AND revoked_at IS NULL RETURNING id;

-- oauth_grant_tokens_end
UPDATE token SET revoked_at = :now WHERE (oauth_grant = :id OR made_by_grant = :id) AND revoked_at IS NULL
RETURNING uid, oauth_grant;

-- oauth_code_add
INSERT INTO oauth_code (hash, oauth_grant, redirect, redirect_given, challenge, expires_at)
VALUES (:hash, :grant, :redirect, :redirect_given, :challenge, :expires_at);

-- oauth_code_by_hash
SELECT o.oauth_grant, g.client, o.redirect, o.redirect_given, o.challenge, o.expires_at, o.spent_at
FROM oauth_code o JOIN oauth_grant g ON g.id = o.oauth_grant WHERE o.hash = :hash;

-- oauth_code_spend
UPDATE oauth_code SET spent_at = :now WHERE hash = :hash AND spent_at IS NULL RETURNING oauth_grant;

-- oauth_refresh_add
INSERT INTO oauth_refresh (hash, oauth_grant, scopes, created_at, expires_at) VALUES (:hash, :grant, :scopes, :now, :expires_at);

-- oauth_refresh_by_hash
SELECT r.oauth_grant, g.client, r.scopes, r.expires_at, r.spent_at, r.answers
FROM oauth_refresh r JOIN oauth_grant g ON g.id = r.oauth_grant WHERE r.hash = :hash;

-- oauth_refresh_spend
-- The first use decides when the grace is over.
UPDATE oauth_refresh SET spent_at = coalesce(spent_at, :now), answers = answers + 1 WHERE hash = :hash;

-- oauth_refresh_older
-- All that can still be used of a grant, but for the one just made and the newest few.
DELETE FROM oauth_refresh WHERE oauth_grant = :grant AND spent_at IS NULL AND hash <> :made AND hash NOT IN (
    SELECT hash FROM oauth_refresh WHERE oauth_grant = :grant AND spent_at IS NULL AND hash <> :made
    ORDER BY created_at DESC, hash LIMIT :keep
);

-- oauth_token_add
INSERT INTO token (uid, principal, hash, label, scopes, read_workspaces, write_workspaces, default_workspace, created_at, expires_at,
    trust_zone, data_classes, write_mode, oauth_grant, audience)
VALUES (:uid, :principal, :hash, :label, :scopes, :read, :write, :default_workspace, :now, :expires_at,
    :zone, :classes, :mode, :grant, :audience);

-- oauth_token_bound
SELECT oauth_grant, audience FROM token WHERE id = :id;

-- oauth_token_family
SELECT t.oauth_grant, g.client FROM token t JOIN oauth_grant g ON g.id = t.oauth_grant WHERE t.hash = :hash;

-- oauth_swept
-- Whether anything is left over: what has expired, and grants that no token can come of any more.
SELECT 1 WHERE EXISTS (SELECT 1 FROM browser WHERE expires_at <= :now)
    OR EXISTS (SELECT 1 FROM oauth_ask WHERE expires_at <= :now)
    OR EXISTS (SELECT 1 FROM attempt WHERE last_at <= :attempts_before)
    OR EXISTS (SELECT 1 FROM oauth_client WHERE used_at IS NULL AND expires_at <= :now)
    OR EXISTS (SELECT 1 FROM oauth_code WHERE expires_at <= :codes_before)
    OR EXISTS (SELECT 1 FROM oauth_refresh WHERE expires_at <= :now)
    OR EXISTS (SELECT 1 FROM oauth_assertion WHERE expires_at <= :now);

-- browsers_sweep
DELETE FROM browser WHERE expires_at <= :now;

-- oauth_asks_sweep
DELETE FROM oauth_ask WHERE expires_at <= :now;

-- attempts_sweep
DELETE FROM attempt WHERE last_at <= :attempts_before;

-- oauth_codes_sweep
DELETE FROM oauth_code WHERE expires_at <= :codes_before;

-- oauth_refresh_sweep
DELETE FROM oauth_refresh WHERE expires_at <= :now;

-- oauth_grants_sweep
-- Without code, refresh token or running access token, and old enough that nobody asks what became of it.
DELETE FROM oauth_grant
WHERE created_at <= :codes_before AND coalesce(revoked_at, 0) <= :revoked_before
    AND NOT EXISTS (SELECT 1 FROM oauth_code o WHERE o.oauth_grant = oauth_grant.id)
    AND NOT EXISTS (SELECT 1 FROM oauth_refresh r WHERE r.oauth_grant = oauth_grant.id)
    AND NOT EXISTS (SELECT 1 FROM token t WHERE t.oauth_grant = oauth_grant.id AND t.revoked_at IS NULL AND t.expires_at > :now)
    AND NOT EXISTS (SELECT 1 FROM token t WHERE t.made_by_grant = oauth_grant.id AND t.revoked_at IS NULL
        AND (t.expires_at IS NULL OR t.expires_at > :now));

-- oauth_profile_any
SELECT 1 FROM principal WHERE secret_hash IS NOT NULL AND ended_at IS NULL LIMIT 1;

-- oauth_grant_of
SELECT id, principal FROM oauth_grant WHERE uid = :uid;
