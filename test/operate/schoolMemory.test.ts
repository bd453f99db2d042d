import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { benchSecret, createHome, serviceEnvironment, startMeasured } from '../../bench/process/measuredProcess.ts'
import { requests } from '../../bench/process/schoolRequests.ts'
import { createKeyring } from '../../src/base/keyring.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { ensureSchools } from '../../src/database/tables/schools.ts'
import { addSigningKey } from '../../src/database/tables/signingKeys.ts'
import { generateSigningKey, signingAlgorithms } from '../../src/identity/oidc/signingKeys.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'

const { postgresql } = await availableServices()
const schools = 50
/** The first schools pay for what all share: modules that are loaded late, compiled functions, prepared statements. */
const warmUps = 10
/**
 * With many schools 100 kB are measured, of which the engine takes 73; with fifty, the compiler adds as much again. An API description for
 * each school would exceed this limit.
 */
const maxHeapBytes = 500_000

/** Gives the schools of the configuration the same signing keys. The service would generate some for each, which takes 0.2 s. */
async function addSigningKeys(databaseUrl: string, hosts: readonly string[]): Promise<void> {
  const database = await openDatabase({ databaseUrl, dataDirectory: tmpdir(), poolSize: 1 })
  try {
    const keyring = createKeyring([benchSecret])
    const keys = await Promise.all(signingAlgorithms.map(generateSigningKey))
    const rows = hosts.map((_, index) => ({
      slug: `school-${index}`,
      name: `School ${index}`,
      locale: 'en',
      time_zone: 'UTC',
      currency: 'EUR',
    }))
    const ids = await ensureSchools(database.kysely, rows)
    await database.transaction(async (writer) => {
      for (const schoolId of ids.values())
        for (const jwk of keys) {
          const privateJwk = keyring.seal('signing keys', JSON.stringify(jwk))
          await addSigningKey(writer, { schoolId, kid: jwk.kid, alg: String(jwk.alg), privateJwk, activeInSeconds: 0 })
        }
    })
  } finally {
    await database.close()
  }
}

test.runIf(postgresql)(`each of ${schools} schools that are in use takes less than ${maxHeapBytes / 1000} kB of the heap`, async () => {
  const [home, database] = [await createHome(schools + warmUps), await throwawayPostgres()]
  try {
    await addSigningKeys(database.url, home.hosts)
    const service = await startMeasured({ environment: serviceEnvironment(home, { DATABASE_URL: database.url }) })
    try {
      const use = async (hosts: readonly string[]): Promise<void> => {
        for (const host of hosts)
          for (const [name, send] of Object.entries(requests))
            expect([name, (await send(service.client, host)).status]).toEqual([name, 200])
      }
      await use(home.hosts.slice(0, warmUps))
      const before = await service.memory()
      await use(home.hosts.slice(warmUps))
      const after = await service.memory()
      expect((after.heapUsed - before.heapUsed) / schools).toBeLessThan(maxHeapBytes)
    } finally {
      await service.stop()
    }
  } finally {
    await database.drop()
    await home.remove()
  }
})
