import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogueReads } from '../../src/engine/mcp/catalogue.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { type DemoApi, startDemoApi } from '../school/demoApi.ts'
import { chooseRowsToRead, type RowsToRead } from '../school/rowsToRead.ts'
import { availableServices, openTestDatabase, postgresUrl } from '../support/databases.ts'
import { countStoreRequests, type RequestCounter } from '../support/roundTrips.ts'

const reads = catalogueReads(operationsIn(resources))

describe.runIf((await availableServices()).postgresql)('the tables that the catalogue is read from', () => {
  let counter: RequestCounter
  let api: DemoApi
  let rows: RowsToRead
  let watched: ReadonlySet<string>
  beforeAll(async () => {
    counter = countStoreRequests({ postgresql: Number(new URL(postgresUrl).port || 5432), redis: 0 })
    api = await startDemoApi(await openTestDatabase(), undefined, undefined, { isWhole: true })
    rows = await chooseRowsToRead(api)
    const triggers = await api.database.sql.query<{ name: string; count: number }>(
      `SELECT relname AS name, count(*)::int AS count
         FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
        WHERE proname IN ('report_content', 'report_content_of_school', 'report_content_without') GROUP BY relname`,
    )
    // INSERT, UPDATE and DELETE.
    watched = new Set(triggers.filter(({ count }) => count === 3).map(({ name }) => name))
  })
  afterAll(async () => {
    counter.stop()
    await api.stop()
  })

  /** Returns the tables that the statements of a request name. */
  async function tablesOf(path: string): Promise<string[]> {
    const { statements } = await counter.during(async () => expect((await api.get(path)).status, path).toBe(200))
    const names = await api.database.sql.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
    )
    const isTable = new Set(names.map(({ name }) => name))
    return statements
      .flatMap(({ text }) => [...text.matchAll(/\b(?:from|join)\s+(?:lateral\s+)?"?(\w+)"?/gi)].map(([, name = '']) => name))
      .filter((name) => isTable.has(name))
  }

  test.each(reads.map((read) => [read.id, read] as const))('%s reads only tables that report their changes', async (_id, operation) => {
    const address = rows.addressOf(operation, rows.visible(operation))
    const { expansions, searches } = shapesOf(operation)
    const paths = [address, ...expansions.map((name) => `${address}?expand=${name}`)]
    if (searches) paths.push(`${address}?q=art`)
    for (const path of paths) {
      const tables = await tablesOf(path)
      expect(tables, path).not.toEqual([])
      expect(
        // Search documents change with the row that reports it.
        tables.filter((name) => !watched.has(name) && name !== 'search_document'),
        path,
      ).toEqual([])
    }
  })
})

/** Returns what a visitor can ask for in addition to the plain response. */
function shapesOf({ parameters, resource }: (typeof reads)[number]) {
  const has = (name: string): boolean => parameters.some((one) => one.name === name)
  return {
    expansions: has('expand') ? [...resource.onDemand, ...Object.entries(resource.expansions).flatMap(pathsOfExpansion)] : [],
    searches: has('q'),
  }
}

/** Returns the names of an expansion, and of those that it can contain. */
const pathsOfExpansion = ([name, expansion]: [string, (typeof reads)[number]['resource']['expansions'][string]]): string[] => [
  name,
  ...(expansion.resources ? [] : Object.keys(expansion.resource().expansions).map((inner) => `${name}.${inner}`)),
]
