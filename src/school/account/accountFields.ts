import { z } from 'zod'
import { keysOf } from '../../base/text/keysOf.ts'
import { timestamp } from '../../engine/declare/fields.ts'
import { keptReasons } from '../undo/kept.ts'
import { maxNamedRows } from '../undo/undoActivity.ts'

export const ownId = (prefix: string, description: string) =>
  z
    .string()
    .max(60)
    .meta({ description, example: `${prefix}_01jgwejj00e6srgkpqm2sqf05m` })

export const authorization = z
  .object({
    id: ownId('aut', 'Id of the authorization.'),
    object: z.literal('authorization').meta({ description: 'Type of the object.' }),
    client: z
      .object({
        client_id: z.string().meta({ description: 'Id of the app.', example: 'k2Jx' }),
        client_name: z.string().nullable().meta({ description: 'Name that the app registered, not verified.', example: 'Study helper' }),
      })
      .meta({ description: 'The app.', example: {} }),
    name: z.string().nullable().meta({ description: 'Name that the person gave it.', example: null }),
    scopes: z.array(z.string()).meta({ description: 'Granted scopes.', example: ['openid', 'profile'] }),
    granted_at: timestamp().meta({ description: 'When the person granted access.', example: '2026-03-01T09:30:00.000Z' }),
    last_used_at: timestamp().nullable().meta({
      description: 'When the app last called the API or refreshed its token.',
      example: null,
    }),
    expires_at: timestamp().meta({ description: 'When it ends.', example: '2026-03-01T09:30:00.000Z' }),
    changes_30d: z.int().meta({ description: 'Changes that the app made with it in the last 30 days.', example: 12 }),
    paused_at: timestamp().nullable().meta({
      description: 'When the person or the school paused it. Calls of a paused app are refused.',
      example: null,
    }),
  })
  .meta({ component: 'Authorization' })

export const session = z
  .object({
    id: ownId('ses', 'Id of the session.'),
    object: z.literal('session').meta({ description: 'Type of the object.' }),
    signed_in_at: timestamp().meta({ description: 'When the person signed in.', example: '2026-03-01T09:30:00.000Z' }),
    expires_at: timestamp().meta({ description: 'When the session expires.', example: '2026-03-15T09:30:00.000Z' }),
    browser: z.string().nullable().meta({ description: 'Browser of the sign-in, if known.', example: 'Firefox' }),
    system: z.string().nullable().meta({ description: 'Operating system of the sign-in, if known.', example: 'Windows' }),
    network: z
      .string()
      .nullable()
      .meta({ description: 'Network of the sign-in (IPv4 /24 or IPv6 /64), if known.', example: '192.0.2.0/24' }),
  })
  .meta({ component: 'Session' })

export const undoConflicts = z
  .enum(['refuse', 'keep'])
  .default('refuse')
  .meta({ description: '`keep` leaves what was changed since and restores the rest; `refuse` changes nothing then.', example: 'refuse' })

export const undoNotify = z.boolean().optional().meta({
  description: 'Whether attendees of an event that moves back get an e-mail. Default: if they got one about the move.',
  example: true,
})

const rowType = z.string().meta({ description: 'Type of the object.', example: 'lesson' })
const rowAction = z.string().meta({ description: 'How it was taken back.', example: 'restored' })
const rowId = z.string().nullable().meta({ description: 'Id of the object.', example: 'les_01jgwejj00e6srgkpqm2sqf05m' })
const rowField = z.string().nullable().meta({ description: 'Field; null for the whole object.', example: 'title' })
const keptValue = z.string().nullable()
const activityId = z.string().meta({ description: 'Id of the activity.', example: 'act_01jgwejj00e6srgkpqm2sqf05m' })

export const undoResult = z
  .object({
    object: z.literal('undo').meta({ description: 'Type of the object.' }),
    id: z.string().nullable().meta({
      description: 'Id of this activity, with which it can be taken back in turn; null if nothing was taken back.',
      example: 'act_01jgwejj00e6srgkpqm2sqf05m',
    }),
    undone: z.array(z.string()).meta({ description: 'Ids of the activities that were taken back.', example: [] }),
    affected: z
      .array(z.object({ type: rowType, action: rowAction, count: z.int().meta({ description: 'Number of objects.', example: 12 }) }))
      .meta({ description: 'How many objects were restored, updated or deleted, with those that followed.', example: [] }),
    rows: z
      .array(
        z.object({
          type: rowType,
          id: rowId,
          action: rowAction,
          label: z.string().nullable().meta({ description: 'Title or code. Null for people.', example: 'Wedging clay' }),
        }),
      )
      .meta({
        description: `The first ${maxNamedRows} of them. Of what followed for people, such as their progress, only the number is given.`,
        example: [],
      }),
    kept: z
      .array(
        z.object({
          type: rowType,
          id: rowId,
          field: rowField,
          reason: z.enum(keysOf(keptReasons)).meta({ description: 'Why it stays.', example: 'changed_since' }),
          message: z
            .string()
            .meta({ description: 'The same in words.', example: "the course 'Raku' stays, because it has 1 section of others" }),
          present: keptValue.meta({ description: 'Value now, as text or JSON; null for a whole object.', example: 'Raku firing' }),
          restored: keptValue.meta({ description: 'Value that taking it back would restore.', example: 'Raku' }),
          at: timestamp().nullable().meta({ description: 'When it was changed since, if that is known.', example: null }),
          by: z.string().nullable().meta({ description: 'App or person that changed it since.', example: 'Study helper' }),
          activity: activityId.nullable().meta({
            description: 'Id of the later activity, if it can be taken back first.',
            example: 'act_01jgwejj00e6srgkpqm2sqf05m',
          }),
        }),
      )
      .meta({ description: 'What stays as it is.', example: [] }),
    replaced: z
      .array(
        z.object({
          type: rowType,
          id: rowId,
          field: rowField,
          value: z.string().nullable().meta({ description: 'New value.', example: 'raku-2' }),
        }),
      )
      .meta({ description: 'Fields whose former value another object has now.', example: [] }),
    failed: z
      .array(
        z.object({
          id: activityId,
          error: z.string().meta({ description: 'Code of the error.', example: 'changed_since' }),
          error_description: z.string().meta({ description: 'Description of the error.', example: '' }),
        }),
      )
      .meta({ description: 'Activities that could not be taken back.', example: [] }),
    next: z.string().nullable().meta({ description: '`before` of the next request; null if nothing is left.', example: null }),
  })
  .meta({ component: 'Undo' })

export type UndoResult = z.output<typeof undoResult>

export const calendarFeed = z
  .object({
    object: z.literal('calendar_feed').meta({ description: 'Type of the object.' }),
    url: z.string().nullable().meta({
      description: 'Secret address of the calendar (RFC 5545), which works without signing in; null until it is created.',
      example: null,
    }),
    renewed_at: timestamp().nullable().meta({ description: 'When the address was created.', example: null }),
  })
  .meta({ component: 'CalendarFeed' })
