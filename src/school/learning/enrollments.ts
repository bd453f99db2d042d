import { z } from 'zod'
import { audienceOf } from '../../base/caller.ts'
import { uuidOf } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, nothing } from '../../engine/declare/expressions.ts'
import { reference, text } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import { courses } from '../courses/courses.ts'
import { lessons } from '../curriculum/lessons.ts'
import { studentArea } from '../students/studentArea.ts'
import { students } from '../students/students.ts'
import { bulkEnrollments, putProgress, transitionOf } from './enrollmentActions.ts'
import { courseProgress, enrollmentSchema, enrollmentStatus, history, named } from './enrollmentFields.ts'
import { statusAt } from './enrollmentStatus.ts'
import { reopen, resetProgress } from './enrollmentTransitions.ts'
import {
  hasEnrollmentStatus,
  hasIncompleteLesson,
  learningRules,
  lockCourseForProgress,
  lockCourseOfEnrollment,
  publishedLessonsOf,
} from './enrollmentVisibility.ts'
import { enrollmentTimeErrors, enrollOnRequest } from './enrollOnRequest.ts'
import { issueOnRequest, type NewestCertificate, newestCertificate } from './issuedCertificates.ts'
import { readProgress } from './readProgress.ts'

export const certificatePath = (number: string): string => `/certificates/${number}`

/** Issues the certificate of a completed course, or, by the staff and with a reason, issues it again with the current name and title. */
const issueCertificate = defineAction('enrollment', {
  undo: 'A certificate stays valid once it was issued.',
  scope: 'write',
  errors: ['invalid_state'],
  id: 'issueCertificate',
  asksFirst: 'irreversible',
  follows: 'completeEnrollment',
  summary: 'Issue the certificate of a completed course, or correct it',
  status: 201,
  isOnce: true,
  lockFirst: lockCourseForProgress,
  input: z.object({
    reason: text(500).optional().meta({
      description:
        'Only for staff: corrects a certificate that was issued before. It is issued again under its number, with the current name of the student and the current title of the course; the audit trail keeps the reason.',
      example: 'The student has a new name.',
    }),
  }),
  async perform(writing, row, { reason }) {
    if (reason !== undefined && audienceOf(writing.caller) !== 'staff')
      throw new Problem('access_denied', { description: 'reason: only staff can correct a certificate. Leave it out to issue one.' })
    const isChanged = await issueOnRequest(writing, row, { isCorrected: reason !== undefined })
    return isChanged ? { columns: {}, reason } : { isUnchanged: true }
  },
})

const rules = learningRules('enrollment')
const teachers = ['lecturer', 'staff'] as const

