import { z } from 'zod'
import { readDemoFile } from './readDemoFile.ts'

const course = z.strictObject({
  slug: z.string(),
  title: z.string(),
  subtitle: z.string(),
  description: z.string(),
  status: z.enum(['draft', 'published', 'archived']).default('published'),
  visibility: z.enum(['public', 'unlisted', 'members']).default('public'),
  level: z.enum(['all', 'beginner', 'intermediate', 'advanced']).default('all'),
  category: z.string(),
  tags: z.array(z.string()),
  access: z.enum(['free', 'paid', 'plan_only']).default('paid'),
  price_amount: z.int().nullable().default(null),
  completion_threshold_percent: z.int().default(100),
  certificate_enabled: z.boolean().default(false),
  lecturers: z.array(z.string()),
})

export type DemoCourse = z.infer<typeof course>

export const courses: readonly DemoCourse[] = readDemoFile('courses', z.array(course))
