import type { Expression, ExpressionBuilder } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import { type StoredImage, selectImage } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'

export interface StoredSummary {
  id: string
  display_name: string
  avatar: StoredImage | null
}

/** Selects the person in `person_id` as one JSON value; null without a person, and for an erased person. */
export function summaryOf(rows: unknown, table: 'rsvp' | 'comment'): Expression<unknown> {
  const builder = rows as ExpressionBuilder<DB, 'rsvp' | 'comment'>
  return jsonObjectFrom(
    builder
      .selectFrom('person')
      .select((person) => [
        'person.id',
        person.fn.coalesce('person.display_name', 'person.name').as('display_name'),
        selectImage('person', 'avatar').as('avatar'),
      ])
      .whereRef('person.school_id', '=', `${table}.school_id`)
      .whereRef('person.id', '=', `${table}.person_id`)
      .where('person.erased_at', 'is', null),
  )
}
