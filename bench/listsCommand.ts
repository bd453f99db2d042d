import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { openDatabase } from '../src/database/connection/openDatabase.ts'
import { type ListTimes, measureLists } from './lists.ts'

const help = `npm run bench -- lists [options]

Reads pages of every large list of a school, as its owner: at the beginning and at 1, 10, 50, 90 and 99 percent of its rows, in every
order of the list. The pages alternate, so that other work on the machine affects all of them. Reports medians.
On a busy machine a few rounds measure the machine rather than the lists.

  --rounds <n>      requests of each page (60)
  --min-rows <n>    skip lists with fewer rows (10000)
  --school <slug>   the school (demo)
  --list <name>     only this list, such as enrollments; can be repeated
  --most <ratio>    the highest allowed ratio of the slowest to the fastest page of a list (2)
  --help

The database is that of DATABASE_URL. Enlarge the school first: npm run bench -- enlarge --times 3300
Exits with 1 if a list exceeds --most.`

const say = (line: string): boolean => process.stdout.write(`${line}\n`)

/** Runs `npm run bench -- lists`. Returns the exit code. */
export async function listsCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '60' },
      'min-rows': { type: 'string', default: '10000' },
      school: { type: 'string', default: 'demo' },
      list: { type: 'string', multiple: true, default: [] },
      most: { type: 'string', default: '2' },
      help: { type: 'boolean', default: false },
    },
  })

  if (values.help) {
    say(help)
    return 0
  }

  const databaseUrl = process.env.DATABASE_URL
  if (!databaseUrl) {
    process.stderr.write('DATABASE_URL is not set: large schools need PostgreSQL\n')
    return 2
  }
  const database = await openDatabase({ databaseUrl, dataDirectory: '', poolSize: 2 })
  try {
    const before = loadavg()[0]?.toFixed(1)
    const measured = await measureLists(database, {
      slug: values.school,
      rounds: Number(values.rounds),
      minRows: Number(values['min-rows']),
      only: values.list,
    })
    printTimes(measured)
    say(`\nLoad of the machine before and after: ${before} and ${loadavg()[0]?.toFixed(1)}.`)
    const most = Number(values.most)
    const slow = measured.filter(({ ratio }) => ratio > most)
    for (const { name, ratio } of slow) say(`${name}: its slowest page costs ${ratio.toFixed(2)} times its fastest, more than ${most}.`)
    return slow.length > 0 ? 1 : 0
  } finally {
    await database.close()
  }
}

function printTimes(measured: readonly ListTimes[]): void {
  for (const { name, rows, depths, orders, ratio, quickRatio } of measured) {
    say(`\n${name}, ${rows} rows: slowest page ${ratio.toFixed(2)} times the fastest, ${quickRatio.toFixed(2)} times by the quickest tenth`)
    say(`| order | ${depths.map((depth) => `${depth * 100} %`).join(' | ')} |`)
    say(`| --- |${depths.map(() => ' ---: |').join('')}`)
    for (const { sort, medians } of orders) say(`| ${sort} | ${medians.map((median) => `${median.toFixed(1)} ms`).join(' | ')} |`)
  }
  const all = measured.flatMap(({ orders }) => orders.flatMap(({ medians }) => medians))
  if (all.length > 0) say(`\nOf all lists: ${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)} ms a page.`)
}
