import type { OAuthConfig } from '../config/oauth.ts'
import type { ScopeEntry } from '../framework/declare/scopeCatalogue.ts'
import { type ProblemCode, problems } from '../lib/problem.ts'
import { code, Markdown, markdown, table } from './markdown.ts'
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
    solution: 'refresh; if that fails, step 2',
  },
  { error: 'insufficient_scope', meaning: 'the token lacks a scope', solution: 'step 5, with the scopes in WWW-Authenticate' },
  {
    error: 'access_denied',
    meaning: 'the person may not do this, or there is no token; in a redirect: the person declined',
    solution: 'get a token if there is none',
  },
  { error: 'invalid_request', meaning: 'a parameter is missing, repeated or wrong', solution: 'correct it' },
  { error: 'invalid_grant', meaning: 'the code or refresh token is used, expired or of another client', solution: 'step 2' },
  { error: 'invalid_client', meaning: 'the client is unknown, or its secret is wrong', solution: 'remove the state file; step 2' },
  {
    error: 'invalid_scope',
    meaning: 'a scope is missing or does not exist; at a refresh: none was granted',
    solution: 'use the names below',
  },
  { error: 'invalid_target', meaning: 'the resource is not one of this service, or there are several', solution: 'leave it out' },
  { error: 'unsupported_grant_type', meaning: 'the service does not support the grant type', solution: 'see The requests' },
  { error: 'rate_limited', meaning: 'too many requests', solution: 'wait for the seconds in Retry-After' },
  { error: 'temporarily_unavailable', meaning: 'the service is temporarily unavailable', solution: 'repeat after Retry-After' },
]

const registrationErrors: readonly ErrorRow[] = [
  { error: 'invalid_redirect_uri', meaning: 'a redirect URI is not a loopback address', solution: 'see The requests' },
  { error: 'invalid_client_metadata', meaning: 'the registration has a wrong value', solution: 'correct it' },
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

/** Limits that concern people who sign in or fill in a form, and resource servers. No client can exceed them. */
const isOfClients = ({ name }: RateLimit): boolean =>
  !/^(?:sign_|second_factor_|password_|message_|notice_|form_|introspection|bad_)/.test(name)

/** Renders the current rate limits of clients. */
export const limitTable = (limits: readonly RateLimit[]): Markdown =>
  table(
    ['Limit', 'Applies to', 'Requests', 'Per'],
    limits
      .filter(isOfClients)
      .map(({ name, about, requests, window_seconds: seconds }) => [code(name), about, requests, `${seconds} seconds`]),
  )

/** Renders every scope with its consent sentence, and for whom it is useful if that is not everybody. */
export function scopeList(scopes: readonly ScopeEntry[]): Markdown {
  const audiences = { learner: '', lecturer: ' (lecturers and staff)', admin: ' (staff)' } as const
  return markdown`${scopes.map(({ name, sentence, from }) => markdown`- ${new Markdown(name)}: ${sentence}${audiences[from]}`)}`
}
