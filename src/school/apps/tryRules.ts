import { sql } from 'kysely'
import type { AppRules } from '../../base/caller.ts'
import { firstIdAt } from '../../base/ids.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { Sealing } from '../../database/undo/records.ts'
import { openEffects } from '../../database/undo/shownChanges.ts'
import { amountsIn, ruleReason } from '../../engine/write/askReasons.ts'

/** The days whose requests are tried, and the most of them. */
export const triedDays = 30
const maxTried = 2000

/** Returns how many requests of apps within `triedDays` would have asked by these rules, by what the activity has of them. */
export async function tryRules(reader: SchoolReader, rules: AppRules, sealing: Pick<Sealing, 'open'>): Promise<number> {
  const rows = await reader
    .selectFrom('audit_log')
    .leftJoin('person', (join) => join.on(({ ref }) => sql<boolean>`${ref('person.account_id')}::text = ${ref('audit_log.account_id')}`))
    .leftJoin('staff', (join) => join.onRef('staff.person_id', '=', 'person.id').on('staff.status', '=', 'active'))
    .select(['audit_log.id', 'audit_log.event', 'staff.role'])
    .select(({ ref }) => [
      sql<number>`coalesce((${ref('audit_log.details')} #>> '{losses,deleted}')::int, 0)`.as('deleted'),
      sql<number>`greatest(
        coalesce((${ref('audit_log.details')} #>> '{losses,deleted}')::int, 0) + coalesce((${ref('audit_log.details')} #>> '{losses,overwritten}')::int, 0),
        coalesce(jsonb_array_length(${ref('audit_log.details')} #> '{resource,ids}'), 0))`.as('rows'),
    ])
    .where('audit_log.client_id', 'is not', null)
    .where(({ ref }) => sql<boolean>`${ref('audit_log.details')} ? 'operation'`)
    .where('audit_log.id', '>=', firstIdAt(Date.now() - triedDays * 86_400_000))
    .orderBy('audit_log.id', 'desc')
    .limit(maxTried)
    .execute()
  const effects = await openEffects(
    reader,
    rows.map(({ id }) => id),
    sealing,
  )
  return rows.filter(({ id, event, role, deleted, rows: changed }) => {
    const { changes = [], people = 0 } = effects.get(id) ?? {}
    return ruleReason(rules, {
      rows: Math.max(changed, changes.filter(({ action }) => action !== 'created').length),
      people: Math.max(people, new Set(changes.flatMap(({ personId }) => personId ?? [])).size),
      amount: Math.max(0, ...changes.flatMap(({ fields }) => fields.flatMap(({ field, after }) => amountsIn({ [field]: after })))),
      isDeletion: role !== null && (event.endsWith('.deleted') || deleted > 0),
    })
  }).length
}
