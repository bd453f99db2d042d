import type { PersonCaller } from '../../base/caller.ts'
import { hash, randomToken } from '../../base/keyring.ts'
import type { School } from '../../base/school.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { findPerson } from '../../identity/accounts/findPerson.ts'

export const calendarPath = '/calendar/'

type Seals = Pick<ExternalServices, 'calendarTokens'>

/** Replaces the secret address of a person's calendar. The earlier address ends immediately. */
export async function renewCalendar(
  { writer, externalServices }: { writer: SchoolWriter; externalServices: Seals },
  accountId: string,
): Promise<void> {
  const token = randomToken(256)
  const values = { token_hash: hash(token), sealed_token: externalServices.calendarTokens.seal(token), renewed_at: now }
  await writer
    .insertInto('calendar_feed')
    .values({ school_id: writer.schoolId, account_id: accountId, ...values })
    .onConflict((conflict) => conflict.columns(['school_id', 'account_id']).doUpdateSet(values))
    .execute()
}

/**
 * Returns the secret address of a person's calendar, and when it was created. The address is null if there is none, or if the secret key
 * with which it was encrypted has been removed: it still works, and can be renewed.
 */
export async function readCalendar(
  { database, school, externalServices }: { database: SchoolReader; school: School; externalServices: Seals },
  accountId: string,
): Promise<{ object: string; url: string | null; renewed_at: string | null }> {
  const feed = await database
    .selectFrom('calendar_feed')
    .select(['sealed_token', 'renewed_at'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  const token = feed && externalServices.calendarTokens.open(feed.sealed_token)
  return {
    object: 'calendar_feed',
    url: token === undefined ? null : `${school.issuer}${calendarPath}${token}.ics`,
    renewed_at: feed?.renewed_at.toISOString() ?? null,
  }
}

/**
 * Returns the person whose calendar has this token, as a caller. Undefined for an unknown token, and for an account that is disabled,
 * deleted or of a blocked person. The token is compared as a hash, in one look-up whatever it contains.
 */
export async function findCalendarOwner(database: SchoolReader, token: string): Promise<PersonCaller | undefined> {
  const feed = await database
    .selectFrom('calendar_feed')
    .innerJoin('person', 'person.account_id', 'calendar_feed.account_id')
    .select(['calendar_feed.account_id'])
    .where('calendar_feed.token_hash', '=', hash(token))
    .where('person.erased_at', 'is', null)
    .where('person.member_status', 'not in', ['blocked', 'erased'])
    .executeTakeFirst()
  const person = feed && (await findPerson(database, feed.account_id))
  return person && { kind: 'person', ...person, scopes: new Set(), clientId: '', grantId: '' }
}
