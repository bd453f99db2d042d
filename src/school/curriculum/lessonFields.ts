import { z } from 'zod'
import { markupLimitsText } from '../../base/text/markupLimits.ts'
import { playerNames } from '../../base/text/players.ts'
import { line, reference, text, timestamp, webUrl } from '../../engine/declare/fields.ts'
import { markupText } from '../../engine/declare/richText.ts'
import { languageTag } from '../../engine/declare/typedTexts.ts'

// The fields of a lesson in requests, for one lesson and for the import of many.

const itemId = (description: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,40}$/, 'must be 1 to 40 characters from A-Z, a-z, 0-9, _ and -')
    .optional()
    .meta({ description, example: 'q1' })

export const lessonTitle = line(160).meta({ description: 'Name of the lesson.', example: 'Wedging and centring' })

export const lessonKind = z
  .enum(['video', 'text', 'audio', 'file', 'quiz', 'assignment', 'live', 'embed'])
  .meta({ component: 'LessonKind' })
  .meta({ description: 'Kind of the lesson. Cannot be changed later.', example: 'video' })

const isPreview = z.boolean().default(false).meta({ description: 'True if everybody can read it.', example: false })

export const durationSeconds = z.int().min(0).max(86_400).nullable().meta({ description: 'Duration in seconds.', example: 420 })

export const content = markupText(200_000, 'Text of the lesson.')
  .nullable()
  .meta({ description: `Text of the lesson. ${markupLimitsText}`, example: '## Wedging', view: 'own' })

export const contentFormat = z
  .enum(['markdown', 'html'])
  .meta({ component: 'ContentFormat' })
  .default('markdown')
  .meta({ description: 'Format of the text.', example: 'markdown', view: 'own' })

export const media = z
  .object({
    file_id: reference('fil', 'An uploaded video, audio file or document.').nullable().default(null).meta({
      description: 'An uploaded video, audio file or document.',
      example: null,
      idPrefix: 'fil',
    }),
    embed_url: webUrl(['https'])
      .nullable()
      .default(null)
      .meta({
        description: `A video or another work of ${playerNames}, instead of a file: the address of its page, as people copy it, or of its player. It becomes the address of the player, without cookies if the service offers that.`,
        example: 'https://player.vimeo.com/video/1?dnt=1',
      }),
    captions: z
      .array(
        z.object({
          language: languageTag().min(2).meta({ description: 'Language of the captions (BCP 47).', example: 'en' }),
          file_id: reference('fil', 'An uploaded captions file.'),
        }),
      )
      .max(20)
      .default([])
      .meta({ description: 'Captions, one file for each language.', example: [] }),
    url: z.url().nullable().default(null).meta({ description: 'Temporary URL of the file.', example: null, readOnly: true }),
    expires_at: timestamp().nullable().default(null).meta({ description: 'Time at which the URL expires.', example: null, readOnly: true }),
  })
  .meta({ component: 'LessonMedia' })
  .nullable()
  .meta({ description: 'Media of the lesson: a file or an external player.', example: null, view: 'own' })

const choice = z
  .object({
    id: itemId('Id of the choice; generated if absent.'),
    text: text(1000).meta({ description: 'Text of the choice.', example: 'Stoneware' }),
    correct: z.boolean().default(false).meta({ description: 'True if the choice is correct.', example: true, view: 'staff' }),
  })
  .meta({ component: 'QuizChoice' })

const question = z
  .object({
    id: itemId('Id of the question; generated if absent.'),
    kind: z
      .enum(['single', 'multiple', 'true_false', 'short_text'])
      .meta({ component: 'QuestionKind' })
      .meta({ description: 'Kind of the question.', example: 'single' }),
    prompt: text(2000).meta({ description: 'Text of the question.', example: 'Which clay is fired hottest?' }),
    choices: z.array(choice).max(10).default([]).meta({ description: 'Choices; empty for the kind short_text.', example: [] }),
    accepted_answers: z
      .array(line(200).meta({ description: 'An accepted answer.', example: 'kaolin' }))
      .max(20)
      .default([])
      .meta({ description: 'Accepted answers; only for the kind short_text.', example: [], view: 'staff' }),
    points: z.int().min(1).max(100).default(1).meta({ description: 'Points for a correct answer.', example: 1 }),
    explanation: z
      .string()
      .max(2000)
      .nullable()
      .default(null)
      .meta({ description: 'Explanation of the answer.', example: null, view: 'staff' }),
  })
  .meta({ component: 'QuizQuestion' })

