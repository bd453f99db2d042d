/**
 * Measures of a large school. It reads and writes nothing but what the statements of the lists do.
 *
 *   npm run bench -- lists [options]
 *
 * Ends with 1 where a list page costs more than twice what another one of the same list costs.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { openDatabase } from '../src/store/openDatabase.ts'
import { type ListTimes, measureLists } from './lists.ts'

const help = `npm run bench -- lists [options]

Asks for pages of every large list of a school, as its owner: at the beginning and at 1, 10, 50, 90 and 99 percent of its rows, in every
order that the list has. All pages take turns, so that what else the machine does meets all of them; what is told is the median.
On a busy machine a few rounds tell more of the machine than of the lists.

  --rounds <n>      how often each page is asked for (60)
  --min-rows <n>    lists with fewer rows are left out (10000)
  --school <slug>   the school (demo)
  --list <name>     only this list, such as enrollments; may be given several times
  --most <ratio>    the most that the slowest page of a list may cost of its fastest (2)
  --help

The database is that of DATABASE_URL. Make the school large before: schoolgate demo load --scale 3300`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '60' },
    'min-rows': { type: 'string', default: '10000' },
    school: { type: 'string', default: 'demo' },
    list: { type: 'string', multiple: true, default: [] },
    most: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
})

const say = (line: string): boolean => process.stdout.write(`${line}\n`)

if (values.help || positionals[0] !== 'lists') {
  say(help)
  process.exit(values.help ? 0 : 2)
}

const databaseUrl = process.env.DATABASE_URL
if (!databaseUrl) {
  process.stderr.write('DATABASE_URL is not set: a large school stands on PostgreSQL\n')
  process.exit(2)
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
  tell(measured)
  say(`\nLoad of the machine before and after: ${before} and ${loadavg()[0]?.toFixed(1)}.`)
  const most = Number(values.most)
  const slow = measured.filter(({ ratio }) => ratio > most)
  for (const { name, ratio } of slow) say(`${name}: its slowest page costs ${ratio.toFixed(2)} times its fastest, more than ${most}.`)
  process.exitCode = slow.length > 0 ? 1 : 0
} finally {
  await database.close()
}

function tell(measured: readonly ListTimes[]): void {
  for (const { name, rows, depths, orders, ratio, quickRatio } of measured) {
    say(`\n${name}, ${rows} rows: slowest page ${ratio.toFixed(2)} times the fastest, ${quickRatio.toFixed(2)} times by the quickest tenth`)
    say(`| order | ${depths.map((depth) => `${depth * 100} %`).join(' | ')} |`)
    say(`| --- |${depths.map(() => ' ---: |').join('')}`)
    for (const { sort, medians } of orders) say(`| ${sort} | ${medians.map((median) => `${median.toFixed(1)} ms`).join(' | ')} |`)
  }
  const all = measured.flatMap(({ orders }) => orders.flatMap(({ medians }) => medians))
  if (all.length > 0) say(`\nOf all lists: ${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)} ms a page.`)
}
