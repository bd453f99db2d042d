import { Readable } from 'node:stream'
import type { Context, Middleware } from 'koa'
import type { Caller } from '../../base/caller.ts'
import { isKnown } from '../../base/http/document.ts'
import { readCsv } from '../../base/http/readCsv.ts'
import { readMultipartForm } from '../../base/http/readMultipartForm.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { ApiResponse, Format, RequestInput, RunContext } from '../call.ts'
import { type Deprecation, deprecationHeaders } from '../declare/deprecation.ts'
import { type AcrossTypes, apiPath, type Operation } from '../declare/operations.ts'
import { limitsOf, type OperationLimit } from '../operationLimits.ts'
import { answerChanges, changeFeedOf } from '../output/changeFeed.ts'
import { answerSearch, searchOf } from '../output/search.ts'
import type { Run } from '../run.ts'
import { parseAgentReason } from '../write/agentReason.ts'
import { parseDryRun } from '../write/dryRun.ts'
import { parseProposal, parseWait } from '../write/proposals.ts'
import { type CountCall, counted } from './countCalls.ts'
import { createPathGuide, refuse, unknownPath } from './explainPath.ts'
import { createRoutes } from './findRoute.ts'
import { rawParameters } from './rawParameters.ts'
import type { Refusals } from './refusalLane.ts'
import { readJsonBody } from './requestBody.ts'

export interface ApiArguments {
  operations: readonly Operation[]
  run: Run
  databaseOf(schoolId: string): NonNullable<RunContext['store']>
  signer: RunContext['signer']
  statements?: RunContext['statements']
  rowTexts?: RunContext['rowTexts']
  externalServices: RunContext['externalServices']
  /**
   * Returns the caller; without a token, the anonymous caller.
   * @throws Problem invalid_token, or rate_limited if one of the operation's limits is exhausted
   */
  authenticate(ctx: Context, limits: readonly OperationLimit[]): Promise<Caller>
  countCall: CountCall
}

/**
 * Creates the REST API of the schools: one route for each operation, all through the same `run`.
 * Reads the school from `ctx.state.school`. The error middleware renders Problems that are thrown here.
 */
export function createApi(args: ApiArguments): Middleware & Refusals {
  const { operations, run, databaseOf, signer, statements, rowTexts, externalServices, authenticate, countCall } = args
  const routes = createRoutes<Route>()
  const explain = createPathGuide(operations)
  const context = (ctx: Context, store = databaseOf(ctx.state.school.id)): RunContext => ({
    database: store.kysely,
    store,
    signer,
    statements,
    rowTexts,
    externalServices,
    school: ctx.state.school,
    requestId: ctx.state.requestId,
    address: ctx.state.address,
  })
  for (const operation of operations) {
    const formats = formatsOf(operation)
    const isPlain = operation.method === 'GET' && !operation.deprecation && limitsOf(operation, 'json').length === 0
    const add = (handle: Handler) => routes.add(operation.method, operation.path, { handle, plainRead: isPlain ? operation.id : undefined })
    add(async (ctx, params) => {
      ctx.state.operation = operation.id
      if (operation.deprecation) announceDeprecation(ctx, operation.deprecation)
      const format = formatOf(ctx, formats)
      const around = context(ctx)
      const response = await counted(ctx, countCall, async () => {
        const caller = await authenticate(ctx, limitsOf(operation, format))
        announce(ctx, caller, around.school)
        return await run(operation, caller, sentIn(ctx, operation, { format, params }), {
          ...around,
          contentVersion: ctx.state.contentVersion,
        })
      })
      respondWith(ctx, response)
    })
  }
  const addAcross = ({ method, path }: AcrossTypes, handle: Handler): void => routes.add(method, path, { handle })
  const serve = <One extends AcrossTypes>(operation: One, response: RespondAcrossTypes<One>): void =>
    addAcross(operation, async (ctx, params) => {
      ctx.state.operation = operation.id
      if (!ctx.accepts('json')) throw notAcceptable(['application/json'])
      if (ctx.get('proposal') !== '') throw new Problem('invalid_request', { description: `Proposal cannot contain ${operation.id}.` })
      const around = context(ctx)
      const answered = await counted(ctx, countCall, async () => {
        const caller = await authenticate(ctx, [])
        announce(ctx, caller, around.school)
        return await response(operation, caller, () => rawParameters(ctx, operation, params), around)
      })
      respondWith(ctx, answered)
    })
  serve(changeFeedOf(operations), answerChanges)
  serve(searchOf(operations), answerSearch)
  const api: Middleware = async (ctx, next) => {
    const { path, method } = ctx
    // The address itself is a document: the index of the API.
    if (!path.startsWith(`${apiPath}/`)) return next()
    const found = routes.find(method, path)
    return found ? await found.handler.handle(ctx, found.params) : refuse(ctx, routes.methodsAt(path), explain)
  }
  const refusals: Refusals = {
    refusalAt: (path) => (routes.methodsAt(path).size === 0 ? unknownPath(path, explain) : undefined),
    plainReadAt: (path) => routes.find('GET', path)?.handler.plainRead,
  }
  return Object.assign(api, refusals)
}

interface Route {
  handle: Handler
  plainRead?: string | undefined
}

type RespondAcrossTypes<One> = (
  operation: One,
  caller: Caller,
  read: () => Readonly<Record<string, unknown>>,
  context: RunContext,
) => Promise<ApiResponse>

