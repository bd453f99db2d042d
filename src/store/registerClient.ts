import type { AuditEntry } from './audit.ts'
import { naturalBatches } from './naturalBatches.ts'
import { auditParameter, insertAudit } from './recordAuditTogether.ts'
import type { Sql } from './sql.ts'
import { storableJson } from './storableText.ts'

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
