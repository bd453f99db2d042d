// Proves RFC 6749 sections 3.3, 6: Client libraries from npm and Debian, and two modules of Apache, sign in, call, refresh twice, ask for more and revoke, whatever the person ticks on the consent page

import { afterAll, beforeAll } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { nodeAdapters } from './adapters/nodeAdapters.ts'
import { integrations, testFourConsents } from './fourConsents.ts'
import { nodeLibraries } from './libraries.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ school: { integrations } })
})
afterAll(() => service?.stop())

testFourConsents(nodeLibraries, nodeAdapters, () => service)
