// Proves RFC 9110 section 15.6.4: A change that timed out is 503 with Retry-After; a read that is too expensive is 422

import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { limitStatements } from '../../src/database/connection/timeLimit.ts'
import { explainViolation, explainWriteViolation } from '../../src/engine/write/explainViolation.ts'
import { courses } from '../../src/school/courses/courses.ts'
import { everyDatabase } from '../support/databases.ts'

describe.each(await everyDatabase())('statements on $name', ({ name, open }) => {
  test('have a limit by their purpose, for one transaction', async () => {
    const { database, drop } = await open()
    const pageContext = async (sql: typeof database.sql) =>
      (await sql.query<{ limit: string }>(`SELECT current_setting('statement_timeout') AS limit`))[0]?.limit
    const before = await pageContext(database.sql)
    const inside = await database.transaction(async (writer, sql) => {
      await limitStatements(database.kind, writer, 'read')
      return await pageContext(sql)
    })
    expect(inside).toBe(name === 'postgresql' ? '3s' : before)
    expect(await pageContext(database.sql)).toBe(before)
    await drop()
  })

  if (name !== 'postgresql') return
  test('that take too long are rejected with a message', async () => {
    const { database, drop } = await open()
    const tooLong = database.transaction(async (_writer, sql) => {
      await sql.query(`SELECT set_config('statement_timeout', '20ms', true)`)
      await sql.query('SELECT pg_sleep(5)')
    })
    const error = await tooLong.catch((thrown: unknown) => explainViolation(thrown, courses))
    expect(error).toMatchObject({ code: 'query_too_expensive', status: 422 })
    await drop()
  })

  test('that write and waited too long for a lock, or ran too long, can be retried: 503 with Retry-After', async () => {
    const { database, url, drop } = await open()
    const other = new Client({ connectionString: url as string })
    await other.connect()
    await other.query('BEGIN; LOCK TABLE course')
    for (const limit of ['lock_timeout', 'statement_timeout']) {
      const change = database.transaction(async (_writer, sql) => {
        await sql.query(`SELECT set_config($1, '20ms', true)`, [limit])
        await sql.query('DELETE FROM course')
      })
      const error = await change.catch((thrown: unknown) => explainWriteViolation(thrown, courses))
      expect(error).toMatchObject({ code: 'temporarily_unavailable', status: 503, headers: { 'Retry-After': '2' } })
    }
    await other.end()
    await drop()
  })
})
