import { z } from 'zod'
import { listOf } from '../../engine/declare/elementList.ts'
import { line, timestamp } from '../../engine/declare/fields.ts'
import { defineAction, defineRead } from '../../engine/declare/typedOperations.ts'
import type { Reading } from '../../engine/read/reading.ts'
import { changesSchema, effectFigures } from '../../engine/write/visibleChanges.ts'
import { undoOne, undoSince } from '../undo/undoActivity.ts'
import { ownId, undoConflicts, undoNotify, undoResult } from './accountFields.ts'
import { activityActions, findOwnGrant, listActivity } from './appActivity.ts'
import { stopEmails } from './stopEmails.ts'

const action = z.enum(activityActions).meta({ component: 'ActivityAction' })

const outgoing = z
  .object({
    emails: z.int().meta({ description: 'E-mails that wait.', example: 14 }),
    announcements: z.int().meta({ description: 'News that waits to be sent to everybody concerned.', example: 0 }),
    leaves_at: timestamp()
      .nullable()
      .meta({ description: 'When the first leaves; null if none waits.', example: '2026-03-01T09:35:00.000Z' }),
    stopped: z.int().meta({ description: 'E-mails that were stopped.', example: 0 }),
  })
  .meta({ component: 'Outgoing' })

const activity = z
  .object({
    id: ownId('act', 'Id of the activity.'),
    object: z.literal('activity').meta({ description: 'Type of the object.' }),
    at: timestamp().meta({ description: 'When.', example: '2026-03-01T09:30:00.000Z' }),
    operation: z.string().meta({ description: 'Operation of the API.', example: 'publishCourse' }),
    action: action.meta({
      description: 'What happened, as in the change feed; `undone`: earlier activities were taken back.',
      example: 'published',
    }),
    resource: z
      .object({
        type: z.string().meta({ description: 'Type of the changed object.', example: 'course' }),
        id: z
          .string()
          .nullable()
          .meta({ description: 'Id of the object; null for an operation on many.', example: 'crs_01jgwejj00e6srgkpqm2sqf05m' }),
        label: z
          .string()
          .nullable()
          .meta({ description: 'Title or code at the time. Null for people and objects without a title.', example: 'Clay From Scratch' }),
        ids: z.array(z.string()).meta({ description: 'Ids of the objects of an operation on many, at most 1,000.', example: [] }),
      })
      .meta({ description: 'The changed object.', example: {} }),
    count: z.int().meta({ description: 'Number of changed objects.', example: 1 }),
    by: z
      .object({
        kind: z.literal('app').meta({ description: 'Who made the change.' }),
        client_id: z.string().meta({ description: 'Id of the app.', example: 'k2Jx' }),
        client_name: z.string().nullable().meta({ description: 'Name that the app gives itself now.', example: 'Study helper' }),
      })
      .meta({ description: 'The app, in the name of the person.', example: {} }),
    ...effectFigures,
    changes: changesSchema.meta({ description: 'What it changed, at most 100 objects.', example: [] }),
    reason: z.string().nullable().meta({
      description: "Why, in the app's own words: its header Agent-Reason. It is not verified.",
      example: 'Move the course to spring',
    }),
    undone: z.array(z.string()).meta({ description: 'Ids of the activities that it took back.', example: [] }),
    undo: z
      .object({
        possible: z.boolean().meta({ description: 'True if it can be taken back.', example: true }),
        until: timestamp().nullable().meta({ description: 'Until when; null if it never could be.', example: '2026-03-31T09:30:00.000Z' }),
        undone_at: timestamp().nullable().meta({ description: 'When it was taken back.', example: null }),
      })
      .meta({ description: 'Whether it can be taken back.', example: {} }),
    outgoing: outgoing
      .nullable()
      .meta({ description: 'E-mails about it that wait or were stopped; null if there are none.', example: null }),
  })
  .meta({ component: 'Activity' })

const activityFilters = z.object({
  action: action.optional().meta({ description: 'Only this action.', example: 'deleted' }),
  resource: z
    .string()
    .max(60)
    .optional()
    .meta({ description: 'Only objects of this type, such as `course`, or the object with this id.', example: 'course' }),
  since: timestamp().optional().meta({ description: 'Only since this time.', example: '2026-03-01T00:00:00Z' }),
  until: timestamp().optional().meta({ description: 'Only before this time.', example: '2026-04-01T00:00:00Z' }),
})

const timeOf = (value: string | Date | undefined): Date | undefined => (value === undefined ? undefined : new Date(value))

