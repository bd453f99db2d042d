// Proves RFC 6749 sections 3.3, 6: The newest and the first version of client libraries from npm, those of Debian, and two modules of Apache, sign in, call, refresh twice, ask for more and revoke, whatever the person ticks on the consent page

import { afterAll, beforeAll, describe, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { runIn, startWithMovedClock } from './adapters/movedClock.ts'
import { nodeAdapters } from './adapters/nodeAdapters.ts'
import type { Program } from './adapters/program.ts'
import { integrations, runLibrary, testFourConsents } from './fourConsents.ts'
import { nodeLibraries } from './libraries.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ school: { integrations } })
})
afterAll(() => service?.stop())

testFourConsents(nodeLibraries, nodeAdapters, () => service)

describe.each([-2, 2])('in a process whose clock is moved by %i minutes', (minutes) => {
  let program: Program
  beforeAll(() => {
    program = startWithMovedClock(minutes)
  })
  afterAll(() => program?.stop())

  test.each(nodeLibraries)('$name runs every flow', async (library) => {
    await runLibrary(service, runIn(program, library), { ...library, id: `${library.id}-${minutes}` })
  })
})
