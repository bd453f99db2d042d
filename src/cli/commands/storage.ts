import type { Command } from 'commander'
import { listSchools } from '../../store/schools.ts'
import { acceptStorage } from '../../store/storageIdentity.ts'
import { openConfiguredFileStorage } from '../../wiring/open.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { define, withYesOption, type YesOption } from '../define.ts'
import type { Session } from '../session.ts'

/** `storage accept`. */
export function addStorage(program: Command, session: Session): void {
  const { terminal } = session
  const group = define(program, {
    form: 'storage',
    about: 'Connects the database with its file storage.',
    examples: ['storage accept'],
  })

  withYesOption(
    define(group, {
      form: 'accept',
      about: `Make the configured file storage the one of this database, after its files were moved or copied there. A process with
another storage does not start.`,
      examples: ['storage accept', 'storage accept --yes'],
    }),
  ).action(async (options: YesOption) => {
    requireAnswer(terminal, options)
    const database = await session.database()
    const storage = await openConfiguredFileStorage(session.settings().environment)
    try {
      await confirm(terminal, `Use this storage: ${storage.describe()}?`, options)
      if (!(await acceptStorage(database, storage))) return terminal.out(`${storage.describe()}, as before: nothing was changed\n`)
      await session.change(async ({ writer, record }) => {
        for (const { id } of await listSchools(writer)) await record({ school_id: id, event: 'operator.storage_accepted' })
      })
      terminal.out(`${storage.describe()} from now on. Restart processes that use another storage.\n`)
    } finally {
      storage.close()
    }
  })
}
