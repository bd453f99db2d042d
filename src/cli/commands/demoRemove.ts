import type { Command } from 'commander'
import { splitAccounts } from '../../demo/demoAccounts.ts'
import { findSchoolId } from '../../store/schools.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { define, withYesOption, type YesOption } from '../define.ts'
import { failure } from '../failures.ts'
import { countSchool, describeRemoval, removeSchool } from '../removeSchool.ts'
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
      const { config } = session.settings()
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
      const contents = await countSchool(session, schoolId)
      const own = others.length > 0 ? `, including ${others.length} accounts that are not part of the demo` : ''
      await confirm(terminal, `Delete ${contents.rows} rows${own}, and ${contents.files.length} files?`, { yes })
      const removal = await removeSchool(session, schoolId, contents)
      if (config.schools.some(({ slug }) => slug === 'demo')) {
        const { id } = await session.schoolToFill('demo')
        const { rows, files, redisKeys = 0 } = removal
        const details = { rows, files, redis_keys: redisKeys }
        await session.change(({ record }) => record({ school_id: id, event: 'operator.demo_removed', details }))
      }
      terminal.out(`the demo school is deleted: ${describeRemoval(removal)}\n`)
    })
}
