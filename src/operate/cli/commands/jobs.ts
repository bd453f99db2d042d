import { reasonOf } from '../../../base/log/reason.ts'
import { nearest } from '../../../base/text/nearest.ts'
import type { Database } from '../../../database/connection/database.ts'
import { listJobRuns } from '../../../database/tables/administration.ts'
import { recordJobRun } from '../../../database/tables/jobRuns.ts'
import { listSchools } from '../../../database/tables/schools.ts'
import { endGrant } from '../../../identity/oidc/stores.ts'
import { databaseArtifacts } from '../../../identity/tokens/databaseArtifacts.ts'
import { grantRevoked } from '../../compose/grantRevoked.ts'
import { createOutbox } from '../../compose/outbox.ts'
import { allJobs } from '../../jobs/allJobs.ts'
import { watchedOperations } from '../../metrics/watchedOperations.ts'
import { checkoutAddresses } from '../checkoutAddresses.ts'
import { command, group, jsonOption } from '../command.ts'
import { usage } from '../failures.ts'
import { withProgress } from '../progress.ts'
import type { Session } from '../session.ts'
import { moment } from '../table.ts'

const list = command({
  name: 'list',
  summary: 'List the jobs with their last and next run, and why the last failed run failed.',
  examples: ['jobs list', 'jobs list --json'],
  options: jsonOption,
  async run(session) {
    const database = await session.database()
    const runs = new Map((await listJobRuns(await session.prisma())).map((run) => [run.name, run]))
    const rows = (await jobsOf(session, database)).map(({ name, everySeconds }) => {
      const run = runs.get(name)
      return {
        name,
        every_seconds: everySeconds,
        last_run_at: moment(run?.started_at ?? null),
        next_run_at: run ? moment(new Date(run.started_at.getTime() + everySeconds * 1000)) : null,
        last_success_at: moment(run?.succeeded_at ?? null),
        last_failure_at: moment(run?.failed_at ?? null),
        failures: run?.failures ?? 0,
        last_failure: run?.failure ?? null,
        last_result: run ? countsOf(run.result) : null,
      }
    })
    const columns = ['name', 'every_seconds', 'last_run_at', 'next_run_at', 'failures', 'last_failure']
    session.printList(rows, { columns, empty: 'no jobs' })
  },
})

const run = command({
  name: 'run <name>',
  summary: 'Run a job once, for all schools, unless another process is running it.',
  examples: ['jobs run sweep_artifacts', 'jobs run prune_clients'],
  async run(session, _options, name) {
    const { terminal } = session
    const database = await session.database()
    const jobs = await jobsOf(session, database)
    const job = jobs.find((one) => one.name === name)
    if (!job)
      throw usage(
        unknownJob(
          name,
          jobs.map((one) => one.name),
        ),
      )
    const run = { name, everySeconds: job.everySeconds, startedAt: new Date() }
    const done = await withProgress(terminal, `running ${name}`, () => job.run()).catch(async (error: unknown) => {
      await recordJobRun(database.kysely, { ...run, result: undefined, failure: reasonOf(error) })
      throw error
    })
    if (done === undefined) return terminal.out(`another process is running ${name}\n`)
    await recordJobRun(database.kysely, { ...run, result: done, failure: undefined })
    await session.change(async ({ writer, record }) => {
      for (const { id } of await listSchools(writer))
        await record({ school_id: id, event: 'operator.job_run', details: { job: name, ...done } })
    })
    terminal.out(`${name}: ${countsOf(done)}\n`)
  },
})

export const jobs = group(
  { name: 'jobs', summary: 'Lists and runs background jobs.', examples: ['jobs list', 'jobs run sweep_artifacts'] },
  [list, run],
)

async function jobsOf(session: Session, database: Database) {
  const { send } = createOutbox({ database, keyring: session.keyring() })
  return allJobs({
    database,
    storage: await session.storage(),
    onMissingFile: (missing) => session.terminal.out(`${JSON.stringify(missing)}\n`),
    artifacts: databaseArtifacts(database.sql),
    endGrant: async (writer, grant) => endGrant(await session.stores(writer), grant, { audit: [grantRevoked(grant, { by: 'deletion' })] }),
    registration: () => session.settings().config.oauth.registration,
    retention: () => session.settings().config.server.audit,
    send,
    watched: watchedOperations(),
    externalServices: { send, checkoutAddress: checkoutAddresses(session) },
    schools: () => configuredSchools(session, database),
    hasPages: ({ slug }) => session.settings().config.schools.some((school) => school.slug === slug && school.public_pages),
  })
}

async function configuredSchools(session: Session, database: Database) {
  const issuers = new Map(session.settings().config.schools.map(({ slug, issuer }) => [slug, issuer]))
  return (await listSchools(database.kysely)).flatMap(({ id, slug }) => {
    const issuer = issuers.get(slug)
    return issuer === undefined ? [] : [{ id, slug, issuer }]
  })
}

/** Formats the counts of a run: `removed 3, answers 0`. */
const countsOf = (result: unknown): string =>
  Object.entries(result ?? {})
    .map(([what, count]) => `${what} ${String(count)}`)
    .join(', ')

function unknownJob(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  return `job ${name} does not exist; ${near ? `did you mean ${near}?` : `choose one of ${names.join(', ')}`}`
}
