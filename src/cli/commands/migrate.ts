import { readdir } from 'node:fs/promises'
import type { Command } from 'commander'
import { migrate, pendingMigrations } from '../../store/migrate.ts'
import { listSchools } from '../../store/schools.ts'
import { migrationsDirectory } from '../../wiring/start.ts'
import { asJson, define, type JsonOption } from '../define.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'
import type { Session } from '../session.ts'
import { printList } from '../table.ts'

/** `migrate status` and `migrate up`. */
export function addMigrate(program: Command, session: Session): void {
  const { terminal } = session
  const group = define(program, {
    form: 'migrate',
    about: 'Lists and applies migrations. The service also applies them when it starts.',
    examples: ['migrate status', 'migrate up'],
  })

  asJson(
    define(group, {
      form: 'status',
      about: 'List applied and pending migrations.',
      examples: ['migrate status', 'migrate status --json'],
    }),
  ).action(async ({ json }: JsonOption) => {
    const pending = new Set(await pendingMigrations(await session.databaseAsItIs(), migrationsDirectory))
    const entries = await readdir(migrationsDirectory, { withFileTypes: true })
    const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    const rows = names.toSorted().map((name) => ({ name, state: pending.has(name) ? 'pending' : 'applied' }))
    printList(terminal, rows, { json, columns: ['name', 'state'], empty: 'no migrations' })
  })

  define(group, { form: 'up', about: 'Apply pending migrations, oldest first.', examples: ['migrate up'] }).action(async () => {
    const database = await session.databaseAsItIs()
    const applied = await withProgress(terminal, 'migrating', () => migrate(database, migrationsDirectory, reportProgress(terminal)))
    if (applied.length > 0) {
      await session.change(async ({ writer, record }) => {
        for (const { id } of await listSchools(writer)) await record({ school_id: id, event: 'operator.migrated', details: { applied } })
      })
    }
    terminal.out(applied.length === 0 ? 'nothing to apply\n' : applied.map((name) => `applied ${name}\n`).join(''))
  })
}
