import type { SqlBool } from 'kysely'
import type { Reader, SchoolWriter, Stored } from '../connection/database.ts'
import { now, secondsAgo, secondsFromNow } from '../statements/expressions.ts'
import { storableJson } from '../statements/storableText.ts'
import { type AuditEntry, auditRow } from './audit.ts'
import { endProposals } from './proposals.ts'

/** Returns a grant as the engine stored it, with its current end: the person can change it. */
export const grantContent = (payload: Record<string, unknown>, expiresAt: Date): Record<string, unknown> => ({
  ...payload,
  exp: Math.floor(expiresAt.getTime() / 1000),
})

/** Returns a live grant in the shared time, or undefined if it has ended. */
export async function findGrant(db: Reader, schoolId: string, id: string): Promise<Record<string, unknown> | undefined> {
  const row = await liveGrants(db, schoolId)
    .select(['payload', 'expires_at'])
    .where('id', '=', id)
    .$narrowType<Pick<GrantRow, 'payload'>>()
    .executeTakeFirst()
  return row && grantContent(row.payload, row.expires_at)
}

/** A client's last use is written once in this time: consents of a popular app would wait for each other's commit. */
const noteUseAfterSeconds = 60

/**
 * Stores a grant, that its client was authorised now, and the audit row. The person's name for the app is taken over. A grant that is stored already is not changed and not audited again.
 * Returns true if it is the only live grant of the account to the client.
 */
export async function saveGrant(
  db: Reader,
  grant: { schoolId: string; id: string; accountId: string; clientId: string; payload: object; expiresInSeconds: number },
  audit?: AuditEntry,
): Promise<boolean> {
  const saving = db
    .with('used', (one) =>
      one
        .updateTable('oidc_client')
        .set({ last_used_at: now })
        .where('school_id', '=', grant.schoolId)
        .where('id', '=', grant.clientId)
        .where((client) => client.or([client('last_used_at', 'is', null), client('last_used_at', '<', secondsAgo(noteUseAfterSeconds))]))
        .returning('id'),
    )
    .with('saved', (one) =>
      one
        .insertInto('oidc_grant')
        .values((one) => ({
          school_id: grant.schoolId,
          id: grant.id,
          account_id: grant.accountId,
          client_id: grant.clientId,
          payload: storableJson(grant.payload),
          expires_at: secondsFromNow(grant.expiresInSeconds),
          own_name: one
            .selectFrom(earlierGrants(db, grant).select(['own_name', 'created_at']).as('earlier'))
            .select('own_name')
            .orderBy('created_at', 'desc')
            .limit(1),
          // A person decides it once for an app, whatever its authorization.
          asks_first: one.cast<boolean>(one.exists(earlierGrants(db, grant).select('id').where('asks_first', '=', true)), 'boolean'),
        }))
        .onConflict((conflict) => conflict.columns(['school_id', 'id']).doNothing())
        // Sees the grants from before the statement.
        .returning(({ not, exists }) => ['school_id', not(exists(earlierGrants(db, grant).select('id'))).as('is_first')]),
    )
  if (!audit) return isFirst(await saving.selectFrom('saved').select('is_first').execute())
  const { school_id: _, id, details, ...texts } = auditRow(audit)
  const logged = saving.with('logged', (one) =>
    one
      .insertInto('audit_log')
      .columns(['school_id', 'id', 'details', ...columnsOfTexts])
      .expression(({ selectFrom, cast, val }) =>
        selectFrom('saved').select([
          'saved.school_id',
          cast<string>(val(id), 'uuid').as('id'),
          cast<string>(val(details), 'jsonb').as('details'),
          ...columnsOfTexts.map((column) => cast<string | null>(val(texts[column]), 'text').as(column)),
        ]),
      )
      .returning('id'),
  )
  return isFirst(await logged.selectFrom('saved').select('is_first').execute())
}

const earlierGrants = (db: Reader, { schoolId, accountId, clientId }: { schoolId: string; accountId: string; clientId: string }) =>
  liveGrants(db, schoolId).where('account_id', '=', accountId).where('client_id', '=', clientId)

const isFirst = (rows: readonly { is_first: SqlBool }[]): boolean => rows[0]?.is_first === true

