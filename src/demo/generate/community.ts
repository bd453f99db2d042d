import { elementAt } from '../../lib/elementAt.ts'
import { day, type Happening, hour, inOrder, quietMs } from '../calendar.ts'
import { agreements, answers, doubtful, underEvents, underLessons, underPosts } from '../comments.ts'
import { courses } from '../courses.ts'
import { events } from '../events.ts'
import { posts } from '../posts.ts'
import type { SeededRandom } from '../seededRandom.ts'
import type { DemoEnrollment } from './enrollments.ts'
import type { Learner } from './people.ts'
import type { DemoProgress } from './progress.ts'
import type { DemoSubscription } from './subscriptions.ts'

export interface DemoRsvp extends Happening {
  event: number
  learner: Learner
  status: 'going' | 'waitlisted' | 'canceled' | 'attended' | 'no_show'
  changedAt: number
  guests: number
  note: string | null
}

export interface DemoComment extends Happening {
  subject: { type: 'post' | 'lesson' | 'event'; number: number; course: number | null }
  /** A learner, or the slug of a lecturer. */
  author: Learner | string
  parent: DemoComment | null
  body: string
  status: 'published' | 'pending' | 'hidden'
  reactions: number
  editedAt: number | null
}

interface Activity {
  random: SeededRandom
  now: number
  learners: readonly Learner[]
  enrollments: readonly DemoEnrollment[]
  subscriptions: readonly DemoSubscription[]
  progress: readonly DemoProgress[]
}

export const startOf = (now: number, event: number): number => {
  const { start_days, start_hour } = elementAt(events, event)
  return Math.floor(now / day) * day + start_days * day + start_hour * hour
}

export const endOf = (now: number, event: number): number => startOf(now, event) + (events[event]?.hours ?? 1) * hour

export function generateRsvps({ random, now, learners, enrollments, subscriptions }: Activity): DemoRsvp[] {
  const members = learners.filter(({ is_member, memberStatus }) => is_member && memberStatus === 'active')
  return inOrder(
    events.flatMap((event, number) => {
      const madeAt = now + event.made_days * day
      const start = startOf(now, number)
      const until = Math.min(start - day, now - quietMs)
      const inCourse = new Set(
        enrollments.flatMap(({ course, status, learner }) =>
          courses[course]?.slug === event.course && (status === 'active' || status === 'completed') ? [learner] : [],
        ),
      )
      const inPlan = new Set(
        subscriptions.flatMap(({ plan, status, learner }) => (event.plans.includes(plan) && status === 'active' ? [learner] : [])),
      )
      const may = members.filter(
        (one) =>
          one.at < madeAt + (until - madeAt) * 0.5 &&
          (event.access !== 'course' || inCourse.has(one)) &&
          (event.access !== 'plans' || inPlan.has(one)),
      )
      const { coming, waiting, canceled } = event.answers
      const people = random.shuffled(may).slice(0, coming + waiting + canceled)
      // The first learner attends events without a limit of seats.
      const [first] = members
      if (event.slug === 'dye-walk' && first && !people.includes(first)) people[0] = first
      const isOver = endOf(now, number) < now
      const times = people
        .map(({ at }) => Math.max(at, madeAt) + hour)
        .map((from) => Math.round((from + random.between(0.02, 0.98) * (until - from)) / 1000) * 1000)
      // The waitlist follows the attendees in time.
      const order = people.map((learner, index) => ({ learner, at: elementAt(times, index) })).toSorted((one, other) => one.at - other.at)
      return order.map(({ learner, at }, index): DemoRsvp => {
        const isWaiting = index >= order.length - waiting
        const isCanceled = !isWaiting && index < canceled
        const place = index - canceled
        const status = isWaiting ? 'waitlisted' : isCanceled ? 'canceled' : !isOver ? 'going' : place % 8 === 5 ? 'no_show' : 'attended'
        const changedAt =
          status === 'attended' || status === 'no_show' ? start + hour : isCanceled ? Math.min(at + 6 * hour, until + hour) : at
        const guests = place >= 0 && place < event.guests && !isWaiting ? 1 : 0
        return {
          at,
          number: 0,
          event: number,
          learner,
          status,
          changedAt,
          guests,
          note: place === 3 ? 'I come straight from work and am a little late.' : null,
        }
      })
    }),
  )
}

const counts = { post: 70, lesson: 52, event: 16 } as const
const answered = { lecturer: 24, member: 18 } as const
const [pending, hidden] = [8, 4] as const

