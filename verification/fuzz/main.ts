/** `npm run fuzz`: sends generated requests to the service and judges every response. */
import { parseArgs } from 'node:util'
import { blockLimitMs, type FuzzReport, fuzz, growthLimitMegabytes } from './fuzz.ts'
import { startWatched } from './service.ts'
import { hangMs } from './wire.ts'

const help = `npm run fuzz [-- options]

Starts the service with the demo school on throwaway stores, and sends it requests that are generated from /openapi.json, the metadata of
the authorization server and the schemas of the MCP tools: valid and mutated ones, by an owner, a lecturer, a learner and without a token,
singly and in sequences on objects that it created. Fails if a response is a 5xx, is not what the documents publish or comes after
${hangMs / 1000} s, if one request blocks the event loop for more than ${blockLimitMs} ms, if the process logs a failure, or if its memory grows by more than
${growthLimitMegabytes} MB after the first quarter. Prints each problem once, with the first request that has it.

  --requests <n>     requests (20000)
  --seed <n>         repeats the requests of a run as far as the responses are the same; with --concurrency 1 they are (1)
  --concurrency <n>  requests in flight (6)
  --only <text>      only operations of the API whose name contains this
  --help

TEST_DATABASE_URL names the PostgreSQL server (127.0.0.1); redis-server must be installed. Exits with 1 if there is a problem.`

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '6' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const say = (line: string): boolean => process.stdout.write(`${line}\n`)
process.on('SIGINT', () => process.exit(130))

if (values.help) say(help)
else process.exitCode = await run()

async function run(): Promise<number> {
  const service = await startWatched()
  try {
    const report = await fuzz(service, {
      requests: Number(values.requests),
      seed: Number(values.seed),
      concurrency: Number(values.concurrency),
      only: values.only,
      onProgress: (sent, problems) => sent % 1000 === 0 && process.stderr.write(`${sent} requests, ${problems} problems\n`),
    })
    print(report)
    return report.problems.length === 0 ? 0 : 1
  } finally {
    await service.stop()
  }
}

function print({ sent, counts, operations, succeeded, problems, slowestMs, longestBlockMs, grownMegabytes, seconds }: FuzzReport): void {
  for (const { title, count, example, response } of problems) say(`\nPROBLEM ${title} (${count} times)\n  ${example}\n  ${response}`)
  const classes = ['2xx', '3xx', '4xx', '5xx']
  say(`\n| requests | ${classes.join(' | ')} |\n| --- | ${classes.map(() => '---:').join(' | ')} |`)
  for (const kind of ['API', 'OAuth', 'MCP']) say(`| ${kind} | ${classes.map((name) => counts.get(`${kind} ${name}`) ?? 0).join(' | ')} |`)
  const ofApi = [...succeeded].filter((name) => !name.includes(' ') && name !== 'MCP').length
  say(
    `\n${sent} requests with seed ${values.seed} in ${Math.round(seconds)} s; ${ofApi} of ${operations} operations of the API succeeded at least once.`,
  )
  say(
    `Slowest response ${Math.round(slowestMs)} ms; longest block of the event loop ${Math.round(longestBlockMs)} ms; memory ${grownMegabytes >= 0 ? '+' : ''}${grownMegabytes.toFixed(1)} MB.`,
  )
  say(problems.length === 0 ? 'No problem found.' : `${problems.length} problems.`)
}
