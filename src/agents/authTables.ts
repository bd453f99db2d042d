import { type ProblemCode, problems } from '../base/problem.ts'
import type { OAuthConfig } from '../config/oauth.ts'
import type { ScopeEntry } from '../engine/declare/area.ts'
import { code, Markdown, markdown, table } from './markdown.ts'
import type { RateLimit } from './schoolFacts.ts'

const errors: ReadonlyMap<string, string> = new Map([
  ['invalid_token', 'refresh; if that fails, step 2'],
  ['insufficient_scope', 'step 5, with the scopes in WWW-Authenticate'],
  [
    'access_denied',
    'without a token: get one; in a redirect: the person declined; if the app is paused: keep the tokens, and ask the person',
  ],
  ['approval_required', 'give the person the address in details; then repeat'],
  ['invalid_request', 'correct it'],
  ['invalid_grant', 'the code or refresh token is used, expired or of another client, or the access has ended: step 2'],
  ['invalid_client', 'remove the state file; step 2'],
  ['invalid_scope', 'use the names below; at a refresh: none was granted'],
  ['invalid_target', 'leave out the resource'],
])

const registrationErrors: ReadonlyMap<string, string> = new Map([
  ['invalid_redirect_uri', 'use a loopback address: see Without the script'],
  ['invalid_client_metadata', 'correct the registration'],
])

export function errorTable(isOpen: boolean): Markdown {
  return table(
    ['Status', 'Error', 'What to do'],
    [...errors, ...(isOpen ? registrationErrors : [])].map(([error, solution]) => [statusOf(error), code(error), solution]),
  )
}

/** Errors that only the engine returns have status 400 (RFC 6749 section 5.2). */
const statusOf = (error: string): number => (Object.hasOwn(problems, error) ? problems[error as ProblemCode].status : 400)

export function lifetimeTable({ lifetimes, registration }: OAuthConfig): Markdown {
  return table(
    ['Item', 'Valid for'],
    [
      ['Time to sign in', `${lifetimes.sign_in_minutes} minutes`],
      ['Time to consent after signing in', `${lifetimes.interaction_minutes} minutes`],
      ['Authorization code', `${lifetimes.authorization_code_seconds} seconds, once`],
      ['Access token', `${lifetimes.access_token_seconds} seconds`],
      ['ID token', `${lifetimes.id_token_seconds} seconds`],
      ['Refresh token', `${lifetimes.refresh_token_days} days after its last use, once`],
      ['Consent of a person', `${lifetimes.grant_days} days, or as the person chooses`],
      ['A registration that was never authorized', `${registration.never_used_days} days`],
      ['A registration without an active grant', `${registration.idle_days} days`],
    ],
  )
}

/**
 * Limits that concern people who sign in, fill in a form or read pages, resource servers, and clients whose metadata document is invalid. No
 * client that follows the document can exceed them.
 */
const isOfClients = ({ name }: RateLimit): boolean =>
  !/^(?:sign_|second_factor_|password_|message_|notice_|form_|comment_|introspection|bad_|client_document_|page|calendar)/.test(name)

/** Returns the first sentence without its parentheses, and without how requests with a token count, which follows the table. */
const inShort = (about: string): string =>
  about
    .replace(/\.(?: .*)?$/, '')
    .replace(/ \([^()]*\)/g, '')
    .replace(/, per client and person$/, '')

export const limitTable = (limits: readonly RateLimit[]): Markdown =>
  table(
    ['Limit', 'Applies to', 'Requests', 'Seconds'],
    limits.filter(isOfClients).map(({ name, about, requests, window_seconds: seconds }) => [code(name), inShort(about), requests, seconds]),
  )

/** Renders every scope with its consent sentence, and for whom it is useful if that is not everybody. */
export function scopeList(scopes: readonly ScopeEntry[]): Markdown {
  const audiences = { learner: '', lecturer: ' (lecturers, staff)', admin: ' (staff)' } as const
  return markdown`${scopes.map(({ name, sentence, from }) => markdown`- ${new Markdown(name)}: ${sentence + audiences[from]}`)}`
}
