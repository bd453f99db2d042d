import { newId } from '../../base/ids.ts'
import type { Sql } from '../connection/sql.ts'
import { naturalBatches } from '../statements/naturalBatches.ts'
import { storableJson } from '../statements/storableText.ts'
import type { AuditEntry } from './audit.ts'

/**
 * Returns the statement that writes audit entries of any schools. The parameter with this number has them. It is in a subquery, so that PostgreSQL
 * cannot see its size and keeps one plan.
 */
export const insertAudit = (parameter: number): string => `
  INSERT INTO audit_log (school_id, id, event, account_id, client_id, grant_id, request_id, address, details)
  SELECT school_id, id, event, account_id, client_id, grant_id, request_id, address, details
    FROM jsonb_to_recordset((SELECT $${parameter}::jsonb))
      AS l (school_id uuid, id uuid, event text, account_id text, client_id text, grant_id text, request_id text, address text, details jsonb)`

/** Returns entries as the parameter of `insertAudit`. */
export const auditParameter = (entries: readonly AuditEntry[]): string =>
  storableJson(entries.map((entry) => ({ ...entry, id: entry.id ?? newId(), details: entry.details ?? {} })))

/** Returns a function that writes audit entries outside of a transaction, those of concurrent requests in one statement. */
export function auditWriter(sql: Sql): (entries: readonly AuditEntry[]) => Promise<void> {
  const write = async (entries: readonly AuditEntry[]): Promise<true> => {
    await sql.query(insertAudit(1), [auditParameter(entries)], 'audit_record')
    return true
  }
  const written = naturalBatches<readonly AuditEntry[], true>({
    alone: write,
    async together(lists) {
      const done = await write(lists.flat())
      return lists.map(() => done)
    },
  })
  return async (entries) => {
    if (entries.length > 0) await written(entries)
  }
}
