import type { Expression, ExpressionBuilder } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { toPublicId } from '../../lib/ids.ts'
import { isOffered } from '../../store/expressions.ts'
import { isInCatalogue } from '../courses/courses.ts'
import { contentColumns, type PageColumns } from './pageContent.ts'
import { comingEvents, localeOfSchool, openForms, type PageLists, plansOnOffer, postsThatAreOut } from './pageLists.ts'

const listed = 200

/** What a page shows of other rows. Only what a visitor without a token sees is in it, whoever asks. */
export interface Surroundings extends PageLists {
  courses: { id: string; slug: string; title: string; subtitle: string | null; category: string | null }[]
  lecturers: { id: string; slug: string; display_name: string; headline: string | null }[]
  files: { id: string; filename: string; width: number | null; height: number | null }[]
}

/** The content of a page, and what its grids show, read in the query of the page. */
export function selectRendering(page: ExpressionBuilder<DB, 'page'>): Expression<unknown> {
  const parts: [string, Expression<unknown>][] = [
    ...contentColumns.map((column): [string, Expression<unknown>] => [column, page.ref(`page.${column}`)]),
    ['courses', publicCourses(page)],
    ['lecturers', activeLecturers(page)],
    ['files', namedFiles(page)],
    ['locale', localeOfSchool(page)],
    ['plans', plansOnOffer(page)],
    ['events', comingEvents(page)],
    ['posts', postsThatAreOut(page)],
    ['forms', openForms(page)],
  ]
  return page.fn(
    'jsonb_build_object',
    parts.flatMap(([name, value]) => [page.cast(page.val(name), 'text'), value]),
  )
}

/** What that has read, with public ids and without nulls in place of lists. */
export function renderingOf(
  selected: PageColumns & { [Part in keyof Surroundings]: Surroundings[Part] | null },
): PageColumns & Surroundings {
  const named = <Row extends { id: string }>(prefix: string, rows: Row[] | null): Row[] =>
    (rows ?? []).map((row) => ({ ...row, id: toPublicId(prefix, row.id) }))
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

const publicCourses = (page: ExpressionBuilder<DB, 'page'>): Expression<unknown> =>
  page
    .selectFrom((inner) =>
      inner
        .selectFrom('course')
        .select(['course.id', 'course.slug', 'course.title', 'course.subtitle', 'course.category'])
        .whereRef('course.school_id', '=', 'page.school_id')
        .where((course) => course.and([isInCatalogue(course), isOffered(page.ref('page.school_id') as Expression<string>, 'courses')]))
        .orderBy('course.position')
        .orderBy('course.id')
        .limit(listed)
        .as('listed'),
    )
    .select((rows) => rows.fn.jsonAgg('listed').as('courses'))

const activeLecturers = (page: ExpressionBuilder<DB, 'page'>): Expression<unknown> =>
  page
    .selectFrom((inner) =>
      inner
        .selectFrom('lecturer')
        .select(['lecturer.id', 'lecturer.slug', 'lecturer.display_name', 'lecturer.headline'])
        .whereRef('lecturer.school_id', '=', 'page.school_id')
        .where('lecturer.status', '=', 'active')
        .orderBy('lecturer.position')
        .orderBy('lecturer.id')
        .limit(listed)
        .as('listed'),
    )
    .select((rows) => rows.fn.jsonAgg('listed').as('lecturers'))

const namedFiles = (page: ExpressionBuilder<DB, 'page'>): Expression<unknown> =>
  page
    .selectFrom((inner) =>
      inner
        .selectFrom('file_reference')
        .innerJoin('file', (join) =>
          join.onRef('file.school_id', '=', 'file_reference.school_id').onRef('file.id', '=', 'file_reference.file_id'),
        )
        .select(['file.id', 'file.filename', 'file.width', 'file.height'])
        .whereRef('file_reference.school_id', '=', 'page.school_id')
        .whereRef('file_reference.ref_id', '=', 'page.id')
        .where('file_reference.ref_type', '=', 'page')
        .where('file.status', '=', 'ready')
        .where('file.visibility', '=', 'public')
        .as('listed'),
    )
    .select((rows) => rows.fn.jsonAgg('listed').as('files'))
