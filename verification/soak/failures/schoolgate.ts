import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { rootSecret } from '../../../test/support/process.ts'
import type { Installation } from '../installation.ts'

const root = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** Runs a command of the operator with the environment of the service. Returns its output. */
export async function schoolgate({ environment, home }: Pick<Installation, 'environment' | 'home'>, ...args: string[]): Promise<string> {
  const variables = { PATH: process.env.PATH, CONFIG_DIR: home.config, SECRET_KEY: rootSecret, RATE_LIMITS: 'off', ...environment }
  return (await run(process.execPath, ['src/operate/cli/main.mjs', ...args], { cwd: root, env: variables })).stdout
}
