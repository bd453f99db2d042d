/**
 * Peers P2 and P3: oidc-provider as its documentation shows it, with a sign-in form (Argon2id) and a consent form, and the features that
 * the service uses. In memory (P2), or on the plain ioredis adapter below (P3) when REDIS_URL is set.
 *
 *   PORT=… [REDIS_URL=…] node engine.js
 */
import { generateKeyPairSync } from 'node:crypto'
import { Redis } from 'ioredis'
import Provider from 'oidc-provider'
import { credentials, hashPassword, verifyPassword } from './password.js'

const { PORT, REDIS_URL } = process.env
const issuer = `http://127.0.0.1:${PORT}`
const redis = REDIS_URL && new Redis(REDIS_URL)
const hash = await hashPassword(credentials.password)
const grantable = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken'])

/** JSON under one key, one MULTI for each upsert: the shape of the adapter in the engine's documentation. */
class RedisAdapter {
  constructor(name) {
    this.name = name
  }

  key(id) {
    return `peer:${this.name}:${id}`
  }

  async upsert(id, payload, expiresIn) {
    const multi = redis.multi()
    multi.set(this.key(id), JSON.stringify(payload), ...(expiresIn ? ['EX', expiresIn] : []))
    if (grantable.has(this.name) && payload.grantId) {
      multi.rpush(`peer:grant:${payload.grantId}`, this.key(id))
      multi.expire(`peer:grant:${payload.grantId}`, 86_400)
    }
    if (payload.uid) multi.set(`peer:uid:${payload.uid}`, id, 'EX', expiresIn ?? 86_400)
    await multi.exec()
  }

  async find(id) {
    const text = await redis.get(this.key(id))
    return text ? JSON.parse(text) : undefined
  }

  async findByUid(uid) {
    const id = await redis.get(`peer:uid:${uid}`)
    return id ? this.find(id) : undefined
  }

  async consume(id) {
    const payload = await this.find(id)
    const left = await redis.ttl(this.key(id))
    payload.consumed = Math.floor(Date.now() / 1000)
    await redis.set(this.key(id), JSON.stringify(payload), 'EX', Math.max(left, 1))
  }

  async destroy(id) {
    await redis.del(this.key(id))
  }

  async revokeByGrantId(grantId) {
    const keys = await redis.lrange(`peer:grant:${grantId}`, 0, -1)
    await redis.del(`peer:grant:${grantId}`, ...keys)
  }
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const provider = new Provider(issuer, {
  ...(redis ? { adapter: RedisAdapter } : {}),
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
  cookies: { keys: ['a key that signs the cookies of a benchmark'] },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
  scopes: ['openid', 'profile', 'email', 'courses:read'],
  claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
  findAccount: async (_ctx, id) => ({
    accountId: id,
    claims: async () => ({ sub: id, name: 'Bench', email: credentials.email, email_verified: true }),
  }),
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    introspection: { enabled: true },
    revocation: { enabled: true },
    rpInitiatedLogout: { enabled: true },
  },
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  ttl: { AccessToken: 3600, AuthorizationCode: 60, Grant: 86_400, IdToken: 3600, Interaction: 600, RefreshToken: 86_400, Session: 86_400 },
})
provider.proxy = true

const page = (title, fields) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1><form method="post">${fields}<button name="decision" value="allow">${title}</button></form></body></html>`

async function readForm(req) {
  let body = ''
  for await (const chunk of req) body += chunk
  return new URLSearchParams(body)
}

provider.use(async (ctx, next) => {
  if (!ctx.path.startsWith('/interaction/')) return next()
  const details = await provider.interactionDetails(ctx.req, ctx.res)
  const { prompt, params } = details
  if (ctx.method === 'GET') {
    ctx.type = 'html'
    ctx.body =
      prompt.name === 'login'
        ? page('Sign in', '<input name="email" type="email"><input name="password" type="password">')
        : page('Allow', `<p>${params.scope}</p>`)
    return
  }
  const form = await readForm(ctx.req)
  if (prompt.name === 'login') {
    if (form.get('email') !== credentials.email || !(await verifyPassword(form.get('password') ?? '', hash))) return ctx.throw(403)
    await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: 'bench' } })
  } else {
    // One authorization, one grant, as in the service: revoking a token of one does not affect the others.
    const grant = new provider.Grant({ accountId: details.session.accountId, clientId: params.client_id })
    grant.addOIDCScope(params.scope)
    await provider.interactionFinished(ctx.req, ctx.res, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true })
  }
  ctx.respond = false
})

provider.listen(Number(PORT), '127.0.0.1')
