import type { Command } from 'commander'
import { largestScale } from '../../demo/largestScale.ts'
import { countAgain } from '../../store/rollups/rebuildSchool.ts'
import { demoIssuer, demoNow, fillDemoSchool } from '../../wiring/demo.ts'
import { define } from '../define.ts'
import { failure, usage } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'
import type { Session } from '../session.ts'
import { addRemove } from './demoRemove.ts'

/** `demo load` and `demo remove`. */
export function addDemo(program: Command, session: Session): void {
  const { terminal } = session
  const group = define(program, { form: 'demo', about: 'Creates and deletes the demo school.', examples: ['demo load', 'demo remove'] })
  addRemove(group, session)

  define(group, {
    form: 'load',
    about: `Fill the school of schools/demo.yaml with people and courses. Existing demo data stay as they are.
With --scale, make it larger for load tests. Every run generates the same rows, so a second run adds only missing rows.
The school cannot be made smaller again.`,
    examples: ['demo load', 'demo load --scale 1000'],
  })
    .option(
      '--scale <n>',
      `multiplies the 420 people of the demo; up to ${largestScale.postgresql}, embedded up to ${largestScale.embedded}`,
      wholeScale,
      1,
    )
    .action(async ({ scale }: { scale: number }) => {
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
      if (scale > largestScale[database.kind]) {
        const way = database.kind === 'embedded' ? ': set DATABASE_URL to a PostgreSQL server for more' : ''
        throw usage(`--scale is at most ${largestScale[database.kind]} on this database${way}`)
      }
      const isNew = await withProgress(terminal, 'creating the demo school', async () =>
        fillDemoSchool({ database, school, environment, storage: await session.storage() }),
      )
      if (isNew) {
        await session.change(async ({ writer, record }) => {
          await countAgain(writer, school.id)
          await record({ school_id: school.id, event: 'operator.demo_loaded' })
        })
        const where = environment.DEMO_PASSWORD ? 'DEMO_PASSWORD' : `${environment.DATA_DIR}/demo_password`
        terminal.out(`the demo school is created: owner@example.com and the other demo accounts sign in with the password of ${where}\n`)
      } else terminal.out('the demo school already exists\n')
      if (scale === 1) return
      const onProgress = reportProgress(terminal)
      const { scaleDemoSchool } = await import('../../demo/scaleDemoSchool.ts')
      const added = await scaleDemoSchool(database, { schoolId: school.id, scale, now: demoNow(environment), onProgress })
      if (Object.values(added).some((rows) => rows > 0)) {
        await session.change(async ({ writer, record }) => {
          await countAgain(writer, school.id)
          await record({ school_id: school.id, event: 'operator.demo_scaled', details: { scale, added } })
        })
      }
      for (const [name, rows] of Object.entries(added)) terminal.out(`${name}: ${rows} added\n`)
    })
}

function wholeScale(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw usage(`--scale must be a whole number from 1 to ${largestScale.postgresql}, not ${text}`)
}
