import { z } from 'zod'
import { playedAddress } from '../../base/text/players.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, fromJson } from '../../engine/declare/expressions.ts'
import { externalId, metadata, reference, timestamp } from '../../engine/declare/fields.ts'
import type { Presentation } from '../../engine/declare/rowSerializer.ts'
import { quizAnalysis } from '../learning/quizAnalysis.ts'
import type { StoredQuiz } from '../learning/scoreQuiz.ts'
import { lockCourseOf } from './countTree.ts'
import { curriculum } from './curriculum.ts'
import * as fields from './lessonFields.ts'
import { dripOf, mediaFrom, type StoredMedia } from './lessonRules.ts'
import {
  afterLessonChange,
  afterLessonRemoval,
  afterPublication,
  afterWithdrawal,
  checkChangedLesson,
  checkNewLesson,
  completeLesson,
  enrollmentsInLesson,
  moveLesson,
  placeLesson,
} from './lessonWriting.ts'
import { shownQuiz, withIds } from './quiz.ts'
import { sections } from './sections.ts'
import { type LessonFile, lessonFilesOf, lessonRules, textOf, visiblePosition } from './selections.ts'
import { completedAtOf, isOpenPreview, lockReasonOf, mayReadBody, unlocksAtOf } from './tree.ts'

const filesOf = (row: Readonly<Record<string, unknown>>): readonly LessonFile[] =>
  fromJson<LessonFile[] | null | undefined>(row.attachments) ?? []

const addressOf = (file: LessonFile, { externalServices, school }: Pick<Presentation, 'externalServices' | 'school'>) =>
  externalServices.files.downloadAddress(school, { ...file, id: file.file_id })

/** Adds the temporary URL of an uploaded file to the media. Earlier releases stored the addresses of videos as they were sent. */
function playable(media: StoredMedia | null, files: readonly LessonFile[], context: Presentation) {
  const file = media && files.find(({ file_id }) => file_id === media.file_id)
  const embed_url = media?.embed_url ? playedAddress(media.embed_url) : null
  return media && { ...media, embed_url, ...(file && addressOf(file, context)) }
}

export const lessonSchema = z.object({
  course_id: reference('crs', 'Course of the lesson.'),
  ...fields.outline,
  content: fields.content,
  content_format: fields.contentFormat,
  content_html: z.string().nullable().meta({ description: 'The text as sanitised HTML.', example: '<h2>Wedging</h2>', view: 'own' }),
  media: fields.media,
  attachments: z
    .array(
      z.object({
        file_id: reference('fil', 'Id of the file.'),
        filename: z.string().meta({ description: 'Name of the file.', example: 'glaze-table.pdf' }),
        content_type: z.string().meta({ description: 'Type of the file.', example: 'application/pdf' }),
        byte_size: z.int().meta({ description: 'Size of the file.', example: 48_213 }),
        download_url: z.url().nullable().default(null).meta({ description: 'Temporary download URL.', example: null }),
        expires_at: timestamp().nullable().default(null).meta({ description: 'Time at which the URL expires.', example: null }),
      }),
    )
    .meta({ description: 'Attached files.', example: [], view: 'own' }),
  quiz: fields.quiz,
  event_id: reference('evt', 'Event.').nullable().meta({
    description: 'Event at which a live lesson takes place.',
    example: null,
    view: 'own',
    idPrefix: 'evt',
  }),
  drip: fields.drip,
  unlocked: z.boolean().meta({ description: 'True if you can read the content.', example: true }),
  unlocks_at: timestamp()
    .nullable()
    .meta({ description: 'Time at which the lesson opens to you; null unless it only waits for that time.', example: null }),
  completed_at: timestamp().nullable().meta({ description: 'Time at which you completed it.', example: null }),
  comments_enabled: fields.commentsEnabled,
  external_id: externalId(),
  metadata: metadata(),
})

