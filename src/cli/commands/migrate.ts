import type { Command } from 'commander'
import { recordAudit } from '../../store/audit.ts'
import type { Writer } from '../../store/database.ts'
import { migrate, migrationHistory } from '../../store/migrate.ts'
import { type PlannedMigration, planMigrations } from '../../store/migrations/migrationPlan.ts'
import { listSchools } from '../../store/schools.ts'
import { migrationsDirectory } from '../../wiring/start.ts'
import { asJson, define, type JsonOption } from '../define.ts'
import { failure } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'
import type { Session } from '../session.ts'
import { type Listed, printList } from '../table.ts'

/** `migrate status`, `migrate plan` and `migrate up`. */
export function addMigrate(program: Command, session: Session): void {
  const { terminal } = session
  const group = define(program, {
    form: 'migrate',
    about: 'Lists and applies migrations. The service also applies them when it starts.',
    examples: ['migrate status', 'migrate plan', 'migrate up'],
  })

  asJson(
    define(group, {
      form: 'status',
      about: 'List applied and pending migrations.',
      examples: ['migrate status', 'migrate status --json'],
    }),
  ).action(async ({ json }: JsonOption) => {
    const { missing, newer, applied } = await migrationHistory(await session.databaseAsItIs(), migrationsDirectory)
    const stateOf = (name: string): string =>
      newer.includes(name) ? 'applied by a newer release' : applied.has(name) ? 'applied' : 'pending'
    const names = [...applied, ...missing.map(({ name }) => name)].toSorted()
    const rows = names.map((name) => ({ name, state: stateOf(name) }))
    printList(terminal, rows, { json, columns: ['name', 'state'], empty: 'no migrations' })
  })

  asJson(
    define(group, {
      form: 'plan',
      about:
        'List pending migrations, whether processes can serve meanwhile, and for how long requests may wait for each. Changes nothing.',
      examples: ['migrate plan', 'migrate plan --json'],
    }),
  ).action(async ({ json }: JsonOption) => {
    const plan = await planMigrations(await session.databaseAsItIs(), migrationsDirectory)
    const columns = ['name', 'while_serving', 'blocks_seconds', 'blocks_seconds_per_million', 'seconds', 'locks']
    printList(terminal, plan.map(rowOf), { json, columns, empty: 'nothing to apply' })
    if (!json && plan.length > 0) terminal.out(planNotes)
  })

  define(group, { form: 'up', about: 'Apply pending migrations, oldest first.', examples: ['migrate up', 'migrate up --while-serving'] })
    .option('--while-serving', 'stop before the first migration that earlier processes must not serve next to')
    .action(async ({ whileServing = false }: { whileServing?: boolean }) => {
      const database = await session.newOrOldDatabase()
      const plan = whileServing ? await planMigrations(database, migrationsDirectory) : []
      const stop = plan.find((planned) => !planned.whileServing)
      const left = new Set(stop && plan.slice(plan.indexOf(stop)).map(({ name }) => name))
      const applied = await withProgress(terminal, 'migrating', () =>
        migrate(database, migrationsDirectory, { onMigrated: reportProgress(terminal), mayApply: (name) => !left.has(name) }),
      )
      if (applied.length > 0) await database.transaction((writer) => recordApplied(writer, { applied, operator: session.userName }))
      terminal.out(applied.length === 0 && !stop ? 'nothing to apply\n' : applied.map((name) => `applied ${name}\n`).join(''))
      if (stop) throw failure(`not applied: ${stop.name}, because ${stop.reason}. Stop all processes, then run migrate up`)
    })
}

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
