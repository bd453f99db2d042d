import type { CopiedValue } from '../store/copyText.ts'
import { enrollmentsCount } from './generate/enrollments.ts'
import { ordersCount } from './generate/orders.ts'
import { demoId } from './ids.ts'
import { learnerRow } from './learnerRow.ts'
import { learnerAt, learnersCount } from './learners.ts'
import { scaledBase, scaledCounts, scaledEnrollment, scaledOrder } from './scaled.ts'
import { schoolRow, teamCount } from './school.ts'

/** Makes the rows of one table that a larger school has beyond the demo's own. */
export interface RowGenerator {
  /** What they are, in the plural. */
  name: string
  table: string
  /** How many rows there are at this scale, those of the demo included. The demo's own come first. */
  count(scale: number): number
  /** How many of them are the demo's own. */
  own: number
  /** The row of this number. Ids rise with it. */
  row(index: number): Record<string, CopiedValue> & { id: string }
}

/** Of what was bought one by one, a fifth as many come with each scale as the demo has. */
const ordersAt = (scale: number): number => ordersCount + (ordersCount / 5) * (scale - 1)

/** More than the demo's own orders have lines. */
const ownLines = 2000

/** Numbers of their orders begin here: far from those that a school gives. */
const firstOrderNumber = 100_001

// Milliseconds from one row to the next: the largest scale fits into a day.
const [orderPace, enrollmentPace] = [80, 9] as const

/** What grows with the scale, in the order in which rows refer to each other. */
export function generators(schoolId: string, now: Date): readonly RowGenerator[] {
  const personId = (learner: number): string => demoId(schoolId, 'person', teamCount + learner)
  const ofOrder = (index: number) => ({
    ...scaledOrder(index),
    ...scaledBase(schoolId, now, 'order', { index, own: ordersCount, pace: orderPace }),
  })
  // The demo's own orders have more than one line each: theirs come before.
  const withOrder = (index: number, kind: string) => {
    const { id: orderId, ...order } = ofOrder(index)
    return { ...order, id: demoId(schoolId, kind, index + ownLines), orderId }
  }
  // An order of a larger school has one line and opens one thing.
  const perOrder = { own: ordersCount, count: ordersAt } as const
  return [
    {
      name: 'people',
      table: 'person',
      count: (scale) => learnersCount * scale,
      own: learnersCount,
      row: (index) => ({ ...learnerRow(schoolId, now, index), ...scaledCounts(index) }),
    },
    {
      ...perOrder,
      name: 'orders',
      table: 'orders',
      row(index) {
        const { learner, line, ...base } = ofOrder(index)
        const { name, email } = learnerAt(learner)
        const number = `${base.created_at.getUTCFullYear()}-${firstOrderNumber + index - ordersCount}`
        return {
          ...base,
          number,
          receipt_number: number,
          status: 'paid',
          kind: 'one_time',
          person_id: personId(learner),
          buyer_name: name,
          buyer_email: email,
          currency: schoolRow.currency,
          subtotal_amount: line.unit,
          discount_amount: line.discount,
          tax_amount: line.tax,
          total_amount: line.total,
          tax_mode: 'inclusive',
          payment_provider: 'card',
          payment_reference: `demo-scaled-${index}`,
          payment: { card_brand: 'visa', card_last4: '4242', failure_code: null },
          placed_at: base.created_at,
          paid_at: base.created_at,
        }
      },
    },
    {
      ...perOrder,
      name: 'order lines',
      table: 'order_item',
      row(index) {
        const { learner: _learner, line, orderId, ...base } = withOrder(index, 'order_item')
        return {
          ...base,
          order_id: orderId,
          position: 0,
          product_type: line.type,
          product_id: demoId(schoolId, line.type, line.product),
          title: line.title,
          currency: schoolRow.currency,
          unit_amount: line.unit,
          discount_amount: line.discount,
          tax_amount: line.tax,
          total_amount: line.total,
        }
      },
    },
    {
      ...perOrder,
      name: 'entitlements',
      table: 'entitlement',
      row(index) {
        const { learner, line, orderId, ...base } = withOrder(index, 'entitlement')
        return {
          ...base,
          person_id: personId(learner),
          product_type: line.type,
          product_id: demoId(schoolId, line.type, line.product),
          source_type: 'order',
          source_id: orderId,
          starts_at: base.created_at,
        }
      },
    },
    {
      name: 'enrolments',
      table: 'enrollment',
      count: (scale) => enrollmentsCount * scale,
      own: enrollmentsCount,
      row(index) {
        const { learner, course, status, order } = scaledEnrollment(index)
        const base = scaledBase(schoolId, now, 'enrollment', { index, own: enrollmentsCount, pace: enrollmentPace })
        return {
          ...base,
          person_id: personId(learner),
          course_id: demoId(schoolId, 'course', course),
          status,
          status_before: status === 'suspended' ? 'active' : null,
          source: order === null ? (index % 2 === 0 ? 'manual' : 'import') : 'purchase',
          order_id: order === null ? null : demoId(schoolId, 'order', order),
          starts_at: base.created_at,
          // Who has completed was said to have: no lesson of theirs was begun.
          completed_at: status === 'completed' ? base.created_at : null,
          last_activity_at: index % 3 === 0 ? null : base.created_at,
        }
      },
    },
  ]
}

/** What is counted of all rows of a table, once they are there. No version counts it. Statements over the school `$1`. */
export const recounts: readonly string[] = [
  `UPDATE course SET enrollments_count = counted.count
     FROM (SELECT course_id, count(*)::int AS count FROM enrollment
            WHERE school_id = $1 AND status IN ('active', 'completed', 'suspended') GROUP BY course_id) counted
    WHERE course.school_id = $1 AND course.id = counted.course_id AND course.enrollments_count <> counted.count`,
  `UPDATE lecturer SET students_count = counted.count
     FROM (SELECT teaches.lecturer_id, count(DISTINCT enrollment.person_id)::int AS count
             FROM enrollment JOIN course_lecturer teaches ON teaches.school_id = enrollment.school_id AND teaches.course_id = enrollment.course_id
            WHERE enrollment.school_id = $1 AND enrollment.status <> 'canceled' GROUP BY teaches.lecturer_id) counted
    WHERE lecturer.school_id = $1 AND lecturer.id = counted.lecturer_id AND lecturer.students_count <> counted.count`,
  `INSERT INTO order_counter (school_id, year, last_no)
   SELECT school_id, split_part(number, '-', 1)::int, max(split_part(number, '-', 2)::int) FROM orders WHERE school_id = $1 GROUP BY 1, 2
   ON CONFLICT (school_id, year) DO UPDATE SET last_no = greatest(order_counter.last_no, excluded.last_no)`,
]
