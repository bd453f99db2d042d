import type { ChangeAction } from '../../store/changeActions.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'

/** In which school, and when. */
export interface InSchool {
  schoolId: string
  now: Date
}

/** An order as its rules need it. */
export interface OrderRow {
  id: string
  version: number
  status: string
  kind: string
  number: string
  currency: string
  person_id: string | null
  coupon_id: string | null
  subscription_id: string | null
  total_amount: string | number
  refunded_amount: string | number
}

export const orderColumns =
  'id, version, status, kind, number, currency, person_id, coupon_id, subscription_id, total_amount, refunded_amount'

/** Says in the change feed what became of an order. */
export const recordOrderChange = (
  sql: Sql,
  schoolId: string,
  { id, version }: { id: string; version: number },
  action: ChangeAction,
): Promise<void> => recordChange(sql, { school_id: schoolId, type: 'order', resource_id: id, action, version })

/** Adds to what a person has spent; less where money goes back. Their version stays: it is a sum of others. */
export async function addSpend(sql: Sql, schoolId: string, personId: string | null, amount: number): Promise<void> {
  if (personId === null || amount === 0) return
  await sql.query('UPDATE person SET lifetime_spend = lifetime_spend + $3 WHERE school_id = $1 AND id = $2', [schoolId, personId, amount])
}
