import { describe, expect, test } from 'vitest'
import { sortedTables } from '../../scripts/documents/sortedTables.ts'
import { startDemoApi } from '../school/demoApi.ts'
import { availableServices, openTestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'

/** Other values of a column, by its type. */
const changed: Readonly<Record<string, (column: string) => string>> = {
  text: (column) => `concat(${column}, 'x')`,
  int4: (column) => `coalesce(${column}, 0) + 1`,
  bool: (column) => `${column} IS NOT TRUE`,
  timestamptz: (column) => `coalesce(${column}, now()) + interval '1 day'`,
  jsonb: () => `'{"changed": true}'`,
  _text: (column) => `${column} || '{changed}'`,
}

describe.runIf((await availableServices()).postgresql)('a change of columns that no index needs', () => {
  const api = duringTests(async () => startDemoApi(await openTestDatabase(), undefined, undefined, { isWhole: true }))

  test.each([...sortedTables])('of %s changes the row in place', async (table) => {
    const { sql } = api.database
    // An index depends on the columns of its keys, expressions and condition, and by a trigger on a name that has an order.
    const columns = await sql.query<{ name: string; type: string }>(
      `SELECT attname AS name, typname AS type FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
        WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'updated_at'
          AND NOT EXISTS (SELECT FROM pg_depend JOIN pg_index ON indexrelid = objid
                           WHERE refobjid = attrelid AND refobjsubid = attnum AND classid = 'pg_class'::regclass AND indrelid = attrelid)
          AND NOT EXISTS (SELECT FROM pg_attribute AS other WHERE other.attrelid = $1::regclass AND other.attname = pg_attribute.attname || '_order')
          AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = attrelid AND contype IN ('c', 'f', 'p', 'u') AND attnum = ANY (conkey))`,
      [table],
    )
    const changes = columns.flatMap(({ name, type }) => {
      const expression = changed[type]?.(`"${name}"`)
      return expression === undefined ? [] : [{ name, expression }]
    })
    expect(changes.map(({ name }) => name)).toContain('version')
    // Writes the rows of the load again, with the room in each page that later rows get.
    await sql.query(`VACUUM FULL "${table}"`)
    const [row] = await sql.query<{ id: string }>(`SELECT id FROM "${table}" AS row ORDER BY pg_column_size(row.*) LIMIT 1`)
    const isInPlace = (expression: string, name: string) =>
      api.database.transaction(async (_writer, session) => {
        // The figures of the connection since it reported the last ones.
        const inPlace = async () => {
          const [figures] = await session.query('SELECT pg_stat_get_xact_tuples_hot_updated($1::regclass)::int AS hot', [table])
          return Number(figures?.hot)
        }
        const before = await inPlace()
        await session.query(`UPDATE "${table}" SET "${name}" = ${expression}, updated_at = clock_timestamp() WHERE id = $1`, [row?.id])
        return (await inPlace()) > before
      })
    const written: string[] = []
    for (const { name, expression } of changes) {
      // A version for which its page has no room moves, whatever changed. The next one has room.
      if (!(await isInPlace(expression, name)) && !(await isInPlace(expression, name))) written.push(name)
    }
    expect(written).toEqual([])
  })
})
