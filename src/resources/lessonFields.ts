import { z } from 'zod'
import { line, reference, timestamp, webUrl } from '../framework/declare/fields.ts'
import { markupText } from '../framework/declare/richText.ts'
import { markupLimitsText } from '../lib/markupLimits.ts'

/** What a lesson is made of, as a client writes it: used where one lesson is written and where many are imported. */

const itemId = (description: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,40}$/, 'must be 1 to 40 of A-Z, a-z, 0-9, _ and -')
    .optional()
    .meta({ description, example: 'q1' })

export const lessonTitle = line(160).meta({ description: 'Name of the lesson.', example: 'Wedging and centring' })

export const lessonKind = z
  .enum(['video', 'text', 'audio', 'file', 'quiz', 'assignment', 'live', 'embed'])
  .meta({ description: 'What one does in it. Cannot be changed later.', example: 'video' })

export const isPreview = z.boolean().default(false).meta({ description: 'Whether everybody may read it.', example: false })

export const durationSeconds = z.int().min(0).max(86_400).nullable().meta({ description: 'How long it takes.', example: 420 })

export const content = markupText(200_000, 'Text of the lesson.')
  .nullable()
  .meta({ description: `Text of the lesson. ${markupLimitsText}`, example: '## Wedging', view: 'own' })

export const contentFormat = z
  .enum(['markdown', 'html'])
  .default('markdown')
  .meta({ description: 'How the text is written.', example: 'markdown', view: 'own' })

export const media = z
  .object({
    file_id: reference('fil', 'An uploaded film or sound.').nullable().default(null).meta({
      description: 'An uploaded film, sound or document.',
      example: null,
      idPrefix: 'fil',
    }),
    embed_url: webUrl(['https']).nullable().default(null).meta({
      description: 'Address of a player elsewhere, instead of a file. Hosts of well-known players alone are taken.',
      example: 'https://player.vimeo.com/video/1',
    }),
    captions: z
      .array(
        z.object({
          language: z.string().min(2).max(35).meta({ description: 'Language of the captions (BCP 47).', example: 'en' }),
          file_id: reference('fil', 'An uploaded file of captions.'),
        }),
      )
      .max(20)
      .default([])
      .meta({ description: 'Captions, one file for each language.', example: [] }),
    url: z.url().nullable().default(null).meta({ description: 'Where to play the file, for a while.', example: null, readOnly: true }),
    expires_at: timestamp().nullable().default(null).meta({ description: 'Until when.', example: null, readOnly: true }),
  })
  .nullable()
  .meta({ description: 'What is played: a file or an address.', example: null, view: 'own' })

const choice = z.object({
  id: itemId('Id of the choice; made where none is sent.'),
  text: z.string().min(1).max(1000).meta({ description: 'What can be chosen.', example: 'Stoneware' }),
  correct: z.boolean().default(false).meta({ description: 'Whether it is right.', example: true, view: 'staff' }),
})

const question = z.object({
  id: itemId('Id of the question; made where none is sent.'),
  kind: z.enum(['single', 'multiple', 'true_false', 'short_text']).meta({ description: 'How it is answered.', example: 'single' }),
  prompt: z.string().min(1).max(2000).meta({ description: 'What is asked.', example: 'Which clay is fired hottest?' }),
  choices: z.array(choice).max(10).default([]).meta({ description: 'What can be chosen; none where a text is asked for.', example: [] }),
  accepted_answers: z
    .array(z.string().min(1).max(200).meta({ description: 'A right answer.', example: 'kaolin' }))
    .max(20)
    .default([])
    .meta({ description: 'Texts that are right, where a text is asked for.', example: [], view: 'staff' }),
  points: z.int().min(1).max(100).default(1).meta({ description: 'What it is worth.', example: 1 }),
  explanation: z
    .string()
    .max(2000)
    .nullable()
    .default(null)
    .meta({ description: 'Why the answer is right.', example: null, view: 'staff' }),
})

export const quiz = z
  .object({
    pass_percent: z.int().min(1).max(100).default(70).meta({ description: 'Share of the points that passes.', example: 70 }),
    max_attempts: z.int().min(1).max(1000).nullable().default(null).meta({ description: 'How often one may try.', example: 3 }),
    questions: z.array(question).min(1).max(100).meta({ description: 'What is asked.', example: [] }),
  })
  .nullable()
  .meta({ description: 'Questions; only of a lesson of the kind quiz.', example: null, view: 'own' })

export const drip = z
  .object({
    mode: z.enum(['none', 'days_after_enrollment', 'date']).default('none').meta({ description: 'What it waits for.', example: 'none' }),
    days: z.int().min(0).max(3650).optional().meta({ description: 'Days after enrolment.', example: 7 }),
    at: timestamp().optional().meta({ description: 'From when on.', example: '2026-03-01T09:30:00.000Z' }),
  })
  .default({ mode: 'none' })
  .meta({ description: 'When it opens to those who may read it.', example: { mode: 'none' }, view: 'own' })

export const commentsEnabled = z
  .boolean()
  .default(true)
  .meta({ description: 'Whether people can comment on it.', example: true, view: 'own' })

/** What everybody who sees the course sees of a lesson: where it stands, and whether it is open. */
export const outline = {
  section_id: reference('sec', 'Section that it stands in.'),
  title: lessonTitle,
  kind: lessonKind,
  status: z.enum(['draft', 'published']).meta({ description: 'A draft is seen by those who teach the course.', example: 'published' }),
  is_preview: isPreview,
  position: z.int().meta({ description: 'Place within the section, from 0.', example: 0 }),
  duration_seconds: durationSeconds,
  locked: z.boolean().meta({ description: 'Whether what it teaches is closed to you.', example: false }),
  lock_reason: z
    .enum(['not_enrolled', 'drip', 'expired'])
    .nullable()
    .meta({ description: 'Why it is closed; null where it is open.', example: null }),
}
