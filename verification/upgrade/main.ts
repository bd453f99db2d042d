/** `npm run test:upgrade`: upgrades each earlier release to this one under load, rolls back and forward, and compares the service with a model. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeBundle } from '../../scripts/bundle.ts'
import { programUrl } from '../../src/operate/serve/programFile.mjs'
import { postgresPrograms } from '../../test/support/cluster.ts'
import { hasNginx } from '../../test/support/nginx.ts'
import { hasRedisServer } from '../soak/servers/redisServer.ts'
import { checkOut } from './checkOut.ts'
import { upgradeEmbedded } from './embeddedUpgrade.ts'
import { upgradePostgresql } from './postgresqlUpgrade.ts'
import { earlierReleases, type Release, root } from './releases.ts'
import type { TrialReport } from './trial.ts'

const databases = ['postgresql', 'embedded'] as const
type DatabaseName = (typeof databases)[number]

const help = `npm run test:upgrade [-- options]

Upgrades from each earlier release of test/upgrade/releases.json to the work tree, as docs/upgrade.md describes it, while a load reads, writes,
uploads, signs in, refreshes and revokes. A model records what was acknowledged, and each phase ends with a comparison: rows, files, orders,
invoices, sessions, tokens, the change feed and webhooks.

  postgresql  two processes behind nginx with Redis: migrate up --while-serving, one process of each release, all new, back, and forward again
  embedded    one process: each release is started on the data that the other has left

  --from <version>   only from this release: ${earlierReleases.map(({ version }) => version).join(', ')}
  --database <name>  postgresql, embedded or both (both)
  --seconds <n>      length of the load in each phase (12)
  --seed <n>         repeats the choices of the load (1)
  --help

Needs git with the commits of the releases, the programs of PostgreSQL (TEST_POSTGRES_BIN), redis-server, nginx and openssl, and for a release with
other packages the npm registry. Exits with 1 if there is a problem.`

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    database: { type: 'string', default: 'both' },
    seconds: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
const [seconds, seed] = [Number(values.seconds), Number(values.seed)]
const chosen = earlierReleases.filter(({ version }) => values.from === undefined || version === values.from)
const kinds = databases.filter((name) => values.database === 'both' || values.database === name)
const undo = new Set<() => Promise<void>>()
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

if (values.help) say(help)
else if (chosen.length === 0 || kinds.length === 0 || !(seconds > 0) || !Number.isInteger(seed)) {
  process.stderr.write('--from, --database, --seconds or --seed has a value that --help does not name.\n')
  process.exitCode = 2
} else {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void Promise.allSettled([...undo].map((step) => step())).finally(() => process.exit(130)))
  process.exitCode = await runAll()
}

async function runAll(): Promise<number> {
  const programs = kinds.includes('postgresql') ? await postgresPrograms() : ''
  if (programs === undefined || (programs && !((await hasRedisServer()) && (await hasNginx())))) return 1
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/compile')
  // Processes run from the bundle.
  if (!programUrl('operate/serve/runService', {}).endsWith('.js')) await writeBundle()
  const results: string[] = []
  let isOk = true
  for (const release of chosen) {
    for (const name of kinds) {
      const title = `${release.version} to this release, ${name}`
      say(`\n== ${title}`)
      try {
        const report = await upgrade(release, name, programs)
        print(report)
        results.push(`${report.problems.length === 0 ? 'ok  ' : 'FAIL'}  ${title}`)
        isOk &&= report.problems.length === 0
      } catch (error) {
        say(`FAILED: ${(error as Error).message}\n${(error as Error).stack}`)
        results.push(`FAIL  ${title}`)
        isOk = false
      }
    }
  }
  say(`\n${results.join('\n')}`)
  return isOk ? 0 : 1
}

async function upgrade(release: Release, name: DatabaseName, programs: string): Promise<TrialReport> {
  const from = await checkOut(release)
  undo.add(from.remove)
  const options = { from, seconds, seed, say, onStart: (stop: () => Promise<void>) => void undo.add(stop) }
  try {
    return await (name === 'embedded' ? upgradeEmbedded(options) : upgradePostgresql({ ...options, programs }))
  } finally {
    undo.clear()
    await from.remove()
  }
}

function print({ problems, answered, slowestMs, ledger }: TrialReport): void {
  for (const { failure, text, count, detail } of problems) say(`\nPROBLEM during ${failure}: ${text} (${count} times)\n  ${detail}`)
  say(`${answered} requests answered; the slowest took ${(slowestMs / 1000).toFixed(1)} s.`)
  say(
    `${ledger.rows.size} rows, ${ledger.files.length} files, ${ledger.invoices.size} invoices, ${ledger.clients.length} clients, ${ledger.chains.length} grants, ${ledger.browsers.length} sessions, ${ledger.changes.length} changes, ${ledger.webhooks.length} webhooks.`,
  )
  say(problems.length === 0 ? 'No problem found.' : `${problems.length} problems.`)
}
