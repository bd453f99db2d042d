import type { Context, Middleware } from 'koa'
import type { Caller } from '../../base/caller.ts'
import type { OriginPolicy } from '../../base/http/originPolicy.ts'
import { asProblem, bodyOf } from '../../base/http/problems.ts'
import { readJson } from '../../base/http/readJson.ts'
import type { RequestState } from '../../base/http/requestState.ts'
import { Problem } from '../../base/problem.ts'
import { lazily } from '../../base/process/lazily.ts'
import type { RunContext } from '../call.ts'
import type { OperationLimit } from '../operationLimits.ts'
import type { Run } from '../run.ts'
import type { CatalogueArguments } from './createCatalogue.ts'
import { requireOrigin } from './requireOrigin.ts'
import { rpcCodeOf, rpcError } from './rpcProblem.ts'
import { serveServerCard } from './serverCard.ts'

export interface McpArguments extends CatalogueArguments {
  run: Run
  databaseOf(schoolId: string): NonNullable<RunContext['store']>
  signer: RunContext['signer']
  statements?: RunContext['statements']
  rowTexts?: RunContext['rowTexts']
  externalServices: RunContext['externalServices']
  schoolName(ctx: Context): Promise<string>
  /**
   * Counts the request. The owner of the token makes no difference; throws `invalid_token` if the token is not valid here, and
   * `rate_limited`.
   */
  authenticate(ctx: Context, limits: readonly OperationLimit[]): Promise<Caller>
  /** Says which pages may call. */
  originPolicy: OriginPolicy
}

/** Tool calls with their arguments are short. */
const maxBytes = 262_144
const maxDepth = 20
/** Headers that describe a message. The SDK receives no other header, in particular not the token. */
const messageHeader = /^mcp-(protocol-version|method|name|param-.+)$/

/** Serves the documents of the server, and `/mcp`: Streamable HTTP without sessions, one JSON response for each POST. */
export function createMcp(args: McpArguments): Middleware<RequestState> {
  const { run, databaseOf, signer, statements, rowTexts, externalServices, authenticate, schoolName } = args
  // Loaded with the first message: the SDK is large, and many processes never get one.
  const messages = lazily(async () => (await import('./messages.ts')).createMessages(args))
  return async (ctx, next) => {
    if (ctx.path !== '/mcp') return (await serveServerCard(ctx, () => schoolName(ctx))) ? undefined : next()
    const { school } = ctx.state
    ctx.state.challengePath = '/mcp'
    ctx.set('Cache-Control', 'no-store')
    ctx.append('Link', `<${school.issuer}/.well-known/oauth-protected-resource/mcp>; rel="oauth-protected-resource"`)
    if (ctx.method === 'OPTIONS') {
      ctx.set('Allow', 'POST, OPTIONS')
      ctx.status = 204
      return
    }
    try {
      const message = await admitted(ctx)
      const exchange = await messages()
      const store = databaseOf(school.id)
      const { status, body } = await exchange({
        message,
        headers: headersOf(ctx),
        countAnother: () => authenticate(ctx, []),
        served: {
          database: store.kysely,
          store,
          signer,
          statements,
          rowTexts,
          run,
          externalServices,
          school,
          schoolName: await schoolName(ctx),
          contentVersion: ctx.state.contentVersion,
          requestId: ctx.state.requestId,
          address: ctx.state.address,
        },
      })
      ctx.status = status
      if (body === undefined) ctx.body = ''
      else reply(ctx, body)
    } catch (error) {
      refuse(ctx, error)
    }
  }

  /**
   * Returns the message after all checks of the request, in the order in which their errors are reported.
   * @throws Problem
   */
  async function admitted(ctx: Context): Promise<unknown> {
    // Before the token is checked: a challenge here would start a sign-in that leads nowhere.
    if (ctx.method !== 'POST') {
      throw new Problem('method_not_allowed', {
        description: '/mcp takes POST. There are no sessions and no streams.',
        headers: { Allow: 'POST' },
      })
    }
    requireOrigin(ctx, ctx.state.school, args.originPolicy)
    await authenticate(ctx, [])
    // The transport obliges clients to name both. The response is JSON, so one of them is enough.
    if (!ctx.accepts('application/json', 'text/event-stream')) {
      throw new Problem('not_acceptable', { description: 'Accept must name application/json, in which /mcp responds.' })
    }
    const message = await readJson(ctx, { types: ['application/json'], maxBytes, maxDepth })
    if (message === undefined) throw new Problem('invalid_json', { description: 'The body is empty. It must be one JSON-RPC message.' })
    return message
  }

  /** Responds with a JSON-RPC error. An invalid token and internal errors get the same response as everywhere else. */
  function refuse(ctx: Context, error: unknown): void {
    const problem = asProblem(error)
    if (problem.code === 'invalid_token' || problem.status >= 500) throw error
    ctx.status = problem.status
    ctx.set(problem.headers)
    reply(ctx, rpcError(rpcCodeOf(problem), problem.description, { data: bodyOf(problem, ctx.state.requestId) }))
  }
}

function headersOf(ctx: Context): Headers {
  const headers = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' })
  for (const [name, value] of Object.entries(ctx.headers)) {
    if (typeof value === 'string' && messageHeader.test(name)) headers.set(name, value)
  }
  return headers
}

function reply(ctx: Context, body: unknown): void {
  ctx.type = 'application/json'
  ctx.body = JSON.stringify(body)
}
