import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log/log.ts'
import { findGrant, saveGrant } from '../../src/database/tables/grants.ts'
import { createGrantUses, maxCounters, sweepGrantUse } from '../../src/database/tables/grantUse.ts'
import { databasesToTest, openDatabaseTwice } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { databaseStores, newGrantIn } from './artifactStores.ts'

const log = createLog('silent')

describe.each(await databasesToTest())('the use of grants on $name', ({ open }) => {
  const opened = duringTests(open)

  const stored = (grantId: string) =>
    opened.database.sql.query<{ operation: string }>(
      `SELECT operation, calls::int, rows::int, refused::int, day = (now() AT TIME ZONE 'UTC')::date AS is_today
         FROM grant_use WHERE grant_id = $1 ORDER BY operation`,
      [grantId],
    )
  const lastUse = async (grantId: string): Promise<number> => {
    const [row] = await opened.database.sql.query<{ at: Date | null }>('SELECT last_used_at AS at FROM oidc_grant WHERE id = $1', [grantId])
    return Number(row?.at)
  }

  test('is added up over two processes that store it at the same time', async () => {
    const schoolId = randomUUID()
    const second = await openDatabaseTwice(opened)
    const grants = await Promise.all(Array.from({ length: 10 }, () => newGrantIn(opened.database.sql, schoolId)))
    const processes = [opened.database, second.database].map((database) => createGrantUses({ database, log }))
    for (const _round of Array(5)) {
      for (const uses of processes) {
        for (const { grantId } of grants) {
          uses.count({ schoolId, grantId, operation: 'listStudents', rows: 200 })
          uses.count({ schoolId, grantId, operation: 'listStudents', rows: undefined })
          uses.count({ schoolId, grantId, operation: 'updateCourse', rows: 1 })
        }
      }
      await Promise.all(processes.map((uses) => uses.flush()))
    }
    for (const { grantId } of grants) {
      expect(await stored(grantId)).toEqual([
        { operation: 'listStudents', calls: 10, rows: 2000, refused: 10, is_today: true },
        { operation: 'updateCourse', calls: 10, rows: 10, refused: 0, is_today: true },
      ])
    }
    await second.close()
  })

  test('sets the last use of the grant, and never an earlier one than is stored', async () => {
    const schoolId = randomUUID()
    const { grantId } = await newGrantIn(opened.database.sql, schoolId)
    const uses = createGrantUses({ database: opened.database, log })
    const before = Date.now()
    uses.count({ schoolId, grantId, operation: 'getAccount', rows: 1 })
    await uses.flush()
    expect(await lastUse(grantId)).toBeGreaterThanOrEqual(before)
    expect(await lastUse(grantId)).toBeLessThanOrEqual(Date.now())
    await opened.database.sql.query("UPDATE oidc_grant SET last_used_at = now() + interval '1 minute' WHERE id = $1", [grantId])
    const later = await lastUse(grantId)
    uses.count({ schoolId, grantId, operation: 'getAccount', rows: 1 })
    await uses.flush()
    expect(await lastUse(grantId)).toBe(later)
  })

  test('of grants that are gone does not prevent that of others from being stored', async () => {
    const schoolId = randomUUID()
    const { grantId } = await newGrantIn(opened.database.sql, schoolId)
    const uses = createGrantUses({ database: opened.database, log })
    for (const id of [randomUUID(), grantId]) uses.count({ schoolId, grantId: id, operation: 'getAccount', rows: 1 })
    await uses.flush()
    expect(await stored(grantId)).toMatchObject([{ calls: 1 }])
  })

  test('is stored after an outage, and when the process stops', async () => {
    const schoolId = randomUUID()
    const { grantId } = await newGrantIn(opened.database.sql, schoolId)
    let isAway = true
    const database = {
      get kysely() {
        if (isAway) throw new Error('the database does not respond')
        return opened.database.kysely
      },
    }
    const uses = createGrantUses({ database, log })
    uses.count({ schoolId, grantId, operation: 'getAccount', rows: 1 })
    await uses.flush()
    uses.count({ schoolId, grantId, operation: 'getAccount', rows: 1 })
    isAway = false
    await uses.stop()
    expect(await stored(grantId)).toMatchObject([{ calls: 2 }])
  })

  test('takes a bounded amount of memory while the database is away', () => {
    const database = {
      get kysely(): never {
        throw new Error('the database does not respond')
      },
    }
    const uses = createGrantUses({ database, log })
    const grantId = randomUUID()
    for (let at = 0; at < maxCounters + 10; at += 1) uses.count({ schoolId: randomUUID(), grantId, operation: `${at}`, rows: 1 })
    expect(uses.size).toBe(maxCounters)
  })

  test('is deleted 90 days later, and with its grant', async () => {
    const { sql, kysely } = opened.database
    const schoolId = randomUUID()
    const [kept, gone] = await Promise.all([newGrantIn(sql, schoolId), newGrantIn(sql, schoolId)])
    for (const { grantId } of [kept, gone]) {
      await sql.query(
        `INSERT INTO grant_use (school_id, grant_id, day, operation, calls, rows, refused)
         SELECT $1, $2, now()::date - age, 'getAccount', age, 1, 0 FROM unnest('{0,89,92,400}'::int[]) AS age`,
        [schoolId, grantId],
      )
    }
    expect(await sweepGrantUse(kysely, 3)).toBe(3)
    expect(await sweepGrantUse(kysely, 3)).toBe(1)
    expect((await stored(kept.grantId)).length).toBe(2)
    await sql.query('DELETE FROM oidc_grant WHERE id = $1', [gone.grantId])
    expect(await stored(gone.grantId)).toEqual([])
  })
})