export function generateComments({ random, now, learners, progress }: Activity): DemoComment[] {
  const members = learners.filter(({ is_member, memberStatus, isInvited }) => is_member && memberStatus === 'active' && !isInvited)
  const end = now - quietMs
  const said = new Set<string>()
  function words(list: readonly string[], subject: DemoComment['subject']): string {
    const place = `${subject.type} ${subject.number} `
    const free = list.filter((body) => !said.has(place + body))
    const body = random.pick(free.length > 0 ? free : list)
    said.add(place + body)
    return body
  }
  const plain = { number: 0, parent: null, status: 'published', editedAt: null } as const
  const comment = (at: number, author: Learner | string, subject: DemoComment['subject'], body: string): DemoComment => ({
    ...plain,
    at: Math.round(at / 1000) * 1000,
    author,
    subject,
    body,
    reactions: random.chance(0.4) ? 1 + random.below(6) : 0,
    editedAt: random.chance(0.05) ? Math.round(at / 1000) * 1000 + 120_000 : null,
  })
  const some = (count: number, make: () => DemoComment): DemoComment[] => Array.from({ length: count }, make)

  const open = posts.flatMap((post, number) =>
    post.status === 'published' && post.visibility === 'public' && post.days_ago > 20 ? [{ number, at: now - post.days_ago * day }] : [],
  )
  const belongs = new Set(members)
  const learnt = learning(progress).filter(({ enrollment }) => belongs.has(enrollment.learner) && enrollment.status !== 'canceled')
  const first = [
    ...some(counts.post, () => {
      const post = random.pick(open)
      const at = post.at + random.between(0.1, 1) ** 2 * Math.min(40 * day, end - post.at)
      const writers = members.filter((one) => one.at < at)
      const subject = { type: 'post', number: post.number, course: null } as const
      return comment(at, random.pick(writers), subject, words(underPosts, subject))
    }),
    ...some(counts.lesson, () => {
      const { at, lesson, enrollment } = random.pick(learnt)
      const subject = { type: 'lesson', number: lesson.number, course: lesson.course } as const
      return comment(at + 12 * 60_000, enrollment.learner, subject, words(underLessons, subject))
    }),
    ...some(counts.event, () => {
      const number = random.pick(
        events.flatMap(({ access, status }, index) => (access === 'public' && status === 'published' ? [index] : [])),
      )
      const madeAt = now + (events[number]?.made_days ?? 0) * day
      const at = madeAt + random.between(0.2, 1) * (Math.min(end, endOf(now, number) + 4 * day) - madeAt)
      const subject = { type: 'event', number, course: null } as const
      return comment(at, random.pick(members.filter((one) => one.at < at)), subject, words(underEvents, subject))
    }),
  ]
  const answerable = random.shuffled(first.filter(({ at }) => at < end - 2 * day))
  const replies = answerable.slice(0, answered.lecturer + answered.member).map((parent, index): DemoComment => {
    const isByLecturer = index < answered.lecturer
    const at = parent.at + random.between(0.02, 1.8) * day
    const author = isByLecturer ? lecturerOf(parent.subject) : random.pick(repliers(parent, { members, progress, at }))
    return { ...comment(at, author, parent.subject, words(isByLecturer ? answers : agreements, parent.subject)), parent }
  })
  const parents = new Set(replies.map(({ parent }) => parent))
  const alone = random.shuffled(first.filter((one) => !parents.has(one) && one.subject.type !== 'event'))
  for (const [index, one] of alone.slice(0, pending + hidden).entries()) {
    Object.assign(one, { status: index < pending ? 'pending' : 'hidden', body: words(doubtful, one.subject), reactions: 0 })
  }
  return inOrder([...first, ...replies])
}

/** Returns every fifth completed lesson. */
const learning = (progress: readonly DemoProgress[]): DemoProgress[] =>
  progress.filter(({ completedAt, number }) => completedAt !== null && number % 5 === 0)

function lecturerOf({ type, number, course }: DemoComment['subject']): string {
  if (type === 'event') return elementAt(elementAt(events, number).hosts, 0)
  if (type === 'lesson') return active(course === null || course === undefined ? undefined : courses[course]?.lecturers)
  return active([posts[number]?.author ?? 'ilse-wrenfield'])
}

// Lecturers do not reply while they are away.
const active = (lecturers: readonly string[] = []): string => lecturers.find((slug) => slug !== 'pim-hollowell') ?? 'marlo-quillfeather'

function repliers(
  { subject, author }: DemoComment,
  { members, progress, at }: { members: readonly Learner[]; progress: readonly DemoProgress[]; at: number },
) {
  const others = members.filter((one) => one !== author && one.at < at)
  if (subject.type !== 'lesson') return others
  const inCourse = new Set(
    progress.flatMap(({ enrollment, at: opened }) => (enrollment.course === subject.course && opened < at ? [enrollment.learner] : [])),
  )
  const fellows = others.filter((one) => inCourse.has(one))
  return fellows.length > 0 ? fellows : others
}
