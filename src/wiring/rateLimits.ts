import type { Context } from 'koa'
import type { ApiArguments } from '../api/routes.ts'
import type { Config } from '../config/load.ts'
import type { OperationLimit } from '../framework/operationLimits.ts'
import { addressKey, type FailureLimit, type Limiter, type Policy, requireWithin } from '../http/rateLimit.ts'
import { type Count, rateLimitHeaders, requireAllWithin } from '../http/rateLimitHeaders.ts'
import type { Log } from '../lib/log.ts'
import type { LimitedEndpoint } from '../oidc/endpointHandler.ts'
import type { TokenChecks, TokenHolder } from '../oidc/tokenChecks.ts'
import type { AccountLimits } from '../pages/account/accountArguments.ts'
import type { SignInLimits } from '../pages/pagesArguments.ts'
import type { Caller } from '../policy/caller.ts'
import type { Artifacts } from '../store/artifacts.ts'
import { createAttemptLimits } from '../store/attemptLimits.ts'
import { createRateLimits } from '../store/rateLimits.ts'
import type { RedisConnection } from '../store/redis.ts'
import { createSignInLimits } from './signInLimits.ts'

export interface Limits {
  limiter: Limiter
  /** Limits of the authorization server's endpoints, by address. */
  policies: Record<LimitedEndpoint, Policy>
  badCredentials: FailureLimit
  signIn: SignInLimits
  account: AccountLimits
  /**
   * Counts one request to the school's API. Visitors and callers with an invalid token are counted by address, others by client and person.
   * The limits of the operation are counted as well.
   */
  countApi(ctx: Context, holder: TokenHolder | undefined, operationLimits: readonly OperationLimit[]): Promise<[Count, ...Count[]]>
}

export interface LimitArguments {
  config: Config
  redis?: RedisConnection | undefined
  log: Log
  isLimited: boolean
}

/** Creates every rate limit of the service, over one set of buckets. */
export function createLimits({ config, redis, log, isLimited }: LimitArguments): Limits {
  const store = {
    ...(redis ? { redis: redis.client } : {}),
    prefix: 'sg',
    onError: (error: Error) => log.error({ err: error }, 'Redis unavailable, rate limits are counted per process'),
  }
  const buckets = createRateLimits(store)
  const limiter: Limiter = async (policy, key) =>
    isLimited ? await buckets.consume(policy, key) : { allowed: true, remaining: policy.requests, resetSeconds: policy.windowSeconds }
  const policy = (name: keyof Config['server']['rate_limits']): Policy => {
    const { requests, window_seconds: windowSeconds } = config.server.rate_limits[name]
    return { name, requests, windowSeconds }
  }
  const count = async (name: Parameters<typeof policy>[0], key: string): Promise<{ allowed: boolean; retryAfterSeconds: number }> => {
    const { allowed, resetSeconds } = await limiter(policy(name), key)
    return { allowed, retryAfterSeconds: resetSeconds }
  }
  const countUse = async (policy: Policy, key: string): Promise<Count> => ({ policy, verdict: await limiter(policy, key) })
  const [anonymous, withToken, guess] = [policy('anonymous'), policy('default'), policy('guess')]
  const badCredentials = policy('bad_credentials')
  const ofPerson = { write: policy('write'), bulk: policy('bulk'), upload: policy('upload') }
  return {
    limiter,
    policies: {
      registration: policy('registration'),
      authorize: policy('authorize'),
      token: policy('token'),
      introspection: policy('introspection'),
    },
    badCredentials: {
      async check({ state: { school, address } }) {
        if (isLimited) requireWithin(badCredentials, await buckets.look(badCredentials, `${school.id} ${addressKey(address)}`))
      },
      async count({ state: { school, address } }) {
        await limiter(badCredentials, `${school.id} ${addressKey(address)}`)
      },
    },
    signIn: createSignInLimits({
      attempts: createAttemptLimits(store),
      policies: {
        perAddress: policy('sign_in_per_address'),
        perAccountAndNetwork: policy('sign_in_per_account'),
        perAccount: policy('sign_in_per_account_total'),
        perBrowser: policy('sign_in_per_known_browser'),
      },
      isLimited,
    }),
    account: {
      signUp: (address) => count('sign_up_per_address', addressKey(address)),
      passwordReset: (address) => count('password_reset_per_address', addressKey(address)),
      message: (schoolId, email) => count('message_per_recipient', `${schoolId} ${email}`),
    },
    countApi({ state: { school, address } }, holder, operationLimits) {
      const byAddress = `${school.id} ${addressKey(address)}`
      const who = holder ? `${school.id} ${holder.clientId} ${holder.accountId}` : byAddress
      const isGuess = operationLimits.includes('guess')
      return Promise.all([
        countUse(holder ? withToken : anonymous, who),
        ...(holder ? operationLimits.filter((name) => name !== 'guess').map((name) => countUse(ofPerson[name], who)) : []),
        ...(isGuess ? [countUse(guess, byAddress)] : []),
        // Counted by person, not by client: a second client must not allow more attempts.
        ...(isGuess && holder ? [countUse(guess, `${school.id} person ${holder.accountId}`)] : []),
      ])
    },
  }
}

export interface LimitedArguments extends Pick<TokenChecks, 'holderOf'> {
  limits: Pick<Limits, 'countApi'>
  /** Sends the requests to Redis that `work` makes in one round trip. */
  together: Artifacts['together']
}

/**
 * Identifies the caller, and counts the request even if the token is invalid. The request of a token that this process knows is counted
 * while the token is checked. Sets the headers with the remaining requests.
 * @throws Problem rate_limited
 */
export function limited(
  authenticate: (ctx: Context) => Promise<Caller>,
  { limits: { countApi }, holderOf, together }: LimitedArguments,
): ApiArguments['authenticate'] {
  return async (ctx, operationLimits = []) => {
    const holder = likelyHolder(ctx, holderOf)
    const [identified, counted] = await together(() =>
      Promise.allSettled([authenticate(ctx), holder ? countApi(ctx, holder, operationLimits) : undefined]),
    )
    const caller = identified.status === 'fulfilled' ? identified.value : undefined
    const person = caller?.kind === 'person' ? caller : undefined
    const isCounted = person !== undefined && person.clientId === holder?.clientId && person.accountId === holder.accountId
    const counts = isCounted ? settledValue(counted) : undefined
    const all = counts ?? (await countApi(ctx, person, operationLimits))
    ctx.set(rateLimitHeaders(all))
    requireAllWithin(all)
    return settledValue(identified)
  }
}

/** Returns the holder of the request's token if this process knows it. A malformed header is rejected later. */
function likelyHolder(ctx: Context, holderOf: TokenChecks['holderOf']): TokenHolder | undefined {
  const [value = ''] = ctx.req.headersDistinct.authorization ?? []
  const token = value.slice('Bearer '.length)
  return token === '' ? undefined : holderOf(ctx.state.school.id, token)
}

function settledValue<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}
