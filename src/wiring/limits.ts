import type { Context } from 'koa'
import type { Config } from '../config/load.ts'
import { addressKey, type Limiter, type Policy, requireWithin, type Verdict } from '../http/limits.ts'
import type { Log } from '../lib/log.ts'
import type { LimitedEndpoint } from '../oidc/endpoint.ts'
import type { AccountLimits } from '../pages/account/accountArguments.ts'
import type { SignInLimits } from '../pages/pagesArguments.ts'
import type { Caller } from '../policy/caller.ts'
import { createRateLimits } from '../store/rateLimits.ts'
import type { RedisConnection } from '../store/redis.ts'

export interface Limits {
  limiter: Limiter
  /** Of the authorization server's endpoints, by address. */
  policies: Record<LimitedEndpoint, Policy>
  signIn: SignInLimits
  account: AccountLimits
  /**
   * Of the school's API: counts one request of this caller, and says on the answer what is left.
   * Visitors, and whoever presents a token that is none, are counted by address; others by client and person.
   * @throws Problem rate_limited
   */
  api(ctx: Context, caller: Caller | undefined): Promise<void>
}

export interface LimitArguments {
  config: Config
  redis?: RedisConnection | undefined
  log: Log
  isLimited: boolean
}

/** Every rate limit of the service, over one set of buckets. */
export function createLimits({ config, redis, log, isLimited }: LimitArguments): Limits {
  const buckets = createRateLimits({
    ...(redis ? { redis: redis.client } : {}),
    prefix: 'sg',
    onError: (error) => log.error({ err: error }, 'rate limits are counted by this process alone: Redis does not answer'),
  })
  const open: Verdict = { allowed: true, remaining: 1, resetSeconds: 1 }
  const limiter: Limiter = (policy, key) => (isLimited ? buckets.consume(policy, key) : Promise.resolve(open))
  const policy = (name: keyof Config['server']['rate_limits']): Policy => {
    const { requests, window_seconds: windowSeconds } = config.server.rate_limits[name]
    return { name, requests, windowSeconds }
  }
  const count = async (name: Parameters<typeof policy>[0], key: string): Promise<{ allowed: boolean; retryAfterSeconds: number }> => {
    const { allowed, resetSeconds } = await limiter(policy(name), key)
    return { allowed, retryAfterSeconds: resetSeconds }
  }
  const [anonymous, withToken] = [policy('anonymous'), policy('default')]
  return {
    limiter,
    policies: { registration: policy('registration'), token: policy('token'), introspection: policy('introspection') },
    signIn: {
      perAccount: (schoolId, email) => count('sign_in_per_account', `${schoolId} ${email}`),
      perAddress: (address) => count('sign_in_per_address', addressKey(address)),
      succeeded: (schoolId, email) => buckets.reset(policy('sign_in_per_account'), `${schoolId} ${email}`),
    },
    account: {
      signUp: (address) => count('sign_up_per_address', addressKey(address)),
      passwordReset: (address) => count('password_reset_per_address', addressKey(address)),
      message: (schoolId, email) => count('message_per_recipient', `${schoolId} ${email}`),
    },
    async api(ctx, caller) {
      const isPerson = caller?.kind === 'person'
      const used = isPerson ? withToken : anonymous
      const who = isPerson ? `${caller.clientId} ${caller.accountId}` : addressKey(ctx.state.address)
      const verdict = await limiter(used, `${ctx.state.school.id} ${who}`)
      ctx.set('RateLimit-Policy', `"${used.name}";q=${used.requests};w=${used.windowSeconds}`)
      ctx.set('RateLimit', `"${used.name}";r=${Math.max(0, verdict.remaining)};t=${verdict.resetSeconds}`)
      requireWithin(used, verdict)
    },
  }
}

/** Finds out who calls, and counts the request: also where the token turns out to be none. */
export function limited(authenticate: (ctx: Context) => Promise<Caller>, { api }: Limits): (ctx: Context) => Promise<Caller> {
  return async (ctx) => {
    let caller: Caller | undefined
    try {
      caller = await authenticate(ctx)
    } finally {
      await api(ctx, caller)
    }
    return caller
  }
}
