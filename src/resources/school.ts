import { z } from 'zod'
import { checkSchool } from '../domain/schoolRules.ts'
import { everything } from '../kit/expressions.ts'
import { slug } from '../kit/fields.ts'
import { defineResource } from '../kit/resource.ts'

const isOn = (description: string) => z.boolean().default(true).meta({ description, example: true })

const settings = z.object({
  show_counts: isOn('Whether visitors see how many take part.'),
  member_directory: z
    .enum(['off', 'members', 'public'])
    .default('members')
    .meta({ description: 'Who sees the directory of members.', example: 'members' }),
  comments_enabled: isOn('Whether people can comment.'),
  lecturer_publishing: z
    .boolean()
    .default(true)
    .meta({ description: 'Whether lecturers publish what is theirs.', example: true, view: 'staff' }),
  lecturer_pricing: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether lecturers price their own courses.', example: false, view: 'staff' }),
  past_due_grace_days: z
    .int()
    .min(0)
    .max(30)
    .default(7)
    .meta({ description: 'How long an unpaid subscription still opens doors.', example: 7, view: 'staff' }),
  tax: z
    .object({
      mode: z
        .enum(['inclusive', 'exclusive', 'none'])
        .default('none')
        .meta({ description: 'How prices relate to tax.', example: 'inclusive' }),
      default_rate_bps: z.int().min(0).max(5000).default(0).meta({ description: 'Rate in hundredths of a percent.', example: 1900 }),
    })
    .meta({ description: 'Tax on what the school sells.', example: { mode: 'inclusive', default_rate_bps: 1900 }, view: 'staff' }),
})

const features = z.object({
  courses: isOn('Courses are offered.'),
  events: isOn('Events are offered.'),
  memberships: isOn('Membership plans are offered.'),
  digital_products: isOn('Digital products are offered.'),
  blog: isOn('The school writes posts.'),
  community: isOn('People can see and answer each other.'),
})

/** The school itself. */
export const school = defineResource({
  name: 'school',
  object: 'school',
  idPrefix: 'sch',
  table: 'school',
  about: 'The school: its name, where to reach it, and how it is set up.',
  scopes: {
    read: 'See the school and how it is set up',
    write: { sentence: 'Change how the school is set up, and who works there', from: 'admin' },
  },
  singleton: true,
  schema: z.object({
    name: z.string().min(1).max(120).meta({ description: 'Name of the school.', example: 'Lanternfield School of Making' }),
    slug: slug().meta({ description: 'Readable key of the school.', example: 'lanternfield' }),
    tagline: z
      .string()
      .max(160)
      .nullable()
      .meta({ description: 'One line about the school.', example: 'Small crafts, taught slowly and well' }),
    description: z
      .string()
      .max(10_000)
      .nullable()
      .meta({ description: 'About the school, in Markdown.', example: 'Six benches and a kiln.' }),
    status: z.enum(['active', 'suspended']).meta({ description: 'Whether the school is running.', example: 'active' }),
    primary_url: z.url().meta({ description: 'Address of the school.', example: 'https://school.example' }),
    locale: z.string().max(35).meta({ description: 'Main language (BCP 47).', example: 'en' }),
    supported_locales: z
      .array(z.string().max(35))
      .max(20)
      .meta({ description: 'All languages of the school.', example: ['en', 'de'] }),
    time_zone: z.string().meta({ description: 'IANA name; dates without a time are in it.', example: 'Europe/Berlin' }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .meta({ description: 'ISO 4217 code of all prices.', example: 'EUR' }),
    contact_email: z.email().nullable().meta({ description: 'Where to write to.', example: 'hello@example.com' }),
    support_url: z.url().nullable().meta({ description: 'Where to get help.', example: 'https://school.example/help' }),
    registration: z.enum(['open', 'invite_only', 'closed']).meta({ description: 'Who can make an account.', example: 'open' }),
    settings: settings.meta({ description: 'How the school works.', example: { show_counts: true } }),
    features: features.meta({ description: 'What the school offers; what is off answers 404.', example: { courses: true } }),
  }),
  derived: { primary_url: { from: [], of: (_row, context) => context.school.issuer } },
  writable: [
    'name',
    'tagline',
    'description',
    'locale',
    'supported_locales',
    'time_zone',
    'currency',
    'contact_email',
    'support_url',
    'registration',
    'settings',
    'features',
  ],
  visibility: { anonymous: everything, learner: everything, lecturer: everything, staff: everything },
  operations: { get: 'read', update: { scope: 'write', view: 'staff', needsIfMatch: true, check: checkSchool } },
})
