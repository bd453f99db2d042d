import { findAnyClient } from '../store/clients.ts'
import type { Sql } from '../store/sql.ts'
import { storableText } from '../store/storableText.ts'

/** Whether a client with this id is registered and disabled. Registering again does not help it. */
export async function isDisabledClient(sql: Sql, schoolId: string, clientId: string): Promise<boolean> {
  // The database would fail on a text that it cannot hold. No client has it as its id.
  if (storableText(clientId) !== clientId) return false
  const client = await findAnyClient(sql, schoolId, clientId)
  return client !== undefined && client.disabled_at !== null
}

/** What a disabled client is told. */
export const disabledClientText = (issuer: string): string =>
  `The school has disabled this client. Registering again does not help: ask the school to enable it. ${issuer}/auth.md names the contact.`
