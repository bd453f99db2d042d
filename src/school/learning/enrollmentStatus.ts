import type { Stored } from '../../database/connection/database.ts'

export type EnrollmentStatus = 'active' | 'completed' | 'expired' | 'suspended' | 'canceled'

export type EnrollmentSource = 'self' | 'manual' | 'purchase' | 'plan' | 'coupon' | 'import'

/** The columns of an enrolment from which the counters of courses and people follow. */
export type CountedEnrollment = Stored<'enrollment', 'status' | 'completed_at'>

/** States in which an enrolment takes one of the places of its course. */
export const statusesWithPlace: readonly string[] = ['active', 'completed', 'suspended'] satisfies EnrollmentStatus[]

/** States that expire. */
export const openStatuses: readonly string[] = ['active', 'completed'] satisfies EnrollmentStatus[]

/** Returns the state at this time: an enrolment past its end is expired, even before a job has stored that. */
export function statusAt(row: { status: string; expires_at: Date | null }, now: Date): EnrollmentStatus {
  const isOver = row.expires_at !== null && row.expires_at <= now
  return (isOver && openStatuses.includes(row.status) ? 'expired' : row.status) as EnrollmentStatus
}
