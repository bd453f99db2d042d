import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hash } from '../../src/base/keyring.ts'
import { createLog } from '../../src/base/log/log.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { clientTag, grantTag } from '../../src/database/facts/fact.ts'
import { createFactCache } from '../../src/database/facts/factCache.ts'
import type { FactMarkers } from '../../src/database/facts/factGuard.ts'
import { redisMarkers } from '../../src/database/facts/redisMarkers.ts'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import { createKeptFacts } from '../../src/identity/oidc/keptFacts.ts'
import { createTokenChecks, personOf, type TokenChecks } from '../../src/identity/oidc/tokenChecks.ts'
import { type RedisArtifacts, redisArtifacts } from '../../src/identity/tokens/redisArtifacts.ts'
import { newGrantIn } from '../database/artifactStores.ts'
import { throwawayPostgres } from '../support/databases.ts'
import { hasOwnServers, ownRedis } from '../support/ownServers.ts'

const log = createLog('silent')
const schoolId = randomUUID()

/** The parts of one process: its connections, and what it keeps in memory. */
interface Process {
  database: Database
  redis: RedisConnection
  artifacts: RedisArtifacts
  checks: TokenChecks
  markers: FactMarkers
}

const changes = ['role', 'account', 'client', 'grant', 'name'] as const
interface Step {
  change: (typeof changes)[number]
  writer: 0 | 1
  /** Both processes check the token while the change is marked, and between the commit and the second mark. */
  readsBeforeCommit: boolean
  readsAfterCommit: boolean
  /** The writer is killed between its commit and the second mark. */
  isKilled: boolean
  /** Redis loses everything after the change. */
  losesRedis: boolean
}

type Protocol = 'complete' | 'only before the commit' | 'only after the response'

describe.runIf(await hasOwnServers())('two processes on one PostgreSQL and one Redis', () => {
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
    const artifacts = redisArtifacts(redis.client, { longestTokenSeconds: 3600 })
    const kept = createKeptFacts({
      ephemeral: artifacts,
      database: database.kysely,
      guard: database.facts,
      cache: createFactCache(),
      versioned: artifacts,
    })
    const checks = createTokenChecks({ stores: { log }, kept })
    return { database, redis, artifacts, checks, markers: redisMarkers({ redis: redis.client, log }) }
  }

  /** Does the steps, and throws if a process shows an earlier state after a step has been acknowledged. */
  async function perform(steps: readonly Step[], protocol: Protocol): Promise<void> {
    const { sql } = processes[0].database
    const { grantId, clientId } = await newGrantIn(sql, schoolId)
    const [{ account_id: accountId } = { account_id: '' }] = await sql.query<{ account_id: string }>(
      'SELECT account_id FROM oidc_grant WHERE id = $1',
      [grantId],
    )
    const [personId, value] = [randomUUID(), randomUUID().repeat(2)]
    await sql.query(`INSERT INTO person (school_id, id, account_id, email, name) VALUES ($1, $2::uuid, $3, $2::text, 'Juno')`, [
      schoolId,
      personId,
      accountId,
    ])
    await sql.query(`INSERT INTO staff (school_id, id, person_id, role) VALUES ($1, gen_random_uuid(), $2, 'admin')`, [schoolId, personId])
    const save = () =>
      processes[0].artifacts.save({
        schoolId,
        model: 'AccessToken',
        id: hash(value),
        payload: '{}',
        expiresInSeconds: 600,
        grantId,
        clientId,
        accountId,
        grantTag: grantTag(schoolId, grantId),
        clientTag: clientTag(schoolId, clientId),
      })
    const state = { isOwner: false, isDisabled: false, isClientDisabled: false, isRevoked: false, name: 'Juno Tindersley' }
    const seen = async ({ checks }: Process) => {
      const checked = await checks.check(schoolId, value)
      return personOf(checked) ? { role: personOf(checked)?.role, name: checked.facts.account?.name } : undefined
    }
    const readBoth = () => Promise.all(processes.map(seen))
    const expectCurrent = async (): Promise<void> => {
      const isValid = !state.isDisabled && !state.isClientDisabled && !state.isRevoked
      const expected = isValid ? { role: state.isOwner ? 'owner' : 'admin', name: state.name } : undefined
      for (const found of [...(await readBoth()), ...(await readBoth())]) expect(found).toEqual(expected)
    }
    const statements: Record<Step['change'], () => [text: string, values: unknown[]]> = {
      role: () => {
        state.isOwner = !state.isOwner
        return ['UPDATE staff SET role = $2 WHERE person_id = $1', [personId, state.isOwner ? 'owner' : 'admin']]
      },
      account: () => {
        state.isDisabled = !state.isDisabled
        return [`UPDATE account SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1`, [accountId, state.isDisabled]]
      },
      client: () => {
        state.isClientDisabled = !state.isClientDisabled
        return [`UPDATE oidc_client SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1`, [clientId, state.isClientDisabled]]
      },
      grant: () => {
        state.isRevoked = !state.isRevoked
        return [`UPDATE oidc_grant SET revoked_at = CASE WHEN $2 THEN now() END WHERE id = $1`, [grantId, state.isRevoked]]
      },
      name: () => {
        state.name = randomUUID()
        return ['UPDATE account SET name = $2 WHERE id = $1', [accountId, state.name]]
      },
    }
    await save()
    await expectCurrent()
    await expectCurrent()
    for (const step of steps) {
      const { database, markers } = processes[step.writer]
      database.facts.useMarkers(protocolOf(protocol, markers, step, readBoth))
      await database.transaction((_writer, inside) => inside.query(...statements[step.change]()))
      await expectCurrent()
      if (!step.losesRedis) continue
      await server.client.flushall()
      await save()
      await expectCurrent()
    }
  }

  const aStep = fc.record<Step>({
    change: fc.constantFrom(...changes),
    writer: fc.constantFrom(0, 1),
    readsBeforeCommit: fc.boolean(),
    readsAfterCommit: fc.boolean(),
    isKilled: fc.integer({ min: 0, max: 7 }).map((number) => number === 0),
    losesRedis: fc.integer({ min: 0, max: 7 }).map((number) => number === 0),
  })
  const property = (protocol: Protocol) =>
    fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 8 }), (steps) => perform(steps, protocol))

  test('no response shows the previous state after a change is acknowledged, its writer is killed or Redis loses everything', async () => {
    await fc.assert(property('complete'), { numRuns: 25, endOnFailure: true })
  })

  test.each<Protocol>(['only before the commit', 'only after the response'])('a marker that is written %s is found', async (protocol) => {
    const { failed } = await fc.check(property(protocol), { numRuns: 25, endOnFailure: true })
    expect(failed).toBe(true)
  })
})

/** Returns markers that follow the protocol or breaks it in one place, with reads in between. */
function protocolOf(protocol: Protocol, markers: FactMarkers, step: Step, read: () => Promise<unknown>): FactMarkers {
  return {
    async begin(facts) {
      const change = protocol === 'only after the response' ? undefined : await markers.begin(facts)
      if (protocol === 'only before the commit') await change?.end()
      if (step.readsBeforeCommit) await read()
      return {
        async end() {
          if (step.readsAfterCommit) await read()
          if (protocol === 'complete' && !step.isKilled) await change?.end()
          if (protocol === 'only after the response') setImmediate(() => void markers.begin(facts).then((late) => late.end()))
        },
      }
    },
  }
}
