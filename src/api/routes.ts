import type { Context, Middleware } from 'koa'
import type { Format, Sent, Surroundings } from '../framework/call.ts'
import { apiPath, type Operation } from '../framework/declare/operations.ts'
import { limitsOf, type OperationLimit } from '../framework/operationLimits.ts'
import { answerChanges, changeFeedOf } from '../framework/output/changeFeed.ts'
import { run } from '../framework/run.ts'
import { readMultipartForm } from '../http/readMultipartForm.ts'
import { Problem } from '../lib/problem.ts'
import type { Caller } from '../policy/caller.ts'
import { announce, announceDeprecation, answerWith } from './answer.ts'
import { createRoutes } from './findRoute.ts'
import { rawParameters } from './rawParameters.ts'
import { readJsonBody } from './requestBody.ts'

export interface ApiArguments {
  operations: readonly Operation[]
  database: Surroundings['database']
  replica?: Surroundings['replica']
  /** The whole database, for writes. */
  store: NonNullable<Surroundings['store']>
  /** Signs the cursors of lists. */
  signer: Surroundings['signer']
  /** Statements that were built before. */
  statements?: Surroundings['statements']
  /** Responses to visitors that were made before. */
  visitorAnswers?: Surroundings['visitorAnswers']
  externalServices: Surroundings['externalServices']
  /**
   * Returns the caller; without a token, the anonymous caller.
   * @throws Problem invalid_token, or rate_limited if one of the operation's limits is exhausted
   */
  authenticate(ctx: Context, limits: readonly OperationLimit[]): Promise<Caller>
}

/**
 * Creates the REST API of the schools: one route for each operation, all through the same `run`.
 * Reads the school from `ctx.state.school`. The error middleware renders Problems that are thrown here.
 */
export function createApi(args: ApiArguments): Middleware {
  const { operations, database, replica, store, signer, statements, visitorAnswers, externalServices, authenticate } = args
  const routes = createRoutes<Handler>()
  const surroundings = (ctx: Context): Surroundings => ({
    database,
    replica,
    store,
    signer,
    statements,
    visitorAnswers,
    externalServices,
    school: ctx.state.school,
    requestId: ctx.state.requestId,
    address: ctx.state.address,
  })
  for (const operation of operations) {
    const formats = formatsOf(operation)
    routes.add(operation.method, operation.path, async (ctx, params) => {
      ctx.state.operation = operation.id
      if (operation.deprecation) announceDeprecation(ctx, operation.deprecation)
      const format = formatOf(ctx, formats)
      const around = surroundings(ctx)
      const caller = await authenticate(ctx, limitsOf(operation, format))
      announce(ctx, caller, around.school)
      answerWith(
        ctx,
        await run(operation, caller, sentIn(ctx, operation, { format, params }), { ...around, contentVersion: ctx.state.contentVersion }),
      )
    })
  }
  const feed = changeFeedOf(operations)
  routes.add('GET', feed.path, async (ctx, params) => {
    ctx.state.operation = feed.id
    if (!ctx.accepts('json')) throw notAcceptable(['application/json'])
    const around = surroundings(ctx)
    const caller = await authenticate(ctx, [])
    announce(ctx, caller, around.school)
    answerWith(ctx, await answerChanges(feed, caller, () => rawParameters(ctx, feed, params), around))
  })
  return async (ctx, next) => {
    const { path, method } = ctx
    // The address itself is a document: the index of the API.
    if (!path.startsWith(`${apiPath}/`)) return next()
    const found = routes.find(method, path)
    return found ? await found.handler(ctx, found.params) : refuse(ctx, routes.methodsAt(path))
  }
}

type Handler = (ctx: Context, params: Readonly<Record<string, string>>) => Promise<void>

const sentIn = (
  ctx: Context,
  operation: Operation,
  { format, params }: { format: Format; params: Readonly<Record<string, string>> },
): Sent => ({
  parameters: () => rawParameters(ctx, operation, params),
  body: () => readJsonBody(ctx, operation.method === 'PATCH'),
  form: (maxBytes) => readMultipartForm(ctx, maxBytes),
  ifMatch: ctx.get('if-match') || undefined,
  idempotencyKey: ctx.get('idempotency-key') || undefined,
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
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json'
  const found = ctx.accepts(...formats.keys())
  if (found === false) throw notAcceptable([...formats.keys()])
  return formats.get(String(found)) ?? 'json'
}

const notAcceptable = (offered: readonly string[]): Problem =>
  new Problem('not_acceptable', { description: `This URL responds with ${offered.join(', ')}.` })

/** Rejects requests without a route: an unknown URL or an unsupported method. It reveals no rows, so it requires no token. */
function refuse(ctx: Context, methods: ReadonlySet<string>): void {
  if (methods.size === 0) {
    throw new Problem('not_found', {
      description: `${ctx.path.slice(0, 100)} does not exist. URLs of the API begin with /api/v1/.`,
    })
  }
  const allowed = [...methods, 'OPTIONS'].join(', ')
  ctx.set('Allow', allowed)
  if (ctx.method !== 'OPTIONS') {
    throw new Problem('method_not_allowed', { description: `${ctx.path.slice(0, 100)} supports ${allowed}.`, headers: { Allow: allowed } })
  }
  ctx.status = 204
}
