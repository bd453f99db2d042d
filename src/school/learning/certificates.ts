import { z } from 'zod'
import { Problem } from '../../base/problem.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, nothing } from '../../engine/declare/expressions.ts'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import { defineCollectionRead } from '../../engine/declare/typedOperations.ts'
import { certificatePath, enrollments } from './enrollments.ts'
import { learningRules } from './enrollmentVisibility.ts'
import { findCertificate, readCertificateNumber, validity } from './issuedCertificates.ts'

const number = z
  .string()
  .max(64)
  .refine((written) => readCertificateNumber(written) !== undefined, 'must be the sixteen characters of the certificate')
  .meta({ description: 'Number of the certificate, in any case, with or without spaces and hyphens.', example: '7QW3KD9XHM2TB5ZE' })

const stated = {
  course_title: z.string().meta({ description: 'Title that the course had at the time of issue.', example: 'Clay From Scratch' }),
  holder_name: z
    .string()
    .nullable()
    .meta({ description: 'Name of the holder at the time of issue; null if the person was erased.', example: 'Juno Fenwick' }),
  corrected_at: timestamp()
    .nullable()
    .meta({ description: 'Time at which the school last corrected the name or the title; null if it never did.', example: null }),
}

const rules = learningRules('certificate')

/** Certificates of completions. Anyone with the number of one can verify it. */
export const certificates = defineResource({
  name: 'certificates',
  object: 'certificate',
  idPrefix: 'cer',
  table: 'certificate',
  about:
    'A certificate of a completed course. Each completion has its own: a repeated course gives another one, and the earlier ones stay valid. Anyone with its number can verify it.',
  undo: true,
  scopes: enrollments.area,
  catalogue: false,
  schema: z.object({
    number,
    enrollment_id: reference('enr', 'The enrolment.'),
    student_id: reference('std', 'The student.'),
    course_id: reference('crs', 'The course.'),
    status: z.enum(['valid', 'revoked']).meta({ description: 'Whether it is valid.', example: 'valid' }),
    completed_at: timestamp().meta({ description: 'Time of the completion that it certifies.', example: '2026-03-01T09:30:00.000Z' }),
    issued_at: timestamp().meta({ description: 'Time of issue.', example: '2026-03-01T09:30:00.000Z' }),
    ...stated,
    revoked_at: timestamp().nullable().meta({ description: 'Time at which the school revoked it; null if it is valid.', example: null }),
    url: z
      .url()
      .meta({ description: 'Page on which anyone can verify it.', example: 'https://school.example/certificates/7QW3KD9XHM2TB5ZE' }),
  }),
  derived: {
    student_id: { from: ['person_id'], of: ({ person_id }) => person_id },
    status: { select: validity },
    url: { from: ['number'], of: ({ number: shown }, { school }) => school.issuer + certificatePath(shown) },
  },
  filters: [
    {
      name: 'enrollment_id',
      description: 'the id of an enrolment',
      value: reference('enr', 'Id of an enrolment.'),
      where: (certificate, ids) => certificate('certificate.enrollment_id', 'in', [...ids]),
    },
    {
      name: 'course_id',
      description: 'the id of a course',
      value: reference('crs', 'Id of a course.'),
      where: (certificate, ids) => certificate('certificate.course_id', 'in', [...ids]),
    },
    {
      name: 'student_id',
      description: 'the id of a student',
      value: reference('std', 'Id of a student.'),
      where: (certificate, ids) => certificate('certificate.person_id', 'in', [...ids]),
    },
    'issued_at',
    'revoked_at[exists]',
  ],
  sorts: ['-issued_at'],
  exports: true,
  visibility: { anonymous: nothing, learner: rules.isMine, lecturer: rules.isTaughtOrMine, staff: everything },
  views: { own: rules.isMine, staff: rules.isTaught },
  operations: { list: 'read' },
  actions: {
    revoke: {
      scope: 'write',
      view: 'staff',
      roles: ['staff'],
      summary: 'Revoke a certificate that should not have been issued',
      from: ['valid'],
      to: 'revoked',
      run: async ({ now }) => ({ revoked_at: now }),
    },
    restore: {
      scope: 'write',
      view: 'staff',
      roles: ['staff'],
      summary: 'Make a revoked certificate valid again',
      from: ['revoked'],
      to: 'valid',
      run: async () => ({ revoked_at: null }),
    },
  },
  collectionReads: {
    '{number}': defineCollectionRead({
      scope: 'read',
      id: 'verifyCertificate',
      isPublic: 'full',
      limit: 'guess',
      summary: 'Verify a certificate',
      parameters: z.object({ number }),
      output: z.object({
        number,
        ...stated,
        issued_at: timestamp().meta({ description: 'Time of issue.', example: '2026-03-01T09:30:00.000Z' }),
        valid: z
          .boolean()
          .meta({ description: 'True if the certificate is valid. Repeating the course does not change it.', example: true }),
      }),
      async run({ database, parameters }) {
        const found = await findCertificate(database, readCertificateNumber(String(parameters.get('number'))) ?? '')
        if (!found) throw new Problem('not_found', { description: 'The school has not issued a certificate with this number.' })
        return found
      },
    }),
  },
})
