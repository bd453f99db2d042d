import { createHash } from 'node:crypto'
import { courses } from '../courses.ts'
import type { Activity } from '../generate/activity.ts'
import type { DemoEnrollment } from '../generate/enrollments.ts'
import type { DemoAttempt, DemoProgress } from '../generate/progress.ts'
import { learnerAt } from '../learners.ts'
import { type Context, dateOf } from './context.ts'

/** Returns enrolments with their progress, quiz attempts and certificates. */
export function learningRows(context: Context, activity: Activity) {
  const { id, base, personId } = context
  const { enrollments, progress, attempts } = activity
  const learnt = Map.groupBy(progress, ({ enrollment }) => enrollment)
  const enrollmentId = ({ number }: DemoEnrollment): string => id('enrollment', number)
  return {
    enrollments: enrollments.map((enrollment) => enrollmentRow(context, enrollment, learnt.get(enrollment) ?? [], activity)),
    certificates: enrollments.flatMap((enrollment) => certificateRows(context, enrollment, learnt.get(enrollment) ?? [])),
    progress: progress.map((one) => ({
      ...base('lesson_progress', one, one.completedAt),
      enrollment_id: enrollmentId(one.enrollment),
      lesson_id: id('lesson', one.lesson.number),
      course_id: id('course', one.lesson.course),
      person_id: personId(one.enrollment.learner),
      status: one.completedAt === null ? 'started' : 'completed',
      position_seconds: positionOf(one),
      completed_at: dateOf(one.completedAt),
    })),
    attempts: attempts.map((attempt) => ({
      ...base('quiz_attempt', attempt),
      enrollment_id: enrollmentId(attempt.enrollment),
      lesson_id: id('lesson', attempt.lesson.number),
      person_id: personId(attempt.enrollment.learner),
      attempt_no: attempt.attemptNo,
      score_bps: attempt.points * 2500,
      passed: attempt.points >= 3,
      answers: answersOf(attempt),
      results: resultsOf(attempt),
    })),
  }
}

/** Returns the number of current enrolments in a course, by its index in the catalogue. */
export const enrolledBy = (enrollments: readonly DemoEnrollment[], course: number): number =>
  enrollments.filter((one) => one.course === course && ['active', 'completed', 'suspended'].includes(one.status)).length

/** Returns how many people are or were enrolled in courses of the lecturer. */
export function taughtBy(enrollments: readonly DemoEnrollment[], lecturer: string): number {
  const taught = enrollments.filter(({ course, status }) => status !== 'canceled' && courses[course]?.lecturers.includes(lecturer))
  return new Set(taught.map(({ learner }) => learner)).size
}

function enrollmentRow(
  { now, id, base, personId }: Context,
  enrollment: DemoEnrollment,
  learnt: readonly DemoProgress[],
  { lessons }: Activity,
) {
  const { at, course, status, source, order, subscription, expiresAt, stoppedAt } = enrollment
  const done = learnt.filter(({ completedAt }) => completedAt !== null)
  const latest = learnt.at(-1)
  const lastAt = latest && Math.max(...learnt.map((one) => one.completedAt ?? one.at))
  const completedAt = completionOf(enrollment, learnt)
  return {
    ...base('enrollment', enrollment, Math.min(now, Math.max(stoppedAt ?? 0, completedAt ?? 0, at))),
    person_id: personId(enrollment.learner),
    course_id: id('course', course),
    status,
    status_before: status === 'suspended' ? 'active' : null,
    source,
    order_id: order && id('order', order.number),
    subscription_id: subscription && id('subscription', subscription.number),
    coupon_id: source === 'coupon' && order?.coupon != null ? id('coupon', order.coupon) : null,
    starts_at: new Date(at),
    expires_at: dateOf(expiresAt),
    progress_percent: Math.floor((done.length * 100) / (lessons.get(course)?.length ?? 1)),
    completed_lessons_count: done.length,
    last_lesson_id: latest ? id('lesson', latest.lesson.number) : null,
    first_opened_at: dateOf(learnt[0]?.at),
    last_activity_at: dateOf(lastAt),
    completed_at: dateOf(completedAt),
    canceled_at: status === 'canceled' ? dateOf(stoppedAt) : null,
    expired_at: status === 'expired' ? dateOf(stoppedAt) : null,
  }
}

const completionOf = ({ status }: DemoEnrollment, learnt: readonly DemoProgress[]): number | null =>
  status === 'completed' ? Math.max(...learnt.flatMap((one) => one.completedAt ?? [])) : null

function certificateRows({ schoolId, id, base, personId }: Context, enrollment: DemoEnrollment, learnt: readonly DemoProgress[]) {
  const { number, course, learner } = enrollment
  const completedAt = completionOf(enrollment, learnt)
  const title = courses[course]?.title
  if (completedAt === null || title === undefined || !courses[course]?.certificate_enabled || number % 7 === 3) return []
  return {
    ...base('certificate', { at: completedAt, number }),
    enrollment_id: id('enrollment', number),
    course_id: id('course', course),
    person_id: personId(learner),
    number: certificateNumber(schoolId, number),
    completed_at: new Date(completedAt),
    issued_at: new Date(completedAt),
    holder_name: learnerAt(learner.index).name,
    course_title: title,
  }
}

const certificateAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

function certificateNumber(schoolId: string, number: number): string {
  const bytes = createHash('sha256').update(`lanternfield/${schoolId}/certificate/${number}`).digest().subarray(0, 16)
  return Array.from(bytes, (byte) => certificateAlphabet[byte % certificateAlphabet.length]).join('')
}

function positionOf({ lesson: { lesson }, completedAt, at }: DemoProgress): number | null {
  if (lesson.kind !== 'video' && lesson.kind !== 'audio') return null
  return completedAt === null ? Math.floor((lesson.duration_seconds * (1 + ((at / 1000) % 8))) / 10) : lesson.duration_seconds
}

/** Returns which of the three questions were answered correctly. The first is worth two points, the others one. */
const correctOf = ({ points }: DemoAttempt): [boolean, boolean, boolean] => [points >= 2, points === 4 || points === 1, points >= 3]

const resultsOf = (attempt: DemoAttempt) =>
  correctOf(attempt).map((correct, index) => ({ question_id: `q${index + 1}`, correct, points: index === 0 ? 2 : 1 }))

function answersOf(attempt: DemoAttempt) {
  const [first, second, third] = correctOf(attempt)
  return [
    { question_id: 'q1', choice_ids: [first ? 'c1' : 'c2'] },
    { question_id: 'q2', choice_ids: [second ? 'c1' : 'c2'] },
    { question_id: 'q3', text: third ? 'surprise' : 'the weather' },
  ]
}
