import { accountPaths } from '../../base/accountPaths.ts'
import { isolate } from '../../base/process/isolate.ts'
import { priceText } from '../../base/text/readerFormats.ts'
import { sitePath } from '../../engine/sitePaths.ts'
import type { Plan } from '../../school/apiRows.ts'
import { plainText } from '../plainText.ts'
import { money } from '../site/valueTexts.ts'
import { contentPart, type TextPart, type Texts } from '../texts.ts'
import type { AccountForm, AccountSection } from './accountPage.ts'
import { type OwnSubscription, ownSubscriptions } from './learning/ownLists.ts'
import { choiceField } from './ownFields.ts'
import { hasSite, type OwnPage, type OwnPageContext } from './ownPage.ts'

interface Shown {
  subscriptions: readonly OwnSubscription[]
  plans: readonly Plan[]
}

/** The page of the memberships of a person: what they pay, and how to change, resume and cancel it. */
export const membershipPage: OwnPage<Shown> = {
  path: accountPaths.membership,
  notices: {
    canceled: 'membership.done_canceled',
    resumed: 'membership.done_resumed',
    changed: 'membership.done_changed',
    kept: 'membership.done_kept',
  },
  async read(request) {
    const [subscriptions, plans] = await Promise.all([ownSubscriptions(request), request.every('listPlans')])
    return { subscriptions, plans }
  },
  build(context, { subscriptions, plans }) {
    const { texts } = context
    const ended = subscriptions.filter(isEnded)
    const running = subscriptions.filter((one) => !isEnded(one))
    return {
      title: 'membership.title',
      heading: texts.text('membership.heading'),
      sections: [
        ...running.map((subscription) => runningSection(context, subscription, plans)),
        ...(running.length === 0
          ? [
              {
                id: 'none',
                heading: texts.text('membership.none_heading'),
                paragraphs: [texts.parts('membership.none', {})],
                links: hasSite(context) ? [{ href: sitePath('plans'), label: texts.text('membership.find') }] : [],
              },
            ]
          : []),
        ...(ended.length > 0 ? [endedSection(texts, ended)] : []),
        {
          id: 'payments',
          heading: texts.text('orders.heading'),
          links: [{ href: accountPaths.orders, label: texts.text('membership.orders') }],
        },
      ],
    }
  },
  forms: {
    cancel: { operation: 'cancelSubscription', done: 'canceled', problems: { invalid_state: 'membership.error_state' } },
    resume: { operation: 'resumeSubscription', done: 'resumed', problems: { invalid_state: 'membership.error_state' } },
    change: {
      operation: 'changePlan',
      done: 'changed',
      problems: {
        already_subscribed: 'membership.error_subscribed',
        checkout_required: 'membership.error_payment',
        invalid_state: 'membership.error_state',
      },
    },
    keep: { operation: 'cancelPlanChange', done: 'kept' },
  },
}

const isEnded = ({ status }: OwnSubscription): boolean => status === 'canceled' || status === 'expired'

/** True for a subscription that the person can cancel: it has begun and continues. */
export const isRunning = (subscription: OwnSubscription): boolean =>
  !isEnded(subscription) && subscription.status !== 'incomplete' && !subscription.cancel_at_period_end

const nameOf = ({ plan }: OwnSubscription, texts: Texts): string => plainText(plan?.name ?? texts.text('membership.plan_gone'), 80)

function runningSection(context: OwnPageContext, subscription: OwnSubscription, plans: readonly Plan[]): AccountSection {
  const { texts, form } = context
  const { id, status } = subscription
  const isEnding = subscription.cancel_at_period_end
  const fact = (label: 'status' | 'price' | 'next' | 'change', value: TextPart[]) => ({ label: texts.text(`membership.${label}`), value })
  const prices = plans.flatMap((plan) => plan.prices.map((price) => ({ ...price, label: labelOf(texts, plan, price) })))
  const priceOf = (priceId: string) => prices.find((price) => price.id === priceId)
  const pending = isEnding ? null : subscription.pending_change
  const next = nextPayment(subscription, texts)
  const hidden = { id }
  return {
    id,
    heading: nameOf(subscription, texts),
    isSchoolText: true,
    facts: [
      fact('status', statusText(subscription, texts)),
      fact('price', [contentPart(priceOf(subscription.price_id)?.label ?? money(subscription.amount, texts))]),
      ...(next ? [fact('next', next)] : []),
      ...(pending
        ? [
            fact(
              'change',
              texts.parts('membership.change_on', {
                date: texts.date(new Date(pending.effective_at ?? '')),
                price: priceOf(pending.price_id)?.label ?? '',
              }),
            ),
          ]
        : []),
    ],
    forms: [
      ...(isEnding || status === 'paused' ? [form('resume', { hidden, submit: texts.text('membership.resume'), kind: 'main' })] : []),
      ...(pending ? [form('keep', { hidden, submit: texts.text('membership.keep') })] : []),
    ],
    details: [
      ...(isEnding || pending ? [] : changeDetails(context, subscription, prices)),
      ...(isRunning(subscription) ? [cancelDetails(context, subscription)] : []),
    ],
  }
}

