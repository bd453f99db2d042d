import type { Agent } from '../../test/support/agent.ts'
import type { SeededRandom } from '../seededRandom.ts'
import type { Draft } from './apiRequests.ts'
import { encode } from './mutations.ts'
import { nastyTexts, nastyValues } from './nasty.ts'

/** The endpoints that the authorization server's metadata name, as paths. */
export type Endpoints = Readonly<Record<'authorize' | 'token' | 'revoke' | 'introspect' | 'userinfo' | 'register' | 'logout', string>>

export interface OauthSources {
  endpoints: Endpoints
  agent: Agent
  random: SeededRandom
  /** Tokens that exist, which requests may end. */
  tokens: readonly string[]
  metadata: Readonly<Record<string, unknown>>
}

export function endpointsOf(metadata: Readonly<Record<string, unknown>>): Endpoints {
  const at = (name: string): string => new URL(String(metadata[`${name}_endpoint`])).pathname
  return {
    authorize: at('authorization'),
    token: at('token'),
    revoke: at('revocation'),
    introspect: at('introspection'),
    userinfo: at('userinfo'),
    register: at('registration'),
    logout: at('end_session'),
  }
}

/** Returns a request for one of the endpoints: its usual parameters, of which some are left out, repeated or replaced. */
export function oauthRequest(sources: OauthSources): Draft {
  const { endpoints, random } = sources
  const name = random.pick(Object.keys(endpoints) as (keyof Endpoints)[])
  if (name === 'register') return registration(sources)
  const isForm = name === 'token' || name === 'revoke' || name === 'introspect'
  const { pairs, mutations } = changed(parametersOf(name, sources), random)
  const text = pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&')
  const path = endpoints[name]
  const target = `${isForm ? 'POST' : 'GET'} ${path}`
  if (isForm) {
    return {
      target,
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(text),
      mutations,
    }
  }
  return { target, method: 'GET', path: `${path}?${text}`.slice(0, 7500), headers: { accept: 'text/html' }, mutations }
}

type Pair = [string, string]

function parametersOf(name: keyof Endpoints, { agent, random, tokens, metadata }: OauthSources): Pair[] {
  const client: Pair[] = [['client_id', agent.clientId], ...(agent.clientSecret ? [['client_secret', agent.clientSecret] as Pair] : [])]
  const token = tokens.length > 0 ? random.pick(tokens) : 'unknown'
  const scopes = metadata.scopes_supported as readonly string[]
  switch (name) {
    case 'authorize':
      return [
        ...agent.authorizationUrl({
          scope: random
            .shuffled(scopes)
            .slice(0, 1 + random.below(scopes.length))
            .join(' '),
        }).searchParams,
      ]
    case 'token':
      return random.chance(0.5)
        ? [['grant_type', 'refresh_token'], ['refresh_token', 'unknown'], ...client]
        : [
            ['grant_type', 'authorization_code'],
            ['code', 'unknown'],
            ['redirect_uri', agent.redirectUri],
            ['code_verifier', agent.verifier],
            ...client,
          ]
    case 'revoke':
      return [['token', 'unknown'], ...client]
    case 'introspect':
      return [['token', token], ...client]
    case 'logout':
      return [
        ['client_id', agent.clientId],
        ['state', 'a'],
      ]
    default:
      return [['schema', 'openid']]
  }
}

const extra = [
  'prompt',
  'max_age',
  'ui_locales',
  'login_hint',
  'id_token_hint',
  'acr_values',
  'claims',
  'display',
  'nonce',
  'request',
  'request_uri',
  'response_mode',
  'dpop_jkt',
  'client_assertion',
  'client_assertion_type',
  'token_type_hint',
  'resource',
  'audience',
  'actor_token',
  'device_code',
  '__proto__',
  'a[b]',
  '',
]

/** Returns the parameters with up to three changes, and the names of the changes. */
function changed(pairs: Pair[], random: SeededRandom): { pairs: Pair[]; mutations: string[] } {
  const copy = [...pairs]
  const mutations: string[] = []
  for (let count = random.below(4); count > 0; count -= 1) {
    const at = random.below(copy.length)
    const kind = random.pick(['left out', 'repeated', 'replaced', 'added'] as const)
    mutations.push(`a parameter ${kind}`)
    const value = random.pick(nastyTexts).slice(0, 3000)
    if (kind === 'left out') copy.splice(at, 1)
    else if (kind === 'repeated') copy.push(copy[at] ?? ['a', 'b'])
    else if (kind === 'added') copy.push([random.pick(extra), value])
    else copy[at] = [copy[at]?.[0] ?? 'a', value]
    if (copy.length === 0) copy.push(['a', 'b'])
  }
  return { pairs: copy, mutations }
}

function registration({ endpoints, random }: OauthSources): Draft {
  const valid: Record<string, unknown> = {
    client_name: 'Fuzz',
    redirect_uris: ['http://127.0.0.1:53682/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: random.pick(['none', 'client_secret_post']),
    application_type: 'native',
    scope: 'openid school:read',
  }
  const odd = [
    'jwks_uri',
    'logo_uri',
    'software_statement',
    'post_logout_redirect_uris',
    'default_acr_values',
    'contacts',
    'id_token_signed_response_alg',
    'subject_type',
    'sector_identifier_uri',
    '__proto__',
    'client_id',
  ]
  const mutations: string[] = []
  for (let count = random.below(3); count > 0; count -= 1) {
    valid[random.pick([...Object.keys(valid), ...odd])] = random.chance(0.4) ? [random.pick(nastyValues)] : random.pick(nastyValues)
    mutations.push('a metadata value replaced')
  }
  return {
    target: `POST ${endpoints.register}`,
    method: 'POST',
    path: endpoints.register,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(valid)),
    mutations,
  }
}
