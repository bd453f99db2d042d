import { z } from 'zod'
import { toPublicId } from '../../base/ids.ts'
import { line, slug, text, timestamp } from '../../engine/declare/fields.ts'
import { formPath } from '../../engine/sitePaths.ts'
import { saveForm } from '../forms/saveForm.ts'
import { definePlatformOperation } from './runReport.ts'

const longText = (max: number, description: string, example: string) =>
  text(max, z.string().trim()).nullable().default(null).meta({ description, example })

const moment = (description: string) => timestamp().nullable().default(null).meta({ description, example: null })

const kinds = [
  ...['text', 'long_text', 'email', 'phone', 'number', 'date'],
  ...['single_choice', 'multiple_choice', 'checkbox', 'file', 'consent'],
] as const

const question = z
  .object({
    key: z
      .string()
      .regex(/^[a-z0-9_]{1,40}$/, 'must be 1 to 40 lower-case letters, digits and underscores')
      .meta({ description: 'Key of the answer, unique in the form.', example: 'which_clay' }),
    label: line(300).meta({ description: 'The question.', example: 'Which clay?' }),
    kind: z.enum(kinds).meta({ description: 'Type of the answer.', example: 'single_choice' }),
    required: z.boolean().default(false).meta({ description: 'True if an answer is required.', example: true }),
    options: z
      .array(line(200))
      .max(100)
      .default([])
      .meta({ description: 'Options to choose from; for choices only.', example: ['Stoneware', 'Porcelain'] }),
    help: longText(500, 'Help text.', 'Ask us if you do not know it.'),
    max_length: z.int().min(1).max(20_000).nullable().default(null).meta({ description: 'Maximum number of characters.', example: null }),
  })
  .superRefine(({ kind, required, options }, context) => {
    const isChoice = kind === 'single_choice' || kind === 'multiple_choice'
    const reject = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message })
    if (isChoice && options.length === 0) reject('options', 'must have at least one option for a choice')
    if (!isChoice && options.length > 0) reject('options', 'must be empty unless the kind is a choice')
    if (new Set(options).size !== options.length) reject('options', 'must contain each option once')
    if (kind === 'file' && required) reject('required', 'must be false for a file: forms do not accept files')
  })

export const formOperations = [
  definePlatformOperation({
    id: 'saveForm',
    tag: 'forms',
    path: '/forms',
    summary: 'Add or replace a form',
    description:
      'Stores the whole definition of the form with this slug. A published form has a page at `/forms/{slug}` of the school. Stored submissions keep their answers.',
    successStatus: 200,
    event: 'platform.form_saved',
    input: z.object({
      slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'ask-the-school' }),
      title: line(160).meta({ description: 'Title of the form.', example: 'Ask the school' }),
      status: z
        .enum(['draft', 'published', 'closed'])
        .meta({ description: 'Only a published form accepts submissions.', example: 'published' }),
      description: longText(2000, 'Description above the questions.', 'We answer within a day.'),
      fields: z
        .array(question)
        .min(1)
        .max(50)
        .refine((fields) => new Set(fields.map(({ key }) => key)).size === fields.length, 'must contain each key once')
        .meta({
          description: 'The questions, in their order.',
          example: [{ key: 'question', label: 'Your question', kind: 'long_text', required: true }],
        }),
      success_message: longText(2000, 'Message after the submission.', 'Thank you. We answer within a day.'),
      submit_label: line(60).nullable().default(null).meta({ description: 'Label of the button.', example: 'Send' }),
      consent_text: longText(2000, 'Text that people agree to; null for that of the school.', 'You may keep my answers for a year.'),
      notifies_staff: z.boolean().default(false).meta({
        description: 'True if owners and admins get an e-mail about new submissions, at most once an hour.',
        example: true,
      }),
      copies_answers: z.boolean().default(false).meta({
        description:
          "True if the confirmation that people get by e-mail contains their answers, shortened and without links. Anybody can enter another person's address: without it, the confirmation contains nothing that they entered.",
        example: true,
      }),
      opens_at: moment('When it starts to accept submissions.'),
      closes_at: moment('When it stops accepting submissions.'),
    }),
    output: {
      name: 'Form',
      schema: z.object({
        object: z.literal('form').meta({ description: 'The type of the object.' }),
        id: z.string().meta({ description: 'Id of the form.', example: toPublicId('frm', '01942bc1-1a80-7000-8000-000000000001') }),
        slug: slug().meta({ description: 'Slug of the form.', example: 'ask-the-school' }),
        version: z.int().meta({ description: 'Version of the form.', example: 2 }),
        url: z.string().meta({ description: 'URL of its page.', example: 'https://school.example.com/forms/ask-the-school' }),
      }),
    },
    async run({ writer, school, now }, { opens_at, closes_at, ...definition }) {
      const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text))
      const times = { opens_at: dateOf(opens_at), closes_at: dateOf(closes_at) }
      const { id, version } = await saveForm(writer, { schoolId: school.id, now }, { ...definition, ...times })
      return { object: 'form', id: toPublicId('frm', id), slug: definition.slug, version, url: school.issuer + formPath(definition.slug) }
    },
  }),
]
