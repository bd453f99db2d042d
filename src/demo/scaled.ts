import { portion } from '../domain/orders/prorateAmounts.ts'
import { cyclicElement } from '../lib/elementAt.ts'
import { courses } from './courses.ts'
import { enrollmentsCount } from './generate/enrollments.ts'
import { lineOf, ordersCount } from './generate/orders.ts'
import { demoId } from './ids.ts'
import { learnersCount } from './learners.ts'

// The rules by which a larger school's rows name each other. Each depends on its number alone, so every scale makes the same rows.

/** Of so many learners, one after the other, the first six of each seven study. */
const [ofSeven, studying] = [7, 6] as const
const ownStudents = (learnersCount / ofSeven) * studying
/** Of so many enrolments so many were bought. */
const [ofEnrollments, bought] = [35, 4] as const
const boughtEvery = Math.ceil(ofEnrollments / bought)

const sold = courses.flatMap(({ status, price_amount, title }, course) =>
  status === 'published' && price_amount !== null ? [{ course, title, price: price_amount }] : [],
)

export interface ScaledEnrollment {
  /** Their place among the learners. */
  learner: number
  course: number
  status: 'active' | 'completed' | 'suspended'
  /** The number of the order that opened it. */
  order: number | null
}

const states = ['active', 'active', 'completed', 'active', 'completed', 'active', 'active', 'completed', 'active', 'active'] as const

/** The enrolment of this number, beyond the demo's own. */
export function scaledEnrollment(index: number): ScaledEnrollment {
  const added = index - enrollmentsCount
  const student = Math.floor((added * ownStudents) / enrollmentsCount)
  const nth = added - firstOf(student)
  const place = added % ofEnrollments
  const isBought = place % boughtEvery === 0
  return {
    learner: learnerOf(ownStudents + student),
    course: cyclicElement(sold, student + nth * 3).course,
    status: added % 61 === 60 ? 'suspended' : cyclicElement(states, added),
    order: isBought ? ordersCount + Math.floor(added / ofEnrollments) * bought + place / boughtEvery : null,
  }
}

/** What was bought with the order of this number, beyond the demo's own: always one course. */
export function scaledOrder(index: number) {
  const added = index - ordersCount
  const enrollment = enrollmentsCount + Math.floor(added / bought) * ofEnrollments + (added % bought) * boughtEvery
  const { learner, course } = scaledEnrollment(enrollment)
  const { title, price } = sold.find((one) => one.course === course) as (typeof sold)[number]
  return { learner, line: lineOf({ type: 'course', product: course, title, unit: price }, portion(price, index % 5 === 0 ? 1 : 0, 10)) }
}

/** What is counted of the learner of this number. */
export function scaledCounts(learner: number) {
  const place = learner % ofSeven
  const student = Math.floor(learner / ofSeven) * studying + place - ownStudents
  if (place >= studying || student < 0)
    return { enrollments_count: 0, active_enrollments_count: 0, completed_courses_count: 0, lifetime_spend: 0 }
  const [first, end] = [firstOf(student), firstOf(student + 1)]
  const own = Array.from({ length: end - first }, (_, nth) => scaledEnrollment(enrollmentsCount + first + nth))
  return {
    enrollments_count: own.length,
    active_enrollments_count: own.filter(({ status }) => status === 'active').length,
    completed_courses_count: own.filter(({ status }) => status === 'completed').length,
    lifetime_spend: own.reduce((sum, { order }) => sum + (order === null ? 0 : scaledOrder(order).line.total), 0),
  }
}

/** The number of the first enrolment, beyond the demo's own, of a student beyond the demo's own. */
const firstOf = (student: number): number => Math.ceil((student * enrollmentsCount) / ownStudents)

const learnerOf = (student: number): number => Math.floor(student / studying) * ofSeven + (student % studying)

/** Rows of a larger school were made within its last day, one after the other. */
export function scaledBase(schoolId: string, now: Date, kind: string, { index, own, pace }: { index: number; own: number; pace: number }) {
  const created_at = new Date(now.getTime() - 86_400_000 + Math.floor((index - own) * pace))
  return { school_id: schoolId, id: demoId(schoolId, kind, index), created_at, updated_at: created_at }
}
