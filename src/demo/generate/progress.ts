import { elementAt } from '../../lib/elementAt.ts'
import { day, type Happening, hour, inOrder, quietMs } from '../calendar.ts'
import { courses } from '../courses.ts'
import type { DemoLesson } from '../lessons.ts'
import type { SeededRandom } from '../seededRandom.ts'
import type { DemoEnrollment } from './enrollments.ts'

export interface PlacedLesson {
  number: number
  course: number
  lesson: DemoLesson
}

export interface DemoProgress extends Happening {
  enrollment: DemoEnrollment
  lesson: PlacedLesson
  completedAt: number | null
}

export interface DemoAttempt extends Happening {
  enrollment: DemoEnrollment
  lesson: PlacedLesson
  attemptNo: number
  points: number
}

export interface Learnt {
  opened: number
  done: number
}

const progressCount = 12_800

interface Activity {
  random: SeededRandom
  now: number
  enrollments: readonly DemoEnrollment[]
  lessons: ReadonlyMap<number, readonly PlacedLesson[]>
}

/** Generates the progress in lessons. Most people who stop do so early. */
export function generateProgress({ random, now, enrollments, lessons }: Activity): { progress: DemoProgress[]; attempts: DemoAttempt[] } {
  const lessonsOf = (enrollment: DemoEnrollment): readonly PlacedLesson[] => lessons.get(enrollment.course) ?? []
  const learnt = new Map(enrollments.map((enrollment) => [enrollment, begin(enrollment, lessonsOf(enrollment).length, random)]))
  level(learnt, (enrollment) => lessonsOf(enrollment).length, random)
  const progress: DemoProgress[] = []
  const attempts: DemoAttempt[] = []
  for (const [enrollment, { opened, done }] of learnt) {
    const times = visits(enrollment, opened, random, now)
    for (const [place, lesson] of lessonsOf(enrollment).slice(0, opened).entries()) {
      const at = elementAt(times, place)
      const completedAt = place < done ? at + Math.min(lesson.lesson.duration_seconds * 1000, 20 * 60_000) : null
      progress.push({ at, number: 0, enrollment, lesson, completedAt })
      if (lesson.lesson.kind === 'quiz') attempts.push(...tries(enrollment, lesson, [at, completedAt], random))
    }
  }
  return { progress: inOrder(progress), attempts: inOrder(attempts) }
}

const thresholdOf = (course: number): number => courses[course]?.completion_threshold_percent ?? 100

function leastDone(course: number, count: number): number {
  let done = 0
  while (Math.floor((done * 100) / count) < thresholdOf(course)) done += 1
  return done
}

function begin(enrollment: DemoEnrollment, count: number, random: SeededRandom): Learnt {
  const least = leastDone(enrollment.course, count)
  if (enrollment.status === 'completed') {
    const done = least + random.below(count - least + 1)
    return { opened: done, done }
  }
  if (random.chance(0.05)) return { opened: 0, done: 0 }
  const opened = 1 + Math.floor((count - 1) * random.between(0, 1) ** 0.45)
  return { opened, done: Math.min(random.chance(0.7) ? opened - 1 : opened, least - 1) }
}

function level(learnt: ReadonlyMap<DemoEnrollment, Learnt>, countOf: (enrollment: DemoEnrollment) => number, random: SeededRandom): void {
  const movable = random.shuffled([...learnt].filter(([{ status }]) => status !== 'completed'))
  let missing = progressCount - [...learnt.values()].reduce((sum, { opened }) => sum + opened, 0)
  while (missing !== 0) {
    const step = Math.sign(missing)
    for (const [enrollment, one] of movable) {
      if (missing === 0) return
      const opened = one.opened + step
      if (opened < 1 || opened > countOf(enrollment)) continue
      one.opened = opened
      one.done = Math.min(Math.max(0, opened - 1), leastDone(enrollment.course, countOf(enrollment)) - 1)
      missing -= step
    }
  }
}

function visits({ at, stoppedAt }: DemoEnrollment, count: number, random: SeededRandom, now: number): number[] {
  const end = Math.min(stoppedAt ?? now, now - quietMs) - hour
  const pauses = Array.from(
    { length: count },
    (_, index) => (index === 0 ? random.between(0.01, 2) : random.between(0.1, 1) ** 2 * 9) * day,
  )
  const sum = pauses.reduce((total, pause) => total + pause, 0)
  const pace = Math.min(1, Math.max(0, end - at) / (sum + hour))
  let time = at
  return pauses.map((pause) => {
    time += pause * pace
    return Math.round(time / 1000) * 1000
  })
}

function tries(
  enrollment: DemoEnrollment,
  lesson: PlacedLesson,
  [at, completedAt]: [number, number | null],
  random: SeededRandom,
): DemoAttempt[] {
  const attempt = (attemptNo: number, time: number, points: number): DemoAttempt => ({
    at: time,
    number: 0,
    enrollment,
    lesson,
    attemptNo,
    points,
  })
  const failed = random.chance(0.3) || completedAt === null ? [attempt(1, at + 60_000, 1 + random.below(2))] : []
  if (completedAt === null) return failed
  return [...failed, attempt(failed.length + 1, completedAt, 3 + random.below(2))]
}
