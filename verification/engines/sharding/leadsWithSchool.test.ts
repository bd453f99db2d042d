import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedis, type RedisConnection } from '../../../src/database/redis/redis.ts'
import { operationsIn, resources } from '../../../src/school/index.ts'
import { type DemoApi, startDemoApi } from '../../../test/school/demoApi.ts'
import { callersByPower, chooseRowsToRead } from '../../../test/school/rowsToRead.ts'
import { get } from '../../../test/support/agent.ts'
import { availableServices, openTestDatabase, redisUrl, type TestDatabase } from '../../../test/support/databases.ts'
import { startService, type TestService } from '../../../test/support/service.ts'
import { completeJourney } from '../journey.ts'
import { problemsOfKeys, problemsOfStatements } from './leadsWithSchool.ts'
import { type Recording, recordStoreUse } from './recordStoreUse.ts'

const { postgresql, redis: hasRedis } = await availableServices()
const all = operationsIn(resources)

describe.runIf(postgresql && hasRedis)('requests ask the stores for rows and keys of their school, so that schools can be divided', () => {
  let recording: Recording
  let opened: TestDatabase
  let redis: RedisConnection
  let service: TestService
  let api: DemoApi
  let client: Client
  beforeAll(async () => {
    recording = recordStoreUse()
    opened = await openTestDatabase()
    redis = createRedis(redisUrl, { onError: () => undefined })
    await redis.connect()
    service = await startService({ database: opened.database, redis, isLimited: true })
    await service.addPerson({ email: 'learner@example.org' })
    api = await startDemoApi(opened, all, undefined, { isWhole: true })
    client = new Client({ connectionString: opened.url })
    await client.connect()
  })
  afterAll(async () => {
    recording.stop()
    await client?.end()
    await service?.stop()
    await redis?.close()
    await api?.stop()
  })

  test('every statement and every key of sign-in, refresh, revocation, pages and all reads of the API', async () => {
    await completeJourney(service, service.issuer, 'learner@example.org')
    for (const path of ['/', '/llms.txt', '/courses', '/account', '/docs/api', '/sitemap.xml']) await get(`${service.issuer}${path}`)
    const rows = await chooseRowsToRead(api)
    for (const operation of all.filter(({ method }) => method === 'GET')) {
      for (const as of callersByPower) await api.get(rows.addressOf(operation, rows.visible(operation)), { as })
    }
    expect(recording.statements.size).toBeGreaterThan(300)
    expect(recording.keys.size).toBeGreaterThan(15)
    expect(problemsOfKeys(recording.keys)).toEqual([])
    expect(await problemsOfStatements(client, recording.statements)).toEqual([])
  })

  test.each([
    ['select * from person where id = $1', ['019a0000-0000-7000-8000-000000000001']],
    ['select 1 from course where /* school_id = */ title = $1', ['x']],
    ['select 1 from account a join person p on p.account_id = a.id where a.school_id = $1', ['019a0000-0000-7000-8000-000000000001']],
    ['delete from coupon where id = $1', ['019a0000-0000-7000-8000-000000000001']],
    ['update course set title = $1', ['x']],
  ])('a planted statement without the school is found: %s', async (text, values) => {
    expect(await problemsOfStatements(client, new Map([[text, values]]))).toHaveLength(1)
  })

  test.each(['sg:019a0000-0000-7000-8000-000000000001:Session:x', 'sg:limit:token:5:60:x', 'sg:{first}:Session:x'])(
    'a planted key without the tag of a school is found: %s',
    (key) => {
      expect(problemsOfKeys(new Map([[key, 'get']]))).toEqual([`get ${key}`])
    },
  )
})
