import { z } from 'zod'
import { isInFormStatus, isOpen, pagesFrom, placesOf, statusNow } from '../domain/forms/formRules.ts'
import { summarize } from '../domain/forms/formSummary.ts'
import { defineResource } from '../framework/declare/defineResource.ts'
import { everything } from '../framework/declare/expressions.ts'
import { reference, slug, timestamp } from '../framework/declare/fields.ts'
import { fromJson } from '../framework/declare/values.ts'

const status = z.enum(['draft', 'published', 'closed'])
const time = (description: string, view?: 'staff') =>
  timestamp()
    .nullable()
    .meta({ description, example: null, ...(view && { view }) })

const question = z.object({
  key: z.string().meta({ description: 'Name of the answer.', example: 'which_clay' }),
  label: z.string().meta({ description: 'What is asked.', example: 'Which clay?' }),
  kind: z
    .enum(['text', 'long_text', 'email', 'phone', 'number', 'date', 'single_choice', 'multiple_choice', 'checkbox', 'file', 'consent'])
    .meta({ description: 'What the answer is.', example: 'single_choice' }),
  required: z.boolean().default(false).meta({ description: 'Whether it must be answered.', example: true }),
  options: z.array(z.string()).meta({ description: 'What can be chosen.', example: ['Stoneware', 'Porcelain'] }),
  help: z.string().nullable().meta({ description: 'What helps to answer.', example: null }),
  max_length: z.int().nullable().meta({ description: 'Characters at most.', example: null }),
})

/** What the school asks. */
export const forms = defineResource({
  name: 'forms',
  object: 'form',
  idPrefix: 'frm',
  table: 'form',
  anonymous: 'partial',
  catalogue: false,
  about: 'A form of the school’s site: what is asked. It is filled in on the site; what was sent in is for the staff.',
  scopes: { read: 'See forms and what was sent in' },
  schema: z.object({
    title: z.string().meta({ description: 'Title of the form.', example: 'Ask the studio' }),
    slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'ask-the-studio' }),
    status: status.meta({ description: 'Visitors see published forms, until they close.', example: 'published' }),
    description: z.string().nullable().meta({ description: 'What it is for.', example: 'We answer within a day.' }),
    fields: z.array(question).meta({ description: 'The questions, in their order.', example: [] }),
    success_message: z.string().nullable().meta({ description: 'What is said once it is sent.', example: 'Thank you.' }),
    submit_label: z.string().nullable().meta({ description: 'Words of the button.', example: 'Send' }),
    pages: z
      .array(
        z.object({
          id: reference('pag', 'Id of the page.'),
          slug: z.string().meta({ description: 'Address of the page on the site.', example: 'contact' }),
        }),
      )
      .meta({ description: 'Public pages that show it.', example: [] }),
    submissions_count: z.int().meta({ description: 'How often it was sent in.', example: 12, view: 'staff' }),
    last_submission_at: time('When it was last sent in.', 'staff'),
    opens_at: time('From when on it takes answers.'),
    closes_at: time('Until when it takes answers.'),
  }),
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
      summary: 'Sum up what was sent in',
      output: z.object({
        submissions: z.int().meta({ description: 'How often it was sent in, spam apart.', example: 12 }),
        by_day: z
          .array(
            z.object({
              date: z.string().meta({ description: 'Day of the school.', example: '2026-03-01' }),
              count: z.int().meta({ description: 'How often it was sent in.', example: 3 }),
            }),
          )
          .meta({ description: 'The last thirty days, today included.', example: [] }),
        choices: z
          .record(z.string(), z.record(z.string(), z.int().meta({ description: 'How often.' })).meta({ description: 'By option.' }))
          .meta({
            description: 'How often each option was chosen, by the key of the question.',
            example: { which_clay: { Stoneware: 7 } },
          }),
      }),
      run: ({ database }, form) => summarize(database, form),
    },
  },
})
