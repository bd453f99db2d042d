import type { Context } from 'koa'
import type { Caller } from '../../base/caller.ts'
import { type Counted, enforce, type FailureLimit, type Limiter, type Policy, requireWithin } from '../../base/http/rateLimit.ts'
import { type Count, rateLimitHeaders, requireAllWithin } from '../../base/http/rateLimitHeaders.ts'
import type { RequestState } from '../../base/http/requestState.ts'
import type { Log } from '../../base/log/log.ts'
import type { LimitKey } from '../../base/net/limitKey.ts'
import { addressKey, networkKey } from '../../base/net/networkKey.ts'
import type { Caches } from '../../base/process/caches.ts'
import type { Config } from '../../config/load.ts'
import type { FactVersion } from '../../database/facts/fact.ts'
import { createAttemptLimits } from '../../database/redis/attemptLimits.ts'
import { createRateLimits } from '../../database/redis/rateLimits.ts'
import type { RedisConnection } from '../../database/redis/redis.ts'
import type { EmailLimits, ExternalServices } from '../../engine/externalServices.ts'
import type { OperationLimit } from '../../engine/operationLimits.ts'
import type { ApiArguments } from '../../engine/rest/routes.ts'
import type { PasswordGate } from '../../identity/accounts/passwordGate.ts'
import type { LimitedEndpoint } from '../../identity/oidc/endpointHandler.ts'
import type { TokenChecks, TokenHolder } from '../../identity/oidc/tokenChecks.ts'
import type { Artifacts } from '../../identity/tokens/artifacts.ts'
import type { FormLimits } from '../../pages/forms/formPages.ts'
import type { AccountLimits, SignInLimits } from '../../pages/pagesArguments.ts'
import { createSignInLimits } from './signInLimits.ts'

export interface Limits {
  limiter: Limiter
  /** Limits of the authorization server's endpoints, by address. */
  policies: Record<LimitedEndpoint, Policy>
  badCredentials: FailureLimit
  documentFailures: FailureLimit
  signIn: SignInLimits
  account: AccountLimits
  email: EmailLimits
  forms: FormLimits
  /** See ExternalServices. */
  leftOf: ExternalServices['apps']['limitsLeft']
  /** @throws Problem rate_limited if the calendar was read too often */
  countCalendar(schoolId: string, accountId: string): Promise<void>
  /**
   * Counts one request to the school's API. Visitors and callers with an invalid token are counted by address, others by client and person.
   * The limits of the operation are counted as well. Returns no counts if limits are off, and for the service's requests to itself, which
   * decide what its documents contain and have no address of a caller.
   */
  countApi(
    ctx: { state: Pick<RequestState, 'school' | 'address' | 'isOwn'> },
    holder: TokenHolder | undefined,
    operationLimits: readonly OperationLimit[],
    surface?: VisitorSurface,
  ): Promise<Count[]>
}

/** The surface that a caller without a token uses: each has a separate limit, so that one cannot use up another's. */
export type VisitorSurface = 'api' | 'page' | 'mcp'

export interface LimitArguments {
  caches: Caches
  config: Config
  redis?: RedisConnection | undefined
  log: Log
  isLimited: boolean
  passwordGate: PasswordGate
  /** Called for each request that a limit refuses, with the name of the limit. */
  onRefused(policy: string): void
}

