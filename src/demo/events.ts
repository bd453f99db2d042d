import { z } from 'zod'
import { readDemoFile } from './readDemoFile.ts'

const event = z.strictObject({
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  kind: z.enum(['online', 'in_person', 'hybrid']),
  status: z.enum(['published', 'canceled']).default('published'),
  made_days: z.int(),
  start_days: z.int(),
  start_hour: z.int().default(17),
  hours: z.number().default(3),
  access: z.enum(['public', 'members', 'plans', 'course']).default('public'),
  /** Slugs of the plans that include the event. */
  plans: z.array(z.string()).default([]),
  course: z.string().nullable().default(null),
  hosts: z.array(z.string()),
  capacity: z.int().nullable().default(null),
  answers: z.strictObject({ coming: z.int(), waiting: z.int(), canceled: z.int() }),
  guests: z.int().default(0),
})

/** An event of the demo school. Days count from now: negative numbers are in the past. Hours are UTC. */
export type DemoEvent = z.infer<typeof event>

export const events: readonly DemoEvent[] = readDemoFile('events', z.array(event))
