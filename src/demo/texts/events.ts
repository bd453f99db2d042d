import type { PlanSlug } from '../plans.ts'

/** An event of the demo school. Days count from now: negative ones are past. Hours are those of the clock in UTC. */
export interface DemoEvent {
  slug: string
  title: string
  description: string
  kind: 'online' | 'in_person' | 'hybrid'
  status: 'published' | 'canceled'
  madeDays: number
  startDays: number
  startHour: number
  hours: number
  access: 'public' | 'members' | 'plans' | 'course'
  plans: readonly PlanSlug[]
  course: string | null
  hosts: readonly string[]
  capacity: number | null
  /** How many answered: those who come, wait and gave up their seat. */
  answers: { coming: number; waiting: number; canceled: number }
  /** How many of those who come bring one more person. */
  guests: number
}

const evening = {
  status: 'published',
  startHour: 17,
  hours: 3,
  access: 'public',
  plans: [],
  course: null,
  capacity: null,
  guests: 0,
} as const
const atHome = { kind: 'in_person' } as const

/** In the order in which they were made. */
export const events: readonly DemoEvent[] = [
  {
    ...evening,
    ...atHome,
    slug: 'house-warming',
    title: 'House warming',
    description: 'Soup, a tour, and the first pot out of the kiln. It may be several pots.',
    madeDays: -370,
    startDays: -230,
    hosts: ['marlo-quillfeather', 'ilse-wrenfield'],
    capacity: 40,
    guests: 4,
    answers: { coming: 20, waiting: 0, canceled: 2 },
  },
  {
    ...evening,
    slug: 'live-glaze-questions',
    title: 'Live: Glaze Questions',
    description: 'Hold your tile up to the camera. Marlo says what it did and, where it can be said politely, why.',
    kind: 'online',
    madeDays: -200,
    startDays: -160,
    startHour: 18,
    hours: 2,
    hosts: ['marlo-quillfeather'],
    answers: { coming: 17, waiting: 0, canceled: 1 },
  },
  {
    ...evening,
    ...atHome,
    slug: 'madder-harvest',
    title: 'Madder Harvest',
    description: 'We dig, wash and cut three years of root. Gloves are there, knees are yours.',
    madeDays: -150,
    startDays: -110,
    startHour: 8,
    hours: 6,
    access: 'members',
    hosts: ['tansy-brightwater'],
    capacity: 24,
    answers: { coming: 18, waiting: 0, canceled: 2 },
  },
  {
    ...evening,
    ...atHome,
    slug: 'autumn-fair',
    title: 'The school at the autumn fair',
    description: 'Our table is the one with the clips. Come by, or come and carry.',
    madeDays: -130,
    startDays: -88,
    startHour: 8,
    hours: 9,
    hosts: ['ottoline-fernsby-vale'],
    guests: 2,
    answers: { coming: 15, waiting: 0, canceled: 1 },
  },
  {
    ...evening,
    ...atHome,
    slug: 'sharpening-night',
    title: 'Sharpening Night',
    description: 'Bring what is blunt. Knives as well, if you must.',
    madeDays: -80,
    startDays: -40,
    hosts: ['corvin-ashgrove'],
    capacity: 20,
    answers: { coming: 19, waiting: 0, canceled: 3 },
  },
  {
    ...evening,
    ...atHome,
    slug: 'open-kiln-evening-autumn',
    title: 'Open Kiln Evening, autumn',
    description: 'The kiln is unpacked at seven. There is soup, and too much of it.',
    madeDays: -50,
    startDays: -12,
    hosts: ['marlo-quillfeather'],
    capacity: 24,
    answers: { coming: 11, waiting: 0, canceled: 1 },
  },
  {
    ...evening,
    kind: 'hybrid',
    slug: 'seed-heads-with-pim',
    title: 'Seed Heads with Pim',
    description: 'An evening of teasels and hogweed, drawn from the box in which they travelled.',
    status: 'canceled',
    madeDays: -34,
    startDays: 8,
    hosts: ['pim-hollowell'],
    answers: { coming: 11, waiting: 0, canceled: 0 },
  },
  {
    ...evening,
    ...atHome,
    slug: 'open-kiln-evening',
    title: 'Open Kiln Evening',
    description: 'See the kiln unpacked, ask what you did not dare to ask, and put your name down for a bench. The room is small.',
    madeDays: -28,
    startDays: 4,
    hosts: ['marlo-quillfeather', 'ilse-wrenfield'],
    capacity: 24,
    guests: 2,
    answers: { coming: 22, waiting: 6, canceled: 2 },
  },
  {
    ...evening,
    slug: 'live-fix-my-loaf',
    title: 'Live: Fix My Loaf',
    description: 'Cut it open in front of the camera and Ilse reads the crumb. Nobody laughs; everybody has been there.',
    kind: 'online',
    madeDays: -25,
    startDays: 11,
    startHour: 18,
    hours: 2,
    hosts: ['ilse-wrenfield'],
    answers: { coming: 20, waiting: 0, canceled: 1 },
  },
  {
    ...evening,
    ...atHome,
    slug: 'dye-walk',
    title: 'Dye Walk',
    description: 'Along the railway and back by the allotments: what stains, what only pretends to, and what to leave where it grows.',
    madeDays: -21,
    startDays: 19,
    startHour: 9,
    hours: 4,
    hosts: ['tansy-brightwater'],
    capacity: 30,
    guests: 3,
    answers: { coming: 18, waiting: 0, canceled: 1 },
  },
  {
    ...evening,
    ...atHome,
    slug: 'chairs-on-visit',
    title: 'Chairs on Visit',
    description: 'Everybody who has finished one brings it, and we sit on all of them. For the whole studio.',
    madeDays: -16,
    startDays: 33,
    access: 'plans',
    plans: ['whole-studio', 'founders'],
    hosts: ['corvin-ashgrove'],
    capacity: 16,
    answers: { coming: 9, waiting: 0, canceled: 0 },
  },
  {
    ...evening,
    slug: 'clay-circle',
    title: 'Clay Circle',
    description: 'For those who are in the middle of their ten pots: bring the worst one.',
    kind: 'hybrid',
    madeDays: -9,
    startDays: 61,
    access: 'course',
    course: 'clay-from-scratch',
    hosts: ['marlo-quillfeather'],
    capacity: 18,
    answers: { coming: 14, waiting: 0, canceled: 0 },
  },
]
