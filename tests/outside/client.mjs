// One of the two TypeScript clients, told what to do by lines on stdin, answering by lines of JSON on stdout.
//
//   node client.mjs v1|v2 stdio COMMAND ARGUMENT ...     node client.mjs v1|v2 bearer URL TOKEN     node client.mjs v1|v2 oauth URL
//
// Every line that comes in is answered by one that goes out. `list` and `call NAME ARGUMENTS` do that, `finish URL` brings the
// address that the browser was sent back to, and anything that the client cannot do is answered with {"error": ...}.

import { createInterface } from 'node:readline';

const [version, mode, target, ...rest] = process.argv.slice(2);
const sdk =
  version === 'v1'
    ? {
        ...(await import('@modelcontextprotocol/sdk/client/index.js')),
        ...(await import('@modelcontextprotocol/sdk/client/stdio.js')),
        ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js'))
      }
    : { ...(await import('@modelcontextprotocol/client')), ...(await import('@modelcontextprotocol/client/stdio')) };

const held = {};
const provider = {
  redirectUrl: 'http://127.0.0.1:9999/callback',
  clientMetadata: {
    client_name: process.env.CLIENT_NAME ?? `The TypeScript client ${version}`,
    redirect_uris: ['http://127.0.0.1:9999/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none'
  },
  state: () => 'a-state-of-the-client',
  clientInformation: () => held.client,
  saveClientInformation: client => void (held.client = client),
  tokens: () => held.tokens,
  saveTokens: tokens => void (held.tokens = tokens),
  redirectToAuthorization: url => void (held.authorize = url.href),
  saveCodeVerifier: verifier => void (held.verifier = verifier),
  codeVerifier: () => held.verifier,
  discoveryState: () => held.discovery,
  saveDiscoveryState: state => void (held.discovery = state),
  invalidateCredentials: () => void (held.tokens = undefined)
};

function transport() {
  if (mode === 'stdio') return new sdk.StdioClientTransport({ command: target, args: rest, env: process.env });
  const options = mode === 'bearer' ? { requestInit: { headers: { authorization: `Bearer ${rest[0]}` } } } : { authProvider: provider };
  return new sdk.StreamableHTTPClientTransport(new URL(target), options);
}

let client, wire;

async function connect() {
  client = new sdk.Client({ name: 'typescript', version }, version === 'v2' ? { versionNegotiation: { mode: 'auto' } } : {});
  wire = transport();
  await client.connect(wire);
}

async function answer(line) {
  const [verb, first, ...more] = line.split(' ');
  switch (verb) {
    case 'connect':
      await connect();
      return { connected: true };
    case 'finish': {
      const came = new URL(first).searchParams;
      await (version === 'v1' ? wire.finishAuth(came.get('code')) : wire.finishAuth(came));
      await connect();
      return { connected: true, scope: held.tokens.scope, refresh: Boolean(held.tokens.refresh_token) };
    }
    case 'list':
      return { tools: (await client.listTools()).tools.map(tool => tool.name) };
    case 'call': {
      const result = await client.callTool({ name: first, arguments: JSON.parse(more.join(' ')) });
      return { result: result.structuredContent, access: held.tokens?.access_token };
    }
  }
}

let count = 0;
const say = found => console.log(JSON.stringify({ n: ++count, ...found }));
for await (const line of createInterface({ input: process.stdin })) {
  held.authorize = undefined;
  try {
    say(await answer(line));
  } catch (error) {
    say({ error: error.constructor.name, message: error.message, authorize: held.authorize });
  }
}
process.exit(0);
