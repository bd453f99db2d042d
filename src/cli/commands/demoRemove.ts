import type { Command } from 'commander'
import { splitAccounts } from '../../demo/demoAccounts.ts'
import { removeSchoolKeys } from '../../store/removeSchoolKeys.ts'
import { removeSchoolRows } from '../../store/removeSchoolRows.ts'
import { findSchoolId } from '../../store/schools.ts'
import { countSchoolRows, listStorageKeys } from '../../store/schoolTables.ts'
import { openConfiguredFileStorage } from '../../wiring/open.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { define, withYesOption, type YesOption } from '../define.ts'
import { failure } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'
import type { Session } from '../session.ts'

interface RemoveOptions extends YesOption {
  all?: boolean
}

/** `demo remove`. */
export function addRemove(group: Command, session: Session): void {
  const { terminal } = session
  const remove = define(group, {
    form: 'remove',
    about: `Delete the demo school: every row with its slug, demo, in the database, its files and its keys in Redis. Stop the service first.
The next start creates an empty school from schools/demo.yaml, if the file still exists. Data that people added to the demo school are deleted
too: --all is required if the school has accounts that are not part of the demo. This cannot be undone: make a backup first.`,
    examples: ['demo remove', 'demo remove --yes', 'demo remove --all --yes'],
  })
  withYesOption(remove)
    .option('--all', 'also if the school has accounts that are not part of the demo')
    .action(async ({ yes, all }: RemoveOptions) => {
      requireAnswer(terminal, { yes })
      const { environment, config } = session.settings()
      const database = await session.database()
      const schoolId = await findSchoolId(database.kysely, 'demo')
      if (schoolId === undefined) return terminal.out('nothing to delete: the database has no demo school\n')
      const { demo, others } = await splitAccounts(database.kysely, schoolId)
      if (demo === 0) throw failure('the school demo has no demo accounts, so it is not the demo school; nothing was deleted')
      if (others.length > 0 && !all) {
        const named = others.slice(0, 3).join(', ') + (others.length > 3 ? ', …' : '')
        const accounts = others.length === 1 ? '1 account' : `${others.length} accounts`
        throw failure(`the school demo has ${accounts} that are not part of the demo (${named}). Add --all to delete the school anyway`)
      }
      const counts = await withProgress(terminal, 'counting rows', () => countSchoolRows(database.sql, schoolId))
      const rows = sum(counts) + 1
      const keys = await listStorageKeys(database.sql, schoolId)
      const own = others.length > 0 ? `, including ${others.length} accounts that are not part of the demo` : ''
      await confirm(terminal, `Delete ${rows} rows${own}, and ${keys.length} files?`, { yes })

      const redis = await session.redis()
      // Deletes files and keys first: after an interruption the rows still list them, and the command can be repeated.
      const onProgress = reportProgress(terminal)
      const storage = await openConfiguredFileStorage(environment)
      try {
        for (const [index, key] of keys.entries()) {
          await storage.remove(key)
          onProgress({ name: 'files', done: index + 1, of: keys.length })
        }
      } finally {
        storage.close()
      }
      const redisKeys = redis ? await withProgress(terminal, 'deleting keys in Redis', () => removeSchoolKeys(redis.client, schoolId)) : 0
      const removed = await withProgress(terminal, 'deleting rows', () => removeSchoolRows(database, schoolId, onProgress))
      const total = sum(removed)
      if (config.schools.some(({ slug }) => slug === 'demo')) {
        const { id } = await session.schoolToFill('demo')
        const details = { rows: total, files: keys.length, redis_keys: redisKeys }
        await session.change(({ record }) => record({ school_id: id, event: 'operator.demo_removed', details }))
      }
      const inRedis = redis ? `, ${redisKeys} keys in Redis` : ''
      terminal.out(`the demo school is deleted: ${total} rows in ${Object.keys(removed).length} tables, ${keys.length} files${inRedis}\n`)
    })
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, count) => total + count, 0)
