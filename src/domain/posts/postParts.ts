import type { AliasedExpression, Expression, ExpressionBuilder } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { Caller } from '../../policy/caller.ts'
import type { Reader } from '../../store/database.ts'
import { type StoredImage, selectImage } from '../../store/fileExpressions.ts'
import { isKnownLecturer } from '../courses/courses.ts'
import { isOut } from './postAccess.ts'

type Posts = ExpressionBuilder<DB, 'post'>

/** Who wrote a post. */
export interface StoredAuthor {
  lecturer_id: string | null
  display_name: string
  avatar: StoredImage | null
}

const avatar = (
  selectImage('lecturer', 'avatar') as Expression<StoredImage | null> & {
    as(alias: 'avatar'): AliasedExpression<StoredImage | null, 'avatar'>
  }
).as('avatar')

/** The author as one JSON value: without an id where the caller does not know the profile; null where the school itself wrote. */
export const authorOf = (post: Posts, caller: Caller): Expression<unknown> =>
  post
    .selectFrom((inner) =>
      inner
        .selectFrom('lecturer')
        .select((lecturer) => [
          lecturer
            .case()
            .when(isKnownLecturer(lecturer as unknown as ExpressionBuilder<DB, 'lecturer'>, caller))
            .then(lecturer.ref('lecturer.id'))
            .end()
            .as('lecturer_id'),
          'lecturer.display_name',
          avatar,
        ])
        .whereRef('lecturer.school_id', '=', 'post.school_id')
        .whereRef('lecturer.id', '=', 'post.author_lecturer_id')
        .as('who'),
    )
    .select((who) => who.fn.toJson('who').as('author'))

/** What the school itself is called, where it is the author. */
export const schoolNameOf = (post: Posts): Expression<unknown> =>
  post.selectFrom('school').select('school.name').whereRef('school.id', '=', 'post.school_id')

/** A column of the text. Who may not read it is not shown the field. */
export const bodyOf =
  (column: 'content' | 'content_format' | 'content_html') =>
  (post: Posts): Expression<unknown> =>
    post
      .selectFrom('post_body')
      .select(`post_body.${column}`)
      .whereRef('post_body.school_id', '=', 'post.school_id')
      .whereRef('post_body.post_id', '=', 'post.id')

/** The excerpt that the author wrote; without one the first words of a text that everybody may read. Never part of a gated text. */
export const excerptOf = (post: Posts) =>
  post.fn.coalesce('post.excerpt', post.case().when('post.visibility', '=', 'public').then(post.ref('post.automatic_excerpt')).end())

/** Ids of the plans that open a post. */
export const plansOfPost = (post: Posts): Expression<unknown> =>
  post
    .selectFrom((inner) =>
      inner
        .selectFrom('post_plan')
        .select('post_plan.plan_id')
        .whereRef('post_plan.school_id', '=', 'post.school_id')
        .whereRef('post_plan.post_id', '=', 'post.id')
        .orderBy('post_plan.plan_id')
        .as('plans'),
    )
    .select((plans) => plans.fn.agg<string[]>('array_agg', ['plans.plan_id']).as('plan_ids'))

/** What stands in the row, as the clock has it by now. */
export function timesOf(
  post: { status: string; scheduled_for: Date | null; published_at: Date | null },
  isCertainlyOut: boolean,
  now = new Date(),
) {
  if (post.status !== 'scheduled') return { status: post.status, scheduled_for: null, published_at: post.published_at }
  const isDue = isCertainlyOut || (post.scheduled_for !== null && post.scheduled_for <= now)
  return isDue
    ? { status: 'published', scheduled_for: null, published_at: post.scheduled_for }
    : { status: 'scheduled', scheduled_for: post.scheduled_for, published_at: null }
}

const mostTags = 1000

/** The tags of what is out, and how many posts carry each, the most common first. */
export async function countTags(database: Reader, schoolId: string): Promise<{ tag: string; count: number }[]> {
  const rows = await database
    .selectFrom((inner) =>
      inner
        .selectFrom('post')
        .select((post) => post.fn<string>('unnest', ['post.tags']).as('tag'))
        .where('post.school_id', '=', schoolId)
        .where((post) => isOut(post as unknown as Posts))
        .as('tagged'),
    )
    .select((tagged) => ['tagged.tag', tagged.fn.countAll<string>().as('count')])
    .groupBy('tagged.tag')
    .orderBy('count', 'desc')
    .orderBy('tagged.tag')
    .limit(mostTags)
    .execute()
  return rows.map(({ tag, count }) => ({ tag, count: Number(count) }))
}
