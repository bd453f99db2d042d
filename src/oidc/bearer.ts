import type { Context } from 'koa'
import { Problem } from '../lib/problem.ts'
import { type Caller, callerFrom, type Role } from '../policy/caller.ts'
import { accountIdOf } from './claims.ts'
import type { SchoolRuntime } from './runtimes.ts'

/** What the database says of a person now. */
export interface PersonNow {
  accountId: string
  personId: string | null
  lecturerId: string | null
  role: Role
}

/** Finds the person behind an account. With a grant: only while that grant is neither expired nor revoked, and its client is enabled. */
export type FindPerson = (schoolId: string, accountId: string, grantId?: string) => Promise<PersonNow | undefined>

export interface BearerArguments {
  runtime(ctx: Context): Promise<SchoolRuntime>
  findPerson: FindPerson
  /** Scopes that a role may lend now. */
  grantable(role: Role): ReadonlySet<string>
  /** Where below the issuer the resource stands, if not there. A token that is bound to it is good there and nowhere else. */
  resourcePath?: '/mcp'
}

const bearer = /^Bearer ([A-Za-z0-9\-._~+/]{16,512}=*)$/i

/**
 * The token that the request presents (RFC 6750 section 2.1), or undefined where it presents nothing.
 * A token in the address or the body is not looked at.
 * @throws Problem invalid_token where something was presented that is no bearer token
 */
export function presentedToken(ctx: Context): string | undefined {
  const values = ctx.req.headersDistinct.authorization ?? []
  if (values.length === 0) return undefined
  const token = values.length === 1 ? bearer.exec(values[0] as string)?.[1] : undefined
  if (token === undefined) {
    throw new Problem('invalid_token', { description: 'The Authorization header must be: Bearer, one space, and an access token.' })
  }
  return token
}

/**
 * Who is calling a resource of the school. No token is the anonymous caller; a bad one is refused with the pointer to the metadata.
 * The person's role and the token's grant are read now, in one query: a demotion or a revocation takes effect immediately.
 * @throws Problem invalid_token
 */
export function createAuthenticate({ runtime, findPerson, grantable, resourcePath }: BearerArguments): (ctx: Context) => Promise<Caller> {
  return async (ctx) => {
    const value = presentedToken(ctx)
    if (value === undefined) return { kind: 'anonymous' }
    const { issuer, id: schoolId } = ctx.state.school
    const { provider } = await runtime(ctx)
    const token = await provider.AccessToken.find(value)
    if (!token?.isValid || !token.grantId || !token.clientId) throw new Problem('invalid_token')
    const resource = `${issuer}${resourcePath ?? ''}`
    if (token.aud !== undefined && token.aud !== issuer && token.aud !== resource) {
      throw new Problem('invalid_token', {
        description: `The access token is bound to ${token.aud}. Ask for one with resource=${resource} or with no resource.`,
      })
    }
    const accountId = accountIdOf(token.accountId)
    const person = accountId === undefined ? undefined : await findPerson(schoolId, accountId, token.grantId)
    if (!person) {
      throw new Problem('invalid_token', {
        description: 'The access token was revoked, or the account behind it is no longer active. Get a new token.',
      })
    }
    const { clientId, grantId, scope = '' } = token
    return callerFrom(person, { scopes: scope.split(' ').filter(Boolean), clientId, grantId }, grantable(person.role))
  }
}
