import { courses } from '../courses.ts'
import { demoSections } from '../lessons.ts'
import { createRandom } from '../seededRandom.ts'
import { generateComments, generateRsvps } from './community.ts'
import { generateEnrollments } from './enrollments.ts'
import { generateOrders } from './orders.ts'
import { generatePeople } from './people.ts'
import { generateProgress, type PlacedLesson } from './progress.ts'
import { generateSubscriptions } from './subscriptions.ts'

/** Generates the first year of the demo school: the same for every school and on every run. */
export function generateActivity(now: Date) {
  const time = now.getTime()
  // Separate random streams: changing one generator does not shift the values of the others.
  const random = (chapter: string) => createRandom(`lanternfield ${chapter}`)
  const learners = generatePeople(time)
  const subscriptions = generateSubscriptions(random('subscriptions'), time, learners)
  const orders = generateOrders({ random: random('orders'), now: time, learners, subscriptions })
  const enrollments = generateEnrollments({ random: random('enrollments'), now: time, learners, orders, subscriptions })
  const lessons = publishedLessons()
  const { progress, attempts } = generateProgress({ random: random('progress'), now: time, enrollments, lessons })
  const soFar = { now: time, learners, enrollments, subscriptions, progress }
  const rsvps = generateRsvps({ random: random('rsvps'), ...soFar })
  const comments = generateComments({ random: random('comments'), ...soFar })
  return { learners, subscriptions, orders, enrollments, lessons, progress, attempts, rsvps, comments }
}

export const emptyActivity = (now: Date): Activity => ({
  learners: generatePeople(now.getTime()),
  subscriptions: [],
  orders: [],
  enrollments: [],
  lessons: publishedLessons(),
  progress: [],
  attempts: [],
  rsvps: [],
  comments: [],
})

export type Activity = ReturnType<typeof generateActivity>

function publishedLessons(): ReadonlyMap<number, readonly PlacedLesson[]> {
  const placed = demoSections()
    .flatMap(({ course, lessons }) => lessons.map((lesson) => ({ lesson, course: courses.findIndex(({ slug }) => slug === course) })))
    .map((one, number) => ({ ...one, number }))
    .filter(({ lesson }) => lesson.status === 'published')
  return Map.groupBy(placed, ({ course }) => course)
}
