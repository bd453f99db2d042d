import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { schoolDatabase } from '../../src/database/school/inSchool.ts'
import { moderateComment } from '../../src/school/comments/moderateComment.ts'
import { confirmPayment, failPayment } from '../../src/school/memberships/subscriptionPayments.ts'
import { newComment, newPost } from '../support/community.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { newCoupon, newCourse, newOrder, newPerson } from '../support/shop.ts'
import { describeDemoOn } from './describeDemo.ts'
import { checkLaw, type Law, type Subject } from './laws.ts'

const as = 'owner@example.com'
describeDemoOn('last', 'an operation and its inverse leave everything as it was, on $name', (api) => {
  const query = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    api.database.sql.query<Row>(text, [api.school.id, ...values])
  const call = async (path: string, body: object = {}, method = 'POST'): Promise<Record<string, unknown>> => {
    const reply = await api.send(`/api/v1/${path}`, { as, method, body, headers: { 'if-match': '*' } })
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`)
    return reply.json
  }
  const inTransaction = <Result>(work: Parameters<ReturnType<typeof schoolDatabase>['transaction']>[0]) =>
    schoolDatabase(api.database, api.school.id, 'person').transaction(work) as Promise<Result>

  const check = <State>(law: Law<State>): Promise<void> => checkLaw(api, law)

  const enrollmentState = fc.record({
    status: fc.constantFrom('active', 'completed', 'suspended', 'expired', 'canceled'),
    percent: fc.integer({ min: 0, max: 99 }),
    reason: fc.option(fc.constant('Came back from a leave.')),
    expires: fc.boolean(),
    /** Another product that opens the course. */
    other: fc.constantFrom('none', 'none', 'grant', 'order'),
    isFull: fc.boolean(),
    isLinked: fc.boolean(),
  })
  const subscriptionState = fc.record({
    status: fc.constantFrom('trialing', 'active'),
    collection: fc.constantFrom('automatic', 'manual', 'comped'),
    pending: fc.boolean(),
    isEnding: fc.boolean(),
    coupon: fc.constantFrom('none', 'forever', 'repeating'),
    anchor: fc.constantFrom('none', 'end', 'before'),
    enrollments: fc.array(enrollmentState, { maxLength: 3 }),
  })
  type SubscriptionState = typeof subscriptionState extends fc.Arbitrary<infer State> ? State : never

  async function newMember(state: SubscriptionState & { more?: Record<string, string> }): Promise<Subject> {
    const { sql } = api.database
    const { id: schoolId } = api.school
    const plan = await newPlan(sql, schoolId, { trial_days: state.status === 'trialing' ? 14 : 0 })
    await query('UPDATE membership_plan SET includes_all_courses = true WHERE school_id = $1 AND id = $2', [plan.planId])
    const next = await newPlan(sql, schoolId, { amount: 2900 })
    const personId = await newPerson(sql, schoolId)
    await query(`UPDATE person SET is_member = true, tier = $3 WHERE school_id = $1 AND id = $2`, [
      personId,
      state.collection === 'comped' ? 'comped' : 'paid',
    ])
    const coupon = state.coupon === 'none' ? undefined : await newCoupon(sql, schoolId)
    const id = await newSubscription(sql, schoolId, {
      ...plan,
      personId,
      status: state.status,
      collection: state.collection,
      more: {
        ...(state.pending && { pending_price_id: `'${next.priceId}'`, pending_effective_at: `now() + interval '20 days'` }),
        ...(state.isEnding && {
          cancel_at_period_end: 'true',
          cancel_at: `now() + interval '20 days'`,
          canceled_at: `now() - interval '2 days'`,
          cancellation_reason: `'not_using'`,
        }),
        ...(coupon && {
          coupon_id: `'${coupon}'`,
          ...(state.coupon === 'repeating' && { discount_ends_at: `now() + interval '50 days'` }),
        }),
        ...(state.anchor !== 'none' && {
          period_anchor: state.anchor === 'end' ? `now() + interval '20 days'` : `now() - interval '41 days'`,
        }),
        ...state.more,
      },
    })
    for (const one of state.enrollments) await newEnrollment(one, { personId, subscriptionId: id })
    await countAgain(personId)
    return { id, more: { personId, ...plan, nextPlanId: next.planId, nextPriceId: next.priceId } }
  }

  async function newEnrollment(
    state: typeof enrollmentState extends fc.Arbitrary<infer State> ? State : never,
    { personId, subscriptionId }: { personId: string; subscriptionId: string },
  ): Promise<void> {
    const courseId = await newCourse(api.database.sql, api.school.id)
    await query('UPDATE course SET capacity = $3, enrollments_count = $4 WHERE school_id = $1 AND id = $2', [
      courseId,
      state.isFull ? 1 : null,
      ['active', 'completed', 'suspended'].includes(state.status) ? 1 : 0,
    ])
    const isDone = state.status === 'completed'
    await query(
      `INSERT INTO enrollment (school_id, id, person_id, course_id, status, status_before, status_reason, source, subscription_id, progress_percent, completed_at, expires_at, expired_at, canceled_at)
       VALUES ($1, $2, $3, $4, $5, CASE WHEN $5 = 'suspended' THEN 'active' END, $6, 'plan', $7, $8, CASE WHEN $9 THEN now() END,
               now() + $10::interval, CASE WHEN $5 = 'expired' THEN now() END, CASE WHEN $5 = 'canceled' THEN now() END)`,
      [
        ...[
          newId(),
          personId,
          courseId,
          state.status,
          state.reason,
          state.isLinked ? subscriptionId : null,
          isDone ? 100 : state.percent,
          isDone,
        ],
        state.status === 'expired' ? '-1 day' : state.expires ? '90 days' : null,
      ],
    )
    if (state.other === 'grant')
      await query(
        `INSERT INTO entitlement (school_id, id, person_id, product_type, product_id, source_type, source_id, starts_at, ends_at)
         VALUES ($1, $2, $3, 'course', $4, 'manual', $2, now() - interval '1 day', now() + interval '9 days')`,
        [newId(), personId, courseId],
      )
    if (state.other === 'order') {
      const orderId = await newOrder(api.database.sql, api.school.id)
      await query('UPDATE orders SET person_id = $3 WHERE school_id = $1 AND id = $2', [orderId, personId])
      await query(`UPDATE order_item SET product_type = 'course', product_id = $3 WHERE school_id = $1 AND order_id = $2`, [
        orderId,
        courseId,
      ])
    }
  }

  const countAgain = (personId: string) =>
    query(
      `UPDATE person SET enrollments_count = counted.every, active_enrollments_count = counted.active, completed_courses_count = counted.completed
         FROM (SELECT count(*)::int AS every, count(*) FILTER (WHERE status = 'active')::int AS active, count(completed_at)::int AS completed
                 FROM enrollment WHERE school_id = $1 AND person_id = $2) AS counted
        WHERE school_id = $1 AND id = $2`,
      [personId],
    )

  const path = ({ id }: Subject) => `subscriptions/${toPublicId('sub', id)}`
  const price = (subject: Subject, name: 'priceId' | 'nextPriceId') => toPublicId('prc', String(subject.more?.[name]))
  const ofPeriod = ['current_period_end', 'period_anchor', 'trial_ends_at', 'cancel_at', 'pending_effective_at', 'discount_ends_at']
  /** The terms of the subscription are others; the enrolments under it are not. */
  const ofTerms = [
    ...['subscription.', 'orders.', 'order_item.', 'order_counter.', 'document_counter.', 'school.'],
    ...['membership_plan.subscribers_count', 'person.lifetime_spend', 'coupon.redemptions_count', 'coupon_redemption.'],
  ]

  test('pause a subscription, resume it', () =>
    check({
      state: subscriptionState,
      build: newMember,
      does: (one) => call(`${path(one)}/pause`),
      undoes: (one) => call(`${path(one)}/resume`),
      shifted: ofPeriod,
    }))

  test('cancel a subscription at the end of its period, resume it', () =>
    check({
      state: fc
        .tuple(subscriptionState, fc.boolean())
        .map(([state, isPaused]) => ({ ...state, isEnding: false, isPaused, enrollments: isPaused ? [] : state.enrollments })),
      async build(state) {
        const subject = await newMember(state)
        if (state.isPaused) await call(`${path(subject)}/pause`)
        return subject
      },
      does: (one) => call(`${path(one)}/cancel`),
      undoes: (one) => call(`${path(one)}/resume`),
    }))

  test('pause and then cancel a subscription, resume it twice', () =>
    check({
      state: subscriptionState.map((state) => ({ ...state, isEnding: false })),
      build: newMember,
      async does(one) {
        await call(`${path(one)}/pause`)
        await call(`${path(one)}/cancel`)
      },
      async undoes(one) {
        expect(await call(`${path(one)}/resume`)).toMatchObject({ status: 'paused', cancel_at_period_end: false })
        await call(`${path(one)}/resume`)
      },
      shifted: ofPeriod,
    }))

  test('plan a change of plan, cancel the change', () =>
    check({
      state: subscriptionState.map((state) => ({ ...state, isEnding: false, pending: false })),
      build: newMember,
      does: (one) => call(`${path(one)}/change_plan`, { price_id: price(one, 'nextPriceId') }),
      undoes: (one) => call(`${path(one)}/change_plan/cancel`),
    }))

  test('change the plan now, and change it back: the enrolments', () =>
    check({
      state: subscriptionState.map((state) => ({ ...state, isEnding: false, collection: 'manual' as const })),
      build: newMember,
      does: (one) => call(`${path(one)}/change_plan`, { price_id: price(one, 'nextPriceId'), when: 'now' }),
      undoes: (one) => call(`${path(one)}/change_plan`, { price_id: price(one, 'priceId'), when: 'now' }),
      except: ofTerms,
    }))

  test('miss a payment until the access ends, and pay it: the enrolments', () =>
    check({
      state: subscriptionState.map((state) => ({
        ...state,
        ...{ isEnding: false, pending: false, status: 'active' as const, collection: 'automatic' as const },
      })),
      build: newMember,
      async does({ id }) {
        await query(`UPDATE school SET settings = settings || '{"past_due_grace_days": 0}' WHERE id = $1`)
        await inTransaction((writer) => failPayment(writer, { schoolId: api.school.id, now: new Date(), subscriptionId: id }))
        await query(`UPDATE school SET settings = settings - 'past_due_grace_days' WHERE id = $1`)
      },
      undoes: ({ id }) =>
        inTransaction((writer) =>
          confirmPayment(writer, {
            ...{ schoolId: api.school.id, now: new Date(), subscriptionId: id },
            payment: { provider: 'card', reference: newId() },
          }),
        ),
      except: ofTerms,
    }))

  test('end a subscription now, and start another to the same plan: the enrolments', () =>
    check({
      state: subscriptionState.map((state) => ({ ...state, status: 'active' as const, collection: 'comped' as const })),
      build: newMember,
      does: (one) => call(`${path(one)}/cancel`, { at: 'now' }),
      undoes: ({ more }) =>
        call('subscriptions', {
          member_id: toPublicId('mbr', String(more?.personId)),
          plan_id: toPublicId('mpl', String(more?.planId)),
          price_id: toPublicId('prc', String(more?.priceId)),
          collection: 'comped',
        }),
      except: [...ofTerms, 'enrollment.subscription_id'],
    }))

  const commentState = fc.record({
    status: fc.constantFrom('published', 'pending'),
    replies: fc.array(
      fc.record({
        status: fc.constantFrom('published', 'published', 'hidden', 'pending', 'deleted'),
        moderation: fc.constantFrom(null, { by: 'Hazel', at: '2026-03-01T09:30:00.000Z', reason: 'Fine.' }),
      }),
      { maxLength: 4 },
    ),
  })
  async function newThread({ status, replies }: typeof commentState extends fc.Arbitrary<infer State> ? State : never): Promise<Subject> {
    const { sql } = api.database
    const { id: schoolId } = api.school
    const subject = { type: 'post', id: await newPost(sql, schoolId) } as const
    const shown = replies.filter((reply) => reply.status === 'published').length
    const id = await newComment(sql, schoolId, subject, { status, replies: shown })
    for (const reply of replies) {
      const replyId = await newComment(sql, schoolId, subject, { status: reply.status, parentId: id })
      await query('UPDATE comment SET moderation = $3 WHERE school_id = $1 AND id = $2', [
        replyId,
        reply.moderation && JSON.stringify(reply.moderation),
      ])
    }
    await query('UPDATE post SET comments_count = $3 WHERE school_id = $1 AND id = $2', [
      subject.id,
      shown + Number(status === 'published'),
    ])
    return { id }
  }
  const decide = ({ id }: Subject, decision: 'hide' | 'spam' | 'approve') =>
    inTransaction((writer) =>
      moderateComment(writer, { schoolId: api.school.id, now: new Date(), id, decision, by: 'Hazel', reason: null }),
    )

  test.each(['hide', 'spam'] as const)('%s a comment, approve it', (decision) =>
    check({
      // A pending comment becomes published.
      state: commentState.map((state) => ({ ...state, status: 'published' })),
      build: newThread,
      does: (one) => decide(one, decision),
      async undoes(one) {
        await decide(one, 'approve')
        // The decision about the comment itself stays on it.
        await query('UPDATE comment SET moderation = $3 WHERE school_id = $1 AND id = $2', [
          one.id,
          '{"by": "Hazel", "at": null, "reason": "So it was."}',
        ])
      },
    }),
  )
})
