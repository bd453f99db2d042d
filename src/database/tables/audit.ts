import { newId } from '../../base/ids.ts'
import type { Reader } from '../connection/database.ts'
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
  id: entry.id ?? newId(),
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
