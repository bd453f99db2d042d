// More than 250 lines: one declaration.
import { z } from 'zod'
import { type Role, roles } from '../../base/caller.ts'
import type { ProblemDetail } from '../../base/problem.ts'
import { scopeName } from '../../engine/declare/area.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, idsIn } from '../../engine/declare/expressions.ts'
import { imageField, reference } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import { defineBulkAction } from '../../engine/write/bulkAction.ts'
import { memberExport } from '../account/personExports.ts'
import { membershipPlans } from '../memberships/membershipPlans.ts'
import { subscriptions } from '../memberships/subscriptions.ts'
import { blocking, changeOf, erasureOf, manyOf } from '../people/facetOperations.ts'
import { exportPerson } from '../students/exportPerson.ts'
import {
  checkPerson,
  checkPersonCaller,
  type PersonChange,
  recordOtherFacet,
  requireAuthorityOver,
  requireFreeEmail,
} from '../students/findOrCreatePerson.ts'
import { sendInvitation } from '../students/invitations.ts'
import { hasTag, setTags, tagsOf } from '../students/personTags.ts'
import { reasonInput, send_invite } from '../students/studentFields.ts'
import { students } from '../students/students.ts'
import { isMe } from '../students/studentVisibility.ts'
import { labelling, memberSchema } from './memberFields.ts'
import { hasOneOfPlans, hasRole, type MemberPlan, plansOf, staffRoleOf } from './memberSelections.ts'
import { checkGivenPlan, givePlan, labelMember, leaveSchool, removeMember } from './memberStates.ts'
import { hasPublicDirectory, isInPublicDirectory, isKnownToLecturers, isKnownToMembers, isMember } from './memberVisibility.ts'

/** The scope that adding a member with a plan needs as well. */
const startsSubscription = scopeName(subscriptions.area, 'write')

