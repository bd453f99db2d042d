import { z } from 'zod'
import { fromPublicId } from '../../base/ids.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, fromJson, nothing } from '../../engine/declare/expressions.ts'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { normalised } from '../students/studentFields.ts'
import { contactOf } from './formRules.ts'
import { answeredQuestions } from './formSummary.ts'
import { forms } from './forms.ts'

const person = (prefix: 'std' | 'mbr', description: string) =>
  reference(prefix, description).nullable().meta({ description, example: null, idPrefix: prefix })

const textOrNone = (description: string, example: string) => z.string().nullable().meta({ description, example })

export const formSubmissionSchema = z.object({
  form_id: reference('frm', 'Id of the form.'),
  form_version: z.int().meta({ description: 'Version of the form at the time of the submission.', example: 2 }),
  answers: z
    .record(
      z.string(),
      z.union([
        z.string(),
        z.number(),
        z.boolean(),
        z.array(z.string()),
        z.object({
          file_id: z.string().meta({ description: 'Id of the file.', example: 'fil_01jgwejj00e6srgkpqm2sqf05m' }),
          filename: z.string().meta({ description: 'Name of the file.', example: 'portfolio.pdf' }),
        }),
      ]),
    )
    .meta({ description: 'The answers, by the key of the question.', example: { which_clay: 'Stoneware' } }),
  contact: z
    .object({
      email: textOrNone('E-mail address in the submission.', 'wren@example.org'),
      name: textOrNone('Name in the submission.', 'Wren Tidewell'),
      student_id: person('std', 'The student, if known.'),
      member_id: person('mbr', 'The member, if known.'),
    })
    .meta({ description: 'The person who submitted the form.', example: {} }),
  source_path: textOrNone('Page from which it was submitted.', '/contact'),
  locale: textOrNone('Language of the page.', 'en'),
  consent_text: textOrNone('The text that the person agreed to; null if the form asked for no consent.', 'I agree to the privacy policy.'),
  spam: z.boolean().meta({ description: 'True if it was classified as spam.', example: false }),
  submitted_at: timestamp().meta({ description: 'When it was submitted.', example: '2026-03-01T09:30:00.000Z' }),
})

export const formSubmissions = defineResource({
  name: 'form_submissions',
  object: 'form_submission',
  idPrefix: 'fsb',
  table: 'form_submission',
  about: 'A submission of a form. Only the staff of the school see it.',
  notInApi: 'Not in this API: creating, changing and deleting submissions. People fill in forms on the site of the school.',
  scopes: forms.area,
  schema: formSubmissionSchema,
  derived: {
    answers: { from: ['answers'], of: ({ answers }) => fromJson(answers) },
    contact: { select: contactOf },
  },
  filters: [
    {
      name: 'form_id',
      description: 'the id of a form',
      value: reference('frm', 'Id of a form.'),
      where: (submission, ids: readonly string[]) => submission('form_id', 'in', [...ids]),
    },
    'spam',
    {
      name: 'email',
      description: 'the e-mail address in the submission',
      value: z.string().min(1).max(254).meta({ example: 'learner@example.org' }),
      where: (submission, addresses: readonly string[]) => submission('email', 'in', addresses.map(normalised)),
    },
    {
      name: 'student_id',
      description: 'the id of a student',
      value: reference('std', 'Id of a student.'),
      where: (submission, ids: readonly string[]) => submission('person_id', 'in', [...ids]),
    },
    'submitted_at',
    'created_at',
    'updated_at',
  ],
  sorts: ['-submitted_at'],
  exports: true,
  csvMembers: {
    answers: async ({ database, parameters, ownerId }) => {
      const named = (parameters.get('form_id') as string[] | undefined)?.flatMap((id) => fromPublicId('frm', id) ?? [])
      return await answeredQuestions(database, ownerId === undefined ? named : [ownerId])
    },
  },
  expand: { form: { resource: (): Resource => forms, id: ({ form_id }) => form_id } },
  listedUnder: [
    {
      resource: (): Resource => forms,
      where: (submission, id) => submission('form_id', '=', id),
      id: 'listFormSubmissionsOf',
      at: 'submissions',
      byId: true,
    },
  ],
  visibility: { anonymous: nothing, learner: nothing, lecturer: nothing, staff: everything },
  operations: { list: 'read', get: 'read' },
})
