import { parseArgs } from 'node:util'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { queryScopeOf } from '../../src/engine/declare/queryScope.ts'
import { createTargets } from '../compare/targets.ts'
import { enlarge } from '../enlarge.ts'
import { asOwner, type List, listsOf } from '../lists.ts'
import { countAll, cursorBehind } from '../places.ts'
import { startDemoSchool } from './demoSchool.ts'
import { machine, median, printRows } from './figures.ts'
import { benchSecret, type MeasuredProcess } from './measuredProcess.ts'

const help = `npm run bench -- depth [options]

Reads pages of lists over HTTP, with the owner's token, in two demo schools: one as it is, and one with many times its people. Each has its own
database and process. Compares the first page of the large school with the page behind 99 percent of its rows, and with the first page of
the small school. The pages alternate, so that other work on the machine affects all of them. Reports medians.

  --scale <n>      how much larger the large school is (100)
  --rounds <n>     requests of each page (200)
  --min-rows <n>   skip lists with fewer rows in the large school (1000)
  --list <name>    only this list, such as enrollments; can be repeated
  --most <ratio>   the highest allowed ratio (1.2)
  --help

BENCH_DATABASE_URL names the PostgreSQL server; redis-server must be installed. Exits with 1 if a list exceeds --most.`

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const warmUps = 20
const deep = 0.99

/** A school with its own database and process. */
interface MeasuredSchool {
  service: MeasuredProcess
  token: string
  /** Returns the number of rows of a list, and the path of the page behind a share of them. */
  placeOf(list: List, depth: number): Promise<{ rows: number; path: string }>
  stop(): Promise<void>
}

interface Page {
  school: MeasuredSchool
  path: string
  times: number[]
}

/** Runs `npm run bench -- depth`. Returns the exit code. */
export async function depthCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scale: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '200' },
      'min-rows': { type: 'string', default: '1000' },
      list: { type: 'string', multiple: true, default: [] },
      most: { type: 'string', default: '1.2' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    say(help)
    return 0
  }
  const most = Number(values.most)
  const targets = await createTargets(process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres')
  const schools: MeasuredSchool[] = []
  const start = async (scale: string, redisDatabase: number): Promise<MeasuredSchool> => {
    say(`loading the demo school, ${scale} times its people`)
    const school = await startSchool({ DATABASE_URL: await targets.database(), REDIS_URL: `${targets.redisUrl}/${redisDatabase}` }, scale)
    schools.push(school)
    return school
  }
  try {
    const [small, large] = [await start('1', 0), await start(values.scale, 1)]
    const measured: { name: string; rows: number; pages: Record<'small' | 'first' | 'deep', Page> }[] = []
    for (const list of listsOf(values.list)) {
      const { rows, path } = await large.placeOf(list, 0)
      if (rows < Number(values['min-rows'])) continue
      const [first, far] = [await small.placeOf(list, 0), await large.placeOf(list, deep)]
      const page = (school: MeasuredSchool, at: string): Page => ({ school, path: at, times: [] })
      const pages = { small: page(small, first.path), first: page(large, path), deep: page(large, far.path) }
      measured.push({ name: list.path.split('/').at(-1) ?? '', rows, pages })
    }
    say(machine())
    await readAll(
      measured.flatMap(({ pages }) => Object.values(pages)),
      Number(values.rounds),
    )
    const results = measured.map(({ name, rows, pages }) => {
      const [atSmall, atFirst, atDeep] = [median(pages.small.times), median(pages.first.times), median(pages.deep.times)]
      return { name, rows, atSmall, atFirst, atDeep, byDepth: atDeep / atFirst, bySize: atFirst / atSmall }
    })
    printRows(
      ['list', 'rows', 'small school ms', 'large school ms', 'at 99 % ms', '99 % : first', 'large : small'],
      results.map(({ name, rows, atSmall, atFirst, atDeep, byDepth, bySize }) => [
        name,
        String(rows),
        ...[atSmall, atFirst, atDeep, byDepth, bySize].map((figure) => figure.toFixed(2)),
      ]),
      say,
    )
    return results.every(({ byDepth, bySize }) => byDepth <= most && bySize <= most) ? 0 : 1
  } finally {
    for (const school of schools) await school.stop()
    await targets.stop()
  }
}

/** Reads the pages in turn, each round in another order. */
async function readAll(pages: readonly Page[], rounds: number): Promise<void> {
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const index of pages.keys()) {
      const page = pages[(index + round + warmUps) % pages.length]
      if (!page) continue
      const { service, token } = page.school
      const sent = performance.now()
      const { status, text } = await service.client.send(page.path, { headers: { authorization: `Bearer ${token}` } })
      if (status !== 200) throw new Error(`${page.path}: ${status} ${text.slice(0, 200)}`)
      if (round >= 0) page.times.push(performance.now() - sent)
    }
  }
}

async function startSchool(stores: { DATABASE_URL: string; REDIS_URL: string }, scale: string): Promise<MeasuredSchool> {
  const { service, token, stop } = await startDemoSchool(stores, { prepare: () => enlarge(stores.DATABASE_URL, Number(scale)) })
  const database = await openDatabase({ databaseUrl: stores.DATABASE_URL, dataDirectory: '', poolSize: 2 })
  await database.sql.query('ANALYZE')
  const { caller, context } = await asOwner(database, 'demo', benchSecret)
  const { school, signer } = context
  const bearer = { authorization: `Bearer ${token}` }
  return {
    service,
    token,
    async placeOf(list, depth) {
      const queryScope = queryScopeOf({ resource: list.resource, schoolId: school.id, caller })
      const rows = await countAll(database.kysely, queryScope)
      const [sort] = list.resource.sorts
      if (depth === 0 || !sort) return { rows, path: list.path }
      const { status, text } = await service.client.send(list.path, { headers: bearer })
      if (status !== 200) throw new Error(`${list.path}: ${status} ${text.slice(0, 300)}`)
      const first = JSON.parse(text)
      const place = Math.floor(rows * depth)
      const cursor = await cursorBehind(database.kysely, { queryScope, sort, signer, cursor: first.page.next_cursor, place, rows })
      return { rows, path: `${list.path}?${new URLSearchParams({ cursor })}` }
    },
    async stop() {
      await stop()
      await database.close()
    },
  }
}
