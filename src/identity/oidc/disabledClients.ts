import type { Reader } from '../../database/connection/database.ts'
import { storableText } from '../../database/statements/storableText.ts'
import { findAnyClient } from '../../database/tables/clients.ts'

/** Returns true if a client with this id is registered and disabled. Registering again does not enable it. */
export async function isDisabledClient(database: Reader, schoolId: string, clientId: string): Promise<boolean> {
  // PostgreSQL cannot store this text, so no client has it as its id.
  if (storableText(clientId) !== clientId) return false
  const client = await findAnyClient(database, schoolId, clientId)
  return client !== undefined && client.disabled_at !== null
}

export const disabledClientText = (issuer: string): string =>
  `The school has disabled this client. Registering again does not help: ask the school to enable it. ${issuer}/auth.md names the contact.`
