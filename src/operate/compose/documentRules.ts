import { accountPaths } from '../../base/accountPaths.ts'
import { requireOutboundGuard } from '../../base/net/outboundSelfCheck.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import { readAppRules } from '../../identity/apps/schoolAppRules.ts'
import { findAppRules } from '../../identity/apps/storedApps.ts'
import { type DocumentRules, untrustedDocumentReason } from '../../identity/clients/clientDocument.ts'
import { documentRules, offeredApps } from './clients.ts'
import type { Foundation } from './foundation.ts'

/** The rules of a school for client ID metadata documents: those of the operator, and the apps that an owner has allowed. */
export function createDocumentRules({
  runtime,
  databaseOf,
  network,
  log,
  caches,
}: Pick<Foundation, 'runtime' | 'databaseOf' | 'network' | 'log' | 'caches'>) {
  const accepted = caches.create<{ isAccepted: boolean }>('accepted_documents')
  // The guard is checked at the start only where the operator turns documents on: see `requireGuardIfUsed`.
  let guarded: Promise<void> | undefined
  const requireGuard = async (): Promise<void> => {
    guarded ??= requireOutboundGuard(network)
    await guarded.catch((error: unknown) => {
      log.error({ error }, 'client metadata document not loaded')
      throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '60' } })
    })
  }
  const offeredIds = (): string[] => offeredApps(runtime.config.oauth).map(({ clientId }) => clientId)
  const rulesOf = async (school: School): Promise<DocumentRules | undefined> => {
    const offered = offeredIds()
    if (offered.length === 0) return documentRules(runtime.config.oauth)
    const { allowed_apps: allowed } = readAppRules(await findAppRules(databaseOf(school.id).kysely))
    return documentRules(
      runtime.config.oauth,
      offered.filter((id) => allowed.includes(id)),
    )
  }
  return {
    offeredIds,
    rulesOf,
    /** The metadata are served while the database does not respond, with the last known value, or with what the operator accepts. */
    async acceptsDocuments(school: School): Promise<boolean> {
      try {
        const isAccepted = (await rulesOf(school)) !== undefined
        accepted.set(school.id, { isAccepted })
        return isAccepted
      } catch {
        return accepted.get(school.id)?.isAccepted ?? documentRules(runtime.config.oauth) !== undefined
      }
    },
    /** @throws Problem invalid_client for a document that an owner can allow */
    async rulesFor(school: School, clientId: string): Promise<DocumentRules | undefined> {
      const rules = await rulesOf(school)
      if (offeredIds().includes(clientId) && (!rules || untrustedDocumentReason(clientId, rules) !== undefined))
        throw new Problem('invalid_client', {
          description: `An owner of the school can allow this app, and has not done so: ${school.issuer}${accountPaths.schoolAllowedApps}`,
        })
      if (rules?.allowedIds?.includes(clientId)) await requireGuard()
      return rules
    },
  }
}
