import { z } from 'zod'
import { readDemoFile } from './readDemoFile.ts'

const field = z.strictObject({
  key: z.string(),
  label: z.string(),
  kind: z.enum(['text', 'long_text', 'email', 'single_choice', 'multiple_choice', 'consent', 'number']),
  required: z.boolean(),
  options: z.array(z.string()).optional(),
  help: z.string().optional(),
  max_length: z.int().optional(),
})

const form = z.strictObject({
  slug: z.string(),
  title: z.string(),
  status: z.enum(['draft', 'published', 'closed']),
  description: z.string(),
  submit_label: z.string(),
  success_message: z.string(),
  made_days_ago: z.int(),
  closed_days_ago: z.int().nullable(),
  fields: z.array(field),
  submissions: z.int(),
})

export type DemoField = z.infer<typeof field>

export type DemoForm = z.infer<typeof form>

const texts = z.array(z.string())

export const { forms, questions, whys, brought } = readDemoFile(
  'forms',
  z.strictObject({ forms: z.array(form), questions: texts, whys: texts, brought: texts }),
)
