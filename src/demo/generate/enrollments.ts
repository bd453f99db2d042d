import { day, type Happening, hour, inOrder, quietMs } from '../calendar.ts'
import { courses } from '../courses.ts'
import { plans } from '../plans.ts'
import type { SeededRandom } from '../seededRandom.ts'
import type { DemoOrder } from './orders.ts'
import type { Learner } from './people.ts'
import { archivedAt, publishedAt } from './published.ts'
import type { DemoSubscription } from './subscriptions.ts'

export interface DemoEnrollment extends Happening {
  learner: Learner
  /** Index in the catalogue. */
  course: number
  status: 'active' | 'completed' | 'expired' | 'suspended' | 'canceled'
  source: 'self' | 'manual' | 'purchase' | 'plan' | 'coupon' | 'import'
  order: DemoOrder | null
  subscription: DemoSubscription | null
  expiresAt: number | null
  /** When it ended without being completed. */
  stoppedAt: number | null
}

const enrollmentStates = { active: 610, completed: 240, expired: 35, suspended: 15, canceled: 10 } as const
const enrollmentsCount = Object.values(enrollmentStates).reduce((sum, count) => sum + count, 0)

interface Activity {
  random: SeededRandom
  now: number
  learners: readonly Learner[]
  orders: readonly DemoOrder[]
  subscriptions: readonly DemoSubscription[]
}

const courseNumber = (slug: string): number => courses.findIndex((course) => course.slug === slug)

/** Generates enrolments with their source and status: at most one for each person and course. */
export function generateEnrollments(activity: Activity): DemoEnrollment[] {
  const { random, now, learners, orders, subscriptions } = activity
  const all = new Map<string, DemoEnrollment>()
  const students = learners.filter(({ is_student, isInvited }) => is_student && !isInvited)

  function add(learner: Learner, course: number, at: number, rest: Partial<DemoEnrollment> & Pick<DemoEnrollment, 'source'>): boolean {
    const key = `${learner.index} ${course}`
    const isTaught = publishedAt(now, course) < at && (courses[course]?.status !== 'archived' || at < archivedAt(now))
    if (all.has(key) || all.size === enrollmentsCount || at < learner.at || at > now - quietMs || !isTaught) return false
    all.set(key, {
      at,
      number: 0,
      learner,
      course,
      status: 'active',
      order: null,
      subscription: null,
      expiresAt: null,
      stoppedAt: null,
      ...rest,
    })
    return true
  }

  for (const order of orders) {
    if (!['paid', 'partially_refunded', 'refunded'].includes(order.status)) continue
    const [refund] = order.status === 'refunded' ? order.refunds : []
    for (const { type, product } of order.lines) {
      if (type !== 'course') continue
      const source = order.kind === 'zero_total' ? 'coupon' : 'purchase'
      add(order.learner, product, order.at, { source, order, ...(refund && { status: 'canceled', stoppedAt: refund.at }) })
    }
  }
  for (const subscription of subscriptions) addOfPlan(subscription, { random, now, add })
  // Enrolments that were imported at the start.
  for (const learner of students.slice(0, 75)) {
    for (const slug of random
      .shuffled(['candle-season', 'clay-from-scratch', 'glaze-chemistry-without-fear', 'bookbinding-five-structures'])
      .slice(0, 1 + random.below(2))) {
      add(learner, courseNumber(slug), Math.max(learner.at, now - 374 * day) + (26 + learner.index / 10) * hour, { source: 'import' })
    }
  }
  const free = [courseNumber('workshop-safety'), courseNumber('kiln-diary')] as const
  for (const learner of students) {
    const at = () => secondsOf(learner.at + random.between(0.1, 60) * day)
    if (random.chance(0.22)) add(learner, free[0], at(), { source: 'self' })
    if (random.chance(0.09)) add(learner, free[1], at(), { source: 'self' })
  }
  // Staff enrol people in the long courses.
  const taught = [
    'make-one-chair',
    'make-one-chair',
    'glaze-chemistry-without-fear',
    'clay-from-scratch',
    'bookbinding-five-structures',
  ].map(courseNumber)
  while (all.size < enrollmentsCount) {
    const learner = random.pick(students)
    add(learner, random.pick(taught), secondsOf(learner.at + random.between(0.05, 0.95) * (now - learner.at)), { source: 'manual' })
  }
  const ordered = inOrder([...all.values()])
  settle(ordered, random, now)
  return ordered
}

