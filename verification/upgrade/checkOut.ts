import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse, stringify } from 'yaml'
import { readMigrations } from '../../src/database/migrations/migrationFiles.ts'
import { compareHistory } from '../../src/database/migrations/migrationHistory.ts'
import { type Program, programIn } from '../../test/gateway/nextRelease.ts'
import type { Home } from '../../test/support/process.ts'
import { type Release, root } from './releases.ts'

const run = promisify(execFile)

/** The release of the work tree. */
export const workTree: Program = programIn(root)

/** An earlier release in a temporary folder, with its packages and generated files. */
export interface CheckedOut extends Program {
  version: string
  remove(): Promise<void>
}

/** Writes the files of a release into a temporary folder, installs its packages, and generates its client of the database and its bundle. */
export async function checkOut({ version, commit }: Release): Promise<CheckedOut> {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).catch(() => {
    throw new Error(`release ${version} is commit ${commit}, which this clone does not have. Get it with: git fetch --unshallow`)
  })
  const folder = await mkdtemp(join(tmpdir(), `schoolgate-${version}-`))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const archive = join(folder, 'archive.tar')
    await run('git', ['archive', '--output', archive, commit], { cwd: root })
    await run('tar', ['-xf', archive, '-C', folder])
    await rm(archive)
    if ((await packagesIn(folder)) === (await packagesIn(root))) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
    await run('npm', ['run', 'generate'], { cwd: folder })
  } catch (error) {
    await remove()
    throw error
  }
  return { ...programIn(folder), version, remove }
}

/** Returns the packages that a lock file installs. */
async function packagesIn(folder: string): Promise<string> {
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as { packages: Record<string, object> }
  return JSON.stringify({ ...packages, '': undefined })
}

/** Writes server.yaml as an operator does for a release: an earlier one refuses the key with which webhooks of apps leave immediately. */
export async function configureServer({ config }: Pick<Home, 'config'>, { folder }: Program): Promise<void> {
  const file = join(config, 'server.yaml')
  const { apps: _, ...shared } = parse(await readFile(file, 'utf8'))
  await writeFile(file, stringify({ ...shared, ...(folder === root && { apps: { outgoing_delay: 0 } }) }))
}

/** Returns why a release refuses the database of a newer one; undefined if it works with it. */
export async function reasonAgainst(older: Program, newer: Program): Promise<string | undefined> {
  const [known, applied] = (await Promise.all([older, newer].map(({ folder }) => readMigrations(join(folder, 'prisma/migrations'))))) as [
    Awaited<ReturnType<typeof readMigrations>>,
    Awaited<ReturnType<typeof readMigrations>>,
  ]
  const records = applied.map(({ name, checksum, header }) => ({
    ...{ migration_name: name, checksum, finished_at: new Date() },
    works_from: header?.worksFrom === 'this' ? name : (header?.worksFrom ?? null),
  }))
  try {
    compareHistory(known, records)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
