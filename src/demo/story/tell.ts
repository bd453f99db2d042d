import { courses } from '../courses.ts'
import { demoSections } from '../curriculum.ts'
import { createDice } from '../dice.ts'
import { cast } from './cast.ts'
import { tellComments, tellRsvps } from './community.ts'
import { tellEnrollments } from './enrollments.ts'
import { tellOrders } from './orders.ts'
import { type PlacedLesson, tellProgress } from './progress.ts'
import { tellSubscriptions } from './subscriptions.ts'

/** What happened at the demo school in its first year, the same for every school and on every run. */
export function tellStory(now: Date) {
  const time = now.getTime()
  // A thing that is told differently changes nothing of what is told with other dice.
  const dice = (chapter: string) => createDice(`lanternfield ${chapter}`)
  const learners = cast(time)
  const subscriptions = tellSubscriptions(dice('subscriptions'), time, learners)
  const orders = tellOrders({ dice: dice('orders'), now: time, learners, subscriptions })
  const enrollments = tellEnrollments({ dice: dice('enrollments'), now: time, learners, orders, subscriptions })
  const lessons = publishedLessons()
  const { progress, attempts } = tellProgress({ dice: dice('progress'), now: time, enrollments, lessons })
  const soFar = { now: time, learners, enrollments, subscriptions, progress }
  const rsvps = tellRsvps({ dice: dice('rsvps'), ...soFar })
  const comments = tellComments({ dice: dice('comments'), ...soFar })
  return { learners, subscriptions, orders, enrollments, lessons, progress, attempts, rsvps, comments }
}

/** The people, before anything has happened. */
export const tellBeginning = (now: Date): Story => ({
  learners: cast(now.getTime()),
  subscriptions: [],
  orders: [],
  enrollments: [],
  lessons: publishedLessons(),
  progress: [],
  attempts: [],
  rsvps: [],
  comments: [],
})

export type Story = ReturnType<typeof tellStory>

/** The published lessons of each course, by its place in the catalogue. */
export function publishedLessons(): ReadonlyMap<number, readonly PlacedLesson[]> {
  const placed = demoSections()
    .flatMap(({ course, lessons }) => lessons.map((lesson) => ({ lesson, course: courses.findIndex(({ slug }) => slug === course) })))
    .map((one, number) => ({ ...one, number }))
    .filter(({ lesson }) => lesson.status === 'published')
  return Map.groupBy(placed, ({ course }) => course)
}