export const members = defineResource({
  name: 'members',
  object: 'member',
  idPrefix: 'mbr',
  table: 'person',
  part: isMember,
  me: ({ personId }) => personId,
  anonymous: 'partial',
  anonymousWhen: hasPublicDirectory,
  catalogue: false,
  about: 'A person who belongs to the community of the school. The same person can also be a student: both ids have the same ending.',
  undo: 'People receive an e-mail, or it decides who can sign in: reverse it with the opposite operation. An erased person cannot be brought back.',
  scopes: {
    read: {
      learner: 'See the member directory and your own member profile',
      staff: 'See all members with their contact details and memberships',
      othersData: ['staff'],
    },
    write: { learner: 'Change your member profile, and leave the school', staff: 'Add, change, label, block, remove and delete members' },
  },
  schema: memberSchema,
  derived: {
    display_name: {
      from: ['display_name', 'name'],
      of: ({ display_name, name }) => (display_name ?? name).slice(0, 60),
      write: (display_name) => ({ display_name }),
    },
    avatar: imageField('person', 'avatar'),
    status: { column: 'member_status' },
    status_reason: { column: 'member_status_reason' },
    note: { column: 'member_note' },
    last_seen_at: { column: 'last_active_at' },
    plans: { select: plansOf, of: (plans: MemberPlan[] | null) => (plans ?? []).map(withTime) },
    roles: { select: staffRoleOf, of: (role: Exclude<Role, 'learner'> | null): Role[] => [role ?? 'learner'] },
    labels: { select: tagsOf('member_label'), write: () => ({}) },
    student_id: { from: ['id', 'is_student'], of: ({ id, is_student }) => (is_student ? id : null) },
  },
  inputs: z.object({
    send_invite,
    plan_id: reference('mpl', 'A plan.').meta({
      description: `A plan that the member gets for free. Also needs the scope ${startsSubscription}.`,
      idPrefix: 'mpl',
      createOnly: true,
    }),
  }),
  writable: [
    'display_name',
    'headline',
    'bio',
    'avatar',
    'links',
    'directory_visible',
    { field: 'email', roles: ['staff'] },
    { field: 'labels', roles: ['staff'] },
    { field: 'note', roles: ['staff'] },
    { field: 'external_id', roles: ['staff'] },
    { field: 'metadata', roles: ['staff'] },
  ],
  required: ['email', 'display_name'],
  filters: [
    'status',
    'tier',
    {
      name: 'plan_id',
      description: 'the id of a current plan of the member',
      view: 'staff',
      value: reference('mpl', 'Id of a plan.'),
      where: hasOneOfPlans,
    },
    {
      name: 'label',
      description: 'a label of the member',
      view: 'staff',
      value: z.string().min(1).max(40).meta({ example: 'founder' }),
      where: hasTag('member_label'),
    },
    {
      name: 'role',
      description: 'the role of the person in the school',
      view: 'staff',
      value: z.enum(roles).meta({ component: 'PersonRole' }),
      where: hasRole,
    },
    'email',
    'external_id',
    'joined_at',
    'joined_at[exists]',
    'last_seen_at',
    'last_seen_at[exists]',
    'created_at',
    'updated_at',
  ],
  search: [{ field: 'display_name', else: 'name' }, { staff: 'name' }, { staff: 'email' }],
  sorts: ['-created_at', 'joined_at', 'updated_at', { field: 'display_name', else: 'name' }],
  exports: true,
  expand: {
    plans: { resource: (): Resource => membershipPlans, ids: (row) => idsIn(row.plans) },
    subscriptions: { resource: (): Resource => subscriptions, by: 'person_id' },
    student: { resource: (): Resource => students, id: ({ id, is_student }) => (is_student ? id : null) },
  },
  visibility: { anonymous: isInPublicDirectory, learner: isKnownToMembers, lecturer: isKnownToLecturers, staff: everything },
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
      async check(values, writing): Promise<ProblemDetail[]> {
        const scopes = [scopeName(members.area, 'write'), startsSubscription] as const
        const fieldErrors = [
          ...checkPerson(values),
          ...(await checkGivenPlan(writing, typeof values.plan_id === 'string' ? values.plan_id : undefined, scopes)),
        ]
        if (fieldErrors.length === 0) await requireFreeEmail(writing, values)
        return fieldErrors
      },
      defaults: async ({ now }, { send_invite, display_name }) => ({
        is_member: true,
        name: display_name,
        ...(send_invite === true ? { member_status: 'invited', invited_at: now } : { joined_at: now }),
      }),
      async after(writing, row, values) {
        await writeLabels(writing, row, values)
        if (typeof values.plan_id === 'string') await givePlan(writing, row.id, values.plan_id)
        if (values.send_invite === true) await sendInvitation(writing, row)
      },
    },
    update: changeOf('member', writeLabels),
    remove: erasureOf('member', 'eraseMember'),
    bulk: manyOf('member'),
  },
  reads: {
    export: {
      scope: 'read',
      id: 'exportMember',
      view: 'own',
      summary: 'Export all data of a member',
      output: memberExport,
      run: async (reading, row) => ({ object: 'member_export', ...(await exportPerson(reading, row)) }),
    },
  },
  actions: {
    ...blocking,
    remove: defineAction('person', {
      scope: 'write',
      asksFirst: 'access',
      errors: ['active_subscription', 'self_change'],
      roles: ['staff'],
      summary: 'Remove a member from the community',
      from: ['active', 'blocked'],
      to: 'left',
      input: reasonInput.extend({
        cancel_subscriptions: z.boolean().default(false).meta({
          description: 'Also cancel running subscriptions. Without it, a member with a running subscription cannot be removed.',
          example: false,
        }),
      }),
      requireCaller: (writing, row) => requireAuthorityOver(writing, row.id),
      run: (writing, row, { reason, cancel_subscriptions }) =>
        removeMember(writing, row, { reason, isRequested: cancel_subscriptions === true }),
      after: (writing, row) => recordOtherFacet(writing, row, 'member', 'updated'),
    }),
    leave: {
      scope: 'write',
      errors: ['active_subscription'],
      id: 'leaveSchool',
      asksFirst: 'access',
      isOwn: true,
      summary: 'Leave the community of the school',
      from: ['active'],
      to: 'left',
      run: leaveSchool,
      after: (writing, row) => recordOtherFacet(writing, row, 'member', 'updated'),
    },
  },
  collectionActions: {
    labels: defineBulkAction({
      undo: true,
      scope: 'write',
      id: 'labelMembers',
      roles: ['staff'],
      limit: 'bulk',
      summary: 'Add and remove labels of many members',
      of: { idPrefix: 'mbr', object: 'member' },
      ...labelling,
      begin:
        async (writing, _ids, { add, remove }) =>
        async (id) => {
          await labelMember(writing, id, { add, remove })
          return { status: 200, id }
        },
    }),
  },
})

/** Converts the time of a plan, which is text in the format of the database, to the format of the API. */
const withTime = ({ until, ...plan }: MemberPlan) => ({ ...plan, until: until === null ? null : new Date(until).toISOString() })

async function writeLabels({ writer }: PersonChange, { id }: { id: string }, { labels }: { labels?: string[] }): Promise<void> {
  if (labels !== undefined) await setTags(writer, { personId: id, kind: 'member_label' }, labels)
}
