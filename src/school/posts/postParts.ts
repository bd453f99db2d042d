import { type Expression, sql } from 'kysely'
import { jsonBuildObject, jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Viewer } from '../../base/caller.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { type Builder, type StoredImage, selectImage } from '../../database/statements/expressions.ts'
import { isKnownLecturer } from '../courses/visibleCourses.ts'
import { isPublished } from './postAccess.ts'

type Posts = Builder<'post'>

export interface StoredAuthor {
  lecturer_id: string | null
  display_name: string
  avatar: StoredImage | null
}

/** Selects the author as one JSON value: without an id if the caller may not see the profile; with the name of the school if it is the author. */
export function authorOf(post: Posts, caller: Viewer): Expression<unknown> {
  const lecturer = jsonObjectFrom(
    post
      .selectFrom('lecturer')
      .select((row) => [
        row.case().when(isKnownLecturer(row, caller)).then(row.ref('lecturer.id')).end().as('lecturer_id'),
        'lecturer.display_name',
        selectImage('lecturer', 'avatar').as('avatar'),
      ])
      .whereRef('lecturer.id', '=', 'post.author_lecturer_id'),
  )
  const schoolName = post.selectFrom('school').select('school.name').where('school.id', '=', caller.schoolId)
  return post.fn('coalesce', [lecturer, jsonBuildObject({ display_name: schoolName })])
}

/** Selects a column of the text. Callers who may not read the text do not get the field. */
export const bodyOf =
  (column: 'content' | 'content_format' | 'content_html') =>
  (post: Posts): Expression<unknown> =>
    post.selectFrom('post_body').select(`post_body.${column}`).whereRef('post_body.post_id', '=', 'post.id')

/** Selects the excerpt of the author or, for a public post without one, the first words of the text. Never reveals a restricted text. */
export const excerptOf = (post: Posts) =>
  post.fn.coalesce('post.excerpt', post.case().when('post.visibility', '=', 'public').then(post.ref('post.automatic_excerpt')).end())

export const plansOfPost = (post: Posts): Expression<unknown> =>
  post
    .selectFrom((inner) =>
      inner
        .selectFrom('post_plan')
        .select('post_plan.plan_id')
        .whereRef('post_plan.post_id', '=', 'post.id')
        .orderBy('post_plan.plan_id')
        .as('plans'),
    )
    .select((plans) => plans.fn.agg<string[]>('array_agg', ['plans.plan_id']).as('plan_ids'))

/** Returns the status and times of a post as of now: a scheduled post that is due is published. */
export function currentTimes(
  post: { status: string; scheduled_for: Date | null; published_at: Date | null },
  isKnownPublished: boolean,
  now = new Date(),
) {
  if (post.status !== 'scheduled') return { status: post.status, scheduled_for: null, published_at: post.published_at }
  const isDue = isKnownPublished || (post.scheduled_for !== null && post.scheduled_for <= now)
  return isDue
    ? { status: 'published', scheduled_for: null, published_at: post.scheduled_for }
    : { status: 'scheduled', scheduled_for: post.scheduled_for, published_at: null }
}

const maxTags = 1000

export async function countTags(database: SchoolReader): Promise<{ tag: string; count: number }[]> {
  const rows = await database
    .selectFrom((inner) =>
      inner
        .selectFrom('post')
        .select((post) => [
          post.fn<string>('unnest', ['post.tags']).as('tag'),
          post.fn<string>('unnest', ['post.tag_forms']).as('form'),
          'post.id',
        ])
        .where((post) => isPublished(post))
        .as('tagged'),
    )
    .select((tagged) => [
      sql<string>`(array_agg(${tagged.ref('tagged.tag')} ORDER BY ${tagged.ref('tagged.id')}))[1]`.as('tag'),
      tagged.fn.countAll<string>().as('count'),
    ])
    .groupBy('tagged.form')
    .orderBy('count', 'desc')
    .orderBy('tagged.form')
    .limit(maxTags)
    .execute()
  return rows.map(({ tag, count }) => ({ tag, count: Number(count) }))
}