const secondsOf = (time: number): number => Math.round(time / 1000) * 1000

type Add = (learner: Learner, course: number, at: number, rest: Partial<DemoEnrollment> & Pick<DemoEnrollment, 'source'>) => boolean

/** Subscribers are enrolled in a few courses of their plan, until the plan ends. */
function addOfPlan(subscription: DemoSubscription, { random, now, add }: { random: SeededRandom; now: number; add: Add }): void {
  const { learner, at, status, isLastBillOpen } = subscription
  const plan = plans[subscription.planNumber]
  if (!plan || !learner.is_student || learner.isInvited || status === 'canceled' || status === 'paused' || isLastBillOpen) return
  const included = courses.flatMap(({ slug, status: state }, course) =>
    state === 'published' && (plan.includes_all_courses || (plan.courses as readonly string[]).includes(slug)) ? [course] : [],
  )
  const some = random.shuffled(included)
  const wanted = plan.includes_all_courses
    ? [courseNumber('make-one-chair'), ...some.slice(0, 1 + random.below(3))]
    : some.slice(0, 1 + random.below(2))
  for (const course of wanted) {
    add(learner, course, secondsOf(at + Math.min(random.between(0.02, 40) * day, (now - day - at) * 0.6)), { source: 'plan', subscription })
  }
}

function settle(all: readonly DemoEnrollment[], random: SeededRandom, now: number): void {
  const open = random.shuffled(all.filter(({ status, learner }) => status === 'active' && learner.index > 0))
  const missing = (status: DemoEnrollment['status']): number =>
    enrollmentStates[status] - all.filter((enrollment) => enrollment.status === status).length
  const take = (count: number, fits: (enrollment: DemoEnrollment) => boolean): DemoEnrollment[] =>
    open.filter((enrollment) => enrollment.status === 'active' && fits(enrollment)).slice(0, Math.max(0, count))
  const between = (from: number, low: number, high: number): number =>
    secondsOf(from + Math.min(random.between(low, high) * day, (now - quietMs - from) * 0.9))

  for (const enrollment of take(missing('canceled'), ({ source }) => source === 'self' || source === 'manual')) {
    Object.assign(enrollment, { status: 'canceled', stoppedAt: between(enrollment.at, 3, 50) })
  }
  for (const enrollment of take(missing('expired'), ({ source, at }) => ['import', 'manual'].includes(source) && at < now - 100 * day)) {
    const stoppedAt = enrollment.at + 90 * day
    Object.assign(enrollment, { status: 'expired', expiresAt: stoppedAt, stoppedAt })
  }
  const isSuspended = ({ learner, source }: DemoEnrollment): boolean => source !== 'plan' && learner.studentStatus === 'suspended'
  const suspended = [...take(missing('suspended'), isSuspended)]
  const more = take(missing('suspended') - suspended.length, (one) => one.source === 'manual' && !isSuspended(one))
  for (const enrollment of [...suspended, ...more]) {
    Object.assign(enrollment, { status: 'suspended', stoppedAt: between(enrollment.at, 10, 80) })
  }
  // Older enrolments are more likely to be completed.
  const weighed = all
    .filter(({ status, at }) => status === 'active' && at < now - 18 * day)
    .map((enrollment) => ({
      enrollment,
      weight: enrollment.learner.index === 0 ? 2 : random.between(0, 1) ** ((300 * day) / (now - enrollment.at)),
    }))
    .toSorted((one, other) => other.weight - one.weight)
  const first = all.filter(({ learner, status }) => learner.index === 0 && status === 'active')
  // The first learner has a completed course and a current one.
  const kept = new Set(first.slice(-2))
  for (const { enrollment } of weighed.filter((one) => !kept.has(one.enrollment)).slice(0, missing('completed')))
    enrollment.status = 'completed'
}
