/** States of an enrolment, as they are stored. */
export type EnrollmentStatus = 'active' | 'completed' | 'expired' | 'suspended' | 'canceled'

/** What opened an enrolment first. */
export type EnrollmentSource = 'self' | 'manual' | 'purchase' | 'plan' | 'coupon' | 'import'

/** What of an enrolment is counted elsewhere. */
export interface CountedEnrollment {
  status: string
  completed_at: Date | null
}

/** States in which somebody takes the course: they hold one of its places. */
export const statusesWithPlace: readonly string[] = ['active', 'completed', 'suspended'] satisfies EnrollmentStatus[]

/** States that time ends. */
export const open: readonly string[] = ['active', 'completed'] satisfies EnrollmentStatus[]

/** The state as of now: one past its time has ended, also before a job has noted it. */
export function statusAt(row: { status: string; expires_at: Date | null }, now: Date): EnrollmentStatus {
  const isOver = row.expires_at !== null && row.expires_at <= now
  return (isOver && open.includes(row.status) ? 'expired' : row.status) as EnrollmentStatus
}
