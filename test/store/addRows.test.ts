import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addRows } from '../../src/store/addRows.ts'
import { everyDatabase, type TestDatabase } from '../support/databases.ts'

describe.each(await everyDatabase())('rows in bulk on $name', ({ open }) => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await open()
    await opened.database.sql.query('CREATE TABLE bulk (id int PRIMARY KEY, words text, facts jsonb, at timestamptz, is_so boolean)')
  })
  afterAll(() => opened.drop())

  const add = (rows: Iterable<readonly (string | number | boolean | Date | object | null)[]>) =>
    addRows(opened.database, { table: 'bulk', columns: ['id', 'words', 'facts', 'at', 'is_so'], rows })

  test('stored values equal the given values, whatever characters they have', async () => {
    const at = new Date('2026-03-01T10:20:30.456Z')
    const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0') && value.isWellFormed())
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(text, fc.constantFrom('\\N', '\\.', '\t', '\\', 'a\r\nb', '', null)), { maxLength: 20 }),
        async (words) => {
          await opened.database.sql.query('TRUNCATE bulk')
          expect(await add(words.map((word, index) => [index, word, { word }, at, index % 2 === 0]))).toBe(words.length)
          const stored = await opened.database.sql.query('SELECT * FROM bulk ORDER BY id')
          expect(stored).toEqual(words.map((word, id) => ({ id, words: word, facts: { word }, at, is_so: id % 2 === 0 })))
        },
      ),
      { numRuns: 40 },
    )
  })

  test('a row whose key is taken stays as it is', async () => {
    await opened.database.sql.query('TRUNCATE bulk')
    expect(await add([[1, 'first', null, null, null]])).toBe(1)
    expect(
      await add([
        [1, 'second', null, null, null],
        [2, 'other', null, null, null],
      ]),
    ).toBe(1)
    expect(await opened.database.sql.query('SELECT words FROM bulk ORDER BY id')).toEqual([{ words: 'first' }, { words: 'other' }])
  })

  test('rows that break off leave nothing, and the database goes on', async () => {
    await opened.database.sql.query('TRUNCATE bulk')
    function* broken() {
      for (let id = 0; id < 5000; id += 1) yield [id, 'x'.repeat(50), null, null, null] as const
      throw new Error('the source is gone')
    }
    await expect(add(broken())).rejects.toThrow('the source is gone')
    await expect(add([['no number', null, null, null, null]])).rejects.toThrow(/integer/)
    expect(await opened.database.sql.query('SELECT 1 FROM bulk')).toEqual([])
    expect(await add([[1, 'whole', null, null, null]])).toBe(1)
  })
})