type Handler = (ctx: Context, params: Readonly<Record<string, string>>) => Promise<void>

const sentIn = (
  ctx: Context,
  operation: Operation,
  { format, params }: { format: Format; params: Readonly<Record<string, string>> },
): RequestInput => ({
  parameters: () => rawParameters(ctx, operation, params),
  body: () => readJsonBody(ctx, operation.method === 'PATCH'),
  csv: () => readCsv(ctx, 1_048_576),
  form: (maxBytes) => readMultipartForm(ctx, maxBytes),
  ifMatch: ctx.get('if-match') || undefined,
  idempotencyKey: ctx.get('idempotency-key') || undefined,
  isDryRun: parseDryRun(ctx.get('dry-run')),
  proposal: parseProposal(ctx.get('proposal')),
  waitSeconds: parseWait(ctx.get('prefer')),
  agentReason: parseAgentReason(ctx.get('agent-reason')),
  target: ctx.url,
  format,
})

const files = [
  ['text/csv', 'csv'],
  ['application/x-ndjson', 'ndjson'],
] as const

/** Returns the formats of the response by media type. JSON is first: a client that accepts anything gets it. */
function formatsOf(operation: Operation): ReadonlyMap<string, Format> {
  const { kind, resource } = operation
  const isOfRows = kind === 'list' || kind === 'get'
  return new Map<string, Format>([
    ['application/json', 'json'],
    ...(kind === 'list' && resource.isExported ? files : []),
    ...(kind === 'collectionRead' && operation.rules.rows ? ([['text/csv', 'csv']] as const) : []),
    ...(kind === 'read' && operation.rules.asHtml ? ([['text/html', 'html']] as const) : []),
    ...(isOfRows ? resource.representations.map((one) => [one.type, one] as const) : []),
  ])
}

/**
 * Returns the format that the client accepts.
 * @throws Problem not_acceptable
 */
function formatOf(ctx: Context, formats: ReadonlyMap<string, Format>): Format {
  const { accept } = ctx.req.headers
  // A link has no headers: the parameter asks for the file.
  if (ctx.query.csv !== undefined && formats.has('text/csv')) return 'csv'
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json'
  const found = ctx.accepts(...formats.keys())
  if (found === false) throw notAcceptable([...formats.keys()])
  return formats.get(String(found)) ?? 'json'
}

const notAcceptable = (offered: readonly string[]): Problem =>
  new Problem('not_acceptable', { description: `This URL responds with ${offered.join(', ')}.` })

/**
 * Sets the headers of every response to this caller, including errors. Any cache may store the public view for 30 seconds; a response
 * to a token is private. An anonymous caller also gets links to the authorization metadata and the API description, without a challenge.
 */
function announce(ctx: Context, caller: Caller, { issuer }: School): void {
  const isAnonymous = caller.kind === 'anonymous'
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
  const { res } = ctx
  if (res.hasHeader('Vary')) ctx.vary(varies)
  else res.setHeader('Vary', varies)
  ctx.set('Cache-Control', !isRead ? 'no-store' : isAnonymous ? 'public, max-age=30, stale-while-revalidate=60' : 'private, no-cache')
  if (!isAnonymous) return
  ctx.append('Link', [
    link(`${issuer}/.well-known/oauth-protected-resource`, 'oauth-protected-resource'),
    // Descriptions of the API, for programs and for readers (RFC 8631).
    link(`${issuer}/openapi.json`, 'service-desc'),
    link(`${issuer}/auth.md`, 'service-doc'),
  ])
}

const varies = 'Authorization, Accept, Accept-Encoding'

/** Sets the deprecation headers on every response of the operation, including errors. */
function announceDeprecation(ctx: Context, deprecation: Deprecation): void {
  const { Link: link = '', ...headers } = deprecationHeaders(deprecation, `${ctx.state.school.issuer}/docs`)
  ctx.set(headers)
  ctx.append('Link', link)
}

/** Sends the response, or 304 if the client has the current version (RFC 9110 section 13.1.2). */
function respondWith(
  ctx: Context,
  { status, text, bytes, type = 'application/json', etag, headers = {}, list, stream }: ApiResponse,
): void {
  ctx.status = status
  const { issuer } = ctx.state.school
  const { Location: location, ...others } = headers
  ctx.set(others)
  if (location !== undefined) ctx.set('Location', issuer + location)
  if (etag !== undefined) ctx.set('ETag', etag)
  if (list) {
    const page = (cursor: object): string => `${issuer}${ctx.path}?${new URLSearchParams({ ...list.parameters, ...cursor })}`
    if (list.nextCursor !== null) ctx.append('Link', link(page({ cursor: list.nextCursor }), 'next'))
    if (list.prevCursor !== null) ctx.append('Link', link(page({ cursor: list.prevCursor }), 'prev'))
    ctx.append('Link', link(page({}), 'first'))
  }
  if (stream) {
    ctx.set('Content-Type', stream.type)
    ctx.body = ctx.method === 'HEAD' ? null : Readable.from(stream.pieces)
    if (ctx.method === 'HEAD') ctx.status = status
    return
  }
  if (etag !== undefined && (ctx.method === 'GET' || ctx.method === 'HEAD') && isKnown(ctx.get('if-none-match'), etag)) {
    ctx.status = 304
    return
  }
  if (text === '') return
  ctx.type = type
  ctx.body = bytes ?? text
}

const link = (address: string, relation: string): string => `<${address}>; rel="${relation}"`
