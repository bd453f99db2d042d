import { type Expression, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { type Builder, isOffered, now, type StoredImage, selectImage } from '../../database/statements/expressions.ts'
import { isOpen } from '../forms/formRules.ts'
import { isOnOffer } from '../memberships/planVisibility.ts'
import type { TaxSettings } from '../orders/salesTax.ts'
import { isPublished } from '../posts/postAccess.ts'
import { excerptOf } from '../posts/postParts.ts'

type Pages = Builder<'page'>

const maxRows = 200

/** The rows that blocks of a page list, except courses and lecturers. Contains only what anonymous visitors see, for every caller. */
export interface PageLists {
  locale: string
  tax: TaxSettings | null
  plans: {
    id: string
    slug: string
    name: string
    badge: string | null
    prices: { amount: number; currency: string; interval: string; interval_count: number }[]
  }[]
  events: { id: string; slug: string; title: string; starts_at: string; time_zone: string; picture: StoredImage | null }[]
  posts: { id: string; slug: string; title: string; excerpt: string | null; tags: string[]; picture: StoredImage | null }[]
  forms: { id: string; slug: string; title: string; description: string | null }[]
}

/** Selects the language of the school, in which prices and times are written. */
export const localeOfSchool = (page: Pages, schoolId: string): Expression<unknown> =>
  page.selectFrom('school').select('school.locale').where('school.id', '=', schoolId)

export const taxOfSchool = (page: Pages, schoolId: string): Expression<unknown> =>
  page
    .selectFrom('school')
    .select((school) => sql`${school.ref('school.settings')} -> 'tax'`.as('tax'))
    .where('school.id', '=', schoolId)

const schoolOf = (page: Pages) => page.ref('page.school_id')

export const plansOnOffer = (page: Pages, schoolId: string): Expression<unknown> =>
  jsonArrayFrom(
    page
      .selectFrom('membership_plan')
      .select((plan) => [
        'membership_plan.id',
        'membership_plan.slug',
        'membership_plan.name',
        'membership_plan.badge',
        jsonArrayFrom(
          plan
            .selectFrom('plan_price')
            .select(['plan_price.amount', 'plan_price.currency', 'plan_price.interval', 'plan_price.interval_count'])
            .whereRef('plan_price.plan_id', '=', 'membership_plan.id')
            .where('plan_price.active', '=', true)
            .orderBy('plan_price.amount')
            .orderBy('plan_price.id'),
        ).as('prices'),
      ])
      .where('membership_plan.school_id', '=', schoolOf(page))
      .where((plan) => plan.and([isOnOffer(plan), isOffered(schoolId, 'memberships')]))
      .orderBy('membership_plan.position')
      .orderBy('membership_plan.id')
      .limit(maxRows),
  )

export const upcomingEvents = (page: Pages, schoolId: string): Expression<unknown> =>
  jsonArrayFrom(
    page
      .selectFrom('event')
      .select(['event.id', 'event.slug', 'event.title', 'event.starts_at', 'event.time_zone'])
      .select(selectImage('event', 'cover_image').as('picture'))
      .where('event.school_id', '=', schoolOf(page))
      .where('event.status', '=', 'published')
      .where((event) => event.and([event('event.ends_at', '>', now), isOffered(schoolId, 'events')]))
      .orderBy('event.starts_at')
      .orderBy('event.id')
      .limit(maxRows),
  )

/** Selects published posts: pinned ones first, then the newest. */
export const publishedPosts = (page: Pages, schoolId: string): Expression<unknown> =>
  jsonArrayFrom(
    page
      .selectFrom('post')
      .select((post) => ['post.id', 'post.slug', 'post.title', excerptOf(post).as('excerpt'), 'post.tags'])
      .select(selectImage('post', 'cover_image').as('picture'))
      .where('post.school_id', '=', schoolOf(page))
      .where((post) => post.and([isPublished(post), isOffered(schoolId, 'blog')]))
      .orderBy('post.pinned', 'desc')
      .orderBy('post.published_at', 'desc')
      .orderBy('post.id', 'desc')
      .limit(maxRows),
  )

export const openForms = (page: Pages): Expression<unknown> =>
  jsonArrayFrom(
    page
      .selectFrom('form')
      .select(['form.id', 'form.slug', 'form.title', 'form.description'])
      .where('form.school_id', '=', schoolOf(page))
      .where(isOpen())
      .orderBy('form.id')
      .limit(maxRows),
  )
