import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, nothing } from '../../engine/declare/expressions.ts'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { lessons } from '../curriculum/lessons.ts'
import { studentArea } from '../students/studentArea.ts'
import { students } from '../students/students.ts'
import { positionSeconds } from './enrollmentFields.ts'
import { learningRules } from './enrollmentVisibility.ts'

const rules = learningRules('lesson_progress')

export const lessonProgress = defineResource({
  name: 'lesson_progress',
  object: 'lesson_progress',
  idPrefix: 'lpr',
  table: 'lesson_progress',
  about: 'The progress of a student in one lesson.',
  scopes: studentArea,
  schema: z.object({
    enrollment_id: reference('enr', 'The enrolment.'),
    student_id: reference('std', 'The student.'),
    course_id: reference('crs', 'The course.'),
    lesson_id: reference('les', 'The lesson.'),
    status: z.enum(['started', 'completed']).meta({ description: 'Progress in the lesson.', example: 'started' }),
    position_seconds: positionSeconds.nullable().meta({ description: 'Position in the lesson in seconds.', example: 95 }),
    completed_at: timestamp().nullable().meta({ description: 'Time of completion.', example: null }),
  }),
  derived: { student_id: { from: ['person_id'], of: ({ person_id }) => person_id } },
  filters: [
    {
      name: 'course_id',
      description: 'the id of a course',
      value: reference('crs', 'Id of a course.'),
      where: (progress, ids) => progress('lesson_progress.course_id', 'in', [...ids]),
    },
    {
      name: 'lesson_id',
      description: 'the id of a lesson',
      value: reference('les', 'Id of a lesson.'),
      where: (progress, ids) => progress('lesson_progress.lesson_id', 'in', [...ids]),
    },
    {
      name: 'student_id',
      description: 'the id of a student',
      value: reference('std', 'Id of a student.'),
      where: (progress, ids) => progress('lesson_progress.person_id', 'in', [...ids]),
    },
    'status',
    'completed_at',
    'updated_at',
  ],
  sorts: ['updated_at'],
  exports: true,
  expand: {
    student: { resource: (): Resource => students, id: ({ person_id }) => person_id },
    lesson: { resource: (): Resource => lessons, id: ({ lesson_id }) => lesson_id },
  },
  visibility: { anonymous: nothing, learner: rules.isMine, lecturer: rules.isTaughtOrMine, staff: everything },
  views: { own: rules.isMine, staff: rules.isTaught },
  operations: { list: 'read' },
})
