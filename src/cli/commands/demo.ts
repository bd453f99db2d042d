import type { Command } from 'commander'
import { demoIssuer, fillDemoSchool } from '../../wiring/demo.ts'
import { define } from '../define.ts'
import { failure } from '../failures.ts'
import { withProgress } from '../progress.ts'
import type { Session } from '../session.ts'

/** `demo load`. */
export function addDemo(program: Command, session: Session): void {
  const { terminal } = session
  const group = define(program, { form: 'demo', about: 'The demo school.', examples: ['demo load'] })

  define(group, {
    form: 'load',
    about: 'Fill the school of schools/demo.yaml with people and courses. Does nothing where they are there.',
    examples: ['demo load'],
  }).action(async () => {
    const { environment, config } = session.settings()
    if (!config.schools.some(({ slug }) => slug === 'demo'))
      throw failure(`there is no demo school: add ${environment.CONFIG_DIR}/schools/demo.yaml`)
    if (demoIssuer(environment, config) === undefined) {
      throw failure(
        'the demo school has people with one known password, so it is made on loopback addresses only: set DEMO=on if you want it all the same',
      )
    }
    const school = await session.schoolToFill('demo')
    const database = await session.database()
    const isNew = await withProgress(terminal, 'making the demo school', () => fillDemoSchool(database, school, environment))
    if (!isNew) return terminal.out('the demo school is there already\n')
    await session.change(({ record }) => record({ school_id: school.id, event: 'operator.demo_loaded' }))
    const where = environment.DEMO_PASSWORD ? 'DEMO_PASSWORD' : `${environment.DATA_DIR}/demo_password`
    terminal.out(`the demo school is there: owner@example.com and the others sign in with the password of ${where}\n`)
  })
}
