import { Problem } from '../../base/problem.ts'
import { type OwnGrant, ownGrants } from '../../identity/accounts/connectedApps.ts'
import { endGrant } from '../../identity/oidc/stores.ts'
import type { AccountRequest } from './ownPage.ts'

const most = 10_000

/** Removes the sessions of an account from the store. The account row has ended them already, so a failure of the store is only logged. */
export async function endEverySession({ ctx, services, school, accountId }: AccountRequest): Promise<void> {
  await services.stores.ephemeral.destroyOfAccount(school.id, 'Session', accountId).catch((error: unknown) => {
    services.log.warn({ err: error, request_id: ctx.state.requestId }, 'sessions that have ended could not be removed')
  })
}

/** Revokes every grant of an account, including grants that are created meanwhile. */
export async function endEveryGrant(request: AccountRequest): Promise<void> {
  let ended = 0
  for (;;) {
    const grants = await ownGrants(request.reader, request.accountId)
    if (grants.length === 0) return
    for (const grant of grants) await endOwnGrant(request, grant)
    ended += grants.length
    // No person grants access as fast as this.
    if (ended > most) throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '5' } })
  }
}

export async function endOwnGrant({ services, school, audit }: AccountRequest, { id, client_id }: OwnGrant): Promise<void> {
  await endGrant(services.stores, { schoolId: school.id, grantId: id })
  await audit('grant.revoked', { client_id, grant_id: id, details: { by: 'person' } })
}
