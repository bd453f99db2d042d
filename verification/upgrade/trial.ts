import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { embeddedDatabase } from '../../test/support/databases.ts'
import { startService } from '../../test/support/service.ts'
import { createJudge } from '../fuzz/judge.ts'
import type { OpenApi } from '../fuzz/openApiTargets.ts'
import type { Target } from '../soak/installation.ts'
import { judgeRejections } from '../soak/judge.ts'
import type { Ledger } from '../soak/ledger.ts'
import { createLoad } from '../soak/load/load.ts'
import { createMonitor, type SoakProblem } from '../soak/monitor.ts'
import { createVerify } from '../soak/verify.ts'
import { endGrants, repeatRefreshes } from './useGrants.ts'

/** The load average for each core above which some rejections (503) are those of a busy machine, as in `npm run soak`. */
const busyLoad = 3

export interface TrialOptions {
  /** How long the load runs in each phase. */
  seconds: number
  seed: number
  say(line: string): void
}

/** The load on an installation while its releases change, and the model of what was acknowledged. */
export interface Trial {
  /** Does the work under load, which runs on for some seconds. Then compares the service with the model. */
  phase(name: string, work?: () => Promise<void>): Promise<void>
  /** Compares the service with the model, without load. */
  compare(name: string): Promise<void>
  report(text: string, detail?: string): void
  /** Uses every grant, and ends the load. */
  finish(): Promise<TrialReport>
}

export interface TrialReport {
  answered: number
  slowestMs: number
  ledger: Ledger
  problems: readonly SoakProblem[]
}

export async function startTrial(target: Target, ledger: Ledger, { seconds, seed, say }: TrialOptions): Promise<Trial> {
  const judges = [await publishedBy(target.issuer), await publishedByWorkTree()].map((document) => createJudge(document, []))
  const monitor = createMonitor(
    // Every response is as one of the releases publishes it.
    (request, reply) => judges.map((judge) => judge(request, reply)).toSorted((a, b) => a.length - b.length)[0] ?? [],
    ({ text, detail }) => say(`PROBLEM ${text}\n  ${detail}`),
  )
  const load = await createLoad({ installation: target, ledger, monitor, seed })
  const verify = createVerify(load, seed)
  const start = performance.now()

  async function compare(name: string, before = monitor.problems.length): Promise<void> {
    monitor.begin(name, { refused: false, broken: false }).end(0)
    await repeatRefreshes(load.context, 10)
    const compared = await verify({ isLast: true })
    const { answered, refused } = monitor.take()
    const isBusy = (loadavg()[0] ?? 0) > busyLoad * availableParallelism()
    const rejections = isBusy ? judgeRejections(refused, answered + refused) : refused > 0 ? [`${refused} requests were rejected`] : []
    for (const problem of rejections) monitor.report(`${name}: ${problem}`)
    const clock = `${Math.round((performance.now() - start) / 1000)} s`.padStart(6)
    const busy = isBusy ? ' (the machine is busy)' : ''
    const problems = monitor.problems.length - before
    say(`${clock}  ${name}: ${answered} requests answered, ${refused} rejected${busy}, ${compared} compared, ${problems} problems`)
  }

  return {
    compare,
    report: monitor.report,
    async phase(name, work = async () => undefined) {
      const before = monitor.problems.length
      monitor.begin(name, { refused: false, broken: false }).end(0)
      load.resume()
      try {
        await work()
        await delay(seconds * 1000)
      } finally {
        await load.pause()
      }
      await compare(name, before)
    },
    async finish() {
      await endGrants(load.context)
      await load.stop()
      monitor.finish()
      return { answered: monitor.total.answered, slowestMs: monitor.total.slowestMs, ledger, problems: monitor.problems }
    },
  }
}

const publishedBy = async (issuer: string): Promise<OpenApi> => (await fetch(`${issuer}/openapi.json`)).json() as Promise<OpenApi>

async function publishedByWorkTree(): Promise<OpenApi> {
  const database = await embeddedDatabase()
  const service = await startService({ database, redis: false })
  try {
    return await publishedBy(service.issuer)
  } finally {
    await service.stop()
    await database.close()
  }
}
