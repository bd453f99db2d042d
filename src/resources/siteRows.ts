import { z } from 'zod'

// The fields that the public pages show. A field that a visitor does not see is absent or null.

const text = z.string().nullable().default(null)

const picture = z
  .object({ url: z.string(), alt: text, width: z.number().nullable().default(null), height: z.number().nullable().default(null) })
  .nullable()
  .default(null)

const seo = z
  .object({ title: text, description: text, noindex: z.boolean().default(false) })
  .nullable()
  .default(null)

const money = z.object({ amount: z.number(), currency: z.string() })

/** Rows inside another row, expanded or not. */
const rowsOf = <Row extends z.ZodType>(row: Row) =>
  z.union([z.array(row), z.object({ data: z.array(row) }).transform(({ data }) => data)]).default([])

const lecturer = z.object({ display_name: z.string(), slug: z.string(), headline: text, avatar: picture })

const planPrice = z.object({
  id: z.string(),
  interval: z.string(),
  interval_count: z.number().default(1),
  amount: money,
  trial_days: z.number().default(0),
  active: z.boolean().default(true),
})

const courseItem = z.object({
  id: z.string(),
  title: z.string(),
  slug: z.string(),
  subtitle: text,
  language: z.string().optional(),
  level: z.string(),
  access: z.string(),
  price: money.nullable().default(null),
  cover_image: picture,
})

export const courseItemRow = courseItem

/** A course on its page. */
export const courseRow = courseItem.extend({
  description_html: text,
  visibility: z.string(),
  language: z.string(),
  tags: z.array(z.string()).default([]),
  compare_at_price: money.nullable().default(null),
  enrollment_open: z.boolean(),
  enrollment_starts_at: text,
  enrollment_ends_at: text,
  my_enrollment: z.object({ status: z.string(), progress_percent: z.number() }).nullable().default(null),
  /** Only people who manage the course see it. */
  position: z.number().optional(),
  access_duration_days: z.number().nullable().default(null),
  certificate_enabled: z.boolean(),
  lessons_count: z.number(),
  duration_minutes: z.number(),
  lecturers: rowsOf(lecturer),
  included_in_plans: rowsOf(z.object({ id: z.string(), name: z.string(), slug: z.string(), prices: z.array(planPrice).default([]) })),
  seo,
  updated_at: z.string(),
  curriculum: z
    .object({
      sections: z.array(
        z.object({
          title: z.string(),
          summary: text,
          lessons: z.array(
            z.object({
              id: z.string(),
              title: z.string(),
              is_preview: z.boolean(),
              status: z.string().default('published'),
              duration_seconds: z.number().nullable().default(null),
            }),
          ),
        }),
      ),
    })
    .nullable()
    .default(null),
})

export const lessonRow = z.object({
  id: z.string(),
  course_id: z.string(),
  title: z.string(),
  status: z.string().default('published'),
  is_preview: z.boolean(),
  unlocked: z.boolean(),
  duration_seconds: z.number().nullable().default(null),
  content_html: text,
  media: z.object({ embed_url: text, url: text }).nullable().default(null),
  attachments: z.array(z.object({ filename: z.string(), download_url: text })).default([]),
})

export const lecturerItemRow = lecturer

/** A lecturer on their page. */
export const lecturerRow = lecturerItemRow.extend({
  bio_html: text,
  cover_image: picture,
  links: z.array(z.object({ label: z.string(), url: z.string() })).default([]),
  expertise: z.array(z.string()).default([]),
  courses: z
    .object({ data: z.array(courseItem) })
    .nullable()
    .default(null),
})

export const eventItemRow = z.object({
  title: z.string(),
  slug: z.string(),
  kind: z.string(),
  status: z.string(),
  phase: z.string(),
  starts_at: z.string(),
  ends_at: z.string(),
  time_zone: z.string(),
  price: money.nullable().default(null),
  seats_left: z.number().nullable().default(null),
  cover_image: picture,
})

/** An event on its page. */
const eventRow = eventItemRow.extend({
  id: z.string(),
  access: z.string(),
  description_html: text,
  location: z.object({ name: z.string(), address: text }).nullable().default(null),
  host_lecturers: z.array(lecturer).nullable().default(null),
  waitlist_enabled: z.boolean(),
  rsvp_opens_at: text,
  rsvp_closes_at: text,
  cancel_reason: text,
})

/** An event, as the API returns it to a signed-in person. */
export const ownEventRow = eventRow.extend({
  going_count: z.number().nullable().default(null),
  join_url: text,
  recording_url: text,
  my_rsvp: z
    .object({ status: z.string(), waitlist_position: z.number().nullable().default(null), offered_until: text })
    .nullable()
    .default(null),
})

export const postItemRow = z.object({
  title: z.string(),
  slug: z.string(),
  excerpt: text,
  published_at: text,
  cover_image: picture,
  content_access: z.string(),
  visibility: z.string(),
})

/** A post on its page. */
export const postRow = postItemRow.extend({
  content_html: text,
  tags: z.array(z.string()).default([]),
  reading_minutes: z.number(),
  author: lecturer.nullable().default(null),
  updated_at: z.string(),
  seo,
})

/** A membership plan. */
export const planRow = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  description_html: text,
  benefits: z.array(z.string()).default([]),
  prices: z.array(planPrice).default([]),
  badge: text,
})

/** A subscription of the person who is signed in. */
export const ownSubscriptionRow = z.object({ plan_id: z.string(), status: z.string(), access: z.boolean() })

/** A membership plan in a list. */
export const planItemRow = planRow.omit({ description_html: true })

/** A page of the school in a list. */
export const pageItemRow = z.object({
  id: z.string(),
  title: z.string(),
  slug: z.string(),
  kind: z.string(),
  show_in_navigation: z.boolean(),
})

/** A form of the school, in menus. */
export const formItemRow = z.object({ slug: z.string(), title: z.string() })

/** A page of the school. */
export const pageRow = pageItemRow.extend({
  visibility: z.string(),
  blocks: z.array(z.object({ type: z.string() })).default([]),
  rendered_html: text,
  seo,
  updated_at: z.string(),
})

const target = z.object({ type: z.string(), page_id: text, url: text })

const menuItem = z.object({ label: z.string(), target })

const menu = z.array(menuItem.extend({ children: z.array(menuItem).default([]) })).default([])

/** The branding of the school and its menus. */
export const appearanceRow = z.object({
  home_page_id: text,
  social_image: picture,
  cover: picture,
  logo: picture,
  navigation: z.object({ header: menu, footer: menu }),
  announcement: z.object({ text: z.string(), url: text, starts_at: text, ends_at: text }).nullable().default(null),
})

export const schoolRow = z.object({
  name: z.string(),
  tagline: text,
  locale: z.string(),
  tax_mode: z.enum(['inclusive', 'exclusive', 'none']),
  contact_email: text,
  social_links: z.array(z.object({ url: z.string() })).default([]),
})

export type OwnSubscription = z.output<typeof ownSubscriptionRow>
export type SiteCourse = z.output<typeof courseRow>
export type OwnEvent = z.output<typeof ownEventRow>
export type SiteCourseItem = z.output<typeof courseItemRow>
export type SitePictureRow = z.output<typeof picture>
export type SiteSeo = z.output<typeof seo>
export type SitePlanPrice = z.output<typeof planPrice>
export type SiteMoney = z.output<typeof money>
export type SiteMenuItem = z.output<typeof menu>[number]
export type SiteTarget = z.output<typeof target>
