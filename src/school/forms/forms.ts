import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, fromJson } from '../../engine/declare/expressions.ts'
import { reference, slug, timestamp } from '../../engine/declare/fields.ts'
import { isInFormStatus, isOpen, pagesFrom, placesOf, statusNow } from './formRules.ts'
import { summarize } from './formSummary.ts'

const status = z.enum(['draft', 'published', 'closed']).meta({ component: 'FormStatus' })
const time = (description: string, view?: 'staff') =>
  timestamp()
    .nullable()
    .meta({ description, example: null, ...(view && { view }) })

const question = z
  .object({
    key: z.string().meta({ description: 'Key of the answer.', example: 'which_clay' }),
    label: z.string().meta({ description: 'The question.', example: 'Which clay?' }),
    kind: z
      .enum(['text', 'long_text', 'email', 'phone', 'number', 'date', 'single_choice', 'multiple_choice', 'checkbox', 'file', 'consent'])
      .meta({ component: 'QuestionType' })
      .meta({ description: 'Type of the answer.', example: 'single_choice' }),
    required: z.boolean().default(false).meta({ description: 'True if an answer is required.', example: true }),
    options: z.array(z.string()).meta({ description: 'Options to choose from.', example: ['Stoneware', 'Porcelain'] }),
    help: z.string().nullable().meta({ description: 'Help text.', example: null }),
    max_length: z.int().nullable().meta({ description: 'Maximum number of characters.', example: null }),
  })
  .meta({ component: 'FormQuestion' })

export const formSchema = z.object({
  title: z.string().meta({ description: 'Title of the form.', example: 'Ask the studio' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'ask-the-studio' }),
  status: status.meta({ description: 'Visitors see published forms until they close.', example: 'published' }),
  description: z.string().nullable().meta({ description: 'Description of the form.', example: 'We answer within a day.' }),
  fields: z.array(question).meta({ description: 'The questions, in their order.', example: [] }),
  success_message: z.string().nullable().meta({ description: 'Message after the submission.', example: 'Thank you.' }),
  submit_label: z.string().nullable().meta({ description: 'Label of the button.', example: 'Send' }),
  consent_text: z.string().nullable().meta({
    description: 'Text that people agree to when they send the form; null if that of the school applies.',
    example: 'You may keep my answers for a year.',
  }),
  notifies_staff: z.boolean().meta({
    description: 'True if owners and admins get an e-mail about new submissions, at most once an hour.',
    example: false,
    view: 'staff',
  }),
  copies_answers: z.boolean().meta({
    description: 'True if the confirmation that people get by e-mail contains their answers.',
    example: false,
    view: 'staff',
  }),
  pages: z
    .array(
      z.object({
        id: reference('pag', 'Id of the page.'),
        slug: z.string().meta({ description: 'Slug of the page.', example: 'contact' }),
      }),
    )
    .meta({ description: 'Public pages that show the form.', example: [] }),
  submissions_count: z.int().meta({
    description: 'Number of submissions, including spam; the summary of the form counts the two separately.',
    example: 12,
    view: 'staff',
  }),
  last_submission_at: time('When it was last submitted.', 'staff'),
  opens_at: time('When it starts to accept submissions.'),
  closes_at: time('When it stops accepting submissions.'),
})

export const forms = defineResource({
  name: 'forms',
  object: 'form',
  idPrefix: 'frm',
  table: 'form',
  anonymous: 'partial',
  catalogue: false,
  about: 'A form of the school’s site, with its questions. People fill it in on the site; only staff see the submissions.',
  notInApi: 'Not in this API: creating, changing, submitting and deleting forms. The school does this on its own site.',
  scopes: { read: { learner: 'See the forms of the school', staff: 'See all forms and the submitted answers', othersData: ['staff'] } },
  schema: formSchema,
  derived: {
    status: {
      from: ['status', 'closes_at'],
      of: (form) => statusNow(form, form.seen_as !== 'staff'),
    },
    fields: { from: ['fields'], of: ({ fields }) => fromJson(fields) },
    pages: {
      select: placesOf,
      of: pagesFrom,
    },
  },
  filters: [
    { name: 'status', description: 'draft, published or closed', value: status, where: isInFormStatus },
    'created_at',
    'updated_at',
  ],
  search: ['title', 'slug'],
  sorts: ['-created_at', 'updated_at', 'title'],
  visibility: { anonymous: isOpen, learner: isOpen, lecturer: isOpen, staff: everything },
  operations: { list: 'read', get: 'read' },
  reads: {
    summary: {
      scope: 'read',
      roles: ['staff'],
      view: 'staff',
      byId: true,
      id: 'getFormSummary',
      summary: 'Summarise the submissions of a form',
      output: z.object({
        submissions: z.int().meta({ description: 'Number of submissions, without spam.', example: 12 }),
        spam: z.int().meta({
          description: 'Number of submissions that are spam. With `submissions`, it adds up to `submissions_count` of the form.',
          example: 1,
        }),
        by_day: z
          .array(
            z.object({
              date: z.string().meta({ description: 'Day in the time zone of the school.', example: '2026-03-01' }),
              count: z.int().meta({ description: 'Number of submissions.', example: 3 }),
            }),
          )
          .meta({ description: 'Submissions by day, without spam, for the last thirty days including today.', example: [] }),
        choices: z
          .record(z.string(), z.record(z.string(), z.int().meta({ description: 'Number of choices.' })).meta({ description: 'By option.' }))
          .meta({
            description: 'Number of choices of each option, by the key of the question, without spam.',
            example: { which_clay: { Stoneware: 7 } },
          }),
      }),
      run: ({ database }, form) => summarize(database, form),
    },
  },
})
