import { z } from 'zod'
import { certificateNumber } from '../domain/learning/certificates.ts'
import { statusAt } from '../domain/learning/enrollmentStatus.ts'
import { reopen, resetProgress } from '../domain/learning/enrollmentTransitions.ts'
import {
  hasEnrollmentStatus,
  learningRules,
  lockCourseForProgress,
  lockCourseOfEnrollment,
  publishedLessonsOf,
} from '../domain/learning/enrollmentVisibility.ts'
import { enrollmentTimeErrors, enrollOnRequest } from '../domain/learning/enrollOnRequest.ts'
import { readProgress } from '../domain/learning/readProgress.ts'
import { defineResource } from '../framework/declare/defineResource.ts'
import { everything, nothing } from '../framework/declare/expressions.ts'
import { reference } from '../framework/declare/fields.ts'
import { apiPath } from '../framework/declare/operations.ts'
import type { Resource } from '../framework/declare/resource.ts'
import { uuidOf } from '../lib/ids.ts'
import { Problem } from '../lib/problem.ts'
import { courses } from './courses.ts'
import { putProgress, transitionOf } from './enrollmentActions.ts'
import { bulkEnrollments } from './enrollmentBulk.ts'
import { enrollmentSchema, enrollmentStatus, enrollmentSummary, lessonState, named } from './enrollmentFields.ts'
import { lessons } from './lessons.ts'
import { studentArea } from './studentArea.ts'
import { students } from './students.ts'

const rules = learningRules('enrollment')
const teachers = ['lecturer', 'staff'] as const

/** The enrolments of students in courses, with their progress. */
export const enrollments = defineResource({
  name: 'enrollments',
  object: 'enrollment',
  idPrefix: 'enr',
  table: 'enrollment',
  about: 'The enrolment of a student in a course, with the period of access and the progress. There is one for each student and course.',
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
      from: ['certificate_number', 'certificate_issued_at', 'completed_at'],
      of: ({ certificate_number: number, certificate_issued_at: issued_at, completed_at }, { school }) =>
        number && completed_at
          ? { number, issued_at: issued_at ?? completed_at, url: `${school.issuer}${apiPath}/certificates/${number}` }
          : null,
    },
  },
  inputs: z.object(named),
  writable: [
    { field: 'student_id', on: 'create' },
    { field: 'course_id', on: 'create' },
    { field: 'starts_at', roles: teachers },
    { field: 'expires_at', roles: teachers },
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
      name: 'course',
      description: 'the id of a course',
      value: reference('crs', 'Id of a course.'),
      where: (enrollment, ids) => enrollment('enrollment.course_id', 'in', [...ids]),
    },
    {
      name: 'student',
      description: 'the id of a student',
      value: reference('std', 'Id of a student.'),
      where: (enrollment, ids) => enrollment('enrollment.person_id', 'in', [...ids]),
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
      isOnce: true,
      perform: (writing, values) => enrollOnRequest(writing, values),
    },
    update: {
      scope: 'write',
      view: 'staff',
      roles: teachers,
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
      output: z.object({
        enrollment: enrollmentSummary,
        lessons: z.array(lessonState).meta({ description: 'All published lessons in their order.', example: [] }),
      }),
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
    certificate: {
      scope: 'write',
      id: 'issueCertificate',
      follows: 'completeEnrollment',
      summary: 'Issue the certificate of a completed course',
      status: 201,
      isOnce: true,
      lockFirst: lockCourseForProgress,
      async perform({ writer, school, now }, row) {
        if (row.completed_at === null)
          throw new Problem('invalid_state', { description: 'The course is not completed. A certificate can be issued after completion.' })
        if (row.certificate_number !== null) return { isUnchanged: true }
        const { certificate_enabled } = await writer
          .selectFrom('course')
          .select('certificate_enabled')
          .where('school_id', '=', school.id)
          .where('id', '=', row.course_id)
          .executeTakeFirstOrThrow()
        if (!certificate_enabled) throw new Problem('invalid_state', { description: 'The course does not issue certificates.' })
        return { columns: { certificate_number: certificateNumber(), certificate_issued_at: now } }
      },
    },
  },
  collectionActions: { bulk: bulkEnrollments },
})
