import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { credentials, discover } from './oauth.ts'
import { authorizationOperations } from './operations.ts'
import type { Measurable, PeerArguments } from './peers.ts'
import { onServer } from './targets.ts'

const plugin = '/api/oidc'

/** Peer: Glewlwyd, an authorization server in C, from Debian, on PostgreSQL. It signs with ES256. Returns undefined if it cannot be installed. */
export async function startGlewlwyd({ targets, folder, scale, say }: PeerArguments): Promise<Measurable | undefined> {
  if (!install(folder, say)) return undefined
  const databaseUrl = await targets.database()
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const tables = gunzipSync(readFileSync(join(folder, 'usr/share/doc/glewlwyd/database/init.postgre.sql.gz'))).toString()
  await onServer(databaseUrl, 'CREATE EXTENSION pgcrypto', tables)
  const modules = join(folder, 'usr/lib/glewlwyd')
  mkdirSync(join(modules, 'user_middleware'), { recursive: true })
  const libraries = readdirSync(join(folder, 'usr/lib')).find((name) => name.endsWith('-linux-gnu')) ?? ''
  const environment = {
    LD_LIBRARY_PATH: join(folder, 'usr/lib', libraries),
    ...{ GLWD_LOGIN_URL: 'login.html', GLWD_API_PREFIX: 'api', GLWD_STATIC_FILES_PATH: join(folder, 'usr/share/glewlwyd/webapp') },
    ...{ GLWD_LOG_MODE: 'console', GLWD_LOG_LEVEL: 'WARNING', GLWD_COOKIE_DOMAIN: '127.0.0.1', GLWD_COOKIE_SECURE: '0' },
    ...{ GLWD_SESSION_EXPIRATION: '86400', GLWD_SESSION_KEY: 'GLEWLWYD2_SESSION_ID', GLWD_HASH_ALGORITHM: 'SHA512' },
    ...{ GLWD_ADMIN_SCOPE: 'g_admin', GLWD_PROFILE_SCOPE: 'g_profile', GLWD_PLUGIN_MODULE_PATH: join(modules, 'plugin') },
    ...{ GLWD_USER_MODULE_PATH: join(modules, 'user'), GLWD_USER_MIDDLEWARE_MODULE_PATH: join(modules, 'user_middleware') },
    ...{ GLWD_CLIENT_MODULE_PATH: join(modules, 'client'), GLWD_AUTH_SCHEME_MODULE_PATH: join(modules, 'scheme') },
    GLWD_DATABASE_TYPE: 'postgre',
    GLWD_DATABASE_POSTGRE_CONNINFO: `host=${hostname} port=${port || 5432} user=${username} password='${password}' dbname=${pathname.slice(1)}`,
  }
  const script = 'GLWD_PORT=$PORT GLWD_EXTERNAL_URL=http://127.0.0.1:$PORT exec "$0" --env-variables'
  const command = ['/bin/sh', '-c', script, join(folder, 'usr/bin/glewlwyd')]
  const target = await targets.start('Glewlwyd', command, environment, '/index.html')
  const { origin, client } = target

  const signedIn = await client.send('/api/auth/', { json: { username: 'admin', password: 'password' } })
  const cookie = String([signedIn.headers['set-cookie']].flat()[0]).split(';')[0] ?? ''
  const create = async (path: string, json: object): Promise<void> => {
    const { status, text } = await client.send(path, { json, headers: { cookie } })
    if (status !== 200) throw new Error(`Glewlwyd, ${path}: ${status} ${text}`)
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await create('/api/mod/plugin/', {
    ...{ module: 'oidc', name: 'oidc', display_name: 'oidc', enabled: true },
    parameters: {
      ...{ iss: `${origin}${plugin}`, 'jwt-type': 'ecdsa', 'jwt-key-size': '256', 'subject-type': 'public', 'jwks-show': true },
      key: privateKey.export({ format: 'pem', type: 'sec1' }),
      cert: publicKey.export({ format: 'pem', type: 'spki' }),
      ...{ 'access-token-duration': 3600, 'refresh-token-duration': 86_400, 'code-duration': 600 },
      ...{ 'refresh-token-rolling': true, 'refresh-token-one-use': 'always', 'auth-type-refresh-enabled': true },
      ...{ 'auth-type-code-enabled': true, 'auth-type-code-revoke-replayed': true, 'pkce-allowed': true, 'pkce-required': true },
      ...{ 'name-claim': 'mandatory', 'email-claim': 'mandatory', 'allowed-scope': ['openid'], scope: [], claims: [] },
      ...{ 'introspection-revocation-allowed': true, 'introspection-revocation-allow-target-client': true },
      ...{ 'register-client-allowed': true, 'register-client-auth-scope': [], 'register-client-credentials-scope': ['openid'] },
    },
  })
  const { email } = credentials
  await create('/api/user/', {
    username: email,
    email,
    name: 'Bench',
    password: credentials.password,
    scope: ['openid', 'g_profile'],
    enabled: true,
  })
  const paths = await discover(client, `${plugin}/.well-known/openid-configuration`)
  const server = { ...target, credentials, paths, scope: 'openid', pages: 'api' as const }
  // Its password hash is another one, and registrations at the same time failed in one run.
  const {
    'sign-in, new browser': _new,
    'sign-in, returning browser': _returning,
    registration: _,
    ...operations
  } = await authorizationOperations(server, scale)
  return { ...target, operations }
}

/** Extracts the package and the libraries that it needs and the system lacks, without installing them. */
function install(folder: string, say: PeerArguments['say']): boolean {
  if (existsSync(join(folder, 'usr/bin/glewlwyd'))) return true
  say('extracting Glewlwyd from Debian, once')
  mkdirSync(folder, { recursive: true })
  const needed = spawnSync('apt-get', ['install', '--print-uris', '-qq', '-y', '--no-install-recommends', 'glewlwyd'], { encoding: 'utf8' })
  const names = [...(needed.stdout ?? '').matchAll(/^'\S+' ([^_\s]+)_/gm)].map(([, name = '']) => name)
  if (names.length === 0) return false
  spawnSync('apt-get', ['download', '-qq', ...names], { cwd: folder })
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) spawnSync('dpkg', ['-x', file, '.'], { cwd: folder })
  return existsSync(join(folder, 'usr/bin/glewlwyd'))
}
