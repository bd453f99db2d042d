import { defineAction } from '../../engine/declare/typedOperations.ts'
import { leaveWaitlists, lockWaitlistsOf } from '../events/withdrawPerson.ts'
import { recordOtherFacet, requireAuthorityOver } from '../students/personWriting.ts'
import { reasonInput } from '../students/studentFields.ts'
import { blockMember } from './memberStates.ts'

/** The actions that block a member and take that back. A blocked member leaves the waitlists of events, and does not return to them. */
export const blocking = {
  block: defineAction('person', {
    scope: 'write',
    asksFirst: 'access',
    errors: ['self_change'],
    roles: ['staff'],
    summary: 'Block a member from the community',
    from: ['active'],
    to: 'blocked',
    input: reasonInput,
    lockFirst: (writer, { id: personId }) => lockWaitlistsOf(writer, { personId }),
    requireCaller: (writing, row) => requireAuthorityOver(writing, row.id),
    run: (writing, row, { reason }) => blockMember(writing, row, reason),
    async after(writing, row) {
      await recordOtherFacet(writing, row, 'member', 'updated')
      await leaveWaitlists(writing.writer, { personId: row.id })
    },
  }),
  unblock: defineAction('person', {
    scope: 'write',
    asksFirst: 'access',
    roles: ['staff'],
    summary: 'Unblock a member',
    from: ['blocked'],
    to: 'active',
    input: reasonInput,
    requireCaller: (writing, row) => requireAuthorityOver(writing, row.id),
    run: async () => ({ member_status_reason: null }),
    after: (writing, row) => recordOtherFacet(writing, row, 'member', 'updated'),
  }),
}
