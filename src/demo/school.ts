/** The demo school as data. Every name is invented; addresses are at example.com and example.org only (RFC 2606). */
import { learnerAt, learnersWithLogin } from './learners.ts'

export const schoolRow = {
  name: 'Lanternfield School of Making',
  tagline: 'Small crafts, taught slowly and well',
  description: 'Six benches, two kilns and a long table. We teach what hands can learn in a season, in small groups and without hurry.',
  locale: 'en',
  supported_locales: ['en', 'de'],
  time_zone: 'Europe/Berlin',
  currency: 'EUR',
  contact_email: 'hello@example.com',
  settings: { tax: { mode: 'inclusive', default_rate_bps: 1900 } },
} as const

export interface DemoLecturer {
  slug: string
  display_name: string
  headline: string
  bio: string
  status: 'active' | 'hidden'
}

export const lecturers: readonly DemoLecturer[] = [
  {
    slug: 'marlo-quillfeather',
    display_name: 'Marlo Quillfeather',
    headline: 'Ceramics',
    bio: 'Throws before breakfast and glazes by ear. Has broken more pots than most people own.',
    status: 'active',
  },
  {
    slug: 'tansy-brightwater',
    display_name: 'Tansy Brightwater',
    headline: 'Natural dyeing',
    bio: 'Keeps three vats alive and a garden of things that stain.',
    status: 'active',
  },
  {
    slug: 'ottoline-fernsby-vale',
    display_name: 'Ottoline Fernsby-Vale',
    headline: 'Bookbinding',
    bio: 'Sews, folds and presses. Believes that every book wants to lie open.',
    status: 'active',
  },
  {
    slug: 'corvin-ashgrove',
    display_name: 'Corvin Ashgrove',
    headline: 'Hand-tool woodwork',
    bio: 'Sharpens first and asks questions later.',
    status: 'active',
  },
  {
    slug: 'ilse-wrenfield',
    display_name: 'Ilse Wrenfield',
    headline: 'Baking',
    bio: 'Feeds a starter that is older than the school.',
    status: 'active',
  },
  {
    slug: 'pim-hollowell',
    display_name: 'Pim Hollowell',
    headline: 'Botanical drawing',
    bio: 'Draws what others pull out. Back next spring.',
    status: 'hidden',
  },
]

export interface DemoPerson {
  email: string
  name: string
  role: 'owner' | 'admin' | 'lecturer' | 'learner'
  /** Slug of the lecturer that the person is. */
  lecturer?: string
  /** Can sign in with the demo password. */
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

/** Everybody with an account, the staff first. */
export const people: readonly DemoPerson[] = [
  ...team,
  ...Array.from({ length: learnersWithLogin }, (_, index) => {
    const { email, name } = learnerAt(index)
    return { email, name, role: 'learner' as const, hasPassword: index === 0 }
  }),
]

/** How many of them work here. */
export const teamCount = team.length
