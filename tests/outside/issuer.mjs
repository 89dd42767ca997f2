// An identity provider that nobody here wrote: oidc-provider with resource indicators and signed access tokens.
//
//   node issuer.mjs PORT
//
// Whoever logs in is believed whatever name they give; a client called `brief` gets tokens that end after two seconds.

import { generateKeyPairSync } from 'node:crypto';
import { Provider } from 'oidc-provider';

const port = Number(process.argv[2]);
const scopes = 'read propose append write curate govern share admin';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const provider = new Provider(`http://127.0.0.1:${port}`, {
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'first', use: 'sig', alg: 'RS256' }] },
  cookies: { keys: ['only for tests'] },
  scopes: ['openid', 'offline_access', ...scopes.split(' ')],
  pkce: { required: () => true },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource, client) => ({
        scope: scopes,
        audience: resource,
        accessTokenFormat: 'jwt',
        accessTokenTTL: client.clientName === 'brief' ? 2 : 600,
        jwt: { sign: { alg: 'RS256' } }
      })
    }
  }
});
provider.listen(port, '127.0.0.1', () => console.log('listening'));