const labelOf = (texts: Texts, { name }: Plan, { amount, ...price }: Plan['prices'][number]): string =>
  `${isolate(plainText(name, 80))}: ${priceText({ ...price, ...amount }, texts.language)}`

/** Shows the other prices to which the person can change, if there are any. */
function changeDetails(
  { texts, form }: OwnPageContext,
  { id, status, price_id, current_period_end }: OwnSubscription,
  prices: readonly (Plan['prices'][number] & { label: string })[],
): NonNullable<AccountSection['details']> {
  const others = prices.filter((price) => price.active && price.id !== price_id && price.interval !== 'one_time')
  if ((status !== 'active' && status !== 'trialing') || current_period_end === null || others.length === 0) return []
  const options = others.map((price) => ({ value: price.id, label: price.label }))
  const field = choiceField({ name: 'price_id', id: `price-${id}`, label: texts.text('membership.new_plan'), options })
  return [
    {
      summary: texts.text('membership.change_plan'),
      paragraphs: [texts.parts('membership.change_explanation', { date: texts.date(new Date(current_period_end)) })],
      forms: [form('change', { hidden: { id }, fields: [field], submit: texts.text('membership.change_submit') })],
    },
  ]
}

const reasons = ['too_expensive', 'not_using', 'missing_content', 'switching', 'other'] as const

function cancelDetails({ texts, form }: OwnPageContext, { id, current_period_end: end }: OwnSubscription) {
  const options = [
    { value: '', label: texts.text('membership.reason_none') },
    ...reasons.map((reason) => ({ value: reason, label: texts.text(`membership.reason_${reason}`) })),
  ]
  const field = choiceField({ name: 'reason', id: `reason-${id}`, label: texts.text('membership.reason'), options })
  const isLater = end !== null && new Date(end) > new Date()
  const confirm: AccountForm = form('cancel', {
    hidden: { id },
    fields: [field],
    submit: texts.text('membership.cancel_submit'),
    kind: 'danger',
  })
  return {
    summary: texts.text('membership.cancel'),
    paragraphs: [
      isLater ? texts.parts('membership.cancel_later', { date: texts.date(new Date(end)) }) : texts.parts('membership.cancel_now', {}),
    ],
    forms: [confirm],
  }
}

function statusText({ status, cancel_at_period_end, current_period_end: end, pause }: OwnSubscription, texts: Texts): TextPart[] {
  if (cancel_at_period_end && end !== null) return texts.parts('membership.status_ending', { date: texts.date(new Date(end)) })
  if (status === 'paused' && pause?.resumes_at)
    return texts.parts('membership.status_paused_until', { date: texts.date(new Date(pause.resumes_at)) })
  return texts.parts(`membership.status_${status}`, {})
}

/** Returns when the person pays next, and how much; undefined if they do not. */
function nextPayment({ status, collection, cancel_at_period_end, current_period_end: end, amount }: OwnSubscription, texts: Texts) {
  const isPaying = (status === 'active' || status === 'trialing') && collection !== 'comped' && !cancel_at_period_end && amount.amount > 0
  if (!isPaying || end === null) return undefined
  return texts.parts('membership.next_payment', { amount: money(amount, texts), date: texts.date(new Date(end)) })
}

const endedSection = (texts: Texts, ended: readonly OwnSubscription[]): AccountSection => ({
  id: 'ended',
  heading: texts.text('membership.ended'),
  items: ended.map((subscription) => ({
    id: subscription.id,
    title: [contentPart(nameOf(subscription, texts))],
    lines: [
      subscription.ended_at === null
        ? statusText(subscription, texts)
        : texts.parts('membership.ended_on', { date: texts.date(new Date(subscription.ended_at)) }),
    ],
  })),
})
