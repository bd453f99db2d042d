import { z } from 'zod'
import { findCertificate, readCertificateNumber } from '../domain/learning/certificates.ts'
import { defineResource } from '../framework/declare/defineResource.ts'
import type { Rows } from '../framework/declare/expressions.ts'
import { timestamp } from '../framework/declare/fields.ts'
import { defineCollectionRead } from '../framework/declare/typedOperations.ts'
import { Problem } from '../lib/problem.ts'
import { enrollments } from './enrollments.ts'

const number = z
  .string()
  .max(64)
  .refine((written) => readCertificateNumber(written) !== undefined, 'must be the sixteen characters of the certificate')
  .meta({ description: 'Number of the certificate, in any case, with or without spaces and hyphens.', example: '7QW3KD9XHM2TB5ZE' })

const isIssued = (enrollment: Rows<'enrollment'>) => enrollment('certificate_number', 'is not', null)

/** Issued certificates. Anyone with the number of a certificate can verify it; there is no list. */
export const certificates = defineResource({
  name: 'certificates',
  object: 'certificate',
  idPrefix: 'enr',
  table: 'enrollment',
  about: 'A certificate of a completed course. Anyone with its number can verify it.',
  scopes: enrollments.area,
  catalogue: false,
  schema: z.object({ number }),
  derived: { number: { from: ['certificate_number'], of: ({ certificate_number }) => certificate_number ?? '' } },
  visibility: { anonymous: isIssued, learner: isIssued, lecturer: isIssued, staff: isIssued },
  operations: {},
  collectionReads: {
    '{number}': defineCollectionRead({
      scope: 'read',
      id: 'verifyCertificate',
      isPublic: true,
      limit: 'guess',
      summary: 'Verify a certificate',
      parameters: z.object({ number }),
      output: z.object({
        number,
        course_title: z.string().meta({ description: 'Title that the course had at the time of issue.', example: 'Clay From Scratch' }),
        holder_name: z
          .string()
          .nullable()
          .meta({ description: 'Name of the holder at the time of issue; null if the person was erased.', example: 'Juno Fenwick' }),
        issued_at: timestamp().meta({ description: 'Time of issue.', example: '2026-03-01T09:30:00.000Z' }),
        corrected_at: timestamp()
          .nullable()
          .meta({ description: 'Time at which the school last corrected the name or the title; null if it never did.', example: null }),
        valid: z.boolean().meta({ description: 'True if the certificate is valid. Resetting the progress revokes it.', example: true }),
      }),
      async run({ database, parameters }) {
        const found = await findCertificate(database, readCertificateNumber(String(parameters.get('number'))) ?? '')
        if (!found) throw new Problem('not_found', { description: 'The school has not issued a certificate with this number.' })
        return found
      },
    }),
  },
})