export const quiz = z
  .object({
    pass_percent: z.int().min(1).max(100).default(70).meta({ description: 'Share of the points that is needed to pass.', example: 70 }),
    max_attempts: z
      .int()
      .min(1)
      .max(1000)
      .nullable()
      .default(null)
      .meta({ description: 'Maximum number of attempts; null without a limit.', example: 3 }),
    show_explanations: z
      .enum(['never', 'after_attempt', 'after_passing'])
      .meta({ component: 'ExplanationTime' })
      .default('never')
      .meta({ description: 'When a student sees the explanations, with `expand=explanations` of an attempt.', example: 'after_passing' }),
    questions: z.array(question).min(1).max(100).meta({ description: 'Questions of the quiz.', example: [] }),
  })
  .meta({ component: 'Quiz' })
  .nullable()
  .meta({ description: 'Quiz; only for a lesson of the kind quiz.', example: null, view: 'own' })

const count = (description: string) => z.int().meta({ description, example: 12 })
const share = (description: string) => z.number().nullable().meta({ description, example: 66.66 })

export const quizAnalysis = z.object({
  attempts_count: count('Number of attempts.'),
  students_count: count('Number of students with an attempt.'),
  passed_students_count: count('Number of students who have passed.'),
  average_score_percent: share('Mean score of the attempts; null without attempts.'),
  questions: z
    .array(
      z.object({
        question_id: z.string().meta({ description: 'Id of the question.', example: 'q1' }),
        kind: question.shape.kind,
        prompt: question.shape.prompt,
        points: z.int().meta({ description: 'Points for a correct answer now.', example: 1 }),
        attempts_count: count('Number of attempts with a recorded result for the question.'),
        correct_count: count('Number of correct answers.'),
        correct_percent: share('Share of correct answers; null without attempts.'),
        discrimination: z.number().nullable().meta({
          description:
            'Correlation of the answer with the score of the attempt, from -1 to 1. Near or below 0 the question does not separate students who know the subject from others; null if all results are alike.',
          example: 0.42,
        }),
        choices: z
          .array(
            z.object({
              choice_id: z.string().meta({ description: 'Id of the choice.', example: 'c1' }),
              text: choice.shape.text,
              correct: z.boolean().meta({ description: 'True if the choice is correct now.', example: true }),
              chosen_count: count('Number of attempts that chose it.'),
            }),
          )
          .meta({ description: 'Choices in their order.', example: [] }),
      }),
    )
    .meta({ description: 'Questions that the quiz has now, in their order.', example: [] }),
})

export const drip = z
  .object({
    mode: z
      .enum(['none', 'days_after_enrollment', 'date'])
      .meta({ component: 'DripMode' })
      .default('none')
      .meta({ description: 'Condition under which the lesson opens.', example: 'none' }),
    days: z.int().min(0).max(3650).optional().meta({ description: 'Days after enrolment.', example: 7 }),
    at: timestamp().optional().meta({ description: 'Time at which the lesson opens.', example: '2026-03-01T09:30:00.000Z' }),
  })
  .meta({ component: 'Drip' })
  .default({ mode: 'none' })
  .meta({ description: 'Time at which the lesson opens to enrolled students.', example: { mode: 'none' }, view: 'own' })

export const commentsEnabled = z.boolean().default(true).meta({ description: 'True if comments are allowed.', example: true, view: 'own' })

/** The fields of a lesson that everybody who sees the course can see. */
export const outline = {
  section_id: reference('sec', 'Section of the lesson.'),
  title: lessonTitle,
  kind: lessonKind,
  status: z
    .enum(['draft', 'published'])
    .meta({ component: 'LessonStatus' })
    .meta({ description: 'State of the lesson. Only staff and lecturers of the course see drafts.', example: 'published' }),
  is_preview: isPreview,
  position: z.int().meta({ description: 'Position in the section, from 0.', example: 0 }),
  duration_seconds: durationSeconds,
  locked: z.boolean().meta({ description: 'True if you cannot read the content.', example: false }),
  lock_reason: z.enum(['not_enrolled', 'drip', 'expired']).meta({ component: 'LockReason' }).nullable().meta({
    description:
      'Reason why the lesson is locked; null if it is open. not_enrolled: you have no enrolment, or it is cancelled. drip: it opens at unlocks_at. expired: your enrolment gives no access now, because it has ended or is suspended.',
    example: null,
  }),
}