describe.each((await databaseStores()).slice(-1))('a grant in $name', ({ open }) => {
  const store = duringTests(open)

  test('a revoked grant stays revoked when it is saved again, with its tokens', async () => {
    const { sql, kysely } = store
    const schoolId = randomUUID()
    const { clientId } = await newGrantIn(sql, schoolId)
    const [account] = await sql.query<{ id: string }>('SELECT id FROM account WHERE school_id = $1', [schoolId])
    const grant = { schoolId, id: randomUUID(), accountId: account?.id as string, clientId, expiresInSeconds: 3600 }
    await saveGrant(kysely, { ...grant, payload: { value: 'first' } })
    await saveGrant(kysely, { ...grant, payload: { value: 'second' } })
    expect(await findGrant(kysely, schoolId, grant.id)).toEqual({ value: 'first', exp: expect.any(Number) })
    await sql.query('UPDATE oidc_grant SET revoked_at = now() WHERE school_id = $1 AND id = $2', [schoolId, grant.id])
    await saveGrant(kysely, { ...grant, payload: { value: 'third' } })
    expect(await findGrant(kysely, schoolId, grant.id)).toBeUndefined()
    const [row] = await sql.query('SELECT payload, revoked_at FROM oidc_grant WHERE school_id = $1 AND id = $2', [schoolId, grant.id])
    expect(row).toEqual({ payload: { value: 'first' }, revoked_at: expect.any(Date) })
  })

  test('a new grant is stored with its audit row, and is audited once if it is saved twice', async () => {
    const { sql, kysely } = store
    const schoolId = randomUUID()
    const { clientId } = await newGrantIn(sql, schoolId)
    const [account] = await sql.query<{ id: string }>('SELECT id FROM account WHERE school_id = $1', [schoolId])
    const grant = { schoolId, id: randomUUID(), accountId: account?.id as string, clientId, payload: {}, expiresInSeconds: 3600 }
    const entry = {
      school_id: schoolId,
      event: 'consent.granted' as const,
      account_id: grant.accountId,
      client_id: clientId,
      grant_id: grant.id,
      request_id: 'req_1',
      address: '192.0.2.1',
      details: { granted: 'openid\0' },
    }
    const logged = () =>
      sql.query(
        'SELECT school_id, event, account_id, client_id, grant_id, request_id, address, details FROM audit_log WHERE grant_id = $1',
        [grant.id],
      )
    await expect(saveGrant(kysely, { ...grant, accountId: randomUUID() }, entry)).rejects.toThrow()
    expect(await logged()).toEqual([])
    await Promise.all([saveGrant(kysely, grant, entry), saveGrant(kysely, grant, { ...entry, details: { granted: 'another choice' } })])
    await saveGrant(kysely, grant, entry)
    expect(await logged()).toEqual([{ ...entry, details: expect.anything() }])
  })
})
