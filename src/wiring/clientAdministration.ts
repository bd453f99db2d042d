import { restoreClient } from '../oidc/restoreClient.ts'
import { endClient, type Stores } from '../oidc/stores.ts'
import type { ClientAdministration } from '../pages/account/accountArguments.ts'
import { findAnyClient, noteDisabledBy } from '../store/clients.ts'
import { listGrantsOfClient } from '../store/schoolApps.ts'
import { storableText } from '../store/storableText.ts'

/** Creates what the pages of a school do about its clients, with the rules of the operator's commands. */
export function createClientAdministration(stores: Stores): ClientAdministration {
  return {
    async find(schoolId, id) {
      // PostgreSQL cannot store other texts, so no client has such an id.
      const client = storableText(id) === id ? await findAnyClient(stores.database, schoolId, id) : undefined
      if (!client) return undefined
      const disabledBy = client.disabled_by === 'school' ? 'school' : 'operator'
      return { id, disabledBy: client.disabled_at === null ? undefined : disabledBy }
    },
    grantsOf: (schoolId, grants) => listGrantsOfClient(stores.database, schoolId, grants),
    async disable(schoolId, id) {
      await endClient(stores, schoolId, id)
      await noteDisabledBy(stores.database, { schoolId, id, by: 'school' })
    },
    enable: (schoolId, id) => restoreClient(stores, schoolId, id),
  }
}
