import { sql } from 'kysely'
import { signalRules } from '../policy/appSignals.ts'
import { type AppTerms, readAppRules, type SchoolAppRules, termsOf } from '../policy/schoolAppRules.ts'
import { raiseSignal } from './appSignals.ts'
import type { RegisteredVia } from './clients.ts'
import type { Reader, SchoolReader, SchoolWriter } from './database.ts'
import { now } from './expressions.ts'

const ownRegistrations = ['self', 'document'] as const satisfies readonly RegisteredVia[]

export async function findAppRules(db: SchoolReader): Promise<SchoolAppRules> {
  return readAppRules((await db.selectFrom('school').select('app_rules').executeTakeFirst())?.app_rules)
}

/** Returns what the school allows a client. A client that is gone has the terms of a self-registered one. */
export async function findAppTerms(db: Reader, schoolId: string, clientId: string): Promise<AppTerms> {
  const row = await db
    .selectFrom('school')
    .leftJoin('oidc_client', (join) => join.onRef('oidc_client.school_id', '=', 'school.id').on('oidc_client.id', '=', clientId))
    .select(['app_rules', 'registered_via', 'agreed_at'])
    .where('school.id', '=', schoolId)
    .$castTo<{ app_rules: unknown; registered_via: RegisteredVia | null; agreed_at: Date | null }>()
    .executeTakeFirst()
  return termsOf({ registered_via: row?.registered_via ?? 'self', agreed_at: row?.agreed_at ?? null }, readAppRules(row?.app_rules))
}

/**
 * Saves the rules. Accesses that are longer than the rules allow end earlier. If an owner has to agree from now on, the apps that people
 * use already count as agreed to. Returns the former rules.
 */
export async function saveAppRules(writer: SchoolWriter, rules: SchoolAppRules): Promise<SchoolAppRules> {
  const row = await writer.selectFrom('school').select('app_rules').forNoKeyUpdate().executeTakeFirstOrThrow()
  const former = readAppRules(row.app_rules)
  await writer
    .updateTable('school')
    .set({ app_rules: JSON.stringify(rules) })
    .execute()
  if (rules.longest_days !== null) await shortenGrants(writer, rules.longest_days)
  if (rules.self_registered === 'owner_agrees' && former.self_registered !== 'owner_agrees') await agreeToUsed(writer)
  return former
}

/** Notes that a person wants to use a client to which an owner has to agree, so that the owners hear of it. */
export const askOwners = async (writer: SchoolWriter, clientId: string): Promise<void> =>
  void (await raiseSignal(writer, { client_id: clientId, kind: 'asked', counted: 1, ...signalRules.asked, isWatched: false }))

/** Agrees to a client. Returns false if an owner had done so. */
export async function agreeToClient(writer: SchoolWriter, id: string): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('oidc_client')
    .set({ agreed_at: now })
    .where('id', '=', id)
    .where('agreed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

async function shortenGrants(writer: SchoolWriter, days: number): Promise<void> {
  const end = sql<Date>`now() + make_interval(days => ${days}::int)`
  await writer
    .updateTable('oidc_grant')
    .set({ expires_at: end })
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', end)
    .where('client_id', 'in', ({ selectFrom }) => selectFrom('oidc_client').select('id').where('registered_via', 'in', ownRegistrations))
    .execute()
}

async function agreeToUsed(writer: SchoolWriter): Promise<void> {
  await writer
    .updateTable('oidc_client')
    .set({ agreed_at: now })
    .where('registered_via', 'in', ownRegistrations)
    .where('agreed_at', 'is', null)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('oidc_grant')
        .select('client_id')
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
        .where('last_used_at', 'is not', null),
    )
    .execute()
}
