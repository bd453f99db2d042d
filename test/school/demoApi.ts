import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa, { type Context } from 'koa'
import { type Caller, callerFrom } from '../../src/base/caller.ts'
import { createOriginPolicy } from '../../src/base/http/originPolicy.ts'
import { renderProblems } from '../../src/base/http/problems.ts'
import type { RequestState } from '../../src/base/http/requestState.ts'
import { createKeyring } from '../../src/base/keyring.ts'
import { createLog } from '../../src/base/log/log.ts'
import { Problem } from '../../src/base/problem.ts'
import type { School } from '../../src/base/school.ts'
import { createContentVersions } from '../../src/database/facts/contentVersions.ts'
import { planRemoval } from '../../src/database/files/fileRemovals.ts'
import type { MessageKind, Recipient } from '../../src/database/outbox/sendMessage.ts'
import { inSchool, schoolDatabase } from '../../src/database/school/inSchool.ts'
import { requestsOf } from '../../src/database/tables/proposals.ts'
import { schoolContact } from '../../src/database/tables/schools.ts'
import { createRun } from '../../src/engine/createRun.ts'
import type { asksFirstOf, Operation } from '../../src/engine/declare/operations.ts'
import type { FileServices } from '../../src/engine/externalServices.ts'
import { createMcp } from '../../src/engine/mcp/createMcp.ts'
import { toolSchemas } from '../../src/engine/mcp/toolSchemas.ts'
import { createRowTexts } from '../../src/engine/read/rowTextStore.ts'
import { apiDescription, openApiText } from '../../src/engine/rest/openApi.ts'
import { type ApiArguments, createApi } from '../../src/engine/rest/routes.ts'
import { createOpenApi } from '../../src/engine/rest/serveOpenApi.ts'
import { mergeProposal } from '../../src/engine/write/mergeProposal.ts'
import { effectHash } from '../../src/engine/write/replay.ts'
import { findPerson } from '../../src/identity/accounts/findPerson.ts'
import { databaseArtifacts } from '../../src/identity/tokens/databaseArtifacts.ts'
import { createExternalServices } from '../../src/operate/compose/externalServices.ts'
import { createOutbox } from '../../src/operate/compose/outbox.ts'
import { createUndoRules } from '../../src/operate/compose/undoRules.ts'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'
import type { TestDatabase } from '../support/databases.ts'
import { filesWithoutBytes } from '../support/files.ts'
import { newSchool } from '../support/rows.ts'
import { trafficCheckOf } from './validatedTraffic.ts'

export const now = new Date('2026-03-01T00:00:00.000Z')
/** The first learners follow the staff in the table of people. */
export const teamCount = 8
const catalogue = scopeCatalogue(resources)
export const allScopes = catalogue.map(({ name }) => name)
/** Created once for a worker. */
const ofProduct = operationsIn(resources)

export interface Reply {
  status: number
  headers: Headers
  text: string
  json: Record<string, unknown>
}

export interface SendOptions {
  method?: string
  as?: string | undefined
  scopes?: readonly string[]
  headers?: Record<string, string>
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown
}

export interface DemoApi extends TestDatabase {
  school: School
  /** `as` is the e-mail address of a person who granted `scopes`; without it the caller is anonymous. */
  get(
    path: string,
    options?: { as?: string | undefined; scopes?: readonly string[]; method?: string; headers?: Record<string, string> },
  ): Promise<Reply>
  send(path: string, options: SendOptions): Promise<Reply>
  caller(email: string | undefined, scopes?: readonly string[]): Promise<Caller>
  signer: { sign(text: string): string; verify(text: string, signature: string): boolean }
  /** Returns the e-mails to people in the outbox, oldest first. */
  messages(): Promise<SentMessage[]>
  /** Agrees to the newest proposal that waits. */
  agree(as: string): Promise<string>
  stop(): Promise<void>
}

export interface SentMessage {
  to: string
  kind: MessageKind
  links: object
}

/** Checks before the API in addition to the token: rate limits, if a test needs them. */
type Guard = (authenticate: (ctx: Context) => Promise<Caller>) => ApiArguments['authenticate']

