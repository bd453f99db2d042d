import type { Context } from 'koa'
import { Problem } from '../../base/problem.ts'
import { type OwnGrant, ownGrants } from '../../identity/accounts/connectedApps.ts'
import { auditEntry } from '../auditEntry.ts'
import type { AccountArguments } from './accountArguments.ts'

const most = 10_000

/** Removes the sessions of an account from the store. The account row has ended them already, so a failure of the store is only logged. */
export async function endEverySession(ctx: Context, { removeSessions, log }: AccountArguments, accountId: string): Promise<void> {
  const { school, requestId } = ctx.state
  await removeSessions(school.id, accountId).catch((error: unknown) => {
    log.warn({ err: error, request_id: requestId }, 'sessions that have ended could not be removed')
  })
}

/** Revokes every grant of an account, including grants that are created meanwhile. Returns how many there were. */
export async function endEveryGrant(ctx: Context, args: AccountArguments, accountId: string): Promise<number> {
  const { school } = ctx.state
  let ended = 0
  for (;;) {
    const grants = await ownGrants(args.databaseOf(school.id).kysely, accountId)
    if (grants.length === 0) return ended
    for (const grant of grants) await endOwnGrant(ctx, args, accountId, grant)
    ended += grants.length
    // No person grants access as fast as this.
    if (ended > most) throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '5' } })
  }
}

export async function endOwnGrant(
  ctx: Context,
  { endGrant, audit }: AccountArguments,
  accountId: string,
  { id, client_id: clientId }: OwnGrant,
): Promise<void> {
  const { school } = ctx.state
  await endGrant(school.id, id)
  await audit(auditEntry(ctx, 'grant.revoked', { account_id: accountId, client_id: clientId, grant_id: id, details: { by: 'person' } }))
}
