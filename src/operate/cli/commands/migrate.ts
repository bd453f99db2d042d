import type { Writer } from '../../../database/connection/database.ts'
import { migrate as applyMigrations, migrationHistory } from '../../../database/migrations/migrate.ts'
import { type PlannedMigration, planMigrations } from '../../../database/migrations/migrationPlan.ts'
import { recordAudit } from '../../../database/tables/audit.ts'
import { listSchools } from '../../../database/tables/schools.ts'
import { migrationsDirectory } from '../../serve/start.ts'
import { command, flag, group, jsonOption } from '../command.ts'
import { failure } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'
import type { Listed } from '../table.ts'

const status = command({
  name: 'status',
  summary: 'List applied and pending migrations.',
  examples: ['migrate status', 'migrate status --json'],
  options: jsonOption,
  async run(session) {
    const { missing, newer, applied } = await migrationHistory(await session.databaseAsItIs(), migrationsDirectory)
    const stateOf = (name: string): string =>
      newer.includes(name) ? 'applied by a newer release' : applied.has(name) ? 'applied' : 'pending'
    const names = [...applied, ...missing.map(({ name }) => name)].toSorted()
    const rows = names.map((name) => ({ name, state: stateOf(name) }))
    session.printList(rows, { columns: ['name', 'state'], empty: 'no migrations' })
  },
})

const plan = command({
  name: 'plan',
  summary: 'List pending migrations, whether processes can serve meanwhile, and for how long requests may wait for each. Changes nothing.',
  examples: ['migrate plan', 'migrate plan --json'],
  options: jsonOption,
  async run(session, { json }) {
    const planned = await planMigrations(await session.databaseAsItIs(), migrationsDirectory)
    const columns = ['name', 'while_serving', 'blocks_seconds', 'blocks_seconds_per_million', 'seconds', 'locks']
    session.printList(planned.map(rowOf), { columns, empty: 'nothing to apply' })
    if (!json && planned.length > 0) session.terminal.out(planNotes)
  },
})

const up = command({
  name: 'up',
  summary: 'Apply pending migrations, oldest first.',
  examples: ['migrate up', 'migrate up --while-serving'],
  options: { whileServing: flag('stop before the first migration that earlier processes must not serve next to') },
  async run(session, { whileServing = false }) {
    const { terminal } = session
    const database = await session.newOrOldDatabase()
    const planned = whileServing ? await planMigrations(database, migrationsDirectory) : []
    const stop = planned.find((one) => !one.whileServing)
    const left = new Set(stop && planned.slice(planned.indexOf(stop)).map(({ name }) => name))
    const applied = await withProgress(terminal, 'migrating', () =>
      applyMigrations(database, migrationsDirectory, { onMigrated: reportProgress(terminal), mayApply: (name) => !left.has(name) }),
    )
    if (applied.length > 0) await database.transaction((writer) => recordApplied(writer, { applied, operator: session.userName }))
    terminal.out(applied.length === 0 && !stop ? 'nothing to apply\n' : applied.map((name) => `applied ${name}\n`).join(''))
    if (stop) throw failure(`not applied: ${stop.name}, because ${stop.reason}. Stop all processes, then run migrate up`)
  },
})

export const migrate = group(
  {
    name: 'migrate',
    summary: 'Lists and applies migrations. The service also applies them when it starts.',
    examples: ['migrate status', 'migrate plan', 'migrate up'],
  },
  [status, plan, up],
)

/** Not a change of the session: it requires that nothing is pending. */
async function recordApplied(writer: Writer, details: { applied: string[]; operator: string }): Promise<void> {
  const schools = await listSchools(writer)
  await recordAudit(
    writer,
    schools.map(({ id }) => ({ school_id: id, event: 'operator.migrated', details })),
  )
}

const rowOf = (planned: PlannedMigration): Listed => ({
  name: planned.name,
  while_serving: planned.reason === undefined ? 'yes' : `no: ${planned.reason}`,
  blocks_seconds: rounded(planned.blocksSeconds),
  blocks_seconds_per_million: rounded(planned.blocksSecondsPerMillion),
  seconds: rounded(planned.seconds),
  seconds_per_million: rounded(planned.secondsPerMillion),
  locks: planned.locks ?? 'not stated',
})

const rounded = (seconds: number): number => Number(seconds.toPrecision(2))

const planNotes = `
while_serving: whether processes of the release that runs now keep serving while the migration is applied, and afterwards.
blocks_seconds: how long requests may wait for its locks at most, with the rows of this database and with a million in each table.
Times are estimates from measured classes of work and the numbers of rows, not measured on this server.
`
