import type { Expression } from 'kysely'
import { jsonArrayFrom, jsonBuildObject } from 'kysely/helpers/postgres'
import type { Viewer } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import type { Stored } from '../../database/connection/database.ts'
import { type Builder, isOffered, type StoredImage, selectImage } from '../../database/statements/expressions.ts'
import { isInCatalogue } from '../courses/visibleCourses.ts'
import { contentColumns, type PageColumns } from './pageContent.ts'
import { localeOfSchool, openForms, type PageLists, plansOnOffer, publishedPosts, taxOfSchool, upcomingEvents } from './pageLists.ts'

const maxRows = 200

/** The rows that a page shows. Contains only what anonymous visitors see, for every caller. */
export interface LinkedContent extends PageLists {
  courses: {
    id: string
    slug: string
    title: string
    subtitle: string | null
    category: string | null
    picture: StoredImage | null
  }[]
  lecturers: { id: string; slug: string; display_name: string; headline: string | null; picture: StoredImage | null }[]
  files: Stored<'file', 'id' | 'filename' | 'alt' | 'width' | 'height'>[]
}

/** Selects the content of a page and the rows that its blocks show, as part of the query of the page. */
export function selectRendering(page: Builder<'page'>, { schoolId }: Viewer): Expression<unknown> {
  return jsonBuildObject({
    ...Object.fromEntries(contentColumns.map((column) => [column, page.ref(`page.${column}`)])),
    courses: publicCourses(page, schoolId),
    lecturers: activeLecturers(page),
    files: namedFiles(page),
    locale: localeOfSchool(page, schoolId),
    tax: taxOfSchool(page, schoolId),
    plans: plansOnOffer(page, schoolId),
    events: upcomingEvents(page, schoolId),
    posts: publishedPosts(page, schoolId),
    forms: openForms(page),
  })
}

/** Converts the ids in the result of `selectRendering` to public ids. */
export function renderingOf(selected: PageColumns & LinkedContent): PageColumns & LinkedContent {
  const named = <Row extends { id: string }>(prefix: string, rows: Row[]): Row[] =>
    rows.map((row) => ({ ...row, id: toPublicId(prefix, row.id) }))
  return {
    ...selected,
    courses: named('crs', selected.courses),
    lecturers: named('lec', selected.lecturers),
    files: named('fil', selected.files),
    locale: selected.locale ?? 'en',
    plans: named('mpl', selected.plans),
    events: named('evt', selected.events),
    posts: named('pst', selected.posts),
    forms: named('frm', selected.forms),
  }
}

const publicCourses = (page: Builder<'page'>, schoolId: string): Expression<unknown> =>
  jsonArrayFrom(
    page
      .selectFrom('course')
      .select(['course.id', 'course.slug', 'course.title', 'course.subtitle', 'course.category'])
      .select(selectImage('course', 'cover_image').as('picture'))
      .where((course) => course.and([isInCatalogue(course), isOffered(schoolId, 'courses')]))
      .orderBy('course.position')
      .orderBy('course.id')
      .limit(maxRows),
  )

const activeLecturers = (page: Builder<'page'>): Expression<unknown> =>
  jsonArrayFrom(
    page
      .selectFrom('lecturer')
      .select(['lecturer.id', 'lecturer.slug', 'lecturer.display_name', 'lecturer.headline'])
      .select(selectImage('lecturer', 'avatar').as('picture'))
      .where('lecturer.status', '=', 'active')
      .orderBy('lecturer.position')
      .orderBy('lecturer.id')
      .limit(maxRows),
  )

const namedFiles = (page: Builder<'page'>): Expression<unknown> =>
  jsonArrayFrom(
    page
      .selectFrom('file_reference')
      .innerJoin('file', 'file.id', 'file_reference.file_id')
      .select(['file.id', 'file.filename', 'file.alt', 'file.width', 'file.height'])
      .whereRef('file_reference.ref_id', '=', 'page.id')
      .where('file_reference.ref_type', '=', 'page')
      .where('file_reference.field', '=', 'blocks')
      .where('file.status', '=', 'ready')
      .where('file.visibility', '=', 'public'),
  )
