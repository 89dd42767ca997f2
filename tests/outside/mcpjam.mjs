// MCPJam's conformance tests. `node mcpjam.mjs refusals URL REVISION` and `node mcpjam.mjs working URL REVISION` print "Open URL"
// for the page that a person has to agree on, `node mcpjam.mjs mcp URL TOKEN` asks with a token. The last line is the result.
//
// The refusals bring a code a second time, which ends what the first time gave out; so they and the working token are apart.

import { MCPConformanceTest, OAuthConformanceTest } from '@mcpjam/sdk';

const [kind, serverUrl, last] = process.argv.slice(2);
const result =
  kind === 'mcp'
    ? await new MCPConformanceTest({ serverUrl, accessToken: last }).run()
    : await new OAuthConformanceTest({
        serverUrl,
        protocolVersion: last,
        registrationStrategy: 'dcr',
        auth: { mode: 'interactive', openUrl: async url => console.log(`Open ${url}`) },
        oauthConformanceChecks: kind === 'refusals',
        verification: kind === 'working' ? { listTools: true, callTool: { name: 'stats', params: {} } } : {}
      }).run();

const steps = (result.steps ?? result.checks).map(one => ({
  name: one.step ?? one.id,
  status: one.status,
  error: one.error?.message,
  details: one.error?.details
}));
console.log(JSON.stringify({ passed: result.passed, summary: result.summary, steps, verification: result.verification }));
process.exit(0);
