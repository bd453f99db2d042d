import { type Handle, rawSql } from './rawSql.ts'
import { storableJson } from './storableText.ts'

/** What a mailed link does. One made for one purpose is nothing for another. */
export type MailedLinkPurpose = 'sign_up' | 'password_reset' | 'email_change'

/** Names one link: `id` is the hash of what the link carries. */
export interface MailedLinkKey {
  schoolId: string
  purpose: MailedLinkPurpose
  id: string
}

export interface MailedLink {
  email: string
  account_id: string | null
  payload: Record<string, unknown>
}

export async function saveMailedLink(
  sql: Handle,
  link: MailedLinkKey & { email: string; accountId?: string | undefined; payload?: object; expiresInSeconds: number },
): Promise<void> {
  await rawSql(sql).query(
    `INSERT INTO mailed_link (school_id, id, purpose, email, account_id, payload, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6::jsonb, now() + make_interval(secs => $7))`,
    [link.schoolId, link.id, link.purpose, link.email, link.accountId ?? null, storableJson(link.payload ?? {}), link.expiresInSeconds],
  )
}

/** The link, unless it was used or has expired. */
export async function findMailedLink(sql: Handle, { schoolId, purpose, id }: MailedLinkKey): Promise<MailedLink | undefined> {
  const [link] = await rawSql(sql).query<MailedLink>(
    `SELECT email, account_id, payload FROM mailed_link
      WHERE school_id = $1 AND id = $2 AND purpose = $3 AND used_at IS NULL AND expires_at > now()`,
    [schoolId, id, purpose],
  )
  return link
}

/** Compare-and-set: the link for one caller at most, ever. */
export async function useMailedLink(sql: Handle, { schoolId, purpose, id }: MailedLinkKey): Promise<MailedLink | undefined> {
  const [link] = await rawSql(sql).query<MailedLink>(
    `UPDATE mailed_link SET used_at = now()
      WHERE school_id = $1 AND id = $2 AND purpose = $3 AND used_at IS NULL AND expires_at > now()
     RETURNING email, account_id, payload`,
    [schoolId, id, purpose],
  )
  return link
}

/** Makes the account's links good for nothing: all of them, or those of one purpose. */
export async function voidMailedLinks(sql: Handle, schoolId: string, accountId: string, purpose?: MailedLinkPurpose): Promise<void> {
  await rawSql(sql).query(
    `UPDATE mailed_link SET used_at = now()
      WHERE school_id = $1 AND account_id = $2 AND used_at IS NULL AND ($3::text IS NULL OR purpose = $3)`,
    [schoolId, accountId, purpose ?? null],
  )
}

/** Removes links that expired more than a day ago, at most `limit`. Answers their number. */
export async function sweepMailedLinks(sql: Handle, limit: number): Promise<number> {
  const removed = await rawSql(sql).query(
    `DELETE FROM mailed_link
      WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM mailed_link WHERE expires_at < now() - interval '1 day' ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))
     RETURNING 1 AS removed`,
    [limit],
  )
  return removed.length
}
