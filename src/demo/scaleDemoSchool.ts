import { addRows } from '../store/addRows.ts'
import type { Database } from '../store/database.ts'
import { countSchools } from '../store/schoolCounts.ts'
import { generators, type RowGenerator, recounts } from './generators.ts'

/** So many rows are one transaction: what is kept in memory, and what is lost when the command is stopped. */
const blockRows = 10_000

export interface ScaleOptions {
  schoolId: string
  /** 1 is the demo itself. */
  scale: number
  /** Every time of the demo counts from here. */
  now: Date
  /** Is told after every block. */
  onProgress(progress: ScaleProgress): void
}

export interface ScaleProgress {
  /** What is being made, in the plural. */
  name: string
  done: number
  of: number
}

/**
 * Makes a demo school larger. Rows are the same on every run: what is there stays, so that a run that was broken off can be repeated.
 * @returns how many rows of each kind were added
 */
export async function scaleDemoSchool(database: Database, options: ScaleOptions): Promise<Record<string, number>> {
  const { schoolId, scale, now, onProgress } = options
  const added: Record<string, number> = {}
  for (const generator of generators(schoolId, now)) {
    const { name, table, own, count } = generator
    const of = count(scale)
    let sum = 0
    for (let first = own; first < of; first += blockRows) {
      const last = Math.min(first + blockRows, of) - 1
      sum += await addBlock(database, schoolId, generator, [first, last])
      onProgress({ name, done: last + 1, of })
    }
    added[name] = sum
    // The planner knows nothing of them yet.
    if (sum > 0) await database.script((script) => script.runFile(`ANALYZE ${table}`))
  }
  if (Object.values(added).some((rows) => rows > 0)) {
    await database.script(async (script) => {
      for (const recount of recounts) await script.query(recount, [schoolId])
    })
  }
  await countSchools(database.kysely, schoolId)
  return added
}

async function addBlock(
  database: Database,
  schoolId: string,
  { table, row }: RowGenerator,
  [first, last]: readonly [number, number],
): Promise<number> {
  const [there] = await database.sql.query<{ count: string | number }>(
    `SELECT count(*) AS count FROM ${table} WHERE school_id = $1 AND id BETWEEN $2 AND $3`,
    [schoolId, row(first).id, row(last).id],
  )
  if (Number(there?.count) === last - first + 1) return 0
  const columns = Object.keys(row(first))
  return await addRows(database, { table, columns, rows: rowsOf(row, first, last) })
}

function* rowsOf(row: RowGenerator['row'], first: number, last: number) {
  for (let index = first; index <= last; index += 1) yield Object.values(row(index))
}
