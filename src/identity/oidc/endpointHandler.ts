import type { Context } from 'koa'
import { errors } from 'oidc-provider'
import type { Admission, Admit } from '../../base/http/admission.ts'
import { enforce, type FailureLimit, type Limiter, type Policy } from '../../base/http/rateLimit.ts'
import type { LimitKey } from '../../base/net/limitKey.ts'
import { addressKey } from '../../base/net/networkKey.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import type { AuditEvent, NamedAuditEvent } from '../../database/tables/auditEvents.ts'
import type { Grantable } from '../apps/grantable.ts'
import type { DocumentRules } from '../clients/clientDocument.ts'
import type { RegistrationRules } from '../clients/registrationError.ts'
import type { RegisterClient } from '../tokens/registerClient.ts'
import type { FindPerson } from './bearer.ts'
import type { ClientDocuments } from './clientDocuments.ts'
import { isDisabledClient } from './disabledClients.ts'
import type { EndedPage } from './endedInteractions.ts'
import { type Exchange, type Exchanges, inExchange } from './engineTransaction.ts'
import { explain } from './explain.ts'
import type { ShowFormPost } from './formPost.ts'
import type { KeptFacts } from './keptFacts.ts'
import type { BegunChecks } from './lane/bodies.ts'
import type { ManualCode } from './manualCodeUri.ts'
import type { Runtimes } from './runtimes.ts'
import type { Stores } from './stores.ts'
import type { TokenChecks } from './tokenChecks.ts'

export type LimitedEndpoint = 'registration' | 'authorize' | 'token' | 'introspection'

export interface ServiceArguments {
  runtimes: Runtimes
  stores: Stores
  kept: KeptFacts
  exchanges: Exchanges
  scopes: readonly string[]
  limiter: Limiter
  admit: Admit
  policies: Record<LimitedEndpoint, Policy>
  badCredentials: FailureLimit
  refreshWindowSeconds(): number
  legalLinks(school: School): Promise<{ privacy?: string; terms?: string }>
  registrationRules(school: School): RegistrationRules | undefined
  /**
   * Returns the rules for the document of a client; undefined if the school accepts none.
   * @throws Problem invalid_client for one that an owner can allow
   */
  documentRules(school: School, clientId: string): Promise<DocumentRules | undefined>
  /** True if the school accepts any document. */
  acceptsDocuments(school: School): Promise<boolean>
  clientDocuments: ClientDocuments
  documentFailures: FailureLimit
  findPerson: FindPerson
  tokenChecks: TokenChecks
  /** The checks that the token lane began for requests that it passed on. */
  begunChecks: BegunChecks
  grantable: Grantable
  registerClient: RegisterClient
  recordAudit(entries: AuditEntry[]): Promise<void>
  showManualCode(ctx: Context, manualCode: ManualCode): Promise<void>
  showFormPost: ShowFormPost
  /** Shows why a request was rejected; clients that ask for JSON get JSON. */
  showProblem(ctx: Context, problem: Problem, page?: EndedPage): Promise<void>
  /** Counts an event whose audit row is written by the commit itself. */
  count(event: AuditEvent): void
}

export type Handler = (ctx: Context, args: ServiceArguments) => Promise<void>

export interface EngineRequest {
  ctx: Context
  args: ServiceArguments
  exchange: Exchange
}

/** A request to an endpoint at which the client authenticates. */
export interface ClientRequest extends EngineRequest {
  admission: Admission
  form: URLSearchParams
  /** The client that the form names. The engine authenticates it before it does anything else. */
  clientId: string | undefined
}

export const dispatch: Handler = async (ctx, { runtimes, exchanges }) => {
  const { dispatch } = await runtimes.get(ctx.state.school)
  await inExchange(exchanges, () => dispatch(ctx, async () => undefined))
}

export async function runEngine({ ctx, args, exchange }: EngineRequest): Promise<void> {
  await args.exchanges.run(exchange, () => dispatch(ctx, args))
}

/**
 * Does work of an endpoint for browsers, and shows a problem as a page; clients that ask for JSON get JSON.
 *
 * @returns true if there was no problem
 */
