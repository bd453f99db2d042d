import { type Command, Option } from 'commander'
import { findTerms } from '../../domain/memberships/priceTerms.ts'
import { startSubscription } from '../../domain/memberships/startSubscription.ts'
import { confirmPayment, failPayment } from '../../domain/memberships/subscriptionPayments.ts'
import { paymentProviders } from '../../domain/orders/payment.ts'
import { findOrCreatePerson } from '../../domain/students/findOrCreatePerson.ts'
import { fromPublicId, toPublicId } from '../../lib/ids.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { define, ofSchool, type SchoolOption, unasked, type YesOption } from '../define.ts'
import { failure, usage } from '../failures.ts'
import type { Change, Session } from '../session.ts'

/** `subscriptions start`, `mark-paid` and `mark-failed`: what the checkout of the school tells. */
export function addSubscriptions(program: Command, session: Session): void {
  const group = define(program, {
    form: 'subscriptions',
    about: 'What the checkout of the school collects for its plans. Everything else about subscriptions is done through the API.',
    examples: ['subscriptions start ada@example.com prc_01jgwejj00e6srgkpqm2sqf05m'],
  })
  addStart(group, session)
  addMarkPaid(group, session)
  addMarkFailed(group, session)
}

function addStart(group: Command, session: Session): void {
  const start = define(group, {
    form: 'start <email> <price>',
    about: 'Start what a person is about to pay at the checkout. It waits 23 hours for the first payment, and opens nothing until then.',
    examples: ['subscriptions start ada@example.com prc_01jgwejj00e6srgkpqm2sqf05m'],
  })
  ofSchool(start).action(async (email: string, price: string, { school: slug }: SchoolOption) => {
    const priceId = fromPublicId('prc', price)
    if (priceId === undefined) throw usage(`${price} is no id of a price (prc_ and 26 characters)`)
    const school = await session.school(slug)
    const terms = await findTerms((await session.database()).kysely, school.id, priceId)
    if (!terms) throw failure(`the school has no price ${price}`)
    const begun = await session.change(async ({ writer, record }) => {
      const at = { schoolId: school.id, now: new Date() }
      const { personId } = await findOrCreatePerson(writer, { ...at, email, facet: 'member' })
      const started = await startSubscription(writer, { ...at, personId, planId: terms.plan_id, priceId, collection: 'automatic' })
      const subscription = toPublicId('sub', started.subscriptionId)
      await record({ school_id: school.id, event: 'operator.subscription_started', details: { subscription } })
      return `${subscription} ${started.status}`
    })
    session.terminal.out(`${begun}\n`)
  })
}

interface PaidOptions extends SchoolOption, YesOption {
  provider: (typeof paymentProviders)[number]
  reference?: string
}

function addMarkPaid(group: Command, session: Session): void {
  const paid = define(group, {
    form: 'mark-paid <id>',
    about:
      'Say that the first payment of a subscription has come, or the one of its next period. What is known by its reference counts once.',
    examples: ['subscriptions mark-paid sub_01jgwejj00e6srgkpqm2sqf05m --provider card --reference "ch_81"'],
  })
  unasked(ofSchool(paid))
    .addOption(new Option('--provider <provider>', 'how it was paid').choices(paymentProviders).default('manual'))
    .option('--reference <text>', 'what the provider calls the payment; no two orders have the same')
    .action(async (named: string, { provider, reference, ...options }: PaidOptions) => {
      if (reference !== undefined && (reference.trim() === '' || reference.length > 200))
        throw usage('--reference must have 1 to 200 characters')
      await changeSubscription(session, named, {
        ...options,
        question: `Mark ${named} as paid, and open its plan?`,
        event: 'operator.subscription_paid',
        work: async ({ writer }, of) =>
          (await confirmPayment(writer, { ...of, payment: { provider, reference } })) ? 'is paid' : 'was paid already',
      })
    })
}

function addMarkFailed(group: Command, session: Session): void {
  const failed = define(group, {
    form: 'mark-failed <id>',
    about: 'Say that a payment was refused. The subscription waits 14 days for another one, and opens its plan for the days of grace.',
    examples: ['subscriptions mark-failed sub_01jgwejj00e6srgkpqm2sqf05m'],
  })
  unasked(ofSchool(failed)).action((named: string, options: SchoolOption & YesOption) =>
    changeSubscription(session, named, {
      ...options,
      question: `Note that a payment of ${named} is outstanding?`,
      event: 'operator.subscription_failed',
      work: async ({ writer }, of) => ((await failPayment(writer, of)) ? 'waits for its payment' : 'waited for its payment already'),
    }),
  )
}

interface SubscriptionChange extends SchoolOption, YesOption {
  question: string
  event: string
  /** Answers what became of the subscription. */
  work(change: Change, of: { schoolId: string; now: Date; subscriptionId: string }): Promise<string>
}

async function changeSubscription(session: Session, named: string, change: SubscriptionChange): Promise<void> {
  const { school: slug, yes, question, event, work } = change
  requireAnswer(session.terminal, { yes })
  const subscriptionId = fromPublicId('sub', named)
  if (subscriptionId === undefined) throw usage(`${named} is no id of a subscription (sub_ and 26 characters)`)
  const school = await session.school(slug)
  await confirm(session.terminal, question, { yes })
  const outcome = await session.change(async (within) => {
    const said = await work(within, { schoolId: school.id, now: new Date(), subscriptionId })
    await within.record({ school_id: school.id, event, details: { subscription: named } })
    return said
  })
  session.terminal.out(`${named} ${outcome}\n`)
}
