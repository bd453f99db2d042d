import { parseArgs } from 'node:util'
import { createTargets } from '../compare/targets.ts'
import { type DemoSchool, startDemoSchool } from './demoSchool.ts'
import { machine, median, printRows } from './figures.ts'

const help = `npm run bench -- writes [options]

Sends the same writes to two demo schools, one of which keeps what is needed to take them back (undo.days). Each has its own database and
process. The rounds alternate. Reports the median CPU per request of service, PostgreSQL and Redis, and the ratio.

  --rounds <n>     measured rounds after two for warming up (9)
  --requests <n>   requests of a round (400)
  --most <ratio>   the highest allowed ratio of all writes together (1.1)
  --help

BENCH_DATABASE_URL names the PostgreSQL server; redis-server must be installed. Exits with 1 if the ratio exceeds --most.`

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const warmUps = 2

type Send = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>

/** The writes of a round, by name. Each leaves the school as large as it was. */
const writes: Readonly<Record<string, (send: Send, course: string, round: number) => Promise<number>>> = {
  async 'change a course'(send, course, round) {
    await send('PATCH', `/courses/${course}`, { subtitle: `Round ${round}` })
    return 1
  },
  async 'add and delete a post'(send, _course, round) {
    const { id } = await send('POST', '/posts', { title: `Round ${round}`, content: 'Open on Sunday.' })
    await send('DELETE', `/posts/${id}`)
    return 2
  },
}

/** Runs `npm run bench -- writes`. Returns the exit code. */
export async function writesCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '9' },
      requests: { type: 'string', default: '400' },
      most: { type: 'string', default: '1.1' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    say(help)
    return 0
  }
  const targets = await createTargets(process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres')
  const schools: DemoSchool[] = []
  const start = async (server: string, redisDatabase: number): Promise<DemoSchool> => {
    const stores = { DATABASE_URL: await targets.database(), REDIS_URL: `${targets.redisUrl}/${redisDatabase}` }
    const school = await startDemoSchool(stores, { server })
    schools.push(school)
    return school
  }
  try {
    const sides = { without: await start('undo: { days: 0 }', 0), with: await start('undo: { days: 30 }', 1) }
    say(machine())
    const rows: { name: string; without: number; with: number }[] = []
    for (const [name, write] of Object.entries(writes)) {
      const costs = { without: [] as number[], with: [] as number[] }
      for (let round = -warmUps; round < Number(values.rounds); round += 1) {
        for (const side of round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) {
          const cost = await costOf(sides[side], write, Number(values.requests), targets.storesCpuSeconds)
          if (round >= 0) costs[side].push(cost)
        }
      }
      rows.push({ name, without: median(costs.without), with: median(costs.with) })
    }
    const all = { name: 'all', without: sum(rows, 'without'), with: sum(rows, 'with') }
    printRows(
      ['write', 'without ms', 'with ms', 'with : without'],
      [...rows, all].map((row) => [row.name, row.without.toFixed(2), row.with.toFixed(2), (row.with / row.without).toFixed(2)]),
      say,
    )
    return all.with / all.without <= Number(values.most) ? 0 : 1
  } finally {
    for (const school of schools) await school.stop()
    await targets.stop()
  }
}

const sum = (rows: readonly { without: number; with: number }[], side: 'without' | 'with'): number =>
  rows.reduce((total, row) => total + row[side], 0)

/** Returns milliseconds of CPU per request, of the service and the stores. */
async function costOf(
  { service, token }: DemoSchool,
  write: (typeof writes)[string],
  requests: number,
  storesCpuSeconds: () => number,
): Promise<number> {
  const send: Send = async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}` }
    const { status, text } = await service.client.send(`/api/v1${path}`, { method, headers, ...(body && { json: body }) })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 200)}`)
    return text === '' ? {} : JSON.parse(text)
  }
  const [cpu, stores] = [await service.cpuMs(), storesCpuSeconds()]
  let sent = 0
  for (let at = 0; sent < requests; at += 1) sent += (await write?.(send, 'clay-from-scratch', at)) ?? 1
  return ((await service.cpuMs()) - cpu + (storesCpuSeconds() - stores) * 1000) / sent
}
