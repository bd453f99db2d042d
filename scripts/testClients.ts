/** The packages of test/clients: client libraries and generators that only tests use, so `npm ci` does not install them. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'test/clients')

/**
 * Installs the packages if they are missing or out of date.
 * @throws Error if npm fails, for example without a network, or takes more than ten minutes
 */
export function installTestClients(): void {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const installed = join(folder, 'node_modules/.installed')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return
  process.stderr.write('installing the client libraries of the tests (test/clients), once\n')
  const { status } = spawnSync('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 600_000,
  })
  if (status !== 0) throw new Error('npm ci --prefix test/clients failed: the first run of the tests and checks needs the npm registry')
  writeFileSync(installed, lock)
}

/** Links the installed packages into a copy of the tree. */
export function linkPackages(copy: string): void {
  installTestClients()
  for (const packages of ['node_modules', 'test/clients/node_modules']) symlinkSync(join(root, packages), join(copy, packages))
}
