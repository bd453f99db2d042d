import { type Command, Option } from 'commander'
import { findTerms } from '../../domain/memberships/priceTerms.ts'
import { startSubscription } from '../../domain/memberships/startSubscription.ts'
import { confirmPayment, failPayment } from '../../domain/memberships/subscriptionPayments.ts'
import { paymentProviders } from '../../domain/orders/payment.ts'
import { findOrCreatePerson } from '../../domain/students/findOrCreatePerson.ts'
import { fromPublicId, toPublicId } from '../../lib/ids.ts'
import type { NamedAuditEvent } from '../../store/auditEvents.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { define, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { failure, usage } from '../failures.ts'
import type { Change, Session } from '../session.ts'

/** `subscriptions start`, `mark-paid` and `mark-failed`, which record the results of the school's checkout. */
export function addSubscriptions(program: Command, session: Session): void {
  const group = define(program, {
    form: 'subscriptions',
    about: 'Records payments that the checkout of the school collects for plans. Use the API for everything else about subscriptions.',
    examples: ['subscriptions start ada@example.com prc_01jgwejj00e6srgkpqm2sqf05m'],
  })
  addStart(group, session)
  addMarkPaid(group, session)
  addMarkFailed(group, session)
}

function addStart(group: Command, session: Session): void {
  const start = define(group, {
    form: 'start <email> <price>',
    about: 'Create a subscription before its checkout. The first payment is due within 23 hours and starts the access.',
    examples: ['subscriptions start ada@example.com prc_01jgwejj00e6srgkpqm2sqf05m'],
  })
  withSchoolOption(start).action(async (email: string, price: string, { school: slug }: SchoolOption) => {
    const priceId = fromPublicId('prc', price)
    if (priceId === undefined) throw usage(`${price} is not the id of a price (prc_ and 26 characters)`)
    const school = await session.school(slug)
    const terms = await findTerms((await session.database()).kysely, school.id, priceId)
    if (!terms) throw failure(`price ${price} does not exist in this school`)
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
    about: 'Record the first payment of a subscription, or the payment of its next period. A payment reference is used only once.',
    examples: ['subscriptions mark-paid sub_01jgwejj00e6srgkpqm2sqf05m --provider card --reference "ch_81"'],
  })
  withYesOption(withSchoolOption(paid))
    .addOption(new Option('--provider <provider>', 'payment provider').choices(paymentProviders).default('manual'))
    .option('--reference <text>', 'payment reference of the provider; unique per order')
    .action(async (named: string, { provider, reference, ...options }: PaidOptions) => {
      if (reference !== undefined && (reference.trim() === '' || reference.length > 200))
        throw usage('--reference must have 1 to 200 characters')
      await changeSubscription(session, named, {
        ...options,
        question: `Mark ${named} as paid and give access to its plan?`,
        event: 'operator.subscription_paid',
        work: async ({ writer }, of) =>
          (await confirmPayment(writer, { ...of, payment: { provider, reference } })) ? 'is paid' : 'is already paid',
      })
    })
}

function addMarkFailed(group: Command, session: Session): void {
  const failed = define(group, {
    form: 'mark-failed <id>',
    about: 'Record a failed payment. Another payment is due within 14 days. The subscription keeps its access during the grace period.',
    examples: ['subscriptions mark-failed sub_01jgwejj00e6srgkpqm2sqf05m'],
  })
  withYesOption(withSchoolOption(failed)).action((named: string, options: SchoolOption & YesOption) =>
    changeSubscription(session, named, {
      ...options,
      question: `Record a failed payment of ${named}?`,
      event: 'operator.subscription_failed',
      work: async ({ writer }, of) => ((await failPayment(writer, of)) ? 'awaits a payment' : 'already awaits a payment'),
    }),
  )
}

interface SubscriptionChange extends SchoolOption, YesOption {
  question: string
  event: NamedAuditEvent
  /** Returns the outcome for the subscription, as the end of a sentence. */
  work(change: Change, of: { schoolId: string; now: Date; subscriptionId: string }): Promise<string>
}

async function changeSubscription(session: Session, named: string, change: SubscriptionChange): Promise<void> {
  const { school: slug, yes, question, event, work } = change
  requireAnswer(session.terminal, { yes })
  const subscriptionId = fromPublicId('sub', named)
  if (subscriptionId === undefined) throw usage(`${named} is not the id of a subscription (sub_ and 26 characters)`)
  const school = await session.school(slug)
  await confirm(session.terminal, question, { yes })
  const outcome = await session.change(async (within) => {
    const said = await work(within, { schoolId: school.id, now: new Date(), subscriptionId })
    await within.record({ school_id: school.id, event, details: { subscription: named } })
    return said
  })
  session.terminal.out(`${named} ${outcome}\n`)
}
