import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyCourses } from './courses.ts'
import { parse } from './oauth.ts'
import { catalogueOperations } from './operations.ts'
import type { Measurable, PeerArguments } from './peers.ts'

/** The newest release that restricts rows and fields without a licence. */
const version = '11.17.4'
const table = 'bench_own_course'
const adminToken = 'token-of-the-administrator'
const fields = 'id slug title subtitle language level access price published_at created_at updated_at rest'.split(' ')

/**
 * Peer: Directus on PostgreSQL, with the rows of the hand-written peer in one table. The caller is not an administrator: a policy selects rows
 * and fields. Returns undefined if it cannot be installed.
 */
export async function startDirectus({ targets, folder, own, token, scale, say }: PeerArguments): Promise<Measurable | undefined> {
  if (!install(folder, say)) return undefined
  const databaseUrl = await targets.database()
  const environment = {
    ...{ DB_CLIENT: 'pg', DB_CONNECTION_STRING: databaseUrl, HOST: '127.0.0.1', NODE_ENV: 'production', TELEMETRY: 'false' },
    ...{
      SECRET: 'the secret of a benchmark that is long enough',
      ADMIN_EMAIL: 'admin@example.com',
      ADMIN_PASSWORD: 'correct horse battery',
    },
    ...{ ADMIN_TOKEN: adminToken, LOG_LEVEL: 'error', SERVE_APP: 'false', EXTENSIONS_PATH: folder, STORAGE_LOCAL_ROOT: folder },
    ...{ RATE_LIMITER_ENABLED: 'false', PRESSURE_LIMITER_ENABLED: 'false', CACHE_ENABLED: 'false' },
  }
  const program = join(folder, 'node_modules/@directus/api/dist/cli/run.js')
  const { status, stderr } = spawnSync(process.execPath, [program, 'bootstrap'], { env: { ...process.env, ...environment }, cwd: folder })
  if (status !== 0) throw new Error(`directus bootstrap: ${stderr}`)
  const { id } = await copyCourses(own, { databaseUrl, table, token })
  const target = await targets.start(
    'Directus',
    [process.execPath, '--max-semi-space-size=16', program, 'start'],
    environment,
    '/server/ping',
  )

  const create = async (path: string, json: object): Promise<Record<string, unknown>> => {
    const reply = await target.client.send(path, { json, headers: { authorization: `Bearer ${adminToken}` } })
    if (reply.status !== 200) throw new Error(`Directus, ${path}: ${reply.status} ${reply.text}`)
    return Object(parse(reply).data)
  }
  const permission = { collection: table, action: 'read', permissions: { is_public: { _eq: true } }, fields }
  const policy = await create('/policies', { name: 'Bench', app_access: false, admin_access: false, permissions: [permission] })
  const role = await create('/roles', { name: 'Bench', policies: [{ policy: policy.id }] })
  const ownToken = 'token-of-a-person'
  await create('/users', { email: 'bench@example.com', role: role.id, token: ownToken })
  const paths = { list: `/items/${table}?limit=20&sort=-created_at`, one: `/items/${table}/${id}`, token: ownToken }
  const { 'list of courses, token': list, 'one course, token': one } = catalogueOperations(target.client, paths, scale)
  return { ...target, operations: { ...(list && { 'list of courses, token': list }), ...(one && { 'one course, token': one }) } }
}

function install(folder: string, say: PeerArguments['say']): boolean {
  const modules = join(folder, 'node_modules')
  if (existsSync(join(modules, 'directus'))) return true
  say(`installing Directus ${version}, once`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--silent']
  const { status } = spawnSync('npm', ['install', ...options, `directus@${version}`], { cwd: folder })
  if (status !== 0) return false
  // It is compiled by a script. Directus runs the code of extensions in it, of which there are none.
  writeFileSync(join(modules, 'isolated-vm/isolated-vm.js'), 'module.exports = {}\n')
  return true
}
