import { argon2Sync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { stringify } from 'yaml'
import type { Role } from '../../src/base/caller.ts'
import { newId } from '../../src/base/ids.ts'
import { createKeyring, type Keyring } from '../../src/base/keyring.ts'
import { createLog } from '../../src/base/log/log.ts'
import type { Tracing } from '../../src/base/log/tracing.ts'
import type { Email, MailTransport } from '../../src/base/mail/transport.ts'
import type { OutboundNetwork } from '../../src/base/net/outboundRequest.ts'
import { createCaches } from '../../src/base/process/caches.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { type Config, loadConfig } from '../../src/config/load.ts'
import { secretReader } from '../../src/config/webhookSecrets.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { diskFiles, type FileStorage } from '../../src/database/files/fileStorage.ts'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import { addSigningKey, listSigningKeys } from '../../src/database/tables/signingKeys.ts'
import { usableScopes } from '../../src/identity/apps/grantable.ts'
import { generateSigningKey, signingAlgorithms } from '../../src/identity/oidc/signingKeys.ts'
import { type App, createApp } from '../../src/operate/compose/app.ts'
import { webhookTypes } from '../../src/operate/compose/webhooks.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'
import { createLeakRecorder } from '../../verification/leaks/leakRecorder.ts'
import { openTestDatabase, redisUrl, type TestDatabase } from './databases.ts'

export interface ServiceOptions {
  /** One school at 127.0.0.1, or two: the second at localhost. */
  schools?: 1 | 2
  /** Contents of the configuration files, over the defaults. */
  oauth?: object
  server?: object
  roles?: object
  resources?: object
  school?: object
  /** Contents of the file of the second school, over the defaults. */
  otherSchool?: object
  database?: Database
  /** Opens the database, which the service deletes when it stops. */
  open?: () => Promise<TestDatabase>
  people?: NewPerson[]
  /** Absent: everything is in the database, except with TEST_ENGINE=1: then the Redis of the run is used. `false`: no Redis in any run. */
  redis?: RedisConnection | false
  isLimited?: boolean
  /** Used instead of a new directory. */
  storage?: FileStorage
  /** In place of the letters that `emails` collects. */
  transport?: MailTransport
  /** In place of the network that requests to hosts of others use. */
  network?: Partial<OutboundNetwork>
  /** Records the requests. Their statements are recorded by the database that was opened with the same. */
  tracing?: Tracing | undefined
  /** The environment: secrets of webhooks, and what a public issuer requires. */
  variables?: Record<string, string>
  /** Runs before the service receives a request. */
  onRequest?: () => Promise<unknown>
  /** Sees each request before the service does. */
  watch?: (request: IncomingMessage, response: ServerResponse) => void
}

export interface TestService {
  /** Base address of the first school. */
  issuer: string
  /** Base URL of the second school, if there is one. */
  other: string
  app: App
  database: Database
  /** Every message sent so far, oldest first, once all that was under way has been sent. */
  emails(): Promise<Email[]>
  /** Every log line written so far. */
  log(): string
  /** Rewrites the configuration, reloads the service, and waits for what it does in the background. */
  reload(options: ServiceOptions): ReturnType<App['reload']>
  addPerson(person: NewPerson): Promise<{ accountId: string; personId: string }>
  schoolId(issuer?: string): string
  stop(): Promise<void>
}

export interface NewPerson {
  email: string
  role?: Role
  /** Address of the school; the first one by default. */
  school?: string
}

export const password = 'correct horse battery staple'
/** SECRET_KEY of the service. */
export const rootSecret = 'a root secret for tests that is long enough to be taken'
/** A hash of the least cost, because most tests only need people who can sign in: a check takes the cost of the stored hash. */
export const passwordHash = cheapHash(password)
/** Signing keys of the first and the second school, created once, because an RSA key takes 0.16 s. */
const signingKeys: Promise<Awaited<ReturnType<typeof generateSigningKey>>[]>[] = []

/** Starts the whole service in this process on a free port. Rate limits are off by default. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  // The long idle timeout prevents that, on a loaded machine, a connection closes just before the next request uses it.
  const server = createServer({ keepAliveTimeout: 120_000 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [issuer, other] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-config-'))
  const lines: string[] = []
  const sent: Email[] = []
  const log = createLog('debug', new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }))
  const { open = openTestDatabase } = options
  const { database, drop } = options.database ? { database: options.database, drop: async () => {} } : await open()
  const ofEngine = options.redis === undefined && process.env.TEST_ENGINE === '1' ? await connectRedis() : undefined
  const load = async (changed: ServiceOptions): Promise<Config> => {
    await writeConfig(directory, { ...options, ...changed }, [issuer, other])
    return loadTestConfig(directory, options.variables)
  }
  const keyring = createKeyring([rootSecret])
  const app = await createApp({
    config: await load({}),
    database,
    caches: createCaches({ areOff: process.env.CACHES === 'off' }),
    redis: options.redis || ofEngine,
    readSecret: secretReader(options.variables ?? {}),
    keyring,
    log,
    tracing: options.tracing,
    isLimited: options.isLimited ?? false,
    storage: options.storage ?? diskFiles(join(directory, 'files')),
    mail: { transport: options.transport ?? recordingTransport(sent) },
    ...(options.network && { network: options.network }),
  })
  const leaks = createLeakRecorder()
  if (leaks) server.on('request', (_request, response) => leaks.watch(response))
  await addSigningKeys(app, database, keyring)
  if (options.watch) server.on('request', options.watch)
  const respond = app.handler
  const { onRequest } = options
  server.on('request', onRequest ? (request, response) => void onRequest().then(() => respond(request, response)) : respond)
  const schoolId = (address = issuer): string => {
    const found = app.schools.all.find(({ school }) => school.issuer === address)
    if (!found) throw new Error(`no school at ${address}`)
    return found.school.id
  }
  for (const { email, role = 'learner', school } of options.people ?? []) await addPerson(database, schoolId(school), email, role)
  return {
    issuer,
    other,
    app,
    database,
    schoolId,
    log: () => lines.join(''),
    async emails() {
      await app.drained()
      return [...sent]
    },
    async reload(changed) {
      const changes = await app.reload(await load(changed))
      // The signing keys of new schools are created in the background.
      await app.drained()
      return changes
    },
    addPerson: ({ email, role = 'learner', school }) => addPerson(database, schoolId(school), email, role),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await app.drained()
      await ofEngine?.close()
      await leaks?.search({ log: lines.join(''), emails: sent, database })
      await drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Gives the first two schools signing keys, unless they have some. */
async function addSigningKeys(app: App, { kysely, transaction }: Database, keyring: Keyring): Promise<void> {
  for (const [index, { school }] of app.schools.all.slice(0, 2).entries()) {
    if ((await listSigningKeys(kysely, school.id, 0)).length > 0) continue
    signingKeys[index] ??= Promise.all(signingAlgorithms.map(generateSigningKey))
    const keys = await signingKeys[index]
    await transaction(async (writer) => {
      for (const jwk of keys) {
        const privateJwk = keyring.seal('signing keys', JSON.stringify(jwk))
        await addSigningKey(writer, { schoolId: school.id, kid: jwk.kid, alg: String(jwk.alg), privateJwk, activeInSeconds: 0 })
      }
    })
  }
}

/** Returns the Argon2id hash in PHC string form. */
function cheapHash(text: string): string {
  const salt = randomBytes(16)
  const tag = argon2Sync('argon2id', { message: text, nonce: salt, memory: 8, passes: 1, parallelism: 1, tagLength: 32 })
  const [saltText, tagText] = [salt, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=8,t=1,p=1$${saltText}$${tagText}`
}

async function connectRedis(): Promise<RedisConnection> {
  const redis = createRedis(redisUrl, { onError: () => undefined })
  await redis.connect()
  return redis
}

function recordingTransport(sent: Email[]): MailTransport {
  return {
    async deliver(email) {
      sent.push(email)
    },
    describe: () => 'messages are kept for the test',
    close() {},
  }
}

const catalogue = scopeCatalogue(resources)
const typesOfWebhooks = webhookTypes(operationsIn(resources))

/** Loads a configuration directory as the service does. */
export async function loadTestConfig(directory: string, variables: Record<string, string> = {}): Promise<Config> {
  return loadConfig({
    directory,
    environment: readEnvironment(variables),
    knownScopes: catalogue.map((scope) => scope.name),
    usableScopes: usableScopes(catalogue),
    webhookTypes: typesOfWebhooks,
  })
}

/** Writes a configuration directory: the first school at the first issuer, the second at the second. */
export async function writeConfig(directory: string, options: ServiceOptions, issuers: string[]): Promise<void> {
  await mkdir(join(directory, 'schools'), { recursive: true })
  const files: [name: string, content: object | undefined][] = [
    ['oauth.yaml', options.oauth],
    // No gateway is in front of a test, and what apps send leaves immediately.
    ['server.yaml', { drain_seconds: 0, apps: { outgoing_delay: 0 }, ...options.server }],
    ['roles.yaml', options.roles],
    ['resources.yaml', options.resources],
    ['schools/first.yaml', school(issuers[0] as string, 'First School', options.school)],
    ...(options.schools === 2
      ? ([['schools/second.yaml', school(issuers[1] as string, 'Second School', options.otherSchool)]] as [string, object][])
      : []),
  ]
  for (const [name, content] of files) await writeFile(join(directory, name), content ? stringify(content) : '')
}

const school = (issuer: string, name: string, more: object = {}): object => ({
  issuer,
  docs_url: 'https://docs.example.com',
  defaults: { name, locale: 'en', time_zone: 'UTC', currency: 'EUR' },
  ...more,
})

/** A person with an account, whose password is `password`. */
export async function addPerson(
  database: Database,
  schoolId: string,
  email: string,
  role: Role,
): Promise<{ accountId: string; personId: string }> {
  const [accountId, personId] = [newId(), newId()]
  const { kysely } = database
  const common = { school_id: schoolId, email, name: email.split('@')[0] as string }
  await kysely
    .insertInto('account')
    .values({ ...common, id: accountId, email_verified: true, password_hash: passwordHash })
    .execute()
  await kysely
    .insertInto('person')
    .values({ ...common, id: personId, account_id: accountId, is_student: true })
    .execute()
  if (role !== 'learner') {
    await kysely.insertInto('staff').values({ school_id: schoolId, id: newId(), person_id: personId, role, status: 'active' }).execute()
  }
  return { accountId, personId }
}
