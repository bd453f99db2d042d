import { concurrentIndexOf } from '../../src/database/migrations/aloneMigration.ts'
import { formatHeader, type Migration, withoutComments } from '../../src/database/migrations/migrationFiles.ts'
import { blockingWork } from '../../src/database/migrations/migrationPlan.ts'
import { isLarge } from './largeTables.ts'
import type { Observed } from './observeMigrations.ts'

/** The last migration that was applied somewhere before headers existed. Later ones have their header in their file. */
const lastWithoutHeader = '20261123150000_reported_forms'

/** True for migrations whose header cannot be in their file. */
export const isWithoutHeader = (name: string): boolean => name <= lastWithoutHeader

/** Returns the migration from which releases work with a new one: the same as with the one before, or that one if it is incompatible. */
export function worksFromDefault(before: Migration | undefined): string {
  if (before === undefined) return 'this'
  const from = before.header?.worksFrom
  return from === undefined || from === 'this' ? before.name : from
}

/** Returns what is wrong with the headers of the migrations, one sentence each. */
export function headerProblems(migrations: readonly Migration[], observed: ReadonlyMap<string, Observed>): string[] {
  return migrations.flatMap((migration, index) => {
    const seen = observed.get(migration.name)
    return seen ? problemsOf(migration, seen, migrations.slice(0, index)) : []
  })
}

function problemsOf(migration: Migration, observed: Observed, earlier: readonly Migration[]): string[] {
  const { name, header } = migration
  const expected = formatHeader({ worksFrom: header?.worksFrom, blocks: header?.blocks, ...observed })
  if (!header || formatHeader(header) !== expected)
    return [
      `${name}: its first lines do not state what it does to existing tables. Run npm run migration -- --header ${name}, which writes:\n${expected}`,
    ]
  if (isWithoutHeader(name)) return []
  const problems: string[] = []
  if (header.worksFrom === undefined || (header.worksFrom !== 'this' && !earlier.some((one) => one.name === header.worksFrom)))
    problems.push(
      `${name}: "-- Works with releases from: " must name an earlier migration, the newest one of the oldest release that works with the database afterwards. Write "this" if no earlier release does`,
    )
  const work = blockingWork({ ...migration, header }).filter(({ table }) => isLarge(table))
  if (work.length > 0 && header.blocks === undefined) problems.push(`${name}: ${blockingProblem(migration, work.map(textOf))}`)
  if (work.length === 0 && header.blocks !== undefined)
    problems.push(`${name}: no request waits for it. Remove the line "-- Blocks requests: "`)
  if (migration.isAlone && !isRepeatable(migration.text)) problems.push(`${name}: ${repeatableRule}`)
  return problems
}

const textOf = ({ kind, table }: Observed['work'][number]): string => `${kind} of ${table}`

const blockingProblem = (migration: Migration, work: readonly string[]): string =>
  `requests wait while it works on large tables (${work.join(', ')}). Build indexes with CREATE INDEX CONCURRENTLY in a separate migration, ` +
  'add constraints with NOT VALID and validate them in a later migration, change rows in parts (CONTRIBUTING.md, "Write a migration"). ' +
  `If it cannot be avoided, add "-- Blocks requests: <reason>" below the header of ${migration.name}`

const repeatableRule =
  'a migration outside of a transaction is one statement that can be repeated: CREATE INDEX CONCURRENTLY with a name, ' +
  'DROP INDEX CONCURRENTLY IF EXISTS, or a DO block that commits in parts and ends when no row is left'

function isRepeatable(text: string): boolean {
  const statement = withoutComments(text).replace(/;$/, '')
  if (/^DO \$(\w*)\$[\s\S]*\$\1\$$/i.test(statement)) return true
  if (statement.includes(';')) return false
  return concurrentIndexOf({ text }) !== undefined || /^DROP INDEX CONCURRENTLY IF EXISTS /i.test(statement)
}
