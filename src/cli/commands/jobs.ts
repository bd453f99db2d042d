import type { Command } from 'commander'
import { fileJobs } from '../../jobs/files.ts'
import { learningJobs } from '../../jobs/learning.ts'
import { orderJobs } from '../../jobs/orders.ts'
import { postJobs } from '../../jobs/posts.ts'

import { rollupJobs } from '../../jobs/rollups.ts'

import { subscriptionJobs } from '../../jobs/subscriptions.ts'

import { sweepJobs } from '../../jobs/sweep.ts'
import { nearest } from '../../lib/nearest.ts'
import { endGrant } from '../../oidc/stores.ts'
import type { Database } from '../../store/database.ts'
import { databaseArtifacts } from '../../store/databaseArtifacts.ts'
import { listSchools } from '../../store/schools.ts'
import { openConfiguredFileStorage } from '../../wiring/open.ts'
import { asJson, define, type JsonOption } from '../define.ts'
import { usage } from '../failures.ts'
import { withProgress } from '../progress.ts'
import type { Session } from '../session.ts'
import { printList } from '../table.ts'

/** `jobs list` and `jobs run`. */
export function addJobs(program: Command, session: Session): void {
  const { terminal } = session
  const jobsOf = async (database: Database) => [
    ...sweepJobs({
      database,
      artifacts: databaseArtifacts(database.sql),
      endGrant: async (writer, schoolId, grantId) => endGrant(await session.stores(writer), { schoolId, grantId }),
      registration: () => session.settings().config.oauth.registration,
    }),
    ...fileJobs({ database, storage: await openConfiguredFileStorage(session.settings().environment) }),
    ...subscriptionJobs({ database }),
    ...learningJobs({ database }),
    ...orderJobs({ database }),
    ...rollupJobs({ database }),
    ...postJobs({ database }),
  ]

  const group = define(program, {
    form: 'jobs',
    about: 'Lists and runs background jobs.',
    examples: ['jobs list', 'jobs run sweep_artifacts'],
  })

  asJson(
    define(group, { form: 'list', about: 'List the jobs and how often each runs.', examples: ['jobs list', 'jobs list --json'] }),
  ).action(async ({ json }: JsonOption) => {
    const rows = (await jobsOf(await session.database())).map(({ name, everySeconds }) => ({ name, every_seconds: everySeconds }))
    printList(terminal, rows, { json, columns: ['name', 'every_seconds'], empty: 'no jobs' })
  })

  define(group, {
    form: 'run <name>',
    about: 'Run a job once, for all schools, unless another process is running it.',
    examples: ['jobs run sweep_artifacts', 'jobs run prune_clients'],
  }).action(async (name: string) => {
    const database = await session.database()
    const jobs = await jobsOf(database)
    const job = jobs.find((one) => one.name === name)
    if (!job)
      throw usage(
        unknownJob(
          name,
          jobs.map((one) => one.name),
        ),
      )
    const done = await withProgress(terminal, `running ${name}`, () => job.run())
    if (done === undefined) return terminal.out(`another process is running ${name}\n`)
    await session.change(async ({ writer, record }) => {
      for (const { id } of await listSchools(writer))
        await record({ school_id: id, event: 'operator.job_run', details: { job: name, ...done } })
    })
    const counts = Object.entries(done).map(([what, count]) => `${what} ${count}`)
    terminal.out(`${name}: ${counts.join(', ')}\n`)
  })
}

function unknownJob(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  return `job ${name} does not exist; ${near ? `did you mean ${near}?` : `choose one of ${names.join(', ')}`}`
}
