import { accountCoursePath, accountPaths } from '../../base/accountPaths.ts'
import type { SiteAction } from '../../base/sitePage.ts'
import { sitePath } from '../../engine/sitePaths.ts'
import type { ApiReader } from '../../school/apiRows.ts'
import type { Texts } from '../texts.ts'
import { type SiteContext, signInLink, siteLink } from './siteType.ts'

export const readCourse = (source: ApiReader, idOrSlug: string) =>
  source.get('getCourse', { id_or_slug: idOrSlug, expand: 'curriculum,lecturers,included_in_plans' })

export type SiteCourse = Awaited<ReturnType<typeof readCourse>>

interface Offer {
  notices: readonly string[]
  actions: readonly SiteAction[]
}

/** Returns what the reader can do with a course now. The operations check it again. */
export function courseOffer(course: SiteCourse, context: SiteContext, now: Date): Offer {
  const { texts, viewer } = context
  const { my_enrollment: mine, slug } = course
  if (mine?.status === 'active' || mine?.status === 'completed') {
    const label =
      mine.status === 'completed' ? 'site.open_course' : mine.progress_percent > 0 ? 'site.continue_course' : 'site.start_course'
    return {
      notices: [texts.text(mine.status === 'completed' ? 'site.completed' : 'site.enrolled', { percent: mine.progress_percent })],
      actions: [{ href: accountCoursePath(slug), label: texts.text(label) }],
    }
  }
  if (mine?.status === 'suspended') return { notices: [texts.text('site.suspended')], actions: [] }
  const isManaged = course.position !== undefined
  const ended = mine ? [texts.text('site.enrollment_over')] : []
  const closed = closedText(course, texts, now)
  const signIn = viewer ? [] : [{ ...signInLink(texts, 'site.sign_in_if_enrolled', sitePath('courses', slug)), isSecondary: true as const }]
  if (isManaged) return { notices: [texts.text('site.managed')], actions: [] }
  if (closed !== undefined) return { notices: [...ended, closed], actions: signIn }
  const actions = waysIn(course, context)
  const isSold = course.access === 'paid' && !hasPlan(course, context)
  const noCheckout = isSold && context.checkoutOf({ type: 'course', id: course.id }) === undefined ? [askText(context)] : []
  return { notices: [...ended, ...noCheckout], actions: [...actions, ...signIn] }
}

/** True if a subscription of the reader includes the course. */
const hasPlan = ({ included_in_plans: { data: plans } }: SiteCourse, { viewer }: SiteContext): boolean =>
  viewer?.subscriptions.some((one) => one.access && plans.some((plan) => plan.id === one.plan_id)) ?? false

/** Returns the ways to a course that is open for enrolment, the best first. */
function waysIn(course: SiteCourse, context: SiteContext): SiteAction[] {
  const { texts, viewer, checkoutOf } = context
  const {
    access,
    id,
    slug,
    included_in_plans: { data: plans },
  } = course
  if (access === 'free' || hasPlan(course, context))
    return viewer
      ? [{ href: accountPaths.enrol, label: texts.text('site.enrol'), fields: { course: id } }]
      : [signInLink(texts, 'site.sign_in_to_enrol', sitePath('courses', slug))]
  const checkout = access === 'paid' ? checkoutOf({ type: 'course', id }) : undefined
  return [
    ...(checkout === undefined ? [] : [{ href: checkout, label: texts.text('site.buy_course') }]),
    ...plansLink(plans, texts).map((link) => (checkout === undefined ? link : { ...link, isSecondary: true as const })),
  ]
}

/** Returns the link to the memberships that include something; none if there are none. */
function plansLink(plans: SiteCourse['included_in_plans']['data'], texts: Texts): SiteAction[] {
  const [only] = plans
  if (!only) return []
  const label = texts.text('site.see_plans')
  return [plans.length === 1 ? siteLink('plans', { slug: only.slug, label }) : { href: sitePath('plans'), label }]
}

/** Says whom to ask about a price that no checkout takes. */
export function askText({ texts, contactEmail }: SiteContext): string {
  return contactEmail === null ? texts.text('site.ask_to_pay') : texts.text('site.ask_to_pay_at', { email: contactEmail })
}

/** Returns why nobody can enrol now; undefined if people can. */
function closedText(
  { enrollment_open: isOpen, enrollment_starts_at: starts, enrollment_ends_at: ends }: SiteCourse,
  texts: Texts,
  now: Date,
): string | undefined {
  if (!isOpen || (ends !== null && new Date(ends) <= now)) return texts.text('site.enrollment_closed')
  return starts !== null && new Date(starts) > now
    ? texts.text('site.enrollment_opens', { time: texts.moment(new Date(starts)) })
    : undefined
}
