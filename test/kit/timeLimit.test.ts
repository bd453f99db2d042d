import { describe, expect, test } from 'vitest'
import { explainViolation } from '../../src/kit/violations.ts'
import { courses } from '../../src/resources/courses.ts'
import { limitStatements } from '../../src/store/timeLimit.ts'
import { databasesToTest } from '../support/databases.ts'

describe.each(await databasesToTest())('statements on $name', ({ name, open }) => {
  test('have a limit by their purpose, for one transaction', async () => {
    const { database, drop } = await open()
    const setting = async (sql: typeof database.sql) =>
      (await sql.query<{ limit: string }>(`SELECT current_setting('statement_timeout') AS limit`))[0]?.limit
    const before = await setting(database.sql)
    const inside = await database.transaction(async (_writer, sql) => {
      await limitStatements(database.kind, sql, 'read')
      return await setting(sql)
    })
    expect(inside).toBe(name === 'postgresql' ? '3s' : before)
    expect(await setting(database.sql)).toBe(before)
    await drop()
  })

  if (name !== 'postgresql') return
  test('that take too long are refused in words', async () => {
    const { database, drop } = await open()
    const tooLong = database.transaction(async (_writer, sql) => {
      await sql.query(`SELECT set_config('statement_timeout', '20ms', true)`)
      await sql.query('SELECT pg_sleep(5)')
    })
    const error = await tooLong.catch((thrown: unknown) => explainViolation(thrown, courses))
    expect(error).toMatchObject({ code: 'query_too_expensive', status: 422 })
    await drop()
  })
})
