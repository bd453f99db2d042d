import { setTimeout as delay } from 'node:timers/promises'
import type { Program } from '../../test/gateway/nextRelease.ts'
import { until } from '../../test/support/poll.ts'
import { rootSecret } from '../../test/support/process.ts'
import { type Installation, startInstallation } from '../soak/installation.ts'
import { createLedger } from '../soak/ledger.ts'
import { addData } from './addData.ts'
import { type CheckedOut, configureServer, reasonAgainst, workTree } from './checkOut.ts'
import { startTrial, type Trial, type TrialOptions, type TrialReport } from './trial.ts'

export interface UpgradeOptions extends TrialOptions {
  from: CheckedOut
  /** Receives the function that stops everything, for a run that is interrupted. */
  onStart(stop: () => Promise<void>): void
}

/** Two processes behind nginx with PostgreSQL and Redis: applies the migrations, rolls out, rolls back, and rolls out again, under load. */
export async function upgradePostgresql({ from, programs, ...options }: UpgradeOptions & { programs: string }): Promise<TrialReport> {
  const ledger = createLedger()
  const installation = await startInstallation(programs, ledger, {
    folder: from.folder,
    // Shows which process nginx uses.
    variables: { LOG_LEVEL: 'info' },
    addData: (one) => addData(from, one.issuer, environmentOf(one)),
  })
  options.onStart(installation.stop)
  try {
    const trial = await startTrial(installation, ledger, options)
    const start = async (index: number, release: Program): Promise<void> => {
      await configureServer(installation.home, release)
      await installation.start(index, release.folder)
    }
    const replace = async (index: number, release: Program): Promise<void> => {
      await installation.stopProcess(index)
      await start(index, release)
      await until(() => installation.processes[index]?.output().includes('/api/v1/'), { what: 'nginx to use the new process' })
    }
    const mixed = `one process of ${from.version}, one of this release`
    await trial.phase(`two processes of ${from.version}`)
    if (await isWhileServing(installation)) {
      await trial.phase(`migrate up --while-serving, two processes of ${from.version}`, () => migrateWhileServing(installation, trial))
      await trial.phase(mixed, () => replace(0, workTree))
      await trial.phase('two processes of this release', () => replace(1, workTree))
    } else {
      options.say('        migrate plan names a migration that needs a stop: all processes are stopped for it')
      for (const index of [0, 1]) await installation.stopProcess(index)
      await schoolgate(installation, 'migrate', 'up')
      for (const index of [0, 1]) await start(index, workTree)
      await trial.phase('two processes of this release')
    }
    const obstacle = await reasonAgainst(from, workTree)
    if (obstacle === undefined) {
      await trial.phase(`rolled back in part: ${mixed}`, () => replace(0, from))
      await trial.phase(`rolled back: two processes of ${from.version}`, () => replace(1, from))
      await trial.phase(`again ${mixed}`, () => replace(0, workTree))
      await trial.phase('again two processes of this release', () => replace(1, workTree))
    } else options.say(`        no way back to ${from.version}: ${obstacle}`)
    return await trial.finish()
  } finally {
    await installation.stop()
  }
}

const environmentOf = ({ environment, home }: Installation): Record<string, string> => ({
  ...{ ...environment, CONFIG_DIR: home.config, SECRET_KEY: rootSecret, LOG_LEVEL: 'warn' },
})

/** Runs a command of the new release, and returns its output. */
async function schoolgate(installation: Installation, ...args: string[]): Promise<string> {
  const { code, out, output } = await workTree.schoolgate(args, environmentOf(installation))
  if (code !== 0) throw new Error(`schoolgate ${args.join(' ')} ended with ${code}: ${output}`)
  return out
}

async function isWhileServing(installation: Installation): Promise<boolean> {
  const planned: { while_serving: string }[] = JSON.parse(await schoolgate(installation, 'migrate', 'plan', '--json'))
  return planned.every((one) => one.while_serving === 'yes')
}

/** Applies the migrations and requires that the processes stay ready. */
async function migrateWhileServing(installation: Installation, { report }: Trial): Promise<void> {
  let isOver = false
  const watch = async (): Promise<void> => {
    for (; !isOver; await delay(20)) if (!(await installation.isReady())) report('a process is not ready while the migrations are applied')
  }
  const watching = watch()
  try {
    await schoolgate(installation, 'migrate', 'up', '--while-serving')
  } finally {
    isOver = true
    await watching
  }
}
