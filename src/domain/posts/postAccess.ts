import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { Caller, PersonCaller } from '../../policy/caller.ts'
import { isKnownLecturer } from '../courses/courses.ts'
import { hasPlan, isMoreThanFree } from '../memberships/planSummaries.ts'

type Posts = ExpressionBuilder<DB, 'post'>
type Condition = Expression<SqlBool>

/** What is out: published, or scheduled for a time that has come. The clock decides, whether or not a job has written it down. */
export const isOut = (post: Posts): Condition =>
  post.or([
    post('post.status', '=', 'published'),
    post.and([post('post.status', '=', 'scheduled'), post('post.scheduled_for', '<=', post.fn<Date>('now', []))]),
  ])

/** Posts in one of these states, as the clock has them. */
export const isInStatus = (post: Posts, statuses: readonly string[]): Condition =>
  post.or(
    statuses.map((status) =>
      status === 'published'
        ? isOut(post)
        : status === 'scheduled'
          ? post.and([post('post.status', '=', 'scheduled'), post('post.scheduled_for', '>', post.fn<Date>('now', []))])
          : post('post.status', '=', status),
    ),
  )

/** Posts of the lecturer who calls, in every state. */
export const isMyPost = (post: Posts, { lecturerId }: Pick<PersonCaller, 'lecturerId'>): Condition =>
  lecturerId === null ? post.lit(false) : post('post.author_lecturer_id', '=', lecturerId)

/** What everybody may read to its end. */
export const isForAll = (post: Posts): Condition => post.and([isOut(post), post('post.visibility', '=', 'public')])

/** Whether the person may read a post to its end: as a member, for what they pay, or by one of its plans. */
export function mayReadPost(post: Posts, { personId }: Pick<PersonCaller, 'personId'>): Condition {
  if (personId === null) return post.lit(false)
  const holder = { schoolId: post.ref('post.school_id'), personId: post.val(personId) }
  const member = post.exists(
    post
      .selectFrom('person')
      .select('person.id')
      .whereRef('person.school_id', '=', 'post.school_id')
      .where('person.id', '=', personId)
      .where('person.is_member', '=', true)
      .where('person.member_status', '=', 'active'),
  )
  const isOfPost = hasPlan(post, holder, (plan) =>
    plan.exists(
      plan
        .selectFrom('post_plan')
        .select('post_plan.plan_id')
        .whereRef('post_plan.school_id', '=', 'membership_plan.school_id')
        .whereRef('post_plan.plan_id', '=', 'membership_plan.id')
        .where('post_plan.post_id', '=', post.ref('post.id')),
    ),
  )
  return post.and([
    isOut(post),
    isNotShutOut(post, personId),
    post.or([
      post.and([post('post.visibility', '=', 'members'), member]),
      post.and([post('post.visibility', '=', 'paid'), hasPlan(post, holder, isMoreThanFree)]),
      post.and([post('post.visibility', '=', 'plans'), isOfPost]),
    ]),
  ])
}

const isNotShutOut = (post: Posts, personId: string): Condition =>
  post.not(
    post.exists(
      post
        .selectFrom('person as blocked')
        .select('blocked.id')
        .whereRef('blocked.school_id', '=', 'post.school_id')
        .where('blocked.id', '=', personId)
        .where('blocked.member_status', 'in', ['blocked', 'erased']),
    ),
  )

/** Posts that carry one of the tags. */
export const hasPostTag = (post: Posts, tags: readonly string[]): Condition =>
  post.or(tags.map((tag) => post(post.val(tag), '=', post.fn.any('post.tags'))))

/** Posts of one of these authors, as far as the caller may know them. */
export const hasAuthor = (post: Posts, lecturerIds: readonly string[], caller: Caller): Condition =>
  post.exists(
    post
      .selectFrom('lecturer')
      .select('lecturer.id')
      .whereRef('lecturer.school_id', '=', 'post.school_id')
      .whereRef('lecturer.id', '=', 'post.author_lecturer_id')
      .where('lecturer.id', 'in', [...lecturerIds])
      .where((lecturer) => isKnownLecturer(lecturer as unknown as ExpressionBuilder<DB, 'lecturer'>, caller)),
  )
