import { newId } from '../lib/ids.ts'
import { type Handle, rawSql } from './rawSql.ts'
import { storableJson, storableText } from './storableText.ts'

/** One thing that happened. Members are named as the columns of `audit_log`. */
export interface AuditEntry {
  school_id: string
  /** `area.what_happened`, such as `grant.revoked`. */
  event: string
  account_id?: string | undefined
  client_id?: string | undefined
  grant_id?: string | undefined
  request_id?: string | undefined
  /** Of the caller, in the form in which the operator lets addresses be kept. */
  address?: string | undefined
  details?: Record<string, unknown> | undefined
}

/**
 * Writes what happened, in one statement. Inside a transaction hand in its `sql`: the entry then stands exactly if the change does.
 *
 * Nothing is filtered here. Never hand in a token, code, secret, cookie or password, nor a hash that opens something:
 * the log is kept for ever and read by many.
 */
export async function recordAudit(sql: Handle, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  await rawSql(sql).query(
    `INSERT INTO audit_log (id, school_id, event, account_id, client_id, grant_id, request_id, address, details)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[])`,
    [
      entries.map(() => newId()),
      ...texts.map((member) => entries.map((entry) => storable(entry[member]))),
      entries.map((entry) => storableJson(entry.details ?? {})),
    ],
    'audit_record',
  )
}

const texts = ['school_id', 'event', 'account_id', 'client_id', 'grant_id', 'request_id', 'address'] as const

/** Callers choose some of these texts: none may keep the entry from being written. */
function storable(text: string | undefined): string | null {
  return text === undefined ? null : storableText(text)
}
