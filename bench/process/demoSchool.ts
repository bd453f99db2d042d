import { spawnSync } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { discover, exchange, openBrowser, register } from '../compare/oauth.ts'
import { type BenchHome, createHome, type MeasuredProcess, serviceEnvironment, startMeasured } from './measuredProcess.ts'

const root = resolve(import.meta.dirname, '../..')
const password = 'correct horse battery staple'

export interface DemoSchool {
  service: MeasuredProcess
  /** A token of the owner with every scope. */
  token: string
  stop(): Promise<void>
}

export interface Stores extends Record<string, string> {
  DATABASE_URL: string
  REDIS_URL: string
}

/** Creates the demo school and returns its folders with the environment of its processes. `server` is added to server.yaml. */
export async function createDemoHome(stores: Stores, server = ''): Promise<{ home: BenchHome; environment: Record<string, string> }> {
  const home = await createHome(0)
  await cp(resolve(root, 'config'), home.config, { recursive: true, force: true })
  await writeFile(join(home.config, 'server.yaml'), `${server}\n`)
  const environment = { ...serviceEnvironment(home, stores), DEMO: 'on', DEMO_PASSWORD: password }
  for (const command of ['migrate up', 'demo load']) {
    const { status, stderr } = spawnSync(process.execPath, [resolve(root, 'src/operate/cli/main.mjs'), ...command.split(' ')], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`${command}: ${stderr}`)
  }
  return { home, environment }
}

/** Starts a process with the demo school. `server` is added to server.yaml; `prepare` runs before the start. */
export async function startDemoSchool(
  stores: Stores,
  { server, prepare }: { server?: string; prepare?: () => Promise<void> } = {},
): Promise<DemoSchool> {
  const { home, environment } = await createDemoHome(stores, server)
  await prepare?.()
  const service = await startMeasured({ environment, execArgv: ['--max-semi-space-size=16'] })
  const stop = async (): Promise<void> => {
    await service.stop()
    await home.remove()
  }
  const token = await ownerToken(service).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { service, token, stop }
}

/** Signs the owner in and returns a token with every scope. */
async function ownerToken({ client, origin }: MeasuredProcess): Promise<string> {
  const paths = await discover(client)
  const { scopes_supported: scopes } = JSON.parse((await client.send(paths.metadata)).text) as { scopes_supported: string[] }
  const server = {
    origin,
    client,
    paths,
    scope: scopes.join(' '),
    allowsAll: true,
    pages: 'forms' as const,
    credentials: { email: 'owner@example.com', password },
  }
  const registered = await register(server)
  return (await exchange(server, registered, await openBrowser(server).authorize(registered))).access_token
}
