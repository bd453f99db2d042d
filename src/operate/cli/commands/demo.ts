import { findSchoolId } from '../../../database/tables/schools.ts'
import { countAgain } from '../../../school/analytics/rollups/refreshSchool.ts'
import { splitAccounts } from '../../demo/demoAccounts.ts'
import { demoIssuer, fillDemoSchool } from '../../serve/demo.ts'
import { command, flag, group, removalOptions } from '../command.ts'
import { failure } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { countSchool, describeRemoval, removalEffects, removeSchool } from '../removeSchool.ts'

const load = command({
  name: 'load',
  summary: 'Fill the school of schools/demo.yaml with people and courses. Existing demo data stay as they are.',
  examples: ['demo load'],
  async run(session) {
    const { terminal } = session
    const { environment, config } = session.settings()
    if (!config.schools.some(({ slug }) => slug === 'demo'))
      throw failure(`the demo school is not configured: add ${environment.CONFIG_DIR}/schools/demo.yaml`)
    if (demoIssuer(environment, config) === undefined) {
      throw failure(
        'the demo school is created on loopback addresses only, because its people share one known password: set DEMO=on to create it anyway',
      )
    }
    const school = await session.schoolToFill('demo')
    const database = await session.database()
    const isNew = await withProgress(terminal, 'creating the demo school', async () =>
      fillDemoSchool({ database, school, environment, storage: await session.storage() }),
    )
    if (!isNew) return terminal.out('the demo school already exists\n')
    await session.change(async ({ writer, record }) => {
      await countAgain(writer, school.id)
      await record({ school_id: school.id, event: 'operator.demo_loaded' })
    })
    const where = environment.DEMO_PASSWORD ? 'DEMO_PASSWORD' : `${environment.DATA_DIR}/demo_password`
    terminal.out(`the demo school is created: owner@example.com and the other demo accounts sign in with the password of ${where}\n`)
  },
})

const remove = command({
  name: 'remove',
  summary: `Delete the demo school: every row with its slug, demo, in the database, its files and its keys in Redis. Stop the service first.
The next start creates an empty school from schools/demo.yaml, if the file still exists. Data that people added to the demo school are deleted
too: --all is required if the school has accounts that are not part of the demo. This cannot be undone: make a backup first.`,
  examples: ['demo remove', 'demo remove --yes', 'demo remove --all --yes'],
  options: { ...removalOptions, all: flag('also if the school has accounts that are not part of the demo') },
  async run(session, { all }) {
    const { terminal } = session
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
    await session.endDryRun(() => removalEffects(contents))
    const own = others.length > 0 ? `, including ${others.length} accounts that are not part of the demo` : ''
    await session.confirm(`Delete ${contents.rows} rows${own}, and ${contents.files.length} files?`)
    const removal = await removeSchool(session, schoolId, contents)
    if (config.schools.some(({ slug }) => slug === 'demo')) {
      const school = await session.schoolToFill('demo')
      const { rows, files, redisKeys = 0 } = removal
      await school.change(({ record }) => record({ event: 'operator.demo_removed', details: { rows, files, redis_keys: redisKeys } }))
    }
    terminal.out(`the demo school is deleted: ${describeRemoval(removal)}\n`)
  },
})

export const demo = group({ name: 'demo', summary: 'Creates and deletes the demo school.', examples: ['demo load', 'demo remove'] }, [
  remove,
  load,
])
