import { recordAudit } from '../../database/tables/audit.ts'
import { listDocumentClients, noteDisabledBy } from '../../database/tables/clients.ts'
import { type DocumentRules, untrustedDocumentReason } from '../clients/clientDocument.ts'
import { restoreClient } from './restoreClient.ts'
import { endClient, type Stores } from './stores.ts'

/**
 * Disables the clients whose documents the operator no longer accepts, and revokes their tokens; enables those that are accepted again. A
 * client that an operator disabled stays disabled. `rules` is undefined if documents are turned off.
 */
export async function syncDocumentClients(stores: Stores, schoolIds: readonly string[], rules: DocumentRules | undefined): Promise<void> {
  const { database } = stores
  const clients = await listDocumentClients(database, schoolIds)
  for (const { school_id: schoolId, id, disabled_at: disabledAt, disabled_by: disabledBy } of clients) {
    const isAccepted = rules !== undefined && untrustedDocumentReason(id, rules) === undefined
    if (!isAccepted && disabledAt === null) {
      await endClient(stores, schoolId, id)
      await noteDisabledBy(database, { schoolId, id, by: 'file' })
      await recordAudit(database, [{ school_id: schoolId, event: 'client.disabled_by_file', client_id: id }])
    }
    if (isAccepted && disabledBy === 'file') await restoreClient(stores, schoolId, id)
  }
}