/** Creates every rate limit of the service, over one set of buckets. */
export function createLimits({ caches, config, redis, log, isLimited, passwordGate, onRefused }: LimitArguments): Limits {
  const store = {
    caches,
    ...(redis ? { redis: redis.client } : {}),
    prefix: 'sg',
    onError: (error: Error) => log.error({ err: error }, 'Redis unavailable, rate limits are counted per process'),
  }
  const buckets = createRateLimits(store)
  const unlimited = ({ requests, windowSeconds }: Policy) => ({ allowed: true, remaining: requests, resetSeconds: windowSeconds })
  const limiter: Limiter = async (policy, key) => {
    if (!isLimited) return unlimited(policy)
    const verdict = await buckets.consume(policy, key)
    if (!verdict.allowed) onRefused(policy.name)
    return verdict
  }
  const policy = (name: keyof Config['server']['rate_limits']): Policy => {
    const { requests, window_seconds: windowSeconds } = config.server.rate_limits[name]
    return { name, requests, windowSeconds }
  }
  const count = async (name: Parameters<typeof policy>[0], key: LimitKey): Promise<{ allowed: boolean; retryAfterSeconds: number }> => {
    const { allowed, resetSeconds } = await limiter(policy(name), key)
    return { allowed, retryAfterSeconds: resetSeconds }
  }
  const [withToken, guess, ofNetwork] = [policy('default'), policy('guess'), policy('anonymous_per_network')]
  const ofVisitor = { api: policy('anonymous'), page: policy('page'), mcp: policy('mcp') }
  const failureLimit = (name: Parameters<typeof policy>[0]): FailureLimit => {
    const failures = policy(name)
    const keyOf = ({ state: { school, address } }: Counted): LimitKey => ({ schoolId: school.id, subject: addressKey(address) })
    return {
      async check(ctx) {
        if (!isLimited) return
        const verdict = await buckets.peek(failures, keyOf(ctx))
        if (!verdict.allowed) onRefused(failures.name)
        requireWithin(failures, verdict)
      },
      async count(ctx) {
        // A failure is counted after its response was decided: nothing is refused here.
        if (isLimited) await buckets.consume(failures, keyOf(ctx))
      },
    }
  }
  const ofPerson = { write: policy('write'), bulk: policy('bulk'), upload: policy('upload') }
  return {
    limiter,
    policies: {
      registration: policy('registration'),
      authorize: policy('authorize'),
      token: policy('token'),
      introspection: policy('introspection'),
    },
    badCredentials: failureLimit('bad_credentials'),
    documentFailures: failureLimit('client_document_failures'),
    signIn: createSignInLimits({
      attempts: createAttemptLimits(store),
      policies: {
        perAddress: policy('sign_in_per_address'),
        perAccountAndNetwork: policy('sign_in_per_account'),
        perAccount: policy('sign_in_per_account_total'),
        perBrowser: policy('sign_in_per_known_browser'),
        perAccountOfBrowsers: policy('sign_in_per_account_known_browsers'),
        usesPerAccountAndNetwork: policy('password_uses_per_account'),
        usesPerNetwork: policy('password_uses_per_network'),
        perFactor: policy('second_factor_per_account'),
        perFactorAndDay: policy('second_factor_per_account_daily'),
      },
      gate: passwordGate,
      isLimited,
      onRefused,
    }),
    account: {
      signUp: (address) => count('sign_up_per_address', addressKey(address)),
      passwordReset: (address) => count('password_reset_per_address', addressKey(address)),
      message: (schoolId, email) => count('message_per_recipient', { schoolId, subject: email }),
      comment: (schoolId, accountId) => count('comment_per_person', { schoolId, subject: accountId }),
    },
    forms: {
      request: (schoolId, address) => count('form_per_network', { schoolId, subject: networkKey(address) }),
      submission: (schoolId, formId) => count('form_total', { schoolId, subject: formId }),
      isConfirmationAllowed: async (schoolId, { address, email }) =>
        (await count('form_confirmation_per_network', { schoolId, subject: networkKey(address) })).allowed &&
        // Many addresses with a tag (RFC 5233) lead to one mailbox.
        (await count('form_confirmation_per_recipient', { schoolId, subject: email.replace(/\+[^@]*(?=@)/, '') })).allowed,
    },
    leftOf: (schoolId, { clientId, accountId }) =>
      Promise.all(
        (isLimited ? [withToken, ...Object.values(ofPerson)] : []).map(async (own) => {
          const { remaining, resetSeconds } = await buckets.peek(own, { schoolId, subject: `${clientId} ${accountId}` })
          return { name: own.name, requests: own.requests, remaining, resets_in: resetSeconds }
        }),
      ),
    countCalendar: (schoolId, accountId) => enforce(limiter, policy('calendar'), { schoolId, subject: accountId }),
    email: {
      requireRequested: ({ id: schoolId }, email) => enforce(limiter, policy('message_per_recipient'), { schoolId, subject: email }),
      isNoticeAllowed: async ({ id: schoolId }, { account_id: accountId, kind }) =>
        (await count('notice_per_account', { schoolId, subject: `${accountId} ${kind}` })).allowed,
    },
    async countApi({ state: { school, address, isOwn } }, holder, operationLimits, surface = 'api') {
      if (!isLimited || isOwn) return []
      const countUse = async (policy: Policy, key: LimitKey): Promise<Count> => ({ policy, verdict: await limiter(policy, key) })
      const schoolId = school.id
      const byAddress = { schoolId, subject: addressKey(address) }
      const who = holder ? { schoolId, subject: `${holder.clientId} ${holder.accountId}` } : byAddress
      const isGuess = operationLimits.includes('guess')
      return Promise.all([
        countUse(holder ? withToken : ofVisitor[surface], who),
        ...(holder ? [] : [countUse(ofNetwork, { schoolId, subject: networkKey(address) })]),
        ...(holder ? operationLimits.filter((name) => name !== 'guess').map((name) => countUse(ofPerson[name], who)) : []),
        ...(isGuess ? [countUse(guess, byAddress)] : []),
        // Counted by person, not by client: a second client must not allow more attempts.
        ...(isGuess && holder ? [countUse(guess, { schoolId, subject: `person ${holder.accountId}` })] : []),
      ])
    },
  }
}

