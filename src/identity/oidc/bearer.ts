import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { type Caller, callerFrom, type PersonCaller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { Reader } from '../../database/connection/database.ts'
import { scopesOf } from '../accounts/connectedApps.ts'
import type { Grantable } from '../apps/grantable.ts'
import { termsOf } from '../apps/schoolAppRules.ts'
import { loadFacts, type TokenFacts } from '../facts/loadFacts.ts'
import { formerIssuer } from './formerIssuer.ts'
import { type PersonNow, personOf, refuseStopped, stoppedBy, type TokenChecks } from './tokenChecks.ts'
import { hasTags } from './tokenTags.ts'

/** Finds the person of an account. With a grant: only while the grant is neither expired nor revoked and its client is enabled. */
export type FindPerson = (schoolId: string, accountId: string, grantId?: string) => Promise<PersonNow | undefined>

export interface BearerArguments {
  tokenChecks: Pick<TokenChecks, 'check'>
  grantable: Grantable
  /** True if every app has to ask before it does what cannot be undone. */
  mustAskFirst?(): boolean
  /** Path of the resource below the issuer; empty for the issuer itself. A token that is bound to the resource is valid only there. */
  resourcePath?: '/mcp'
  /** The time by which tokens expire, in milliseconds of the epoch. */
  now(): number
}

const bearer = /^Bearer +([A-Za-z0-9\-._~+/]{16,512}=*)$/i

/**
 * Returns the token in the header of the request (RFC 6750 section 2.1), or undefined if there is none.
 * @throws Problem invalid_token if the header does not contain a bearer token
 */
export function presentedToken({ req }: Context): string | undefined {
  if (req.headers.authorization === undefined) return undefined
  const token = bearerToken(req)
  if (token === undefined) throw malformed()
  return token
}

const malformed = (): Problem =>
  new Problem('invalid_token', { description: 'The Authorization header must be: Bearer, a space, and an access token.' })

/** Returns the error of a request whose Authorization header can contain no token of this service: no store is asked about it. */
export function foreignToken(request: IncomingMessage): Problem | undefined {
  if (request.headers.authorization === undefined) return undefined
  const token = bearerToken(request)
  if (token === undefined) return malformed()
  return hasTags(token) ? undefined : new Problem('invalid_token')
}

/** Returns the token in the only Authorization header of a request; undefined if the request has none, several or another header. */
export function bearerToken({ headersDistinct }: IncomingMessage): string | undefined {
  const [value, ...others] = headersDistinct.authorization ?? []
  return value !== undefined && others.length === 0 ? bearer.exec(value)?.[1] : undefined
}

interface AccessTokenPayload {
  exp?: number
  aud?: string
  scope?: string
}

/**
 * Returns the caller of a request to the API. Without a token the caller is anonymous; an invalid token is rejected with a link to the
 * metadata. Each request uses the current grant, client, account and role, so a changed role or a revocation takes effect immediately.
 * @throws Problem invalid_token, or access_denied if the app is paused or not allowed at the school
 */
export function createAuthenticate({
  tokenChecks,
  grantable,
  mustAskFirst,
  resourcePath,
  now,
}: BearerArguments): (ctx: Context) => Promise<Caller> {
  return async (ctx) => {
    const value = presentedToken(ctx)
    if (value === undefined) return { kind: 'anonymous' }
    const { issuer, id: schoolId } = ctx.state.school
    const checked = await tokenChecks.check(schoolId, value)
    const { found } = checked
    if (!found?.grantId || !found.clientId) throw new Problem('invalid_token')
    const { exp, aud, scope = '' }: AccessTokenPayload = JSON.parse(found.payload)
    if (exp === undefined || exp <= Math.floor(now() / 1000)) throw new Problem('invalid_token')
    const resource = `${issuer}${resourcePath ?? ''}`
    if (aud !== undefined && aud !== issuer && aud !== resource) {
      throw new Problem('invalid_token', {
        description: `The access token is bound to ${aud}. Ask for one with resource=${resource} or with no resource.`,
      })
    }
    const person = personOf(checked)
    if (!person) {
      throw new Problem('invalid_token', {
        description: 'The access token was revoked, its access has ended, or the account behind it is no longer active. Get a new token.',
      })
    }
    ctx.state.grantId = found.grantId
    const former = formerIssuer(checked.facts.grant?.payload ?? {}, issuer)
    if (former !== undefined) {
      throw new Problem('invalid_token', {
        description: `The access token was issued at another address of the school: its issuer is ${issuer} now. Read its metadata, and start over there.`,
      })
    }
    refuseStopped(checked, issuer)
    const { grantId, clientId } = found
    return callerOf(checked.facts, { person, scopes: scope.split(' ').filter(Boolean), clientId, grantId }, { grantable, mustAskFirst })
  }
}

type Rules = Pick<BearerArguments, 'grantable'> & { mustAskFirst: BearerArguments['mustAskFirst'] | undefined }

function callerOf(
  { grant, client }: TokenFacts,
  { person, ...token }: { person: PersonNow; scopes: Iterable<string>; clientId: string; grantId: string },
  { grantable, mustAskFirst }: Rules,
): PersonCaller {
  const terms = client && termsOf(client)
  const asksFirst = grant?.asksFirst === true || terms?.asksFirst === true || (mustAskFirst?.() ?? false)
  const isReadOnly = terms?.access === 'staff_read' && person.role !== 'learner'
  const isWatched = terms?.isWatched === true
  return callerFrom(person, { ...token, asksFirst, isReadOnly, isWatched, rules: terms }, grantable(person.role, terms))
}

/**
 * Returns the caller that an app is with everything that its grant allows now; undefined if the grant, the client or the account has ended, or the
 * app is paused or not allowed at the school.
 */
export async function callerOfGrant(
  database: Reader,
  { schoolId, grantId }: { schoolId: string; grantId: string },
  rules: Rules,
): Promise<PersonCaller | undefined> {
  const facts = await loadFacts(database, schoolId, { grantId })
  const { grant } = facts
  const person = personOf({ found: grant, facts })
  if (!grant || !person || stoppedBy({ facts }) !== undefined) return undefined
  return callerOf(facts, { person, scopes: scopesOf(grant.payload), clientId: grant.clientId, grantId }, rules)
}
