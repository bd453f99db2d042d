import type { Values } from '../../engine/declare/expressions.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import type { Change, Removal, RowsInBulk } from '../../engine/write/writing.ts'
import { leaveWaitlists, lockWaitlistsOf } from '../events/withdrawPerson.ts'
import { blockMember } from '../members/memberStates.ts'
import { eraseByStaff } from '../students/eraseByStaff.ts'
import {
  addFacet,
  checkPerson,
  findPersonByKeys,
  lockPeople,
  type PersonChange,
  recordOtherFacet,
  requireAuthorityOver,
  requireFreeEmail,
  requireNotErased,
} from '../students/findOrCreatePerson.ts'
import { lockPlaces } from '../students/releasePlaces.ts'
import { cancelParameter, reasonInput } from '../students/studentFields.ts'

type Facet = 'student' | 'member'

type WriteTags = (change: PersonChange, row: { id: string }, values: Values) => Promise<void>

export const changeOf = (facet: Facet, writeTags: WriteTags): Change<'person', 'write'> => ({
  undo: true,
  scope: 'write',
  errors: ['invalid_state', 'email_taken'],
  requireCaller: (writing, row) => requireAuthorityOver(writing, row.id),
  check: (values, _writing, row) => checkPerson(values, row),
  async before(writing, row, values) {
    requireNotErased(row)
    await requireFreeEmail(writing, values, row)
    return {}
  },
  async after(writing, row, values) {
    await writeTags(writing, row, values)
    await recordOtherFacet(writing, row, facet, 'updated')
  },
})

export const erasureOf = (facet: Facet, id: string): Removal<'person', 'write'> => ({
  scope: 'write',
  errors: ['self_change', 'last_owner', 'active_subscription'],
  id,
  asksFirst: 'irreversible',
  roles: ['staff'],
  status: 204,
  parameters: cancelParameter,
  lockFirst: (writer, { id: personId }) => lockPlaces(writer, { personId }),
  requireCaller: (writing, row) => requireAuthorityOver(writing, row.id, ['owner', 'admin', 'lecturer']),
  instead: eraseByStaff,
  after: (writing, row) => recordOtherFacet(writing, row, facet, 'deleted'),
})

/** Returns the import of many people: a person with one of the keys of an item gets the facet. */
export const manyOf = (facet: Facet): RowsInBulk<'write'> => ({
  undo: true,
  scope: 'write',
  roles: ['staff'],
  keys: ['email', 'external_id'],
  lockAll: ({ writer }, items) => lockPeople(writer, items),
  find: async ({ writer, now }, item) => {
    const id = await findPersonByKeys(writer, item)
    if (id !== undefined) await addFacet(writer, { personId: id, facet, now })
    return id
  },
})

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
