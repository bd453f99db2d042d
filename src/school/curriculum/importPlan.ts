import { isDeepStrictEqual } from 'node:util'
import { newId } from '../../base/ids.ts'
import type { Stored } from '../../database/connection/database.ts'
import type { TextFormat } from '../richText.ts'
import { dripOf, mediaFrom, type StoredMedia } from './lessonRules.ts'
import { type Quiz, withIds } from './quiz.ts'

/** A lesson of an import. Fields that are absent keep their value or take the default. */
export interface ImportedLesson {
  external_id: string
  title: string
  kind: string
  status?: 'draft' | 'published' | undefined
  is_preview?: boolean | undefined
  duration_seconds?: number | null | undefined
  content?: string | null | undefined
  content_format?: TextFormat | undefined
  media?: StoredMedia | null | undefined
  quiz?: Quiz | null | undefined
  drip?: { mode: 'none' | 'days_after_enrollment' | 'date' } | undefined
  comments_enabled?: boolean | undefined
  metadata?: Record<string, string> | undefined
}

export interface ImportedSection {
  external_id: string
  title: string
  summary?: string | null | undefined
  lessons: readonly ImportedLesson[]
}

export interface Import {
  mode: 'merge' | 'replace'
  sections: readonly ImportedSection[]
}

export type SectionRow = Stored<'section', 'id' | 'title' | 'summary' | 'position' | 'external_id'>

export type LessonRow = Stored<
  'lesson',
  'id' | 'section_id' | 'title' | 'kind' | 'status' | 'is_preview' | 'position' | 'duration_seconds'
> &
  Stored<'lesson', 'media' | 'quiz' | 'drip' | 'comments_enabled' | 'external_id' | 'metadata'>

export interface Held {
  sections: readonly SectionRow[]
  lessons: readonly LessonRow[]
}

/** The rows after the import, and those that are created, changed or deleted. */
export interface Plan {
  sections: readonly SectionRow[]
  lessons: readonly LessonRow[]
  changedSections: readonly SectionRow[]
  changedLessons: readonly LessonRow[]
  goneSections: readonly string[]
  goneLessons: readonly string[]
  sent: ReadonlyMap<string, ImportedLesson>
}

/** Merges an import into the curriculum. Rows are matched by their external ids. */
export function planImport(held: Held, { mode, sections }: Import): Plan {
  const sectionIds = new Map(held.sections.map((row) => [row.external_id, row]))
  const lessonIds = new Map(held.lessons.map((row) => [row.external_id, row]))
  const named = sections.map((sent) => {
    const old = sectionIds.get(sent.external_id)
    const row = { id: old?.id ?? newId(), title: sent.title, summary: sent.summary === undefined ? (old?.summary ?? null) : sent.summary }
    const lessons = sent.lessons.map((lesson) => ({ lesson, old: lessonIds.get(lesson.external_id) }))
    return { ...row, external_id: sent.external_id, lessons }
  })
  const namedById = new Map(named.map((section) => [section.id, section]))
  const kept = mode === 'merge' ? held.sections.map((row) => ({ ...row, ...namedById.get(row.id) })) : []
  const keptIds = new Set(kept.map(({ id }) => id))
  const ordered = [...kept, ...named.filter(({ id }) => !keptIds.has(id))]
  const movedTo = new Map(named.flatMap(({ id, lessons }) => lessons.map(({ lesson }) => [lesson.external_id, id] as const)))
  const sent = new Map<string, ImportedLesson>()

  const lessons = ordered.flatMap(({ id: section_id }) => {
    const incoming = (namedById.get(section_id)?.lessons ?? []).map(({ lesson, old }) => ({ row: lessonRow(lesson, old), lesson }))
    for (const { row, lesson } of incoming) sent.set(row.id, lesson)
    const rows = incoming.map(({ row }) => row)
    const byId = new Map(rows.map((row) => [row.id, row]))
    const stay = held.lessons.filter(
      (row) => row.section_id === section_id && (movedTo.get(row.external_id ?? '') ?? section_id) === section_id,
    )
    const list =
      mode === 'replace'
        ? rows
        : [...stay.map((row) => byId.get(row.id) ?? row), ...rows.filter(({ id }) => !stay.some((row) => row.id === id))]
    return list.map((row, position) => ({ ...row, section_id, position }))
  })
  const sectionRows = ordered.map(({ id, title, summary, external_id }, position) => ({ id, title, summary, position, external_id }))
  return {
    sections: sectionRows,
    lessons,
    changedSections: changedOf(sectionRows, held.sections),
    changedLessons: changedOf(lessons, held.lessons),
    goneSections: goneOf(sectionRows, held.sections),
    goneLessons: goneOf(lessons, held.lessons),
    sent,
  }
}

function lessonRow(sent: ImportedLesson, old: LessonRow | undefined): LessonRow {
  const { title, kind, external_id } = sent
  return plain({
    id: old?.id ?? newId(),
    section_id: '',
    title,
    kind,
    status: sent.status ?? old?.status ?? 'draft',
    is_preview: sent.is_preview ?? old?.is_preview ?? false,
    position: 0,
    duration_seconds: sent.duration_seconds === undefined ? (old?.duration_seconds ?? null) : sent.duration_seconds,
    media: sent.media === undefined ? (old?.media ?? null) : sent.media && mediaFrom(sent.media),
    quiz: sent.quiz === undefined ? (old?.quiz ?? null) : sent.quiz && withIds(sent.quiz),
    drip: sent.drip === undefined ? (old?.drip ?? { mode: 'none' }) : dripOf(sent.drip),
    comments_enabled: sent.comments_enabled ?? old?.comments_enabled ?? true,
    external_id,
    metadata: sent.metadata ?? old?.metadata ?? {},
  })
}

/** Returns the row as the database returns it: without members whose value is undefined. */
const plain = (row: LessonRow): LessonRow => JSON.parse(JSON.stringify(row))

function changedOf<Row extends { id: string }>(rows: readonly Row[], before: readonly Row[]): Row[] {
  const old = new Map(before.map((row) => [row.id, row]))
  return rows.filter((row) => !isDeepStrictEqual(row, old.get(row.id)))
}

function goneOf(rows: readonly { id: string }[], before: readonly { id: string }[]): string[] {
  const kept = new Set(rows.map(({ id }) => id))
  return before.flatMap(({ id }) => (kept.has(id) ? [] : [id]))
}