const activityOf = (
  { database, parameters, page, caller, externalServices }: Reading<typeof activityFilters.shape>,
  grantId: string,
): ReturnType<typeof listActivity> => {
  if (!page || caller.kind !== 'person') throw new Error('a list of activity needs a page and a person')
  return listActivity(database, database.schoolId, {
    grantId,
    action: parameters.get('action'),
    resource: parameters.get('resource'),
    since: timeOf(parameters.get('since')),
    until: timeOf(parameters.get('until')),
    caller,
    sealing: externalServices.undo,
    page,
  })
}

/** The reads of an account that show what its apps changed. */
export const activityReads = {
  'authorizations/{id}/activity': defineRead('account', {
    scope: 'read',
    id: 'listAuthorizationActivity',
    summary: 'List what an app changed',
    parameters: activityFilters.extend({ id: ownId('aut', 'Id of the authorization.') }),
    output: listOf(activity, 'Changes, newest first. Entries of the audit trail: they are kept as long.'),
    pagedBy: 'id',
    loadsPage: true,
    async run(reading, { id: accountId }) {
      const { database, parameters } = reading
      const grant = await findOwnGrant(database, { accountId, id: String(parameters.get('id')) })
      return await activityOf(reading, grant.id)
    },
  }),
  activity: defineRead('account', {
    scope: 'read',
    id: 'listActivity',
    summary: 'List what the calling app changed itself',
    parameters: activityFilters,
    output: listOf(activity, 'Changes that the app made with the authorization of its token, newest first.'),
    pagedBy: 'id',
    loadsPage: true,
    run: (reading) => activityOf(reading, reading.caller.kind === 'person' ? reading.caller.grantId : ''),
  }),
}

/** The actions of an account that take back what its apps changed, or stop the e-mails about it. */
export const undoActions = {
  stop_emails: defineAction('account', {
    scope: 'read',
    id: 'stopEmails',
    at: 'activity/{id}/stop-emails',
    undo: 'The e-mails are not sent.',
    errors: ['invalid_state'],
    summary: 'Stop e-mails about a change that have not left yet',
    parameters: z.object({ id: ownId('act', 'Id of the activity.') }),
    output: outgoing,
    perform: async (writing) => {
      const stopped = await stopEmails(writing, String(writing.parameters.get('id')))
      return { isUnchanged: true, body: async () => ({ ...stopped }) }
    },
  }),
  undo_activity: defineAction('account', {
    scope: 'read',
    id: 'undoActivity',
    at: 'activity/{id}/undo',
    undo: true,
    errors: ['not_undoable', 'changed_since', 'resource_in_use'],
    summary: 'Take back what a request changed',
    parameters: z.object({ id: ownId('act', 'Id of the activity.') }),
    input: z.object({ conflicts: undoConflicts, notify: undoNotify }),
    output: undoResult,
    perform: async (writing, _row, { conflicts, notify }) => {
      const result = await undoOne(writing, { id: String(writing.parameters.get('id')), keepsLater: conflicts === 'keep', notify })
      return { isUnchanged: true, body: async () => ({ object: 'undo', ...result }) }
    },
  }),
  undo_activities: defineAction('account', {
    scope: 'read',
    id: 'undoActivities',
    at: 'activity/undo',
    limit: 'bulk',
    undo: true,
    summary: 'Take back everything that an app did since a time',
    input: z.object({
      client_id: line(255).optional().meta({ description: 'Id of the app. Default: the calling app.', example: 'k2Jx' }),
      everybody: z.boolean().default(false).meta({
        description: 'True for what it did for anybody, which is for the staff.',
        example: false,
      }),
      since: line(60).meta({
        description: 'A time, or the id of the first activity that is taken back.',
        example: '2026-03-01T09:30:00.000Z',
      }),
      before: ownId('act', '`next` of the response before.')
        .optional()
        .meta({ description: '`next` of the response before.', example: 'act_01jgwejj00e6srgkpqm2sqf05m' }),
      conflicts: undoConflicts,
      notify: undoNotify,
    }),
    output: undoResult,
    perform: async (writing, { id }, { client_id, everybody, since, before, conflicts, notify }) => {
      const filter = { clientId: client_id, accountId: everybody ? undefined : id, since, before }
      const result = await undoSince(writing, filter, { keepsLater: conflicts === 'keep', notify })
      return { isUnchanged: true, body: async () => ({ object: 'undo', ...result }) }
    },
  }),
}
