import { z } from 'zod'
import { lineOrEmpty, text, webUrl } from '../../engine/declare/fields.ts'
import { planChangeCredits } from '../memberships/unusedCredit.ts'

const line = (max: number, description: string) => lineOrEmpty(max).nullable().default(null).meta({ description, example: null })

export const count = (description: string) => z.int().meta({ description, example: 10 })

const webAddress = (description: string) => webUrl().meta({ description, example: 'https://school.example' })

const isOn = (description: string) => z.boolean().default(true).meta({ description, example: true })

export const settings = z.object({
  show_counts: isOn('True if visitors see the numbers of participants.'),
  member_directory: z
    .enum(['off', 'members', 'public'])
    .meta({ component: 'DirectoryVisibility' })
    .default('members')
    .meta({ description: 'Who sees the directory of members.', example: 'members' }),
  comments_enabled: isOn('True if people can comment.'),
  comment_moderation: z.enum(['none', 'first', 'all']).meta({ component: 'CommentModeration' }).default('none').meta({
    description: 'Comments of members that wait for a moderator: none, those of people without a published comment, or all.',
    example: 'first',
    view: 'staff',
  }),
  comment_max_links: z
    .int()
    .min(0)
    .max(50)
    .nullable()
    .default(null)
    .meta({ description: 'A comment of a member with more links waits for a moderator; null without a limit.', example: 2, view: 'staff' }),
  comment_blocked_words: z
    .array(text(60, z.string().trim()))
    .max(200)
    .default([])
    .meta({ description: 'A comment of a member with one of these words waits for a moderator.', example: ['casino'], view: 'staff' }),
  form_consent_text: text(2000, z.string().trim())
    .nullable()
    .default(null)
    .meta({ description: 'Text that people agree to when they send a form without its own; null without one.', example: null }),
  lecturer_publishing: z
    .boolean()
    .default(true)
    .meta({ description: 'True if lecturers can publish their own courses, posts and events.', example: true, view: 'staff' }),
  lecturer_pricing: z
    .boolean()
    .default(false)
    .meta({ description: 'True if lecturers can set the prices of their courses.', example: false, view: 'staff' }),
  plan_change_credit: z.enum(planChangeCredits).meta({ component: 'PlanChangeCredit' }).default('none').meta({
    description:
      'What a change of plan in the middle of a period credits: none, so that the new price is paid in full, or the part of the price for the unused time.',
    example: 'unused_time',
    view: 'staff',
  }),
  past_due_grace_days: z
    .int()
    .min(0)
    .max(30)
    .default(7)
    .meta({ description: 'Days for which a subscription with an overdue payment still gives access.', example: 7, view: 'staff' }),
  tax: z
    .object({
      mode: z
        .enum(['inclusive', 'exclusive', 'none'])
        .meta({ component: 'TaxMode' })
        .default('none')
        .meta({ description: 'How prices relate to tax.', example: 'inclusive' }),
      default_rate_bps: z.int().min(0).max(5000).default(0).meta({
        description: 'Rate in hundredths of a percent, for buyers whose country is unknown or not in rates.',
        example: 1900,
      }),
      rates: z
        .array(
          z.object({
            country: z.string().max(2).meta({ description: 'ISO 3166-1 code of the country of the buyer.', example: 'AT' }),
            rate_bps: z.int().min(0).max(5000).meta({ description: 'Rate in hundredths of a percent.', example: 2000 }),
          }),
        )
        .max(250)
        .default([])
        .meta({ description: 'Rates by the country of the buyer, each country once.', example: [{ country: 'AT', rate_bps: 2000 }] }),
      tax_id: lineOrEmpty(40)
        .nullable()
        .default(null)
        .meta({ description: 'Tax id of the school, which its invoices show.', example: 'DE123456789' }),
    })
    .meta({ description: 'Tax on what the school sells.', example: { mode: 'inclusive', default_rate_bps: 1900 }, view: 'staff' }),
})

export const features = z.object({
  courses: isOn('Courses are offered.'),
  events: isOn('Events are offered.'),
  memberships: isOn('Membership plans are offered.'),
  digital_products: isOn('Digital products are offered.'),
  blog: isOn('The school writes posts.'),
  community: isOn('Members can see the directory and reply to each other.'),
})

export const postalAddress = z
  .object({
    name: line(120, 'Name of the recipient.'),
    line1: line(120, 'Street and number.'),
    line2: line(120, 'Second line of the address, such as floor or building.'),
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
  .meta({ description: 'Postal address.', example: null })

export const socialLinks = z
  .array(
    z.object({
      network: text(30).meta({ description: 'Name of the network.', example: 'mastodon' }),
      url: webAddress('URL of the profile.').meta({ description: 'URL of the profile.', example: 'https://social.example/@lanternfield' }),
    }),
  )
  .max(12)
  .meta({ description: 'Profiles in social networks.', example: [] })

export const legal = z
  .object({
    terms_url: webAddress('Terms.')
      .nullable()
      .default(null)
      .meta({ description: 'Terms of use. Default: the published page legal/terms.', example: null }),
    privacy_url: webAddress('Privacy policy.')
      .nullable()
      .default(null)
      .meta({ description: 'Privacy policy. Default: the published page legal/privacy.', example: null }),
    imprint_page_id: z
      .string()
      .regex(/^pag_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be an id: pag_ and 26 characters')
      .nullable()
      .default(null)
      .meta({ description: 'Id of the published page with the imprint. Default: the published page legal/imprint.', example: null }),
  })
  .nullable()
  .meta({ description: 'Legal documents.', example: null })
