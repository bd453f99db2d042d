import { z } from 'zod'
import type { Role } from '../policy/caller.ts'
import { learnerAt, learnersWithLogin } from './learners.ts'
import { readDemoFile } from './readDemoFile.ts'

const school = z.strictObject({
  name: z.string(),
  tagline: z.string(),
  description: z.string(),
  locale: z.string(),
  supported_locales: z.array(z.string()),
  time_zone: z.string(),
  currency: z.string(),
  contact_email: z.string(),
  settings: z.strictObject({ tax: z.strictObject({ mode: z.literal('inclusive'), default_rate_bps: z.int() }) }),
})

const lecturer = z.strictObject({
  slug: z.string(),
  display_name: z.string(),
  headline: z.string(),
  bio: z.string(),
  status: z.enum(['active', 'hidden']).default('active'),
})

export type DemoLecturer = z.infer<typeof lecturer>

const file = readDemoFile('school', z.strictObject({ school, lecturers: z.array(lecturer) }))

export const schoolRow = file.school

export const lecturers: readonly DemoLecturer[] = file.lecturers

export interface DemoPerson {
  email: string
  name: string
  role: Role
  /** Slug of the person's lecturer profile. */
  lecturer?: string
  hasPassword: boolean
}

const team: readonly DemoPerson[] = [
  { email: 'owner@example.com', name: 'Hazel Lanternfield', role: 'owner', hasPassword: true },
  { email: 'admin1@example.com', name: 'Rowan Inkpen', role: 'admin', hasPassword: true },
  { email: 'admin2@example.com', name: 'Sorrel Tidewell', role: 'admin', hasPassword: true },
  ...lecturers
    .filter(({ status }) => status === 'active')
    .map(({ slug, display_name }, index) => ({
      email: `lecturer${index + 1}@example.com`,
      name: display_name,
      role: 'lecturer' as const,
      lecturer: slug,
      hasPassword: true,
    })),
]

export const people: readonly DemoPerson[] = [
  ...team,
  ...Array.from({ length: learnersWithLogin }, (_, index) => {
    const { email, name } = learnerAt(index)
    return { email, name, role: 'learner' as const, hasPassword: index === 0 }
  }),
]

export const teamCount = team.length
