import { newEntryId } from '../../base/ids.ts'
import type { Reader } from '../connection/database.ts'
import type { Sql } from '../connection/sql.ts'
import { naturalBatches } from '../statements/naturalBatches.ts'
import { storableJson, storableText } from '../statements/storableText.ts'
import type { AuditEvent } from './auditEvents.ts'

/** One thing that happened. Members are named as the columns of `audit_log`. */
export interface AuditEntry {
  /** Default: a new one. */
  id?: string | undefined
  school_id: string
  /** `area.what_happened`, such as `grant.revoked`. */
  event: AuditEvent
  account_id?: string | undefined
  client_id?: string | undefined
  grant_id?: string | undefined
  request_id?: string | undefined
  /** The caller's address, in the form that the operator allows to be stored. */
  address?: string | undefined
  details?: Record<string, unknown> | undefined
}

/**
 * Writes audit entries in one statement. Inside a transaction pass its handle: the entries are then stored exactly if the change is.
 *
 * Nothing is filtered here. Never pass a token, code, secret, cookie or password, nor a hash that gives access:
 * many people read the log, and it is kept.
 */
export async function recordAudit(db: Reader, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  await db.insertInto('audit_log').values(entries.map(auditRow)).execute()
}

/** Returns the columns of an entry, for a statement that writes it together with a change. */
export const auditRow = (entry: AuditEntry) => ({
  id: entry.id ?? newEntryId(),
  school_id: entry.school_id,
  event: storableText(entry.event),
  account_id: storable(entry.account_id),
  client_id: storable(entry.client_id),
  grant_id: storable(entry.grant_id),
  request_id: storable(entry.request_id),
  address: storable(entry.address),
  details: storableJson(entry.details ?? {}),
})

/** Makes a caller's text storable: none may prevent the entry from being written. */
function storable(text: string | undefined): string | null {
  return text === undefined ? null : storableText(text)
}

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
  storableJson(entries.map((entry) => ({ ...entry, id: entry.id ?? newEntryId(), details: entry.details ?? {} })))

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
