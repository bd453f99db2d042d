import { z } from 'zod'
import { spendOf } from '../domain/students/personSelections.ts'
import { hasTag, setTags, tagsOf } from '../domain/students/personTags.ts'
import {
  checkPerson,
  noteOtherFacet,
  type PersonChange,
  requireFreeEmail,
  requireNotErased,
  requirePowerOver,
} from '../domain/students/personWriting.ts'
import { isMe, isStudent, learnsFromMe } from '../domain/students/whoSeesStudents.ts'
import { everything, nothing } from '../kit/expressions.ts'
import { imageField } from '../kit/image.ts'
import { defineResource } from '../kit/resource.ts'
import type { Values } from '../kit/writing.ts'
import { studentSchema } from './studentFields.ts'

/** Who learns. */
export const students = defineResource({
  name: 'students',
  object: 'student',
  idPrefix: 'std',
  table: 'person',
  part: isStudent,
  me: ({ personId }) => personId,
  about: 'A person who learns at the school. The same person can be a member as well: both ids end alike.',
  scopes: {
    read: 'See students, their enrolments and their progress',
    write: 'Add and change students, enrolments and progress',
  },
  schema: studentSchema,
  derived: {
    avatar: imageField('person', 'avatar'),
    status: { column: 'student_status' },
    tags: { select: tagsOf('student_tag'), write: () => ({}) },
    marketing_consent: {
      from: ['marketing_consent'],
      of: (row) => row.marketing_consent as { granted: boolean; at: string } | null,
      write: (consent) => ({
        marketing_consent: consent && JSON.stringify({ granted: consent.granted, at: new Date().toISOString() }),
      }),
    },
    member_id: { from: ['id', 'is_member'], of: ({ id, is_member }) => (is_member ? id : null) },
    has_account: { from: ['account_id'], of: ({ account_id }) => account_id !== null },
    lifetime_spend: { select: spendOf, of: (spent: { amount: number; currency: string }) => spent },
  },
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
      value: z.string().min(1).max(40),
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
  visibility: {
    anonymous: nothing,
    learner: isMe,
    lecturer: (person, me) => person.or([isMe(person, me), learnsFromMe(person, me)]),
    staff: everything,
  },
  views: { own: isMe },
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      roles: ['staff'],
      async check(values, writing) {
        const faults = checkPerson(values)
        if (faults.length === 0) await requireFreeEmail(writing, values)
        return faults
      },
      defaults: async () => ({ is_student: true }),
      after: writeTags,
    },
    update: {
      scope: 'write',
      check: (values, _writing, row) => checkPerson(values, row),
      async before(writing, row, values) {
        requireNotErased(row)
        await requirePowerOver(writing, row.id)
        await requireFreeEmail(writing, values, row)
        return {}
      },
      async after(writing, row, values) {
        await writeTags(writing, row, values)
        await noteOtherFacet(writing, row, 'student', 'updated')
      },
    },
  },
})

async function writeTags({ writer, school }: PersonChange, { id }: { id: string }, { tags }: Values): Promise<void> {
  if (tags !== undefined) await setTags(writer, { schoolId: school.id, personId: id, kind: 'student_tag' }, tags as string[])
}
