import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, nothing, type Rule } from '../../engine/declare/expressions.ts'
import { image, imageOf, reference, timestamp } from '../../engine/declare/fields.ts'
import { school } from '../settings/school.ts'
import { checkProfile, inviteStaff, requireChangeable } from './staffInvitations.ts'
import { lastSeenOf, personOfStaff, type StaffPerson } from './staffSelections.ts'

const isMe: Rule<'staff'> = (staff, me) => (me.personId === null ? staff.lit(false) : staff('person_id', '=', me.personId))

export const staff = defineResource({
  name: 'staff',
  path: 'school/staff',
  object: 'staff',
  idPrefix: 'stf',
  table: 'staff',
  about: 'A person who works at the school as owner, admin or lecturer. Everybody else is a learner.',
  undo: 'It decides who works in the school: change it back there.',
  scopes: school.area,
  schema: z.object({
    person: z
      .object({
        name: z.string().meta({ description: 'Name of the person.', example: 'Hazel Lanternfield' }),
        email: z.string().meta({ description: 'Address that the person signs in with, or was invited at.', example: 'owner@example.com' }),
        avatar: image('Picture of the person.').nullable().meta({ description: 'Picture of the person.', example: null }),
      })
      .meta({ description: 'The person.', example: {} }),
    role: z
      .enum(['owner', 'admin', 'lecturer'])
      .meta({ component: 'StaffRole' })
      .meta({ description: 'Role, which decides on permissions.', example: 'admin' }),
    lecturer_id: reference('lec', 'Lecturer profile of the person.')
      .nullable()
      .meta({ description: 'Lecturer profile of the person.', idPrefix: 'lec', example: null }),
    status: z
      .enum(['invited', 'active', 'removed'])
      .meta({ component: 'StaffStatus' })
      .meta({ description: 'Only active staff have permissions.', example: 'active' }),
    invited_at: timestamp().nullable().meta({ description: 'When the person was invited.', example: '2026-03-01T09:30:00.000Z' }),
    accepted_at: timestamp()
      .nullable()
      .meta({ description: 'When the person accepted the invitation by creating a login.', example: '2026-03-01T09:30:00.000Z' }),
    last_seen_at: timestamp().nullable().meta({ description: 'When the person last signed in.', example: null }),
  }),
  derived: {
    person: {
      select: personOfStaff,
      of: (person: StaffPerson, context) => ({ name: person.name, email: person.email, avatar: imageOf(person.avatar, context) }),
    },
    last_seen_at: { select: lastSeenOf },
  },
  inputs: z.object({
    email: z
      .string()
      .max(254)
      .meta({ description: 'Address of the person, who is notified by e-mail.', example: 'rowan@example.com', createOnly: true }),
  }),
  writable: ['role', { field: 'lecturer_id', on: 'create' }],
  required: ['email', 'role'],
  filters: ['role', 'status', 'created_at', 'updated_at'],
  sorts: ['created_at', 'updated_at'],
  visibility: { anonymous: nothing, learner: nothing, lecturer: isMe, staff: everything },
  views: { staff: isMe },
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      errors: ['invalid_state', 'email_taken'],
      id: 'inviteStaff',
      asksFirst: 'access',
      roles: ['staff'],
      check: checkProfile,
      defaults: (writing, { email, role }) => inviteStaff(writing, { email, role }),
    },
    update: {
      scope: 'write',
      asksFirst: 'access',
      errors: ['self_change', 'last_owner'],
      roles: ['staff'],
      async before(writing, row, { role }) {
        await requireChangeable(writing, row, role)
        return {}
      },
    },
    remove: {
      scope: 'write',
      errors: ['self_change', 'last_owner'],
      id: 'removeStaff',
      asksFirst: 'access',
      roles: ['staff'],
      status: 204,
      async instead(writing, row) {
        await requireChangeable(writing, row, undefined)
        return { status: 'removed', lecturer_id: null }
      },
    },
  },
})
