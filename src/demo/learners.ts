import { z } from 'zod'
import { cyclicElement } from '../lib/elementAt.ts'
import { readDemoFile } from './readDemoFile.ts'

const texts = z.array(z.string())

export const names = readDemoFile(
  'people',
  z.strictObject({
    with_login: texts,
    given_names: texts,
    family_name_starts: texts,
    family_name_ends: texts,
    headlines: texts,
    biographies: texts,
    notes: texts,
    student_tags: texts,
    member_labels: texts,
  }),
)

export const learnersCount = 420

export interface DemoLearner {
  email: string
  name: string
  is_student: boolean
  is_member: boolean
}

const firstNames = names.with_login

export const learnersWithLogin = firstNames.length

const given = names.given_names

/** Returns the learner with this number, from 0. The first 6552 names are unique. */
export function learnerAt(index: number): DemoLearner {
  // Of seven people, four are students and members, two only students, and one only a member: 360 students and 300 members of 420 people.
  const place = index % 7
  return {
    email: `learner${String(index + 1).padStart(3, '0')}@example.org`,
    name:
      firstNames[index] ??
      `${cyclicElement(given, index)} ${cyclicElement(names.family_name_starts, Math.floor(index / given.length))}${cyclicElement(names.family_name_ends, index)}`,
    is_student: place < 6,
    is_member: place < 4 || place === 6,
  }
}
