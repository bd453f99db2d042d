/**
 * Measures the service.
 *
 *   npm run bench                 the service and its peers, side by side
 *   npm run bench -- enlarge      makes the demo school larger, for lists
 *   npm run bench -- lists        pages of the lists of a large school
 *   npm run bench -- depth        pages of a large school and of a small one, over HTTP
 *   npm run bench -- writes       what taking back costs a write
 *   npm run bench -- search       searches, many orders and changes of a row
 *   npm run bench -- undo         how long taking back many requests takes
 *   npm run bench -- schools      many schools in one process
 *   npm run bench -- start        the start, and the memory at rest
 *   npm run bench -- workers      one process and several workers
 *   npm run bench -- memory       the memory after many requests
 *   npm run bench -- growth       what many accounts, tokens and audit entries cost
 *   npm run bench -- migrations   how long the work of migrations takes on large tables
 */
import { parseArgs } from 'node:util'
import { compare } from './compare/compare.ts'
import { isPeer } from './compare/peers.ts'
import { enlargeCommand } from './enlarge.ts'
import { growthCommand } from './growth/growthCommand.ts'
import { migrationsCommand } from './growth/migrationsCommand.ts'
import { listsCommand } from './listsCommand.ts'
import { depthCommand } from './process/depthCommand.ts'
import { memoryCommand } from './process/memoryCommand.ts'
import { schoolsCommand } from './process/schoolsCommand.ts'
import { searchCommand } from './process/searchCommand.ts'
import { startCommand } from './process/startCommand.ts'
import { undoCommand } from './process/undoCommand.ts'
import { workersCommand } from './process/workersCommand.ts'
import { writesCommand } from './process/writesCommand.ts'

const help = `npm run bench [-- options]

Starts the service and its peers on throwaway databases, warms each of them up, sends them the same requests in alternating rounds, and
prints the CPU of a request, the rates, and which goals (bench/compare/goals.ts) were met:
  engine + ioredis   oidc-provider on a plain Redis adapter, with the same features
  better-auth        better-auth and its OAuth provider on PostgreSQL
  Koa + pg           hand-written handlers for the course list, one course and a keyset page
The first run installs the peers in bench/peers.

  --quick              two small rounds
  --rounds <n>         measured rounds after the warm-up (5)
  --scale <n>          multiplies the requests of a round (4)
  --concurrency <n>    requests in flight (8)
  --warm-up <n>        requests of each operation before the measurement (3000)
  --rows <n>           rows of the keyset page's table (1000000)
  --memory <MiB>       limits the memory of the service as a container does, and reports its peak; needs root
  --peers <names>      more peers, separated by commas: directus (from the registry), glewlwyd (from Debian)
  --only <name>        operations whose name contains this, such as refresh; can be repeated
  --help

BENCH_DATABASE_URL names the PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres); redis-server must be installed.
BENCH_DEBUG=1 shows what the servers print, and failed requests. Exits with 1 if a request fails.

npm run bench -- enlarge --help   makes the demo school larger
npm run bench -- lists --help     measures the pages of large lists
npm run bench -- depth --help     measures pages of a large school and of a small one, over HTTP
npm run bench -- writes --help    measures what taking back costs a write
npm run bench -- search --help    measures searches, many orders and changes of a row
npm run bench -- undo --help      measures how long taking back many requests takes
npm run bench -- schools --help   measures many schools in one process
npm run bench -- start --help     measures the start, and the memory at rest
npm run bench -- memory --help    measures the memory after many requests
npm run bench -- workers --help   measures one process and several workers
npm run bench -- growth --help    measures what many accounts, tokens and audit entries cost
npm run bench -- migrations --help   measures the work of migrations on large tables`

const [first, ...rest] = process.argv.slice(2)
const commands: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  depth: depthCommand,
  writes: writesCommand,
  enlarge: enlargeCommand,
  growth: growthCommand,
  lists: listsCommand,
  memory: memoryCommand,
  migrations: migrationsCommand,
  schools: schoolsCommand,
  search: searchCommand,
  start: startCommand,
  undo: undoCommand,
  workers: workersCommand,
}
const command = commands[first ?? '']
process.exitCode = command ? await command(rest) : await compareCommand(process.argv.slice(2))

async function compareCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      scale: { type: 'string' },
      concurrency: { type: 'string', default: '8' },
      'warm-up': { type: 'string', default: '3000' },
      rows: { type: 'string' },
      memory: { type: 'string' },
      peers: { type: 'string', default: '' },
      only: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  })
  const say = (line: string): boolean => process.stdout.write(`${line}\n`)
  if (values.help) {
    say(help)
    return 0
  }
  const peers = values.peers.split(',').filter((name) => name !== '')
  const unknown = peers.find((name) => !isPeer(name))
  if (unknown !== undefined) {
    say(`--peers: ${unknown} is not known. Use directus, glewlwyd or both, separated by a comma.`)
    return 1
  }
  const succeeded = await compare({
    rounds: Number(values.rounds ?? (values.quick ? 2 : 5)),
    scale: Number(values.scale ?? (values.quick ? 1 : 4)),
    concurrency: Number(values.concurrency),
    warmUpRequests: Number(values['warm-up']),
    rows: Number(values.rows ?? (values.quick ? 100_000 : 1_000_000)),
    databaseUrl: process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres',
    memoryMebibytes: values.memory === undefined ? undefined : Number(values.memory),
    only: values.only,
    peers: peers.filter(isPeer),
    say,
  })
  return succeeded ? 0 : 1
}
