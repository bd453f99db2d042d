// Proves RFC 6749 sections 3.3, 6: Client libraries from npm and Debian, and two modules of Apache, sign in, call, refresh twice, ask for more and revoke, whatever the person ticks on the consent page

import { afterAll, beforeAll } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { authJs } from './adapters/authJs.ts'
import { expressOpenidConnect } from './adapters/expressOpenidConnect.ts'
import { mcpClient } from './adapters/mcpClient.ts'
import { mcpSdk } from './adapters/mcpSdk.ts'
import { oauth4webapi } from './adapters/oauth4webapi.ts'
import { oidcClientTs } from './adapters/oidcClientTs.ts'
import { openidClient } from './adapters/openidClient.ts'
import { passport } from './adapters/passport.ts'
import { simpleOauth2 } from './adapters/simpleOauth2.ts'
import { type Adapter, integrations, testFourConsents } from './fourConsents.ts'
import { nodeLibraries } from './libraries.ts'

const adapters: Record<(typeof nodeLibraries)[number]['id'], Adapter> = {
  openidClient,
  oauth4webapi,
  mcpSdk,
  mcpClient,
  simpleOauth2,
  oidcClientTs,
  passport,
  expressOpenidConnect,
  authJs,
}

let service: TestService
beforeAll(async () => {
  service = await startService({ school: { integrations } })
})
afterAll(() => service?.stop())

testFourConsents(nodeLibraries, adapters, () => service)
