import { z } from 'zod'
import { listCategories } from '../domain/categories.ts'
import { checkImprint } from '../domain/imprint.ts'
import { htmlOrNull, type TextFormat } from '../domain/richText.ts'
import { shownCounts } from '../domain/schoolCounts.ts'
import { checkSchool } from '../domain/schoolRules.ts'
import { everything } from '../kit/expressions.ts'
import { slug } from '../kit/fields.ts'
import { defineResource } from '../kit/resource.ts'

const line = (max: number, description: string) => z.string().max(max).nullable().default(null).meta({ description, example: null })

const count = (description: string) => z.int().meta({ description, example: 10 })

const webAddress = (description: string) =>
  z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .meta({ description, example: 'https://school.example' })

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
    description_format: z
      .enum(['markdown', 'html'])
      .default('markdown')
      .meta({ description: 'How the description is written.', example: 'markdown' }),
    description_html: z
      .string()
      .nullable()
      .meta({ description: 'The description as safe HTML.', example: '<p>Six benches and a kiln.</p>' }),
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
    address: z
      .object({
        name: line(120, 'Name on the letter box.'),
        line1: line(120, 'Street and number.'),
        line2: line(120, 'What else is needed to find it.'),
        postal_code: line(20, 'Postal code.'),
        city: line(120, 'Town.'),
        region: line(120, 'Region or state.'),
        country: z
          .string()
          .regex(/^[A-Z]{2}$/, 'must be a code of ISO 3166 such as DE')
          .nullable()
          .default(null)
          .meta({ description: 'ISO 3166 code.', example: 'DE' }),
      })
      .nullable()
      .meta({ description: 'Where it is.', example: null }),
    social_links: z
      .array(
        z.object({
          network: z.string().min(1).max(30).meta({ description: 'Which network.', example: 'mastodon' }),
          url: webAddress('Address there.').meta({ description: 'Address there.', example: 'https://social.example/@lanternfield' }),
        }),
      )
      .max(12)
      .meta({ description: 'Where else to find it.', example: [] }),
    legal: z
      .object({
        terms_url: webAddress('Terms.').nullable().default(null).meta({ description: 'Terms.', example: null }),
        privacy_url: webAddress('Privacy policy.').nullable().default(null).meta({ description: 'Privacy policy.', example: null }),
        imprint_page_id: z
          .string()
          .regex(/^pag_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be an id: pag_ and 26 characters')
          .nullable()
          .default(null)
          .meta({ description: 'Id of the published page with the imprint.', example: null }),
      })
      .nullable()
      .meta({ description: 'What the law asks for.', example: null }),
    registration: z.enum(['open', 'invite_only', 'closed']).meta({ description: 'Who can make an account.', example: 'open' }),
    settings: settings.meta({ description: 'How the school works.', example: { show_counts: true } }),
    features: features.meta({ description: 'What the school offers; what is off answers 404.', example: { courses: true } }),
    counts: z
      .object({
        courses: count('Published courses.'),
        lecturers: count('Active lecturers.'),
        students: count('Students.'),
        members: count('Members.'),
      })
      .nullable()
      .meta({ description: 'How many there are, some minutes old; null where the school does not show it.', example: null }),
    limits: z
      .object({
        storage_bytes: z.int().nullable().meta({ description: 'How much can be stored; null without a limit.', example: null }),
        storage_used_bytes: z.int().meta({ description: 'How much is stored.', example: 52_428_800 }),
        staff_seats: z.int().nullable().meta({ description: 'How many can work there; null without a limit.', example: null }),
      })
      .meta({ description: 'What the school can use.', example: { storage_bytes: null }, view: 'staff' }),
  }),
  derived: {
    primary_url: { from: [], of: (_row, context) => context.school.issuer },
    // A description that was there before its HTML was stored.
    description_html: {
      from: ['description', 'description_format', 'description_html'],
      of: (row) => row.description_html ?? htmlOrNull(row.description, row.description_format as TextFormat),
    },
    counts: { from: ['counts', 'settings'], of: shownCounts },
    limits: {
      select: (school) =>
        school.selectFrom('storage_usage').select('storage_usage.bytes').whereRef('storage_usage.school_id', '=', 'school.id'),
      of: (bytes: number | string | null, { outside }) => ({
        storage_bytes: outside.files.limits.quotaBytes,
        storage_used_bytes: Number(bytes ?? 0),
        staff_seats: null,
      }),
    },
  },
  writable: [
    'name',
    'tagline',
    'description',
    'description_format',
    'address',
    'social_links',
    'legal',
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
  operations: {
    get: 'read',
    update: {
      scope: 'write',
      view: 'staff',
      needsIfMatch: true,
      check: async (values, writing) => [...checkSchool(values), ...(await checkImprint(values, writing))],
      before: async (_writing, _row, { description, description_format }) => ({
        description_html: htmlOrNull(description as string | null, description_format as TextFormat),
      }),
    },
  },
  collectionReads: {
    categories: {
      scope: 'read',
      id: 'listCategories',
      summary: 'List the shelves of the catalogue',
      isPublic: true,
      output: z.object({
        object: z.literal('list').meta({ description: 'What this is.', example: 'list' }),
        data: z
          .array(
            z.object({
              slug: z.string().meta({ description: 'What courses name as their category.', example: 'ceramics' }),
              name: z.string().meta({ description: 'The same for people.', example: 'Ceramics' }),
              courses_count: count('Courses on it that visitors find.'),
            }),
          )
          .meta({ description: 'Shelves with at least one course, by slug.', example: [] }),
      }),
      run: async ({ database, school }) => ({ object: 'list', data: await listCategories(database, school.id) }),
    },
  },
})
