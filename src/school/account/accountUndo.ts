import { z } from 'zod'
import { line } from '../../engine/declare/fields.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import { undoOne, undoSince } from '../undo/undoActivity.ts'
import { ownId, undoConflicts, undoNotify, undoResult } from './accountFields.ts'

/** The actions of an account that take back what its apps changed. */
export const undoActions = {
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