/** The lessons of a course. Everybody who sees the course sees their outlines; the content requires access. */
export const lessons = defineResource({
  name: 'lessons',
  object: 'lesson',
  idPrefix: 'les',
  table: 'lesson',
  anonymous: 'partial',
  feature: 'courses',
  about:
    'A lesson of a course. The outline is visible with the course. The content is visible to enrolled students, and that of previews to everybody.',
  undo: true,
  scopes: curriculum.area,
  under: { resource: () => sections, table: 'section', column: 'section_id' },
  schema: lessonSchema,
  derived: {
    position: { select: visiblePosition },
    locked: { select: lockReasonOf, of: (reason: string | null) => reason !== null },
    lock_reason: { select: lockReasonOf },
    content: { select: textOf('content'), write: () => ({}) },
    content_format: { select: textOf('content_format'), write: () => ({}) },
    content_html: { select: textOf('content_html') },
    media: {
      from: ['media'],
      of: (row, context) => playable(fromJson<StoredMedia | null>(row.media), filesOf(row), context),
      write: (media) => ({ media: media ? JSON.stringify(mediaFrom(media)) : null }),
    },
    attachments: {
      select: lessonFilesOf,
      of: (files: readonly LessonFile[] | null, context) =>
        (files ?? [])
          .filter((file) => file.is_attached)
          .map((file) => {
            const { url, expires_at } = addressOf(file, context)
            return { ...file, byte_size: Number(file.byte_size), download_url: url, expires_at }
          }),
    },
    quiz: {
      from: ['quiz'],
      of: ({ quiz }) => shownQuiz(fromJson<StoredQuiz | null>(quiz)),
      write: (quiz) => ({ quiz: quiz ? JSON.stringify(withIds(quiz)) : null }),
    },
    drip: {
      from: ['drip'],
      of: ({ drip }) => fromJson(drip),
      write: (drip) => ({ drip: JSON.stringify(dripOf(drip)) }),
    },
    unlocked: { select: mayReadBody },
    unlocks_at: { select: unlocksAtOf },
    completed_at: { select: completedAtOf },
  },
  inputs: z.object({
    attachment_file_ids: z
      .array(reference('fil', 'Id of an uploaded file.'))
      .max(20)
      .meta({ description: 'Attached files in their order.', example: [] }),
  }),
  currentInputs: {
    attachment_file_ids: ({ attachments }) => (attachments ?? []).map(({ file_id }) => file_id),
  },
  writable: [
    'title',
    'section_id',
    { field: 'kind', on: 'create' },
    'is_preview',
    'duration_seconds',
    'content',
    'content_format',
    'media',
    'quiz',
    'event_id',
    'drip',
    'comments_enabled',
    'external_id',
    'metadata',
  ],
  required: ['title', 'kind'],
  visibility: { anonymous: lessonRules.anonymous, learner: lessonRules.learner, lecturer: lessonRules.lecturer, staff: everything },
  unlisted: lessonRules.unlisted,
  views: { staff: lessonRules.isTaught, own: mayReadBody, open: isOpenPreview },
  lockFirst: lockCourseOf('lesson'),
  operations: {
    get: 'read',
    create: { scope: 'write', errors: ['curriculum_full'], check: checkNewLesson, defaults: placeLesson, after: completeLesson },
    update: { scope: 'write', view: 'staff', check: checkChangedLesson, before: moveLesson, after: afterLessonChange },
    remove: { scope: 'write', errors: ['invalid_state'], view: 'staff', before: enrollmentsInLesson, after: afterLessonRemoval },
  },
  reads: {
    quiz_analysis: {
      scope: 'read',
      id: 'analyzeQuiz',
      view: 'staff',
      roles: ['lecturer', 'staff'],
      summary: 'Get figures of the attempts at a quiz, for each of its questions',
      output: fields.quizAnalysis,
      run: async ({ database }, row) => await quizAnalysis(database, { ...row, quiz: fromJson(row.quiz) }),
    },
  },
  actions: {
    publish: {
      scope: 'write',
      view: 'staff',
      summary: 'Publish a lesson',
      from: ['draft'],
      to: 'published',
      after: afterPublication,
    },
    unpublish: {
      scope: 'write',
      view: 'staff',
      summary: 'Unpublish a lesson',
      from: ['published'],
      to: 'draft',
      after: afterWithdrawal,
    },
  },
})
