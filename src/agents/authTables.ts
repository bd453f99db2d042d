import type { OAuthConfig } from '../config/oauth.ts'
import type { ScopeEntry } from '../framework/declare/scopeCatalogue.ts'
import { type ProblemCode, problems } from '../lib/problem.ts'
import { code, type Markdown, table } from './markdown.ts'
import type { RateLimit } from './schoolFacts.ts'

interface Refusal {
  error: string
  means: string
  act: string
}

const refusals: readonly Refusal[] = [
  {
    error: 'invalid_token',
    means: 'the token is malformed, unknown, expired, revoked or bound to something else',
    act: 'refresh; if that fails, step 3',
  },
  {
    error: 'insufficient_scope',
    means: 'the token lacks a scope; WWW-Authenticate names all that the call needs',
    act: 'step 3 with the union, see step 9',
  },
  {
    error: 'access_denied',
    means: 'the person may not do this, or you sent no token',
    act: 'without a token: get one; with one: another will not help',
  },
  { error: 'invalid_request', means: 'a parameter is missing, repeated or wrong', act: 'correct what the description names' },
  { error: 'invalid_grant', means: 'the code or refresh token is spent, expired or not yours', act: 'step 3' },
  { error: 'invalid_client', means: 'the client is unknown here, or its secret is wrong', act: 'step 2' },
  { error: 'invalid_scope', means: 'a scope is missing or does not exist', act: 'take names from the table of scopes below' },
  { error: 'invalid_target', means: 'the resource is not one of this service', act: 'leave it out, or take an address of step 6' },
  { error: 'rate_limited', means: 'too many requests', act: 'wait as long as Retry-After says' },
  { error: 'temporarily_unavailable', means: 'the service cannot answer just now', act: 'the same request after Retry-After' },
]

const registrationRefusals: readonly Refusal[] = [
  {
    error: 'invalid_redirect_uri',
    means: 'a redirect URI is not a loopback address',
    act: 'use the form of step 2, or ask for a registered integration',
  },
  { error: 'invalid_client_metadata', means: 'the registration has a wrong value', act: 'correct what the description names' },
]

/** What each refusal means and what to do about it. */
export function errorTable(isOpen: boolean): Markdown {
  return table(
    ['Status', 'Error', 'Means', 'Do'],
    [...refusals, ...(isOpen ? registrationRefusals : [])].map(({ error, means, act }) => [statusOf(error), code(error), means, act]),
  )
}

/** Errors that the engine alone answers are 400 (RFC 6749 section 5.2). */
const statusOf = (error: string): number => (Object.hasOwn(problems, error) ? problems[error as ProblemCode].status : 400)

/** How long what a client holds is good for. */
export function lifetimeTable({ lifetimes, registration, refresh_window_seconds: window }: OAuthConfig): Markdown {
  return table(
    ['What', 'Good for'],
    [
      ['Time to sign in', `${lifetimes.sign_in_minutes} minutes`],
      ['Time to consent after signing in', `${lifetimes.interaction_minutes} minutes`],
      ['Authorization code', `${lifetimes.authorization_code_seconds} seconds, once`],
      ['Authorization code that a person copies', `${lifetimes.handed_over_code_seconds} seconds, once`],
      ['Access token', `${lifetimes.access_token_seconds} seconds`],
      ['ID token', `${lifetimes.id_token_seconds} seconds`],
      ['Refresh token', `${lifetimes.refresh_token_days} days after its last use, once`],
      ['The same refresh request repeated', window > 0 ? `${window} seconds: the same answer again` : 'never: it ends the grant'],
      ['What a person allowed', `${lifetimes.grant_days} days`],
      ['A registration that nobody authorized', `${registration.never_used_days} days`],
      ['A registration without a living grant', `${registration.idle_days} days`],
    ],
  )
}

/** Every limit that is in force. */
export const limitTable = (limits: readonly RateLimit[]): Markdown =>
  table(
    ['Limit', 'Of', 'Requests', 'In'],
    limits.map(({ name, about, requests, window_seconds: seconds }) => [code(name), about, requests, `${seconds} seconds`]),
  )

/** Every scope with what a person reads before allowing it. */
export function scopeTable(scopes: readonly ScopeEntry[]): Markdown {
  const audiences = { learner: 'everybody', lecturer: 'lecturers and staff', admin: 'staff' } as const
  return table(
    ['Scope', 'A client may', 'Of use to'],
    scopes.map(({ name, sentence, from }) => [code(name), sentence, audiences[from]]),
  )
}
