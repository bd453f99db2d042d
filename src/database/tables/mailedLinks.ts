import type { Reader } from '../connection/database.ts'
import { daySeconds, now, secondsAgo, secondsFromNow } from '../statements/expressions.ts'
import { storableJson } from '../statements/storableText.ts'

export type MailedLinkPurpose = 'sign_up' | 'password_reset' | 'email_change'

/** Identifies one link: `id` is the hash of the token in its URL. */
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
  db: Reader,
  link: MailedLinkKey & { email: string; accountId?: string | undefined; payload?: object; expiresInSeconds: number },
): Promise<void> {
  await db
    .insertInto('mailed_link')
    .values({
      school_id: link.schoolId,
      id: link.id,
      purpose: link.purpose,
      email: link.email,
      account_id: link.accountId ?? null,
      payload: storableJson(link.payload ?? {}),
      expires_at: secondsFromNow(link.expiresInSeconds),
    })
    .execute()
}

/** Returns the link, unless it was used or has expired. */
export async function findMailedLink(db: Reader, { schoolId, purpose, id }: MailedLinkKey): Promise<MailedLink | undefined> {
  return await db
    .selectFrom('mailed_link')
    .select(['email', 'account_id', 'payload'])
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .$narrowType<{ payload: MailedLink['payload'] }>()
    .executeTakeFirst()
}

/** Marks the link as used and returns it. Of several callers one gets it: a compare-and-set. */
export async function useMailedLink(db: Reader, { schoolId, purpose, id }: MailedLinkKey): Promise<MailedLink | undefined> {
  return await db
    .updateTable('mailed_link')
    .set({ used_at: now })
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['email', 'account_id', 'payload'])
    .$narrowType<{ payload: MailedLink['payload'] }>()
    .executeTakeFirst()
}

/** Invalidates the account's links: all of them, or those of one purpose. */
export async function voidMailedLinks(db: Reader, schoolId: string, accountId: string, purpose?: MailedLinkPurpose): Promise<void> {
  const links = db
    .updateTable('mailed_link')
    .set({ used_at: now })
    .where('school_id', '=', schoolId)
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
  await (purpose === undefined ? links : links.where('purpose', '=', purpose)).execute()
}

export async function sweepMailedLinks(db: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .with('old', (one) =>
      one
        .selectFrom('mailed_link')
        .select(['school_id', 'id'])
        .where('expires_at', '<', secondsAgo(daySeconds(1)))
        .orderBy('expires_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom('mailed_link')
    .using('old')
    .whereRef('mailed_link.school_id', '=', 'old.school_id')
    .whereRef('mailed_link.id', '=', 'old.id')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
