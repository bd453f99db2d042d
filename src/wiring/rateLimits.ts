import type { Context } from 'koa'
import type { ApiArguments } from '../api/routes.ts'
import type { Config } from '../config/load.ts'
import type { OperationLimit } from '../framework/operationLimits.ts'
import { addressKey, type FailureLimit, type Limiter, type Policy, requireWithin } from '../http/rateLimit.ts'
import { type Count, rateLimitHeaders, requireAllWithin } from '../http/rateLimitHeaders.ts'
import type { Log } from '../lib/log.ts'
import type { LimitedEndpoint } from '../oidc/endpointHandler.ts'
import type { AccountLimits } from '../pages/account/accountArguments.ts'
import type { SignInLimits } from '../pages/pagesArguments.ts'
import type { Caller } from '../policy/caller.ts'
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
   * Counts one request of this caller to the school's API, and sets the headers with the remaining requests. Visitors and callers with an
   * invalid token are counted by address, others by client and person. The limits of the operation are counted as well.
   * @throws Problem rate_limited
   */
  api(ctx: Context, caller: Caller | undefined, operationLimits?: readonly OperationLimit[]): Promise<void>
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
    async api(ctx, caller, operationLimits = []) {
      const { school, address } = ctx.state
      const isPerson = caller?.kind === 'person'
      const byAddress = `${school.id} ${addressKey(address)}`
      const who = isPerson ? `${school.id} ${caller.clientId} ${caller.accountId}` : byAddress
      const isGuess = operationLimits.includes('guess')
      const counts = await Promise.all([
        countUse(isPerson ? withToken : anonymous, who),
        ...(isPerson ? operationLimits.filter((name) => name !== 'guess').map((name) => countUse(ofPerson[name], who)) : []),
        ...(isGuess ? [countUse(guess, byAddress)] : []),
        // Counted by person, not by client: a second client must not allow more attempts.
        ...(isGuess && isPerson ? [countUse(guess, `${school.id} person ${caller.accountId}`)] : []),
      ])
      ctx.set(rateLimitHeaders(counts))
      requireAllWithin(counts)
    },
  }
}

/** Identifies the caller, and counts the request even if the token is invalid. */
export function limited(authenticate: (ctx: Context) => Promise<Caller>, { api }: Limits): ApiArguments['authenticate'] {
  return async (ctx, operationLimits) => {
    let caller: Caller | undefined
    try {
      caller = await authenticate(ctx)
    } finally {
      await api(ctx, caller, operationLimits)
    }
    return caller
  }
}