export async function showProblemsOf(ctx: Context, { showProblem }: ServiceArguments, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    await showProblem(ctx, error)
    return false
  }
}

interface Ending {
  audit?: AuditEntry[]
  /** When the access ended that the person gave with the presented refresh token. */
  accessEndedAt?: Date | undefined
}

/** Completes every response of an API endpoint: a helpful text, 503 for failures of the service, and the audit rows. */
export async function finish(request: EngineRequest & Partial<ClientRequest>, { audit = [], accessEndedAt }: Ending = {}): Promise<void> {
  const { ctx, exchange, clientId = '', form } = request
  const { recordAudit, stores } = request.args
  const body = ctx.body as { error?: string; error_description?: string } | undefined
  if (ctx.status >= 400 && body?.error !== undefined) {
    const { error } = body
    const detail = exchange.refusalDetail
    if (error === 'temporarily_unavailable') {
      ctx.status = 503
      ctx.set('Retry-After', '1')
    }
    if (error === 'invalid_grant' || error === 'invalid_client') {
      audit.push({ ...entry(ctx, 'token.refused', exchange), details: { error, detail } })
    }
    const isDisabled = detail === 'client not found' && (await isDisabledClient(stores.database, ctx.state.school.id, clientId))
    const grantType = form?.get('grant_type') ?? null
    ctx.body = explain({ ...body, error, detail, grantType, isDisabled, accessEndedAt }, ctx.state.school.issuer)
  }
  const { requestId, address, isOwn } = ctx.state
  ctx.state.accountId ??= exchange.saved.find(({ accountId }) => accountId !== undefined)?.accountId
  if (body?.error !== undefined) ctx.state.problem = { code: body.error }
  if (audit.length > 0 && !isOwn) await recordAudit(audit.map((row) => ({ ...row, request_id: requestId, address })))
}

/** Responds with an error that came up after the engine had finished; rethrows any that is not one of the engine's. */
export function respondWithError({ ctx, exchange }: EngineRequest, error: unknown): void {
  if (!(error instanceof errors.OIDCProviderError)) throw error
  exchange.refusalDetail = error.error_detail
  ctx.status = error.statusCode
  ctx.body = { error: error.error, error_description: error.error_description }
}

export function entry(ctx: Context, event: NamedAuditEvent, { grantIds }: Exchange): AuditEntry {
  const { school, requestId, address, clientId } = ctx.state
  const [grantId] = [...grantIds.values()]
  return {
    school_id: school.id,
    event,
    client_id: clientId,
    grant_id: grantId,
    request_id: requestId,
    address,
  }
}

/** Counts the request in the rate limit of the caller's address. */
export function limit(ctx: Context, { limiter, policies }: ServiceArguments, endpoint: LimitedEndpoint): Promise<void> {
  return enforce(limiter, policies[endpoint], limitKey(ctx))
}

/** Starts to count the request in the rate limit of the caller's address: see `createAdmit`. */
export function admit(ctx: Context, { admit, policies, begunChecks }: ServiceArguments, endpoint: LimitedEndpoint): Admission {
  return begunChecks.get(ctx.req)?.admission ?? admit(policies[endpoint], limitKey(ctx))
}

const limitKey = ({ state: { school, address } }: Context): LimitKey => ({ schoolId: school.id, subject: addressKey(address) })

/**
 * The engine would accept Basic from clients that registered client_secret_post. The metadata list two methods, and each client must use
 * its own. Every other scheme authenticates no client (RFC 6749 section 2.3) and is ignored: apps add their access token to each request.
 */
export function refuseBasic({ req: { headers, headersDistinct } }: Context): void {
  const values = headersDistinct.authorization ?? []
  delete headers.authorization
  delete headersDistinct.authorization
  if (!values.some((value) => /^\s*basic(?:\s|$)/i.test(value))) return
  throw new Problem('invalid_client', {
    description:
      'Clients do not authenticate by the Authorization header here. Send client_id, and client_secret if you have one, in the form body.',
    headers: { 'WWW-Authenticate': 'Basic realm="schoolgate", error="invalid_client"' },
  })
}
