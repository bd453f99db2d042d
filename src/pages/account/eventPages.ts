import type { Context, Middleware } from 'koa'
import { Problem } from '../../lib/problem.ts'
import { accountEventPath } from '../../policy/accountPaths.ts'
import { type OwnEvent, ownEventRow } from '../../resources/siteRows.ts'
import { submittedForm } from '../formBody.ts'
import { pageProblem } from '../pageProblem.ts'
import { plainText } from '../plainText.ts'
import { seeOther } from '../seeOther.ts'
import { periodText } from '../site/valueTexts.ts'
import { type TextKey, type Texts, textsIn } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountForm, AccountSection } from './accountPage.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { explained, type OwnError, type OwnPages } from './ownPage.ts'
import { type Registration, registrationFor } from './registration.ts'
import { type SignedInPerson, signedInOrAway } from './signedInPerson.ts'

/** The page on which a person registers for an event, and withdraws. */
export interface EventPages {
  show: Middleware
  save: Middleware
}

const notices = {
  going: 'registration.done_going',
  waitlisted: 'registration.done_waitlisted',
  canceled: 'registration.done_canceled',
} as const satisfies Record<string, TextKey>

/** The texts of the problems that a registration meets if the page is older than the event. */
const problemTexts: Readonly<Record<string, TextKey>> = {
  event_full: 'registration.full',
  rsvp_closed: 'registration.closed',
  checkout_required: 'registration.payment',
  access_denied: 'registration.not_admitted',
}

export function eventPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): EventPages {
  const findEvent = async (ctx: Context, person: SignedInPerson): Promise<OwnEvent> => {
    try {
      const { body } = await args.perform(ctx, person.accountId, 'getEvent', { parameters: { id_or_slug: slugOf(ctx) } })
      return ownEventRow.parse(body)
    } catch (error) {
      if (error instanceof Problem && error.status < 500 && error.code !== 'rate_limited')
        throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
      throw error
    }
  }
  const show = async (ctx: Context, person: SignedInPerson, errors: readonly OwnError[] = []): Promise<void> => {
    const event = await findEvent(ctx, person)
    const { school } = ctx.state
    const checkout = args.checkoutAddress(school, { type: 'event', id: event.id })
    const path = accountEventPath(event.slug)
    await pages.show(ctx, person, { path, notices, errors }, ({ texts, now }) => ({
      title: 'registration.title',
      heading: plainText(event.title, 160),
      introduction: texts.parts('registration.time', { period: periodOf(event, texts) }),
      sections: [sectionOf(registrationFor(event, now), { path, texts, event, checkout })],
    }))
  }
  return {
    async show(ctx) {
      const person = await signedInOrAway(ctx, args, accountEventPath(slugOf(ctx)))
      if (person) await show(ctx, person)
    },
    async save(ctx) {
      const form = submittedForm(ctx)
      const path = accountEventPath(slugOf(ctx))
      const person = await pages.owner(ctx, path)
      if (!person) return
      const { id, slug, my_rsvp: own } = await findEvent(ctx, person)
      const status = form.get('status') === 'canceled' ? 'canceled' : 'going'
      // An older page must not change a registration that exists already, such as its guests.
      const isRegistered = own?.status === 'going' || own?.status === 'waitlisted'
      if (isRegistered === (status === 'going')) return seeOther(ctx, `${accountEventPath(slug)}?done=${own?.status ?? 'canceled'}`)
      try {
        const { body } = await args.perform(ctx, person.accountId, 'putMyRsvp', { parameters: { id }, body: { status } })
        seeOther(ctx, `${accountEventPath(slug)}?done=${String(body.status)}`)
      } catch (error) {
        const problem = explained(error)
        const key = problemTexts[problem.code]
        if (!key) throw problem
        ctx.status = problem.status
        const { texts } = await present.pageContext(ctx)
        await show(ctx, person, [{ text: texts.text(key) }])
      }
    },
  }
}

const slugOf = (ctx: Context): string => String(ctx.params.event)

const periodOf = ({ starts_at, ends_at, time_zone: timeZone }: OwnEvent, { dateLocale: locale }: Texts): string =>
  `${periodText(starts_at, ends_at, { timeZone, locale })} (${timeZone})`

interface SectionParts {
  path: string
  texts: Texts
  event: OwnEvent
  checkout: string | undefined
}

/** Shows the state of the registration, and the forms and links that change it. */
function sectionOf(registration: Registration, { path, texts, event, checkout }: SectionParts): AccountSection {
  const form = (status: 'going' | 'canceled', label: TextKey, kind?: AccountForm['kind']): AccountForm => ({
    action: path,
    hidden: [{ name: 'status', value: status }],
    submit: texts.text(label),
    ...(kind && { kind }),
  })
  const { state, may } = registration
  const { offered_until: until = null, waitlist_position: position = null } = event.my_rsvp ?? {}
  const moment = (time: string | null): string => (time === null ? '' : textsIn(event.time_zone, texts).moment(new Date(time)))
  const values = { time: moment(state === 'offered' ? until : event.rsvp_opens_at), position: position ?? 0 }
  return {
    id: 'registration',
    heading: texts.text('registration.heading'),
    paragraphs: [texts.parts(`registration.${state}`, values)],
    forms: [
      ...(may.register ? [form('going', 'registration.register', 'main')] : []),
      ...(may.wait ? [form('going', 'registration.join_waitlist', 'main')] : []),
      ...(may.withdraw ? [form('canceled', state === 'going' ? 'registration.withdraw' : 'registration.leave_waitlist')] : []),
    ],
    links: may.pay && checkout !== undefined ? [{ href: checkout, label: texts.text('site.buy_ticket') }] : [],
  }
}
