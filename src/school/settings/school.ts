import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { listOf } from '../../engine/declare/elementList.ts'
import { everything, fromJson } from '../../engine/declare/expressions.ts'
import { line, slug, webUrl } from '../../engine/declare/fields.ts'
import { richText } from '../../engine/declare/richText.ts'
import { languageTag, timeZone } from '../../engine/declare/typedTexts.ts'
import { readAppRules } from '../../identity/apps/schoolAppRules.ts'
import { listCategories } from '../courses/categories.ts'
import { htmlColumn } from '../markupRenderer.ts'
import { priceTaxOf, type TaxSettings } from '../orders/salesTax.ts'
import { storedHtmlOf } from '../richText.ts'
import { emailAddress } from '../students/studentFields.ts'
import { appActions, offeredAppsRead } from './allowedApps.ts'
import { shownCounts } from './countRows.ts'
import { requireCurrencyCaller, requireCurrencyChange } from './currencyChange.ts'
import { checkImprint } from './imprint.ts'
import { count, features, legal, postalAddress, settings, socialLinks } from './schoolFields.ts'
import { checkSchool } from './schoolRules.ts'

export const schoolSchema = z.object({
  name: line(120).meta({ description: 'Name of the school.', example: 'Lanternfield School of Making' }),
  slug: slug().meta({ description: 'Readable key of the school.', example: 'lanternfield' }),
  tagline: z
    .string()
    .max(160)
    .nullable()
    .meta({ description: 'One line about the school.', example: 'Small crafts, taught slowly and well' }),
  ...richText('description', { max: 10_000, description: 'About the school.', example: 'Six benches and a kiln.' }),
  status: z.enum(['active', 'suspended']).meta({ description: 'active, or suspended while the school is closed.', example: 'active' }),
  primary_url: z.url().meta({ description: 'Address of the school.', example: 'https://school.example' }),
  locale: languageTag().meta({ description: 'Main language (BCP 47).', example: 'en' }),
  supported_locales: z
    .array(languageTag())
    .max(20)
    .meta({ description: 'All languages of the school.', example: ['en', 'de'] }),
  time_zone: timeZone().meta({
    description: 'IANA name of the time zone, which applies to dates without a time.',
    example: 'Europe/Berlin',
  }),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
    .meta({ description: 'ISO 4217 code of all prices.', example: 'EUR' }),
  tax_mode: z.enum(['inclusive', 'exclusive', 'none']).meta({ component: 'TaxMode' }).meta({
    description: 'inclusive: prices include tax; exclusive: the checkout adds tax to prices; none: no tax applies. Follows settings.tax.',
    example: 'inclusive',
  }),
  contact_email: emailAddress().nullable().meta({ description: 'Contact address.', example: 'hello@example.com' }),
  support_url: webUrl().nullable().meta({ description: 'URL of the help pages.', example: 'https://school.example/help' }),
  address: postalAddress,
  social_links: socialLinks,
  legal,
  registration: z
    .enum(['open', 'invite_only', 'closed'])
    .meta({ component: 'RegistrationMode' })
    .meta({ description: 'Who can create an account. Invited people always can.', example: 'open' }),
  settings: settings.meta({ description: 'Settings of the school.', example: { show_counts: true } }),
  features: features.meta({
    description: 'Features of the school. Requests for a disabled feature get 404.',
    example: { courses: true },
  }),
  counts: z
    .object({
      courses: count('Published courses.'),
      lecturers: count('Active lecturers.'),
      students: count('Students.'),
      members: count('Members.'),
    })
    .nullable()
    .meta({ description: 'Counts, a few minutes old; null if the school hides them.', example: null }),
  allowed_apps: z.array(z.string()).meta({
    description: 'Client ids of the apps that an owner has allowed to identify themselves by a document.',
    example: [],
    view: 'staff',
  }),
  limits: z
    .object({
      storage_bytes: z.int().nullable().meta({ description: 'Storage limit in bytes; null without a limit.', example: null }),
      storage_used_bytes: z.int().meta({ description: 'Used storage in bytes.', example: 52_428_800 }),
      staff_seats: z.int().nullable().meta({ description: 'Maximum number of staff; null without a limit.', example: null }),
    })
    .meta({ description: 'Limits of the school.', example: { storage_bytes: null }, view: 'staff' }),
})

export const school = defineResource({
  name: 'school',
  object: 'school',
  idPrefix: 'sch',
  table: 'school',
  about: 'The school: its name, contact data and settings.',
  undo: true,
  scopes: {
    read: {
      learner: 'See the public information about the school',
      lecturer: 'See the public information about the school, and your staff profile',
      staff: 'See the school, its settings, and its staff with their e-mail addresses',
      othersData: ['staff'],
    },
    write: { staff: 'Change the settings of the school, allow apps, and invite, change and remove its staff' },
  },
  singleton: true,
  schema: schoolSchema,
  derived: {
    primary_url: { from: [], of: (_row, context) => context.school.issuer },
    // Renders descriptions that are older than the stored HTML.
    description_html: {
      from: ['description', 'description_format', 'description_html'],
      of: ({ description_html: html, description: text, description_format: format }) =>
        html ?? (text === null ? null : storedHtmlOf(text, format === 'html' ? 'html' : 'markdown')),
    },
    tax_mode: { from: ['settings'], of: ({ settings }) => priceTaxOf(fromJson<{ tax?: TaxSettings } | null>(settings)?.tax) },
    counts: { from: ['counts', 'settings'], of: shownCounts },
    allowed_apps: { from: ['app_rules'], of: ({ app_rules: rules }) => readAppRules(fromJson(rules)).allowed_apps },
    limits: {
      select: (school) =>
        school.selectFrom('storage_usage').select('storage_usage.bytes').whereRef('storage_usage.school_id', '=', 'school.id'),
      of: (bytes: number | string | null, { externalServices }) => ({
        storage_bytes: externalServices.files.limits.quotaBytes,
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
  checkCaller: requireCurrencyCaller,
  operations: {
    get: 'read',
    update: {
      scope: 'write',
      errors: ['currency_locked'],
      view: 'staff',
      needsIfMatch: ['description', 'supported_locales', 'social_links'],
      check: async (values, writing) => [...checkSchool(values), ...(await checkImprint(values, writing))],
      before: async (writing, row, values) => {
        await requireCurrencyChange(writing, row, values)
        return await htmlColumn(writing.externalServices.markup, 'description', values)
      },
    },
  },
  actions: appActions,
  collectionReads: {
    apps: offeredAppsRead,
    categories: {
      scope: 'read',
      id: 'listCategories',
      summary: 'List the categories of the catalogue',
      about:
        'Each category that has courses, with the number of courses that visitors see. Use its slug as the category filter of the list of courses.',
      isPublic: true,
      output: listOf(
        z.object({
          slug: z.string().meta({ description: 'Value of the course field category.', example: 'ceramics' }),
          name: z.string().meta({ description: 'Display name of the category.', example: 'Ceramics' }),
          courses_count: count('Courses in it that visitors see.'),
        }),
        'Categories with at least one course, ordered by slug.',
      ),
      pagedBy: 'slug',
      run: async ({ database }) => ({ data: await listCategories(database) }),
    },
  },
})
