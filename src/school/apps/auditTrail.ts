import { fromPublicId, toPublicId } from '../../base/ids.ts'
import { csvCells, csvLines } from '../../base/text/csvText.ts'
import { normaliseEmail } from '../../base/text/emailAddress.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { type Outgoing, outgoingOf } from '../../database/outbox/outgoing.ts'
import { auditEvents, isNamedEvent } from '../../database/tables/auditEvents.ts'
import { listUses, type UseOfDay } from '../../database/tables/grantUse.ts'
import { namesOfAccounts } from '../../database/tables/namesOfAccounts.ts'
import { type AuditFilter, type AuditRow, readAudit } from '../../database/tables/readAudit.ts'
import { type Sealing, type UndoState, undoStates } from '../../database/undo/records.ts'
import { openEffects } from '../../database/undo/shownChanges.ts'
import { type ChangesReader, figuresOf, type ObjectChange, visibleChanges } from '../../engine/write/visibleChanges.ts'
import { type Change, changeOf, withLabel } from '../account/appActivity.ts'

export type AuditTrailEntry = AuditRow & { person: { name: string; email: string } | undefined }

/** Returns entries of the audit trail, the newest first, at most `limit`, before the entry with the id `before` if it is given. */
export async function auditTrail(
  database: SchoolReader,
  filter: AuditFilter,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<AuditTrailEntry[]> {
  const rows = await readAudit(database, { ...filter, schoolId: database.schoolId, order: 'desc', after: before, limit })
  const people = await namesOfAccounts(
    database,
    database.schoolId,
    rows.flatMap(({ account_id: id }) => id ?? []),
  )
  return rows.map((row) => ({ ...row, person: row.account_id === null ? undefined : people.get(row.account_id) }))
}

/** Returns the declared sentence of an event: what happened. Undefined for the writes through the API. */
export const aboutEvent = (event: string): string | undefined =>
  isNamedEvent(event) ? auditEvents[event].about.split(/(?<=[.]) /, 1)[0] : undefined

export const namedEvents: readonly string[] = Object.keys(auditEvents)

/** An entry about an app: a write through the API has its change. */
export type ActivityEntry = AuditTrailEntry & {
  change: Change | undefined
  changes: ObjectChange[]
  emails: number
  undo: UndoState | undefined
  outgoing: Outgoing | undefined
}

/** The person who reads an activity: see `visibleChanges`. */
export interface ActivityReader {
  isStaff: boolean
  /** Undefined for the staff. */
  accountId?: string | undefined
  sealing: Pick<Sealing, 'open'>
}

/** Returns what an app did, and what happened to its access, the newest first: with a grant, or with all grants. */
export async function appTrail(
  database: SchoolReader,
  of: { grantId: string } | { clientId: string },
  page: { before?: string | undefined; limit: number },
  reader: ActivityReader,
  filter: Pick<AuditFilter, 'changes' | 'since' | 'until'> = {},
): Promise<ActivityEntry[]> {
  return await withChanges(database, await auditTrail(database, { ...filter, ...of, isActivity: true }, page), reader)
}

/** Returns the entries with what they changed, and whether that can be taken back. */
export async function withChanges(
  database: SchoolReader,
  entries: readonly AuditTrailEntry[],
  { isStaff, accountId, sealing }: ActivityReader,
): Promise<ActivityEntry[]> {
  const ids = entries.map(({ id }) => id)
  const states = await undoStates(database, ids)
  const outgoing = await outgoingOf(database, ids)
  const effects = await openEffects(database, ids, sealing)
  const reader = await changesReader(database, { isStaff, accountId: effects.size === 0 ? undefined : accountId })
  return entries.map((entry) => {
    const changes = visibleChanges(effects.get(entry.id)?.changes ?? [], reader)
    const change = changeOf(entry)
    return {
      ...entry,
      change: change && withLabel(change, changes),
      changes,
      emails: figuresOf(effects.get(entry.id)).emails,
      undo: states.get(entry.id),
      outgoing: outgoing.get(entry.id),
    }
  })
}

/** Returns how much of the changes a person sees, on pages. */
export async function changesReader(
  database: SchoolReader,
  { isStaff, accountId }: Pick<ActivityReader, 'isStaff' | 'accountId'>,
): Promise<ChangesReader> {
  const person =
    accountId === undefined
      ? undefined
      : await database.selectFrom('person').select('id').where('account_id', '=', accountId).executeTakeFirst()
  return { isStaff, personId: person?.id ?? null }
}

/** Returns how often an app called the API, by day and operation: with a grant, or with all grants. */
export const appUses = (database: SchoolReader, of: { grantId: string } | { clientId: string }): Promise<UseOfDay[]> =>
  listUses(database, of)

const batch = 1000

/** Yields entries of the audit trail in batches, the newest first, at most `limit` altogether. */
export async function* auditBatches(
  database: SchoolReader,
  filter: AuditFilter,
  { limit }: { limit: number },
): AsyncGenerator<AuditTrailEntry[]> {
  let before: string | undefined
  for (let left = limit; left > 0; left -= batch) {
    const entries = await auditTrail(database, filter, { before, limit: Math.min(batch, left) })
    if (entries.length > 0) yield entries
    if (entries.length < Math.min(batch, left)) return
    before = entries.at(-1)?.id
  }
}

/** Returns the account that a person typed: an e-mail address, or an id such as `acc_…`. Undefined if the school has none like it. */
export async function accountTyped(database: SchoolReader, typed: string): Promise<string | undefined> {
  const id = fromPublicId('acc', typed.trim())
  if (id !== undefined) return id
  const email = normaliseEmail(typed)
  if (email === undefined) return undefined
  const account = await database.selectFrom('account').select('id').where('email', '=', email).executeTakeFirst()
  return account?.id
}

/** Returns an entry as lists and files show it: with the id of the account as in the API. Actors that are not accounts keep their name. */
export const auditRecord = <Entry extends AuditRow>({ at, account_id: account, details, ...entry }: Entry) => ({
  ...entry,
  at: at.toISOString(),
  account_id: account !== null && /^[0-9a-f-]{36}$/.test(account) ? toPublicId('acc', account) : account,
  details: JSON.stringify(details),
})

export const auditCsvLines = (columns: readonly string[], records: readonly Record<string, unknown>[]): string =>
  csvLines(records.map((record) => csvCells(columns, record)))

/** Returns the current names of people by their public ids, for readers who see everybody. Other ids, and people who are gone, are left out. */
export async function namesOfObjects(database: SchoolReader, publicIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const uuidsOf = (prefix: string): Map<string, string> =>
    new Map(
      publicIds.flatMap((id): [string, string][] => {
        const uuid = fromPublicId(prefix, id)
        return uuid === undefined ? [] : [[id, uuid]]
      }),
    )
  const people = new Map([...uuidsOf('std'), ...uuidsOf('mbr')])
  const enrollments = uuidsOf('enr')
  const staff = uuidsOf('stf')
  const [ofPeople, ofEnrollments, ofStaff] = await Promise.all([
    people.size === 0
      ? []
      : database
          .selectFrom('person')
          .select(['id', 'name'])
          .where('id', 'in', [...people.values()])
          .execute(),
    enrollments.size === 0
      ? []
      : database
          .selectFrom('enrollment')
          .innerJoin('person', 'person.id', 'enrollment.person_id')
          .select(['enrollment.id', 'person.name'])
          .where('enrollment.id', 'in', [...enrollments.values()])
          .execute(),
    staff.size === 0
      ? []
      : database
          .selectFrom('staff')
          .innerJoin('person', 'person.id', 'staff.person_id')
          .select(['staff.id', 'person.name'])
          .where('staff.id', 'in', [...staff.values()])
          .execute(),
  ])
  const names = new Map([...ofPeople, ...ofEnrollments, ...ofStaff].map(({ id, name }) => [id, name]))
  return new Map(
    [...people, ...enrollments, ...staff].flatMap(([publicId, uuid]): [string, string][] => {
      const name = names.get(uuid)
      return name === undefined ? [] : [[publicId, name]]
    }),
  )
}
