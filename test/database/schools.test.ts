import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureSchools } from '../../src/database/tables/schools.ts'
import { databasesToTest, type TestDatabase } from '../support/databases.ts'

describe.each(await databasesToTest())('the rows of schools on $name', ({ open }) => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.drop())

  test.each([1, 500, 501])('%i new schools get one row each, once, also where a statement is exactly full', async (count) => {
    const defaults = { name: 'School', locale: 'en', time_zone: 'UTC', currency: 'EUR' }
    const schools = Array.from({ length: count }, (_, at) => ({ slug: `one-of-${count}-${at}`, ...defaults }))
    const ids = await ensureSchools(opened.database.kysely, schools)
    expect(new Set(ids.values()).size).toBe(count)
    expect(await ensureSchools(opened.database.kysely, schools)).toEqual(ids)
  })
})
