import { describe, expect, test } from 'vitest'
import { availableServices, openTestDatabase } from '../support/databases.ts'
import { newAccount, newSchool } from '../support/rows.ts'

const { postgresql } = await availableServices()

describe.runIf(postgresql)('a database that a test gives back', () => {
  test('is the next one, without rows, with its sequences at their start and without statistics', async () => {
    const first = await openTestDatabase()
    const { sql } = first.database
    await newAccount(sql, await newSchool(sql))
    await sql.query(`SELECT nextval(format('%I.%I', schemaname, sequencename)) FROM pg_sequences`)
    await sql.query('ANALYZE account')
    await first.drop()

    const next = await openTestDatabase()
    try {
      expect(next.url).toBe(first.url)
      const state = `SELECT (SELECT count(*)::int FROM school) AS schools, (SELECT count(*)::int FROM account) AS accounts,
        (SELECT count(last_value)::int FROM pg_sequences) AS used, (SELECT reltuples::int FROM pg_class WHERE relname = 'account') AS known`
      expect(await next.database.sql.query(state)).toEqual([{ schools: 0, accounts: 0, used: 0, known: -1 }])
    } finally {
      await next.drop()
    }
  })

  test.each([
    'CREATE TABLE planted (id int)',
    'ALTER TABLE school ADD COLUMN planted text',
    'DROP INDEX account_deletion_scheduled_at_idx',
    'ALTER TABLE account DISABLE TRIGGER USER',
    "CREATE FUNCTION planted() RETURNS int LANGUAGE sql AS 'SELECT 1'",
  ])('is not used again after %s', async (statement) => {
    const changed = await openTestDatabase()
    await changed.database.sql.query(statement)
    await changed.drop()
    const next = await openTestDatabase()
    await next.drop()
    expect(next.url).not.toBe(changed.url)
  })
})
