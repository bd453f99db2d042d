import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Apache } from '../support/apache.ts'
import { startService, type TestService } from '../support/service.ts'
import { modAuthOpenidc, startModAuthOpenidc } from './adapters/modAuthOpenidc.ts'
import { modOauth2, startModOauth2 } from './adapters/modOauth2.ts'
import { authlib, requestsOauthlib } from './adapters/python.ts'
import { type Adapter, asked, integrations, more, runLibrary, siteAt, testFourConsents } from './fourConsents.ts'
import { debianLibraries } from './libraries.ts'

const names = debianLibraries.map((one) => one.package)
/** Lines of a status, a package and its version, also if some of them are unknown to dpkg. */
const installed = await promisify(execFile)('dpkg', ['-l', ...names]).then(
  ({ stdout }) => stdout,
  ({ stdout }: { stdout?: string }) => stdout ?? '',
)
const versionOf = (name: string): string | undefined => new RegExp(`^ii +${name} +(\\S+)`, 'm').exec(installed)?.[1]
const missing = names.filter((name) => versionOf(name) === undefined)
if (missing.length > 0) {
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(`packages of Debian are required and not installed: ${missing.join(', ')}`)
  process.stderr.write(`NOT RUN: the client libraries of Debian, of which are not installed: ${missing.join(', ')}\n`)
}

let service: TestService
let [openidc, oauth2]: Apache[] = []
const adapters: Record<(typeof debianLibraries)[number]['id'], Adapter> = {
  authlib: authlib(),
  requestsOauthlib: requestsOauthlib(),
  modAuthOpenidc: modAuthOpenidc(() => openidc as Apache, more),
  modOauth2: modOauth2(() => oauth2 as Apache),
}

describe.runIf(missing.length === 0)('libraries of Debian', () => {
  beforeAll(async () => {
    service = await startService({ school: { integrations } })
    const site = siteAt(service.issuer)
    openidc = await startModAuthOpenidc(site, asked, more)
    oauth2 = await startModOauth2(site)
  })
  afterAll(async () => {
    await openidc?.stop()
    await oauth2?.stop()
    await service?.stop()
  })

  test.each(debianLibraries)('$name has the version that docs/integrate.md names', ({ package: name, version }) => {
    expect(versionOf(name)?.replace(/^\d+:/, '').split(/[+-]/)[0]).toBe(version)
  })

  testFourConsents(debianLibraries, adapters, () => service)

  describe.each([-2, 2])('with a clock that is moved by %i minutes', (minutes) => {
    test.each([
      [debianLibraries[0], authlib],
      [debianLibraries[1], requestsOauthlib],
    ] as const)('$0.name runs every flow', async (library, adapter) => {
      await runLibrary(service, adapter(minutes), { ...library, id: `${library.id}-${minutes}` })
    })
  })
})
