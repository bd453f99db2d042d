import type { Expression } from 'kysely'
import type { Caller, PersonCaller } from '../../base/caller.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import { type Builder, type Condition, now } from '../../database/statements/expressions.ts'
import { isKnownLecturer } from '../courses/visibleCourses.ts'
import { hasPlan, isMoreThanFree } from '../memberships/planVisibility.ts'

type Posts = Builder<'post'>

/** Selects published posts, including scheduled posts that are due and that no job has marked as published yet. */
export const isPublished = (post: Posts): Condition =>
  post.or([post('post.status', '=', 'published'), post.and([post('post.status', '=', 'scheduled'), post('post.scheduled_for', '<=', now)])])

/** Selects posts in one of these states. A scheduled post that is due counts as published. */
export const isInStatus = (post: Posts, statuses: readonly string[]): Condition =>
  post.or(
    statuses.map((status) =>
      status === 'published'
        ? isPublished(post)
        : status === 'scheduled'
          ? post.and([post('post.status', '=', 'scheduled'), post('post.scheduled_for', '>', now)])
          : post('post.status', '=', status),
    ),
  )

export const isMyPost = (post: Posts, { lecturerId }: Pick<PersonCaller, 'lecturerId'>): Condition =>
  lecturerId === null ? post.lit(false) : post('post.author_lecturer_id', '=', lecturerId)

export const isReadableByAll = (post: Posts): Condition => post.and([isPublished(post), post('post.visibility', '=', 'public')])

/**
 * Selects published posts whose text the person may read: as a member, with a paid plan, or with a plan of the post. The person is an id, or
 * a column of the outer query.
 */
export function mayReadPost(post: Posts, { personId }: { personId: string | Expression<string> | null }): Condition {
  if (personId === null) return post.lit(false)
  const reader = typeof personId === 'string' ? post.val(personId) : personId
  const holder = { schoolId: post.ref('post.school_id'), personId: reader }
  const member = post.exists(
    post
      .selectFrom('person as member')
      .where('member.id', '=', reader)
      .where('member.is_member', '=', true)
      .where('member.member_status', '=', 'active'),
  )
  const hasPlanOfPost = hasPlan(post, holder, (plan) =>
    plan.exists(
      plan
        .selectFrom('post_plan')
        .whereRef('post_plan.plan_id', '=', 'membership_plan.id')
        .where('post_plan.post_id', '=', post.ref('post.id')),
    ),
  )
  return post.and([
    isPublished(post),
    isNotBlocked(post, reader),
    post.or([
      post.and([post('post.visibility', '=', 'members'), member]),
      post.and([post('post.visibility', '=', 'paid'), hasPlan(post, holder, isMoreThanFree)]),
      post.and([post('post.visibility', '=', 'plans'), hasPlanOfPost]),
    ]),
  ])
}

const isNotBlocked = (post: Posts, personId: Expression<string>): Condition =>
  post.not(
    post.exists(
      post.selectFrom('person as blocked').where('blocked.id', '=', personId).where('blocked.member_status', 'in', ['blocked', 'erased']),
    ),
  )

export const hasPostTag = (post: Posts, tags: readonly string[]): Condition =>
  post.or(tags.map((tag) => post(post.val(comparisonForm(tag)), '=', post.fn.any('post.tag_forms'))))

export const hasAuthor = (post: Posts, lecturerIds: readonly string[], caller: Caller): Condition =>
  post.exists(
    post
      .selectFrom('lecturer')
      .whereRef('lecturer.id', '=', 'post.author_lecturer_id')
      .where('lecturer.id', 'in', [...lecturerIds])
      .where((lecturer) => isKnownLecturer(lecturer, caller)),
  )
