import type { Sql } from '../../database/connection/sql.ts'
import { naturalBatches } from '../../database/statements/naturalBatches.ts'
import { storableJson } from '../../database/statements/storableText.ts'
import { type AuditEntry, auditParameter, insertAudit } from '../../database/tables/audit.ts'

/** A client that registered itself, and its audit entries. Its `client_secret`, if any, must be a hash. */
export interface Registration {
  schoolId: string
  id: string
  metadata: object
  audit: readonly AuditEntry[]
}

export type RegisterClient = (registration: Registration) => Promise<void>

/** Returns the function that stores registrations, concurrent ones in one statement. */
export function clientRegistration(sql: Sql): RegisterClient {
  const register = async (registrations: readonly Registration[]): Promise<true[]> => {
    const clients = registrations.map(({ schoolId, id, metadata }) => ({ school_id: schoolId, id, metadata }))
    await sql.query(statement, [storableJson(clients), auditParameter(registrations.flatMap(({ audit }) => audit))], 'clients_register')
    return registrations.map(() => true)
  }
  const registered = naturalBatches<Registration, true>({
    alone: (registration) => register([registration]).then(() => true),
    together: register,
  })
  return async (registration) => void (await registered(registration))
}

const statement = `
  WITH registered AS (
    INSERT INTO oidc_client (school_id, id, registered_via, metadata)
    SELECT school_id, id, 'self', metadata FROM jsonb_to_recordset((SELECT $1::jsonb)) AS c (school_id uuid, id text, metadata jsonb)
  )${insertAudit(2)}`