export interface LimitedArguments extends Pick<TokenChecks, 'holderOf'> {
  limits: Pick<Limits, 'countApi'>
  /** Sends the requests to Redis that `work` makes in one round trip. */
  together: Artifacts['together']
  /** Reads the version that kept responses and texts depend on. */
  contentVersion?: ((schoolId: string) => Promise<FactVersion>) | undefined
  surface?: VisitorSurface
}

/**
 * Identifies the caller, and counts the request even if the token is invalid. The request of a token that this process knows is counted
 * while the token is checked, and that of a visitor while the version of the school's content is read. Sets the headers with the remaining requests.
 * @throws Problem rate_limited
 */
export function limited(
  authenticate: (ctx: Context) => Promise<Caller>,
  { limits: { countApi }, holderOf, together, contentVersion, surface }: LimitedArguments,
): ApiArguments['authenticate'] {
  return async (ctx, operationLimits = []) => {
    const holder = likelyHolder(ctx, holderOf)
    noteCaller(ctx, holder)
    const isVisitor = ctx.req.headers.authorization === undefined
    const [identified, counted] = await together(() => {
      // Every message of MCP reads the catalogue.
      if (ctx.method === 'GET' || ctx.path === '/mcp') ctx.state.contentVersion = contentVersion?.(ctx.state.school.id)
      return Promise.allSettled([authenticate(ctx), holder || isVisitor ? countApi(ctx, holder, operationLimits, surface) : undefined])
    })
    const caller = identified.status === 'fulfilled' ? identified.value : undefined
    const person = caller?.kind === 'person' ? caller : undefined
    noteCaller(ctx, person)
    const isCounted = person?.clientId === holder?.clientId && person?.accountId === holder?.accountId
    const counts = isCounted ? settledValue(counted) : undefined
    const all = counts ?? (await countApi(ctx, person, operationLimits, surface))
    ctx.set(rateLimitHeaders(all))
    requireAllWithin(all)
    return settledValue(identified)
  }
}

function noteCaller({ state }: Context, caller: TokenHolder | undefined): void {
  state.clientId = caller?.clientId
  state.accountId = caller?.accountId
}

/** Returns the holder of the request's token if this process knows it. A malformed header is rejected later. */
function likelyHolder(ctx: Context, holderOf: TokenChecks['holderOf']): TokenHolder | undefined {
  const [value = ''] = ctx.req.headersDistinct.authorization ?? []
  const token = value.replace(/^Bearer +/i, '')
  return token === '' ? undefined : holderOf(ctx.state.school.id, token)
}

function settledValue<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

/** Returns the function that counts a request for a page of visitors. */
export const countPage =
  ({ countApi }: Pick<Limits, 'countApi'>, operationLimits: readonly OperationLimit[] = []) =>
  async (ctx: Context): Promise<void> => {
    const counts = await countApi(ctx, undefined, operationLimits, 'page')
    ctx.set(rateLimitHeaders(counts))
    requireAllWithin(counts)
  }
