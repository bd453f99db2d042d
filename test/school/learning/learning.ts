/** Rows that enrolments are about. */
import { newId } from '../../../src/base/ids.ts'
import type { Sql } from '../../../src/database/connection/sql.ts'

export async function newCourse(sql: Sql, schoolId: string, columns: Record<string, unknown> = {}): Promise<string> {
  const id = newId()
  await insert(sql, 'course', {
    school_id: schoolId,
    id,
    slug: id,
    title: 'Basket weaving',
    language: 'en',
    status: 'published',
    ...columns,
  })
  return id
}

export async function newLearner(sql: Sql, schoolId: string, columns: Record<string, unknown> = {}): Promise<string> {
  const id = newId()
  await insert(sql, 'person', { school_id: schoolId, id, email: `${id}@example.test`, name: 'Juno Fenwick', is_student: true, ...columns })
  return id
}

/** An order of the person for the course. */
export async function newOrder(
  sql: Sql,
  schoolId: string,
  { personId, courseId, status = 'paid' }: { personId: string; courseId: string; status?: string },
): Promise<string> {
  const id = newId()
  await insert(sql, 'orders', {
    ...{
      school_id: schoolId,
      id,
      number: id,
      kind: 'one_time',
      status,
      person_id: personId,
      buyer_name: 'J',
      buyer_email: 'j@example.test',
    },
    ...{ currency: 'EUR', subtotal_amount: 8900, total_amount: 8900, tax_mode: 'none', paid_at: new Date() },
  })
  await insert(sql, 'order_item', {
    ...{ school_id: schoolId, id: newId(), order_id: id, position: 0, product_type: 'course', product_id: courseId, title: 'Course' },
    ...{ currency: 'EUR', unit_amount: 8900, total_amount: 8900 },
  })
  return id
}

/** A plan that includes every course, or these. */
export async function newPlan(sql: Sql, schoolId: string, { courseIds }: { courseIds?: readonly string[] } = {}): Promise<string> {
  const id = newId()
  await insert(sql, 'membership_plan', {
    ...{ school_id: schoolId, id, slug: id, name: 'Workbench', status: 'active', includes_all_courses: courseIds === undefined },
  })
  for (const courseId of courseIds ?? []) {
    await insert(sql, 'plan_item', { school_id: schoolId, plan_id: id, product_type: 'course', product_id: courseId })
  }
  return id
}

export async function newSubscription(
  sql: Sql,
  schoolId: string,
  { personId, planId, status = 'active' }: { personId: string; planId: string; status?: string },
): Promise<string> {
  const [priceId, id] = [newId(), newId()]
  await insert(sql, 'plan_price', { school_id: schoolId, id: priceId, plan_id: planId, interval: 'month', amount: 1900, currency: 'EUR' })
  await insert(sql, 'subscription', {
    ...{ school_id: schoolId, id, person_id: personId, plan_id: planId, price_id: priceId, status, collection: 'manual' },
    ...{ amount: 1900, currency: 'EUR', started_at: new Date() },
  })
  return id
}

async function insert(sql: Sql, table: string, columns: Record<string, unknown>): Promise<void> {
  const names = Object.keys(columns)
  await sql.query(
    `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map((_name, index) => `$${index + 1}`).join(', ')})`,
    Object.values(columns),
  )
}
