import { z } from 'zod'
import { audienceOf, type PersonCaller } from '../../base/caller.ts'
import type { ShownChange } from '../../database/undo/capture.ts'
import type { Effect } from '../../database/undo/effect.ts'

const valueText = z.string().nullable()

/** The numbers of an effect in responses. */
export const effectFigures = {
  affected: z
    .array(
      z.object({
        type: z.string().meta({ description: 'Type of the objects.', example: 'lesson_progress' }),
        action: z.string().meta({ description: 'Action of the change feed.', example: 'deleted' }),
        count: z.int().meta({ description: 'Number of objects.', example: 211 }),
      }),
    )
    .meta({ description: 'Changed objects, also those that are removed together with another one.' }),
  people: z.int().meta({ description: 'Number of people of whom something changes.', example: 12 }),
  emails: z.int().meta({ description: 'E-mails that the request sends, immediately or later.', example: 24 }),
  emails_due_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'When the first of the later ones is sent; null if there are none.', example: '2026-03-01T09:35:00.000Z' }),
  webhooks: z.int().meta({ description: 'Number of webhooks.', example: 1 }),
}

/** Returns the numbers of an effect, as responses have them. */
export const figuresOf = ({ affected = [], people = 0, emails, webhooks = 0 }: Partial<Effect> = {}) => ({
  affected: affected.map(({ type, action, count }) => ({ type, action, count })),
  people,
  emails: (emails?.now ?? 0) + (emails?.later ?? 0),
  emails_due_at: emails?.laterAt ?? null,
  webhooks,
})

/** The changes of a request in responses. */
export const changesSchema = z.array(
  z
    .object({
      type: z.string().meta({ description: 'Type of the object.', example: 'course' }),
      id: z.string().nullable().meta({ description: 'Id of the object.', example: 'crs_01jgwejj00e6srgkpqm2sqf05m' }),
      action: z.enum(['created', 'updated', 'deleted']).meta({ description: 'What happened.', example: 'updated' }),
      label: z.string().nullable().meta({ description: 'Title, name or code.', example: 'Clay From Scratch' }),
      fields: z
        .array(
          z.object({
            field: z.string().meta({ description: 'Name of the field.', example: 'subtitle' }),
            before: valueText.meta({ description: 'Value before; of a list of objects, what was removed.', example: null }),
            after: valueText.meta({ description: 'Value after, or what was added.', example: 'For beginners' }),
          }),
        )
        .meta({ description: 'Changed fields. A value is text or JSON; a long one is shortened.' }),
    })
    .meta({ component: 'ObjectChange' }),
)

/** A change of an object, as responses have it. */
export type ObjectChange = z.output<typeof changesSchema>[number]

/** How much of changes somebody sees. */
export interface ChangesReader {
  isStaff: boolean
  personId: string | null
}

/** Returns the changes that a person may see, as responses have them: the staff sees all, others see public fields and their own rows. */
export function visibleChanges(changes: readonly ShownChange[], { isStaff, personId: reader }: ChangesReader): ObjectChange[] {
  return changes
    .filter(({ personId }) => isStaff || personId === null || personId === reader)
    .map(({ personId, fields, ...change }) => ({
      ...change,
      fields: fields
        .filter(({ view }) => isStaff || view === undefined || (view === 'own' && personId !== null))
        .map(({ field, before, after }) => ({ field, before: textOf(before), after: textOf(after) })),
    }))
}

/** Returns how much of the changes a caller sees. */
export const readerOf = (caller: PersonCaller): ChangesReader => ({ isStaff: audienceOf(caller) === 'staff', personId: caller.personId })

const textOf = (value: unknown): string | null => (value === null || typeof value === 'string' ? value : JSON.stringify(value))
