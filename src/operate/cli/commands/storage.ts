import { acceptStorage } from '../../../database/files/fileStorage.ts'
import { listSchools } from '../../../database/tables/schools.ts'
import { openConfiguredFileStorage } from '../../serve/open.ts'
import { command, group, yesOption } from '../command.ts'

const accept = command({
  name: 'accept',
  summary: `Make the configured file storage the one of this database, after its files were moved or copied there. A process with
another storage does not start.`,
  examples: ['storage accept', 'storage accept --yes'],
  options: yesOption,
  async run(session) {
    const { terminal } = session
    const database = await session.database()
    const storage = await openConfiguredFileStorage(session.settings().environment)
    try {
      await session.confirm(`Use this storage: ${storage.describe()}?`)
      if (!(await acceptStorage(database, storage))) return terminal.out(`${storage.describe()}, as before: nothing was changed\n`)
      await session.change(async ({ writer, record }) => {
        for (const { id } of await listSchools(writer)) await record({ school_id: id, event: 'operator.storage_accepted' })
      })
      terminal.out(`${storage.describe()} from now on. Restart processes that use another storage.\n`)
    } finally {
      storage.close()
    }
  },
})

export const storage = group({ name: 'storage', summary: 'Connects the database with its file storage.', examples: ['storage accept'] }, [
  accept,
])
