import { expect, test } from 'vitest'
import { createHome, serviceEnvironment, startMeasured } from '../../bench/process/measuredProcess.ts'
import { requests } from '../../bench/process/schoolRequests.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'

const { postgresql } = await availableServices()
const schools = 50
/** Measured: 90 kB, of which the engine takes 73. A document that is stored once for each school takes more than the rest. */
const mostHeapBytes = 250_000

test.runIf(postgresql)(`each of ${schools} schools that are in use takes less than ${mostHeapBytes / 1000} kB of the heap`, async () => {
  const [home, database] = [await createHome(schools + 1), await throwawayPostgres()]
  try {
    const service = await startMeasured({ environment: serviceEnvironment(home, { DATABASE_URL: database.url }) })
    try {
      const use = async (hosts: readonly string[]): Promise<void> => {
        for (const host of hosts)
          for (const [name, send] of Object.entries(requests))
            expect([name, (await send(service.client, host)).status]).toEqual([name, 200])
      }
      const [first = '', ...others] = home.hosts
      // The first school pays for what all of them share.
      await use([first])
      const before = await service.memory()
      await use(others)
      const after = await service.memory()
      expect((after.heapUsed - before.heapUsed) / schools).toBeLessThan(mostHeapBytes)
    } finally {
      await service.stop()
    }
  } finally {
    await database.drop()
    await home.remove()
  }
})
