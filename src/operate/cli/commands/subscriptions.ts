import { fromPublicId, toPublicId } from '../../../base/ids.ts'
import type { SchoolWriter } from '../../../database/connection/database.ts'
import type { NamedAuditEvent } from '../../../database/tables/auditEvents.ts'
import { findTerms } from '../../../school/memberships/priceTerms.ts'
import { startSubscription } from '../../../school/memberships/startSubscription.ts'
import { confirmPayment, failPayment } from '../../../school/memberships/subscriptionPayments.ts'
import { paymentProviders } from '../../../school/orders/payment.ts'
import { findOrCreatePerson } from '../../../school/students/findOrCreatePerson.ts'
import { type CommandSession, choice, command, group, removalOptions, schoolOption, text, withDefault } from '../command.ts'
import { failure, usage } from '../failures.ts'

const start = command({
  name: 'start <email> <price>',
  summary: 'Create a subscription before its checkout. The first payment is due within 23 hours and starts the access.',
  examples: ['subscriptions start ada@example.com prc_01jgwejj00e6srgkpqm2sqf05m'],
  options: schoolOption,
  async run(session, _options, email, price) {
    const priceId = fromPublicId('prc', price)
    if (priceId === undefined) throw usage(`${price} is not the id of a price (prc_ and 26 characters)`)
    const school = await session.school()
    const terms = await findTerms(school.rows, priceId)
    if (!terms) throw failure(`price ${price} does not exist in this school`)
    const begun = await school.change(async ({ writer, record }) => {
      const at = { schoolId: school.id, now: new Date() }
      const { personId } = await findOrCreatePerson(writer, { ...at, email, facet: 'member' })
      const started = await startSubscription(writer, { ...at, personId, planId: terms.plan_id, priceId, collection: 'automatic' })
      const subscription = toPublicId('sub', started.subscriptionId)
      await record({ event: 'operator.subscription_started', details: { subscription } })
      return `${subscription} ${started.status}`
    })
    session.terminal.out(`${begun}\n`)
  },
})

const markPaid = command({
  name: 'mark-paid <id>',
  summary: 'Record the first payment of a subscription, or the payment of its next period. A payment reference is used only once.',
  examples: ['subscriptions mark-paid sub_01jgwejj00e6srgkpqm2sqf05m --provider card --reference "ch_81"'],
  options: {
    ...schoolOption,
    ...removalOptions,
    provider: withDefault(choice('provider', 'payment provider', paymentProviders), 'manual'),
    reference: text('text', 'payment reference of the provider; unique per order'),
  },
  async run(session, { provider, reference }, named) {
    if (reference !== undefined && (reference.trim() === '' || reference.length > 200))
      throw usage('--reference must have 1 to 200 characters')
    await changeSubscription(session, named, {
      question: `Mark ${named} as paid and give access to its plan?`,
      event: 'operator.subscription_paid',
      work: async (writer, of) =>
        (await confirmPayment(writer, { ...of, payment: { provider, reference } })) ? 'is paid' : 'is already paid',
    })
  },
})

const markFailed = command({
  name: 'mark-failed <id>',
  summary: 'Record a failed payment. Another payment is due within 14 days. The subscription keeps its access during the grace period.',
  examples: ['subscriptions mark-failed sub_01jgwejj00e6srgkpqm2sqf05m'],
  options: { ...schoolOption, ...removalOptions },
  run: (session, _options, named) =>
    changeSubscription(session, named, {
      question: `Record a failed payment of ${named}?`,
      event: 'operator.subscription_failed',
      work: async (writer, of) => ((await failPayment(writer, of)) ? 'awaits a payment' : 'already awaits a payment'),
    }),
})

interface SubscriptionChange {
  question: string
  event: NamedAuditEvent
  /** Returns the outcome for the subscription, as the end of a sentence. */
  work(writer: SchoolWriter, of: { schoolId: string; now: Date; subscriptionId: string }): Promise<string>
}

async function changeSubscription(session: CommandSession, named: string, { question, event, work }: SubscriptionChange): Promise<void> {
  const subscriptionId = fromPublicId('sub', named)
  if (subscriptionId === undefined) throw usage(`${named} is not the id of a subscription (sub_ and 26 characters)`)
  const school = await session.school()
  await session.confirm(question)
  const outcome = await school.change(async ({ writer, record }) => {
    const output = await work(writer, { schoolId: school.id, now: new Date(), subscriptionId })
    await record({ event, details: { subscription: named } })
    return output
  })
  session.terminal.out(`${named} ${outcome}\n`)
}

/** The commands record the results of the school's checkout. */
export const subscriptions = group(
  {
    name: 'subscriptions',
    summary: 'Records payments that the checkout of the school collects for plans. Use the API for everything else about subscriptions.',
    examples: ['subscriptions start ada@example.com prc_01jgwejj00e6srgkpqm2sqf05m'],
  },
  [start, markPaid, markFailed],
)
