import type { Middleware } from 'koa'
import type { Config } from '../config/load.ts'
import { addressKey, type Limiter, type Policy, requireWithin, type Verdict } from '../http/limits.ts'
import type { RequestState } from '../http/state.ts'
import type { Log } from '../lib/log.ts'
import type { LimitedEndpoint } from '../oidc/service.ts'
import type { SignInLimits } from '../pages/pagesArguments.ts'
import { createRateLimits } from '../store/rateLimits.ts'
import type { RedisConnection } from '../store/redis.ts'

export interface Limits {
  limiter: Limiter
  /** Of the authorization server's endpoints, by address. */
  policies: Record<LimitedEndpoint, Policy>
  signIn: SignInLimits
  /** Of the school's API: callers without a token by address, others by token. */
  api: Middleware<RequestState>
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
    async api(ctx, next) {
      if (!ctx.path.startsWith('/api/v1/')) return next()
      const token = ctx.get('authorization')
      const [used, key] = token === '' ? [anonymous, addressKey(ctx.state.address)] : [withToken, token]
      const verdict = await limiter(used, key)
      ctx.set('RateLimit-Policy', `"${used.name}";q=${used.requests};w=${used.windowSeconds}`)
      ctx.set('RateLimit', `"${used.name}";r=${Math.max(0, verdict.remaining)};t=${verdict.resetSeconds}`)
      requireWithin(used, verdict)
      return next()
    },
  }
}
