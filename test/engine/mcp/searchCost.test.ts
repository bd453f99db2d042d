import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.ts'
import { matchesWords, wordsOf, wordsQuery } from '../../../src/database/statements/catalogueSearch.ts'
import { operationsIn, resources } from '../../../src/school/index.ts'
import { type DemoApi, startDemoApi } from '../../school/demoApi.ts'
import { databasesToTest } from '../../support/databases.ts'
import { callTool } from './rpc.ts'

const searched = [...new Set(operationsIn(resources).map(({ resource }) => resource))].filter(
  ({ search, isInCatalogue }) => search.length > 0 && isInCatalogue,
)
const tables = ['course', 'lecturer', 'event', 'membership_plan', 'post', 'digital_product', 'page']

describe.each(await databasesToTest())('a search on $name is bounded', ({ open }) => {
  let api: DemoApi
  let statements: string[] = []
  beforeAll(async () => {
    const opened = await open()
    api = await startDemoApi({ ...opened, database: { ...opened.database, kysely: watched(opened.database.kysely) } })
  })
  afterAll(() => api.stop())

  /** Records the statements of the API. */
  function watched(kysely: DemoApi['database']['kysely']): DemoApi['database']['kysely'] {
    return kysely.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        statements.push('')
        return result
      },
    })
  }
  const statementsOf = async (values: object): Promise<number> => {
    statements = []
    await callTool(api.school.issuer, 'search_catalog', values)
    return statements.length
  }

  test('one statement for all types, and one more if no row has every word', async () => {
    expect(await statementsOf({ query: 'clay' })).toBe(1)
    expect(await statementsOf({ query: 'clay', types: ['course'], limit: 25 })).toBe(1)
    expect(await statementsOf({ query: 'clay spaceship' })).toBe(2)
  })

  test('every searched table has an index over exactly the words that are compared', async () => {
    expect(searched.map(({ table }) => table).toSorted()).toEqual(expect.arrayContaining(tables.toSorted()))
    await api.database.transaction(async (writer, session) => {
      await session.query('SET LOCAL enable_seqscan = off')
      await session.query('SET LOCAL enable_indexscan = off')
      for (const table of tables) {
        const query = wordsQuery({ schoolId: newId(), words: ['clay'], needsEvery: true })
        const compiled = writer
          .selectFrom(table as 'course')
          .select('id')
          .where(() => matchesWords(table, query))
          .compile()
        const plan = await session.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${compiled.sql}`, [...compiled.parameters])
        expect([table, plan.map((row) => row['QUERY PLAN']).join('\n')]).toEqual([
          table,
          expect.stringContaining(`Bitmap Index Scan on ${table}_words`),
        ])
      }
    })
  })

  test('a query has at most twelve words, however many are sent', () => {
    const many = Array.from({ length: 100 }, (_, index) => `w${index}`).join(' ')
    expect(wordsOf(many)).toHaveLength(12)
    expect(wordsOf(`${many} ${many}`)).toEqual(wordsOf(many))
  })
})
