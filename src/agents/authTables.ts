import type { OAuthConfig } from '../config/oauth.ts'
import type { ScopeEntry } from '../framework/declare/scopeCatalogue.ts'
import { type ProblemCode, problems } from '../lib/problem.ts'
import { code, type Markdown, table } from './markdown.ts'
import type { RateLimit } from './schoolFacts.ts'

interface ErrorRow {
  error: string
  meaning: string
  solution: string
}

const errors: readonly ErrorRow[] = [
  {
    error: 'invalid_token',
    meaning: 'the token is malformed, unknown, expired, revoked or bound to something else',
    solution: 'refresh; if that fails, step 3',
  },
  {
    error: 'insufficient_scope',
    meaning: 'the token lacks a scope; WWW-Authenticate names all that the call needs',
    solution: 'step 3 with the union, see step 9',
  },
  {
    error: 'access_denied',
    meaning: 'the person may not do this, or the request has no token',
    solution: 'without a token: get one; with a token: another one does not help',
  },
  { error: 'invalid_request', meaning: 'a parameter is missing, repeated or wrong', solution: 'correct the values in the description' },
  { error: 'invalid_grant', meaning: 'the code or refresh token is used, expired or of another client', solution: 'step 3' },
  { error: 'invalid_client', meaning: 'the client is unknown, or its secret is wrong', solution: 'step 2' },
  { error: 'invalid_scope', meaning: 'a scope is missing or does not exist', solution: 'use names from the table of scopes below' },
  { error: 'invalid_target', meaning: 'the resource is not one of this service', solution: 'leave it out, or use an address of step 6' },
  { error: 'rate_limited', meaning: 'too many requests', solution: 'wait for the seconds in Retry-After' },
  { error: 'temporarily_unavailable', meaning: 'the service is temporarily unavailable', solution: 'repeat the request after Retry-After' },
]

const registrationErrors: readonly ErrorRow[] = [
  {
    error: 'invalid_redirect_uri',
    meaning: 'a redirect URI is not a loopback address',
    solution: 'use the form of step 2, or ask for a registered integration',
  },
  { error: 'invalid_client_metadata', meaning: 'the registration has a wrong value', solution: 'correct the values in the description' },
]

/** Explains each error and its solution. */
export function errorTable(isOpen: boolean): Markdown {
  return table(
    ['Status', 'Error', 'Meaning', 'Solution'],
    [...errors, ...(isOpen ? registrationErrors : [])].map(({ error, meaning, solution }) => [
      statusOf(error),
      code(error),
      meaning,
      solution,
    ]),
  )
}

/** Errors that only the engine returns have status 400 (RFC 6749 section 5.2). */
const statusOf = (error: string): number => (Object.hasOwn(problems, error) ? problems[error as ProblemCode].status : 400)

/** Renders the lifetimes of codes, tokens and grants. */
export function lifetimeTable({ lifetimes, registration, refresh_window_seconds: window }: OAuthConfig): Markdown {
  return table(
    ['Item', 'Valid for'],
    [
      ['Time to sign in', `${lifetimes.sign_in_minutes} minutes`],
      ['Time to consent after signing in', `${lifetimes.interaction_minutes} minutes`],
      ['Authorization code', `${lifetimes.authorization_code_seconds} seconds, once`],
      ['Authorization code that a person copies', `${lifetimes.handed_over_code_seconds} seconds, once`],
      ['Access token', `${lifetimes.access_token_seconds} seconds`],
      ['ID token', `${lifetimes.id_token_seconds} seconds`],
      ['Refresh token', `${lifetimes.refresh_token_days} days after its last use, once`],
      ['The same refresh request repeated', window > 0 ? `${window} seconds: the same response again` : 'never: it revokes the grant'],
      ['Consent of a person', `${lifetimes.grant_days} days`],
      ['A registration that was never authorized', `${registration.never_used_days} days`],
      ['A registration without an active grant', `${registration.idle_days} days`],
    ],
  )
}

/** Renders every current rate limit. */
export const limitTable = (limits: readonly RateLimit[]): Markdown =>
  table(
    ['Limit', 'Applies to', 'Requests', 'Per'],
    limits.map(({ name, about, requests, window_seconds: seconds }) => [code(name), about, requests, `${seconds} seconds`]),
  )

/** Renders every scope with its consent sentence. */
export function scopeTable(scopes: readonly ScopeEntry[]): Markdown {
  const audiences = { learner: 'everybody', lecturer: 'lecturers and staff', admin: 'staff' } as const
  return table(
    ['Scope', 'A client may', 'Useful to'],
    scopes.map(({ name, sentence, from }) => [code(name), sentence, audiences[from]]),
  )
}
