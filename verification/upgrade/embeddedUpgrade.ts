import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import type { Program } from '../../test/gateway/nextRelease.ts'
import { platformKey } from '../../test/support/platform.ts'
import { createHome, freePort, rootSecret, type ServiceProcess, startProcess } from '../../test/support/process.ts'
import { configureSchool, refreshWindowSeconds, type Target } from '../soak/installation.ts'
import { createLedger } from '../soak/ledger.ts'
import { startReceiver } from '../soak/webhookReceiver.ts'
import { addData } from './addData.ts'
import { configureServer, reasonAgainst, workTree } from './checkOut.ts'
import type { UpgradeOptions } from './postgresqlUpgrade.ts'
import { startTrial, type TrialReport } from './trial.ts'

/** One process with the embedded database and without Redis: each release in turn is started on the data directory that the other has left. */
export async function upgradeEmbedded({ from, ...options }: UpgradeOptions): Promise<TrialReport> {
  const ledger = createLedger()
  const receiver = await startReceiver(ledger.webhooks)
  const home = await createHome({
    oauth: { refresh_window_seconds: refreshWindowSeconds },
    server: { storage: { uploads_per_minute: 10_000 } },
  })
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const environment = { PLATFORM_KEY: platformKey, DEMO: 'off', LOG_LEVEL: 'warn' }
  const earlier: string[] = []
  let running: { service: ServiceProcess; release: Program } | undefined

  async function stopService(): Promise<void> {
    if (!running) return
    const { service } = running
    running = undefined
    earlier.push(service.output())
    const code = await service.stop()
    if (code !== 0) throw new Error(`the process ended with ${code} after SIGTERM: ${service.output().slice(-2000)}`)
  }
  async function run(release: Program): Promise<void> {
    await stopService()
    await configureServer(home, release)
    running = { release, service: await startProcess({ home, port, environment, folder: release.folder, isFirstStart: true }) }
  }
  const target: Target = {
    issuer,
    products: [],
    available: () => (running ? [running.service] : []),
    /** The database belongs to one process at a time, so the service stops for the query. */
    async query(text, values) {
      const release = running?.release ?? workTree
      await stopService()
      const database = await openDatabase({ dataDirectory: home.data })
      const rows = await database.sql.query<never>(text, values)
      await database.close()
      await run(release)
      return rows
    },
    logs: () => [...earlier, running?.service.output() ?? ''],
    async stop() {
      await running?.service.kill()
      receiver.close()
      await home.remove()
    },
  }
  options.onStart(target.stop)
  try {
    await configureSchool(home, receiver, { issuer })
    await run(from)
    const variables = { ...environment, CONFIG_DIR: home.config, DATA_DIR: home.data, SECRET_KEY: rootSecret }
    target.products = await addData(from, issuer, { ...variables, PORT: String(port) })
    const trial = await startTrial(target, ledger, options)
    const change = async (release: Program, name: string): Promise<void> => {
      await run(release)
      await trial.compare(`${name}, after its start`)
      await trial.phase(name)
    }
    await trial.phase(from.version)
    await change(workTree, 'this release')
    const obstacle = await reasonAgainst(from, workTree)
    if (obstacle === undefined) {
      await change(from, `rolled back to ${from.version}`)
      await change(workTree, 'again this release')
    } else options.say(`        no way back to ${from.version}: ${obstacle}`)
    return await trial.finish()
  } finally {
    await target.stop()
  }
}
