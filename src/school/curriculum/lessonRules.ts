import { audienceOf } from '../../base/caller.ts'
import { uuidOf } from '../../base/ids.ts'
import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import { playedAddress, playerOf } from '../../base/text/players.ts'
import { lockFiles } from '../../database/files/fileReferences.ts'
import type { FilePurposeName } from '../../engine/declare/filePurposes.ts'
import type { TextFormat } from '../richText.ts'
import type { CurriculumContext } from './countTree.ts'
import { checkQuiz, type Quiz } from './quiz.ts'

/**
 * Returns the errors in the fields of a lesson, except those in its files. An address in `played`, which the lesson has already, stays allowed:
 * services stop to allow some of them in frames.
 */
export function checkLesson({ kind, quiz, media, drip }: LessonInput, played?: string | null): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  if (quiz && kind !== 'quiz') fieldErrors.push(fieldError('quiz', 'not_allowed', 'is only allowed in a lesson of the kind quiz'))
  else if (quiz) fieldErrors.push(...checkQuiz(quiz))
  const { file_id, embed_url } = media ?? { file_id: null, embed_url: null }
  if (media && !file_id === !embed_url) fieldErrors.push(fieldError('media', 'not_allowed', 'must contain either file_id or embed_url'))
  const player = embed_url && embed_url !== played ? playerOf(embed_url) : undefined
  if (player && 'rule' in player) fieldErrors.push(fieldError('media.embed_url', 'not_allowed', player.rule))
  const { mode, days, at }: Drip = drip ?? { mode: 'none' }
  if (mode === 'days_after_enrollment' && days === undefined)
    fieldErrors.push(fieldError('drip.days', 'required', 'is required with the mode days_after_enrollment'))
  if (mode === 'date' && at === undefined) fieldErrors.push(fieldError('drip.at', 'required', 'is required with the mode date'))
  return fieldErrors
}

export function dripOf({ mode, days, at }: Drip): Drip {
  if (mode === 'days_after_enrollment') return { mode, days }
  return mode === 'date' ? { mode, at } : { mode }
}

interface Named {
  field: string
  id: string
  purposes: readonly FilePurposeName[]
}

interface Files {
  media: StoredMedia | null
  attachment_file_ids: readonly string[]
}

const played = ['lesson_video', 'lesson_audio', 'attachment', 'image'] as const

/** Converts the media of a request to stored media: the address of a video becomes that of its player. */
export function mediaFrom(sent: StoredMedia): StoredMedia {
  return {
    file_id: sent.file_id === null ? null : uuidOf('fil', sent.file_id),
    embed_url: sent.embed_url && playedAddress(sent.embed_url),
    captions: sent.captions.map(({ language, file_id }) => ({ language, file_id: uuidOf('fil', file_id) })),
  }
}

const namedIn = ({ media, attachment_file_ids }: Files): Named[] => [
  ...(media?.file_id ? [{ field: 'media.file_id', id: media.file_id, purposes: played }] : []),
  ...(media?.captions ?? []).map(({ file_id }, index) => ({
    field: `media.captions.${index}.file_id`,
    id: file_id,
    purposes: ['captions'] as const,
  })),
  ...attachment_file_ids.map((id, index) => ({
    field: `attachment_file_ids.${index}`,
    id,
    purposes: ['attachment', 'image', 'lesson_audio', 'lesson_video', 'digital_product'] as const,
  })),
]

/** Returns the files in these fields, with stored ids; empty for fields that are not sent. */
export const filesIn = (values: LessonInput): Files => ({
  media: values.media ? mediaFrom(values.media) : null,
  attachment_file_ids: (values.attachment_file_ids ?? []).map((id) => uuidOf('fil', id)),
})

/** Returns an error for each file that the lesson cannot use: unknown, not uploaded, or of another person. Files in use can stay. */
export async function checkLessonFiles(
  { writer, caller }: CurriculumContext,
  sent: Files,
  before: Files = { media: null, attachment_file_ids: [] },
): Promise<ProblemDetail[]> {
  const kept = new Set(namedIn(before).map(({ id }) => id))
  const named = namedIn(sent).filter(({ id }) => !kept.has(id))
  const files = await lockFiles(
    writer,
    writer.schoolId,
    named.map(({ id }) => id),
  )
  return named.flatMap(({ field, id, purposes }): ProblemDetail[] => {
    const file = files.find((one) => one.id === id)
    const isVisible = file && (audienceOf(caller) === 'staff' || file.uploaded_by === caller.accountId)
    if (isVisible && file.status === 'ready' && purposes.some((purpose) => purpose === file.purpose)) return []
    const rule = isVisible
      ? `must be a file whose upload is complete and whose purpose is ${purposes.join(' or ')}.`
      : 'the school has no such file, or it belongs to somebody else.'
    return [fieldError(field, 'invalid_reference', rule)]
  })
}

/** The media of a lesson. Requests have public ids, and the column has stored ids. */
export interface StoredMedia {
  file_id: string | null
  embed_url: string | null
  captions: readonly { language: string; file_id: string }[]
}

/** The condition under which a lesson opens to enrolled students. */
export interface Drip {
  mode: 'none' | 'days_after_enrollment' | 'date'
  days?: number | undefined
  at?: string | undefined
}

export type LessonInput = {
  readonly section_id?: string | undefined
  readonly kind?: string | undefined
  readonly content?: string | null | undefined
  readonly content_format?: TextFormat | undefined
  readonly media?: StoredMedia | null | undefined
  readonly attachment_file_ids?: readonly string[] | undefined
  readonly quiz?: Quiz | null | undefined
  readonly drip?: Drip | undefined
}
