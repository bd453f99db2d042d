import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log/log.ts'
import { createGrantUses, maxCounters, sweepGrantUse } from '../../src/database/tables/grantUse.ts'
import { databasesToTest, openDatabaseTwice, type TestDatabase } from '../support/databases.ts'
import { newGrantIn } from './artifactStores.ts'

const log = createLog('silent')

describe.each(await databasesToTest())('the use of grants on $name', ({ open }) => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.drop())

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