export const enrollments = defineResource({
  name: 'enrollments',
  object: 'enrollment',
  idPrefix: 'enr',
  table: 'enrollment',
  about: 'The enrolment of a student in a course, with the period of access and the progress. There is one for each student and course.',
  undo: true,
  scopes: studentArea,
  schema: enrollmentSchema,
  derived: {
    student_id: {
      from: ['person_id'],
      of: ({ person_id }) => person_id,
      write: (id) => ({ person_id: uuidOf('std', id) }),
    },
    status: { from: ['status', 'expires_at'], of: (row) => statusAt(row, new Date()) },
    lessons_count: { select: publishedLessonsOf },
    certificate: {
      select: newestCertificate,
      of: (newest: NewestCertificate | null, { school }) =>
        newest && {
          ...newest,
          issued_at: new Date(newest.issued_at).toISOString(),
          corrected_at: newest.corrected_at && new Date(newest.corrected_at).toISOString(),
          url: school.issuer + certificatePath(newest.number),
        },
    },
  },
  inputs: z.object({ ...named, ...history }),
  writable: [
    { field: 'student_id', on: 'create' },
    { field: 'course_id', on: 'create' },
    { field: 'starts_at', roles: teachers },
    { field: 'expires_at', roles: teachers },
    { field: 'completed_at', on: 'create', roles: ['staff'] },
    'external_id',
    'metadata',
  ],
  required: ['course_id'],
  filters: [
    {
      name: 'status',
      description: 'the current state',
      value: enrollmentStatus,
      where: (_enrollment, statuses) => hasEnrollmentStatus(statuses),
    },
    'source',
    {
      name: 'course_id',
      description: 'the id of a course',
      value: reference('crs', 'Id of a course.'),
      where: (enrollment, ids) => enrollment('enrollment.course_id', 'in', [...ids]),
    },
    {
      name: 'student_id',
      description: 'the id of a student',
      value: reference('std', 'Id of a student.'),
      where: (enrollment, ids) => enrollment('enrollment.person_id', 'in', [...ids]),
    },
    {
      name: 'incomplete_lesson_id',
      description: 'the id of a published lesson that the student has not completed, whether begun or not',
      value: reference('les', 'Id of a lesson.'),
      where: (enrollment, ids) => hasIncompleteLesson(enrollment, ids),
    },
    'completed_at',
    'expires_at',
    'expires_at[exists]',
    'last_activity_at',
    'created_at',
    'updated_at',
    'progress_percent',
    'external_id',
  ],
  sorts: ['-created_at', 'updated_at', 'last_activity_at'],
  exports: true,
  expand: {
    student: { resource: (): Resource => students, id: ({ person_id }) => person_id },
    course: { resource: (): Resource => courses, id: ({ course_id }) => course_id },
    last_lesson: { resource: (): Resource => lessons, id: ({ last_lesson_id }) => last_lesson_id },
  },
  listedUnder: [
    { resource: (): Resource => students, where: (enrollment, id) => enrollment('enrollment.person_id', '=', id) },
    { resource: (): Resource => courses, byId: true, where: (enrollment, id) => enrollment('enrollment.course_id', '=', id) },
  ],
  visibility: { anonymous: nothing, learner: rules.isMine, lecturer: rules.isTaughtOrMine, staff: everything },
  views: { own: rules.isMine, staff: rules.isTaught },
  lockFirst: lockCourseOfEnrollment,
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      errors: ['invalid_state', 'checkout_required'],
      isOnce: true,
      perform: (writing, values) => enrollOnRequest(writing, values),
    },
    update: {
      scope: 'write',
      view: 'staff',
      roles: teachers,
      errors: ['invalid_state'],
      check: ({ starts_at, expires_at }, { now }) =>
        enrollmentTimeErrors(
          { startsAt: new Date(String(starts_at)), expiresAt: expires_at === null ? null : new Date(String(expires_at)) },
          now,
        ),
      before: (writing, row, { expires_at }) => reopen(writing, row, expires_at === null ? null : new Date(String(expires_at))),
    },
  },
  reads: {
    progress: {
      scope: 'read',
      id: 'getProgress',
      view: 'own',
      summary: 'Get the progress of a student in each lesson',
      output: courseProgress,
      run: async ({ database }, row) => {
        const all = await readProgress(database, row)
        return { enrollment: { ...row, status: statusAt(row, new Date()), lessons_count: all.length }, lessons: all }
      },
    },
  },
  actions: {
    suspend: transitionOf('suspend', 'Suspend an enrolment'),
    resume: transitionOf('resume', 'Resume a suspended enrolment'),
    cancel: transitionOf('cancel', 'Cancel an enrolment'),
    complete: transitionOf('complete', 'Complete an enrolment'),
    reset_progress: {
      scope: 'write',
      id: 'resetProgress',
      follows: 'completeEnrollment',
      view: 'staff',
      roles: teachers,
      summary: 'Reset the progress of a student in a course',
      run: (writing, row) => resetProgress(writing, row),
    },
    'progress/{lesson_id}': putProgress,
    certificate: issueCertificate,
  },
  collectionActions: { bulk: bulkEnrollments },
})
