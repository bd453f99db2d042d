import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, fromJson, nothing } from '../../engine/declare/expressions.ts'
import { imageField } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import { studentExport } from '../account/personExports.ts'
import { enrollments } from '../learning/enrollments.ts'
import { members } from '../members/members.ts'
import { changeOf, erasureOf, manyOf } from '../people/facetOperations.ts'
import { exportPerson } from './exportPerson.ts'
import {
  checkPerson,
  checkPersonCaller,
  type PersonChange,
  recordOtherFacet,
  requireAuthorityOver,
  requireFreeEmail,
} from './findOrCreatePerson.ts'
import { invitePerson, sendInvitation } from './invitations.ts'
import { hasTag, setTags, tagsOf } from './personTags.ts'
import { studentArea } from './studentArea.ts'
import { reasonInput, send_invite, studentSchema } from './studentFields.ts'
import { isMe, isStudent, isTaughtByCaller, spendOf } from './studentVisibility.ts'

export const students = defineResource({
  name: 'students',
  object: 'student',
  idPrefix: 'std',
  table: 'person',
  part: isStudent,
  me: ({ personId }) => personId,
  about: 'A student of the school. The same person can be a member as well; both ids have the same suffix.',
  undo: 'People receive an e-mail, or it decides who can sign in: reverse it with the opposite operation. An erased person cannot be brought back.',
  scopes: studentArea,
  schema: studentSchema,
  derived: {
    avatar: imageField('person', 'avatar'),
    status: { column: 'student_status' },
    status_reason: { column: 'student_status_reason' },
    tags: { select: tagsOf('student_tag'), write: () => ({}) },
    marketing_consent: {
      from: ['marketing_consent'],
      of: (row) => fromJson(row.marketing_consent),
      write: (consent) => ({
        marketing_consent: consent && JSON.stringify({ granted: consent.granted, at: new Date().toISOString() }),
      }),
    },
    member_id: { from: ['id', 'is_member'], of: ({ id, is_member }) => (is_member ? id : null) },
    has_account: { from: ['account_id'], of: ({ account_id }) => account_id !== null },
    lifetime_spend: { select: spendOf, of: (spent: { amount: number; currency: string }) => spent },
  },
  inputs: z.object({ send_invite }),
  writable: [
    { field: 'email', roles: ['staff'] },
    'name',
    'given_name',
    'family_name',
    'avatar',
    'locale',
    'time_zone',
    'country',
    'phone',
    'marketing_consent',
    { field: 'tags', roles: ['staff'] },
    { field: 'note', roles: ['staff'] },
    { field: 'custom_fields', roles: ['staff'] },
    { field: 'external_id', roles: ['staff'] },
    { field: 'metadata', roles: ['staff'] },
  ],
  required: ['email', 'name'],
  filters: [
    'status',
    {
      name: 'tag',
      description: 'a tag of the student',
      view: 'staff',
      value: z.string().min(1).max(40).meta({ example: 'evening' }),
      where: hasTag('student_tag'),
    },
    'external_id',
    'email',
    'email[prefix]',
    'created_at',
    'updated_at',
    'last_active_at',
    'last_active_at[exists]',
  ],
  search: ['name', 'email'],
  sorts: ['-created_at', 'updated_at', 'last_active_at', 'name'],
  exports: true,
  expand: {
    member: { resource: (): Resource => members, id: ({ id, is_member }) => (is_member ? id : null) },
    enrollments: { resource: (): Resource => enrollments, by: 'person_id' },
  },
  visibility: {
    anonymous: nothing,
    learner: isMe,
    lecturer: (person, me) => person.or([isMe(person, me), isTaughtByCaller(person, me)]),
    staff: everything,
  },
  views: { own: isMe },
  checkCaller: checkPersonCaller,
  operations: {
    list: 'read',
    get: 'read',
    create: {
      undo: true,
      scope: 'write',
      errors: ['email_taken'],
      roles: ['staff'],
      async check(values, writing) {
        const fieldErrors = checkPerson(values)
        if (fieldErrors.length === 0) await requireFreeEmail(writing, values)
        return fieldErrors
      },
      defaults: async ({ now }, { send_invite }) => ({
        is_student: true,
        ...(send_invite === true && { student_status: 'invited', invited_at: now }),
      }),
      async after(writing, row, values) {
        await writeTags(writing, row, values)
        if (values.send_invite === true) await sendInvitation(writing, row)
      },
    },
    update: changeOf('student', writeTags),
    remove: erasureOf('student', 'eraseStudent'),
    bulk: manyOf('student'),
  },
  reads: {
    export: {
      scope: 'read',
      id: 'exportStudent',
      view: 'own',
      summary: 'Export all data of a student',
      output: studentExport,
      run: async (reading, row) => ({ object: 'student_export', ...(await exportPerson(reading, row)) }),
    },
  },
  actions: {
    suspend: defineAction('person', {
      scope: 'write',
      asksFirst: 'access',
      roles: ['staff'],
      summary: 'Suspend a student',
      from: ['active'],
      to: 'suspended',
      input: reasonInput,
      requireCaller: (writing, row) => requireAuthorityOver(writing, row.id),
      run: async (_writing, _row, { reason }) => ({ student_status_reason: reason }),
      after: (writing, row) => recordOtherFacet(writing, row, 'student', 'updated'),
    }),
    reactivate: defineAction('person', {
      scope: 'write',
      asksFirst: 'access',
      roles: ['staff'],
      summary: 'Reactivate a suspended student',
      from: ['suspended'],
      to: 'active',
      input: reasonInput,
      requireCaller: (writing, row) => requireAuthorityOver(writing, row.id),
      run: async () => ({ student_status_reason: null }),
      after: (writing, row) => recordOtherFacet(writing, row, 'student', 'updated'),
    }),
    resend_invite: defineAction('person', {
      scope: 'write',
      errors: ['invalid_state'],
      id: 'resendStudentInvite',
      undo: 'It sends the invitation again.',
      roles: ['staff'],
      summary: 'Send an invitation to a student without a login',
      input: z.object({}),
      async run(writing, row) {
        const invited = await invitePerson(writing, row, row.student_status)
        return invited && { ...invited, student_status: 'invited' }
      },
    }),
  },
})

async function writeTags({ writer }: PersonChange, { id }: { id: string }, { tags }: { tags?: string[] }): Promise<void> {
  if (tags !== undefined) await setTags(writer, { personId: id, kind: 'student_tag' }, tags)
}
