/** `npm run soak`: runs the service under load for minutes, causes a failure every 30 s, and compares it with a model. */
import { parseArgs } from 'node:util'
import { postgresPrograms } from '../../test/support/cluster.ts'
import { hasNginx } from '../../test/support/nginx.ts'
import { isWithDisks, ownDisks, runWithDisks } from './disks.ts'
import { allFailures } from './failures/allFailures.ts'
import { chooseFailures } from './failures/chooseFailures.ts'
import { allowanceText } from './failures/failure.ts'
import { plants } from './plants.ts'
import { hasRedisServer } from './servers/redisServer.ts'
import { everyMs, type SoakReport, soak } from './soak.ts'
import { writeTable } from './table.ts'

const help = `npm run soak [-- options]

Starts PostgreSQL, Redis, nginx and two processes of the service, each separate from those of the machine, and sends a mixed load: visitors, lists, documents, MCP,
sign-ins, codes, refreshes, revocations, introspection, UserInfo, registrations, courses, posts, bulk requests, progress, uploads, orders and
payments. It keeps a model of what was acknowledged. Every ${everyMs / 1000} s it causes a failure, undoes it, and compares the service with the model:
nothing acknowledged is lost, nothing happens twice, nothing invalidated is valid again, no response is of the wrong kind, and the service is
ready again without a restart. A run in which each failure occurs writes its table into docs/reliability.md.

  --minutes <n>   length of the run (10). With at least 20 s for each failure, each occurs
  --seed <n>      repeats the order of the failures and their choices (1)
  --only <text>   only failures whose name contains this; repeated or with commas for several. docs/reliability.md stays as it is
  --list          lists the failures, and which of them this machine does not permit
  --plant <name>  changes the model once, which the run must report: ${Object.keys(plants).join(', ')}
  --help

Needs the programs of PostgreSQL (TEST_POSTGRES_BIN), redis-server, nginx and openssl. Exits with 1 if there is a problem.`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
    plant: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
let stop = async (): Promise<void> => undefined
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

const { failures, unknown } = chooseFailures(values.only)

if (values.help) say(help)
else if (unknown.length > 0) {
  const names = allFailures.map(({ name }) => `  ${name}`).join('\n')
  process.stderr.write(
    `--only: no failure has ${unknown.map((text) => `"${text}"`).join(' or ')} in its name. The failures are:\n${names}\n`,
  )
  process.exitCode = 2
} else if (!isWithDisks()) process.exitCode = await runWithDisks()
else {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().finally(() => process.exit(130)))
  if (values.list) list()
  else process.exitCode = await run()
}

function list(): void {
  for (const failure of failures) {
    const reason = failure.skipped?.({ disks: ownDisks() })
    say(`${failure.name}${reason === undefined ? '' : `\n  SKIPPED here: ${reason}`}`)
    say(`  caused by: ${failure.cause}\n  undone by: ${failure.undo}\n  meanwhile: ${allowanceText(failure)}`)
  }
}

async function run(): Promise<number> {
  const programs = await postgresPrograms()
  if (programs === undefined || !(await hasRedisServer()) || !(await hasNginx())) return 1
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
  const plant = values.plant === undefined ? undefined : plants[values.plant]
  if (!(minutes > 0) || !Number.isInteger(seed) || (values.plant !== undefined && !plant)) {
    process.stderr.write('--minutes must be a positive number, --seed a whole number, and --plant one of the names in --help.\n')
    return 2
  }
  const report = await soak({ minutes, seed, failures, plant, programs, say, onStart: (stopAll) => (stop = stopAll) })
  print(report)
  const reported = new Set([...report.runs, ...report.skipped].map(({ failure }) => failure))
  // A short run must not replace the record of a complete one.
  if (!plant && allFailures.every((failure) => reported.has(failure))) await writeTable(report, { minutes, seed })
  return report.problems.length === 0 ? 0 : 1
}

function print({ problems, total, undisturbed, ledger, seconds, runs }: SoakReport): void {
  for (const { failure, text, count, detail } of problems)
    say(`\nPROBLEM during or after ${failure}: ${text} (${count} times)\n  ${detail}`)
  const live = ledger.chains.filter(({ life }) => life === 'live').length
  const dead = ledger.chains.filter(({ life }) => life === 'dead').length
  say(`\n${runs.length} failures with seed ${values.seed} in ${Math.round(seconds)} s.`)
  say(
    `${total.answered} requests answered, ${total.refused} refused, ${total.lost} lost; the slowest took ${(total.slowestMs / 1000).toFixed(1)} s.`,
  )
  say(
    `${ledger.rows.size} rows, ${ledger.files.length} files, ${ledger.invoices.size} invoices, ${ledger.clients.length} clients, ${live} live and ${dead} ended grants, ${ledger.changes.length} changes, ${ledger.webhooks.length} webhooks.`,
  )
  say(`${undisturbed.refused} of ${undisturbed.all} requests were refused while nothing failed.`)
  say(problems.length === 0 ? 'No problem found.' : `${problems.length} problems.`)
}
