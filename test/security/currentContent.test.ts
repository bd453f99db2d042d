import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log/log.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { createContentVersions } from '../../src/database/facts/contentVersions.ts'
import type { FactMarkers } from '../../src/database/facts/factGuard.ts'
import { redisMarkers } from '../../src/database/facts/redisMarkers.ts'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import type { VisitorAnswers } from '../../src/engine/call.ts'
import { createVisitorAnswers } from '../../src/engine/read/visitorAnswers.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { throwawayPostgres } from '../support/databases.ts'
import { hasOwnServers, ownRedis } from '../support/ownServers.ts'
import { newSchool } from '../support/rows.ts'

const log = createLog('silent')
const operation = operationsIn(resources).find(({ id }) => id === 'getSchool')
if (!operation) throw new Error('there is no operation getSchool')

interface Process {
  database: Database
  redis: RedisConnection
  answers: VisitorAnswers
  markers: FactMarkers
}

interface Step {
  writer: 0 | 1
  /** Outside a transaction the database commits the statement by itself. */
  isInTransaction: boolean
  readsBeforeCommit: boolean
  readsBeforeMark: boolean
  losesRedis: boolean
}

type Protocol = 'complete' | 'only before the commit' | 'never'

describe.runIf(await hasOwnServers())('visitors of two processes on one PostgreSQL and one Redis', () => {
  let server: Awaited<ReturnType<typeof ownRedis>>
  let postgres: Awaited<ReturnType<typeof throwawayPostgres>>
  let processes: [Process, Process]
  beforeAll(async () => {
    ;[server, postgres] = await Promise.all([ownRedis(), throwawayPostgres()])
    processes = [await startProcess(), await startProcess()]
  })
  afterAll(async () => {
    for (const { database, redis } of processes) await Promise.all([database.close(), redis.close()])
    await Promise.all([server.stop(), postgres.drop()])
  })

  async function startProcess(): Promise<Process> {
    const database = await openDatabase({ databaseUrl: postgres.url, dataDirectory: tmpdir(), poolSize: 3 })
    const redis = createRedis(server.url, { onError: () => undefined })
    await redis.connect()
    const versions = createContentVersions({ guard: database.facts, redis: redis.client })
    const answers = createVisitorAnswers({ versionOf: versions.read })
    return { database, redis, answers, markers: redisMarkers({ redis: redis.client, log }) }
  }

  /** Does the steps, and throws if a process shows an earlier name after a step has been acknowledged. Returns how often a row was read. */
  async function perform(steps: readonly Step[], protocol: Protocol): Promise<number> {
    const schoolId = await newSchool(processes[0].database.sql)
    let reads = 0
    const nameIn = async ({ answers, database }: Process): Promise<unknown> => {
      const { body } = await answers.answer({ schoolId, operation: operation as never, format: 'json', parameters: {} }, async () => {
        reads += 1
        const [row] = await database.sql.query<{ name: string }>('SELECT name FROM school WHERE id = $1', [schoolId])
        return { status: 200, body: { name: row?.name }, text: '' }
      })
      return body.name
    }
    const readBoth = () => Promise.all(processes.map(nameIn))
    for (const [index, step] of steps.entries()) {
      const { database, markers } = processes[step.writer]
      database.facts.useMarkers(protocolOf(protocol, markers, step, readBoth))
      const change = (sql: Pick<Database['sql'], 'query'>) =>
        sql.query('UPDATE school SET name = $2 WHERE id = $1', [schoolId, `name ${index}`])
      await (step.isInTransaction ? database.transaction((_writer, inside) => change(inside)) : change(database.sql))
      for (const found of [...(await readBoth()), ...(await readBoth())]) expect(found).toBe(`name ${index}`)
      if (step.losesRedis) await server.client.flushall()
    }
    return reads
  }

  const aStep = fc.record<Step>({
    writer: fc.constantFrom(0, 1),
    isInTransaction: fc.boolean(),
    readsBeforeCommit: fc.boolean(),
    readsBeforeMark: fc.boolean(),
    losesRedis: fc.integer({ min: 0, max: 7 }).map((number) => number === 0),
  })
  const property = (protocol: Protocol) =>
    fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 8 }), async (steps) => void (await perform(steps, protocol)))

  test('no response shows the previous state after a change is acknowledged, also when Redis loses everything', async () => {
    await fc.assert(property('complete'), { numRuns: 30, endOnFailure: true })
  })

  test('responses are kept while nothing changes', async () => {
    const step: Step = { writer: 0, isInTransaction: true, readsBeforeCommit: false, readsBeforeMark: false, losesRedis: false }
    // Four responses follow each change. Nothing is kept until the school has an epoch in Redis, and afterwards each process reads once.
    expect(await perform([step, step, step], 'complete')).toBeLessThanOrEqual(4 + 2 + 2)
  })

  test.each<Protocol>(['only before the commit', 'never'])('a change that is marked %s is found', async (protocol) => {
    const { failed } = await fc.check(property(protocol), { numRuns: 30, endOnFailure: true })
    expect(failed).toBe(true)
  })
})

/** Returns markers that follow the protocol or break it, with reads in between. */
function protocolOf(protocol: Protocol, markers: FactMarkers, step: Step, read: () => Promise<unknown>): FactMarkers {
  return {
    async begin(facts) {
      const change = await markers.begin(facts)
      if (protocol === 'only before the commit') await change.end()
      if (step.readsBeforeCommit) await read()
      return {
        async end() {
          if (step.readsBeforeMark) await read()
          if (protocol === 'complete') await change.end()
        },
      }
    },
  }
}