const columnsOfTexts = ['event', 'account_id', 'client_id', 'grant_id', 'request_id', 'address'] as const

/**
 * Pauses the live grants of an account to a client, or continues them. A pause also ends their open proposals. Returns the ids of the grants that
 * changed.
 */
export async function pauseGrants(
  writer: SchoolWriter,
  { accountId, clientId, isPaused }: { accountId: string; clientId: string; isPaused: boolean },
): Promise<string[]> {
  const changed = await writer
    .updateTable('oidc_grant')
    .set({ paused_at: isPaused ? now : null })
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('paused_at', isPaused ? 'is' : 'is not', null)
    .returning('id')
    .execute()
  if (isPaused && changed.length > 0)
    await endProposals(
      writer,
      writer.schoolId,
      changed.map(({ id }) => id),
    )
  return changed.map(({ id }) => id)
}

/** Sets the name by which a person knows an app; null for the name that the app registered. Returns false if they gave it no access. */
export async function renameGrants(
  writer: SchoolWriter,
  { accountId, clientId, name }: { accountId: string; clientId: string; name: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('oidc_grant')
    .set({ own_name: name })
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Returns the name by which a person knows an app; undefined if they gave it none. */
export async function findOwnName(db: Reader, schoolId: string, of: { accountId: string; clientId: string }): Promise<string | undefined> {
  const row = await earlierGrants(db, { schoolId, ...of })
    .select('own_name')
    .where('own_name', 'is not', null)
    .executeTakeFirst()
  return row?.own_name ?? undefined
}

/** Sets the end of a live grant of an account to so many seconds from now. Returns the former and the new end; undefined if it has ended. */
export async function setGrantEnd(
  writer: SchoolWriter,
  { accountId, grantId, expiresInSeconds }: { accountId: string; grantId: string; expiresInSeconds: number },
): Promise<{ from: Date; to: Date } | undefined> {
  const found = await liveGrants(writer, writer.schoolId)
    .select('expires_at')
    .where('account_id', '=', accountId)
    .where('id', '=', grantId)
    .forUpdate()
    .executeTakeFirst()
  if (!found) return undefined
  const { expires_at: to } = await writer
    .updateTable('oidc_grant')
    .set({ expires_at: secondsFromNow(expiresInSeconds) })
    .where('id', '=', grantId)
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return { from: found.expires_at, to }
}

/** Lets a person decide before an app does what cannot be undone, or no longer. Returns the live grants that changed. */
export async function setAsksFirst(
  writer: SchoolWriter,
  { accountId, clientId, asksFirst }: { accountId: string; clientId: string; asksFirst: boolean },
): Promise<string[]> {
  const changed = await writer
    .updateTable('oidc_grant')
    .set({ asks_first: asksFirst })
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .where('asks_first', '=', !asksFirst)
    .returning('id')
    .execute()
  return changed.map(({ id }) => id)
}

export interface GrantRow extends Stored<'oidc_grant', 'id' | 'account_id' | 'client_id' | 'created_at' | 'last_used_at' | 'expires_at'> {
  payload: Record<string, unknown>
  /** When the person paused it. */
  paused_at: Date | null
}

export interface GrantSelection {
  accountId?: string | undefined
  clientId?: string | undefined
  /** Only grants that were given before this time. */
  before?: Date | undefined
}

/** Returns what identifies live grants, at most `limit`. */
export function listGrantKeys(
  db: Reader,
  schoolId: string,
  { limit, accountId, clientId, before }: GrantSelection & { limit: number },
): Promise<Pick<GrantRow, 'id' | 'account_id' | 'client_id'>[]> {
  return liveGrants(db, schoolId)
    .$if(accountId !== undefined, (grants) => grants.where('account_id', '=', String(accountId)))
    .$if(clientId !== undefined, (grants) => grants.where('client_id', '=', String(clientId)))
    .$if(before !== undefined, (grants) => grants.where('created_at', '<', before ?? new Date()))
    .select(['id', 'account_id', 'client_id'])
    .orderBy('id')
    .limit(limit)
    .execute()
}

const liveGrants = (db: Reader, schoolId: string) =>
  db.selectFrom('oidc_grant').where('school_id', '=', schoolId).where('revoked_at', 'is', null).where('expires_at', '>', now)