/**
 * The API over the demo school, on a free port, with tokens that name their person. What happened at the school, its orders,
 * enrolments and posts, is there only where `isWhole` asks for it. Where a school is given, its people are the callers.
 */
export async function startDemoApi(
  opened: TestDatabase,
  operations: readonly Operation[] = ofProduct,
  guard: Guard = (authenticate) => authenticate,
  {
    isWhole = false,
    school: given,
    undoDays = 30,
    reasonOf,
  }: { isWhole?: boolean; school?: School; undoDays?: number; reasonOf?: typeof asksFirstOf } = {},
): Promise<DemoApi> {
  const { database } = opened
  // The long idle timeout prevents that, on a loaded machine, a connection closes just before the next request uses it.
  const server = createServer({ keepAliveTimeout: 120_000 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const grantable = new Set([...allScopes, ...operations.map(({ scope }) => scope)])
  const id = given?.id ?? (await newSchool(database.sql))
  const school: School = given ?? { id, slug: `school-${id}`, issuer: origin }
  if (!given)
    await makeDemoSchool(database, { school, now, hashPassword: async () => '$argon2id$none', ...(!isWhole && { only: 'catalogue' }) })
  const keyring = createKeyring(['a root secret for tests that is long enough to be taken'])
  const signer = {
    sign: (text: string) => keyring.sign('cursors', text),
    verify: (text: string, signature: string) => keyring.verify('cursors', text, signature),
  }

  // Bytes wait for a row, which calls off their removal.
  const store: FileServices['store'] = async (to, key, waiting) => {
    await planRemoval(database.kysely, { school_id: to.id, storage_key: key }, 3600)
    return { byteSize: waiting.bytes, checksum: 'e3b0c442'.repeat(8), width: 1600, height: 900, metadataRemoved: null }
  }
  const differencesOf = trafficCheckOf(operations)
  const log = createLog('silent')
  const durable = databaseArtifacts(database.sql)
  const outbox = createOutbox({ database, keyring })
  const externalServices = createExternalServices({
    counted: (entry) => entry,
    emailLimits: { requireRequested: async () => undefined, isNoticeAllowed: async () => true },
    stores: { database: database.kysely, durable, ephemeral: durable, facts: database.facts, log },
    keyring,
    send: outbox.send,
    files: { ...filesWithoutBytes, store },
    checkoutUrl: () => 'https://shop.example.com/pay?item={type}/{id}&code={code}',
    hasPages: () => true,
    undoDays: () => undoDays,
    apps: {
      outgoingDelay: () => 0,
      limitsLeft: async () => [],
      offered: () => [{ id: 'claude-ai', name: 'claude.ai', clientId: 'https://claude.ai/client.json', isTrusted: false }],
    },
    undoRules: createUndoRules(operations),
  })

  async function caller(email: string | undefined, scopes: readonly string[] = allScopes, clientId = 'cli_test'): Promise<Caller> {
    if (email === undefined) return { kind: 'anonymous' }
    const [account] = await database.sql.query<{ id: string }>('SELECT id FROM account WHERE school_id = $1 AND email = $2', [id, email])
    const person = account && (await findPerson(inSchool(database.kysely, id), account.id))
    if (!person) throw new Problem('invalid_token')
    return callerFrom(person, { scopes, clientId, grantId: clientId === '' ? '' : 'grant' }, grantable)
  }

  async function authenticate(ctx: Context): Promise<Caller> {
    const [, email, scopes = ''] = /^Bearer (\S+) ?(.*)$/.exec(ctx.get('authorization')) ?? []
    const found = await caller(email, scopes.split(' '), ctx.get('x-test-page') ? '' : ctx.get('x-test-client') || undefined)
    return found.kind === 'person' && ctx.get('x-test-asks-first') ? { ...found, asksFirst: true } : found
  }

  const { run, replay } = createRun(operations, { reasonOf })
  const koa = new Koa<RequestState>()
  const context = {
    operations,
    run,
    databaseOf: (schoolId: string) => schoolDatabase(database, schoolId, 'person'),
    signer,
    rowTexts: createRowTexts(),
    externalServices,
    authenticate: guard(authenticate),
    countCall: () => undefined,
  }
  const api = createApi(context)
  const mcp = createMcp({
    ...context,
    toolSchemas: () => toolSchemas(operations),
    documents: [],
    skills: async () => [],
    log,
    schoolName: async () => 'Demo',
    originPolicy: createOriginPolicy({ allowedOrigins: [], guardedPath: '/mcp' }),
  })
  const contentVersions = createContentVersions({ guard: database.facts })
  koa.use((ctx, next) => {
    // Without a version, nothing that is kept is used.
    const contentVersion = ctx.get('x-test-fresh') ? undefined : contentVersions.read(school.id)
    Object.assign(ctx.state, { school, contentVersion, requestId: 'req_test', address: ctx.get('x-test-address') || '127.0.0.1' })
    return next()
  })
  koa.use(renderProblems(log))
  koa.use(
    createOpenApi({
      textOf: (tag) => openApiText(apiDescription(operations), catalogue, tag),
      facts: () => schoolContact(database.kysely, school.id),
    }),
  )
  koa.use(api)
  koa.use(mcp)
  server.on('request', koa.callback())

  async function ask(path: string, { method = 'POST', as, scopes = allScopes, headers = {}, body }: SendOptions): Promise<Reply> {
    const authorization = as === undefined ? {} : { authorization: `Bearer ${as} ${scopes.join(' ')}` }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = new Headers({ ...authorization, ...type, ...headers })
    const bytes = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body)
    const response = await fetch(`${origin}${path}`, { method, headers: sent, ...(body !== undefined && { body: bytes }) })
    // A byte order mark is part of the response.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer())
    const differences = differencesOf({
      ...{ method, path, status: response.status },
      sent: typeof bytes === 'string' ? { type: mediaType(sent), text: bytes } : undefined,
      received: { type: mediaType(response.headers), text },
    })
    if (differences.length > 0) throw new Error(`The traffic is not as published:\n${differences.join('\n')}`)
    return { status: response.status, headers: response.headers, text, json: text.startsWith('{') ? parsed(text) : {} }
  }

  return {
    ...opened,
    school,
    signer,
    caller,
    send: ask,
    async messages() {
      const rows = await database.kysely.selectFrom('outbox').select('payload').where('school_id', '=', id).orderBy('id').execute()
      return rows.map(({ payload }) => {
        const { to, kind, values } = outbox.open(payload) as { to: Recipient; kind: MessageKind; values: object }
        return { to: to.email, kind, links: values }
      })
    },
    async agree(as) {
      const person = await caller(as)
      if (person.kind !== 'person') throw new Error('a person agrees')
      const db = context.databaseOf(id)
      const [newest] = await database.sql.query<{ id: string }>(
        "SELECT id FROM proposal WHERE school_id = $1 AND status = 'submitted' ORDER BY id DESC LIMIT 1",
        [id],
      )
      const proposalId = String(newest?.id)
      const around = { ...context, database: db.kysely, store: db, school }
      const shown = await replay.show(around, person, await requestsOf(db.kysely, proposalId))
      const positions = new Set(shown.map(({ position }) => position))
      return await mergeProposal(around, person, { proposalId, positions, seen: effectHash(shown), decidedBy: person.accountId }, replay)
    },
    get: (path, options = {}) => ask(path, { method: 'GET', ...options }),
    async stop() {
      server.closeAllConnections()
      server.close()
      await opened.drop()
    },
  }
}

/** Adds the grant of the callers, which requests about which a person decides refer to. */
export const addGrant = ({ database: { sql }, school }: Pick<DemoApi, 'database' | 'school'>) =>
  sql.query(
    `INSERT INTO oidc_grant (school_id, id, account_id, client_id, payload, expires_at)
     SELECT school_id, 'grant', id, 'cli_test', '{}', now() + interval '1 day' FROM account WHERE school_id = $1 LIMIT 1`,
    [school.id],
  )

const mediaType = (headers: Headers): string => headers.get('content-type')?.replace(/\s*;.*$/s, '') ?? ''

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
