import { z } from 'zod'
import { uuidOf } from '../../base/ids.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, nothing, type Rows } from '../../engine/declare/expressions.ts'
import { moneyIn, reference, text, timestamp } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import { typedCode } from '../../engine/declare/typedTexts.ts'
import { members } from '../members/members.ts'
import { orders } from '../orders/orders.ts'
import { paymentProviders } from '../orders/payment.ts'
import {
  afterPlanChange,
  afterTransition,
  cancelSubscription,
  changePlan,
  checkTimes,
  moveTimes,
  pauseSubscription,
  resumeSubscription,
} from './changeSubscription.ts'
import { membershipPlans } from './membershipPlans.ts'
import { noPendingChange } from './subscriptionColumns.ts'
import { reason, subscriptionSchema } from './subscriptionFields.ts'
import { confirmByStaff } from './subscriptionPayments.ts'
import {
  grantsPlan,
  isMySubscription,
  publicDiscountOf,
  publicPendingChange,
  selectDiscount,
  selectPendingChange,
} from './subscriptionVisibility.ts'
import { afterSubscribing, checkSubscription, subscriptionDefaults } from './subscriptionWriting.ts'
import { planChangeCredits } from './unusedCredit.ts'

export const subscriptions = defineResource({
  name: 'subscriptions',
  object: 'subscription',
  idPrefix: 'sub',
  table: 'subscription',
  feature: 'memberships',
  about: 'The subscription of a person to a membership plan, at one of its prices.',
  undo: 'Payments follow from it: use the opposite operation.',
  scopes: {
    read: { learner: 'See your subscriptions', staff: 'See the subscriptions of all members', othersData: ['staff'] },
    write: {
      learner: 'Start, change, resume and cancel your subscriptions. This can cost you money',
      staff: 'Start, change, pause, resume and cancel the subscriptions of all members, and mark them as paid',
    },
  },
  schema: subscriptionSchema,
  derived: {
    member_id: {
      from: ['person_id'],
      of: ({ person_id }) => person_id,
      write: (member) => ({ person_id: uuidOf('mbr', member) }),
    },
    amount: {
      from: ['amount', 'currency'],
      of: ({ amount, currency }) => moneyIn(amount, currency),
    },
    discount: { select: selectDiscount, of: publicDiscountOf },
    cancellation: {
      from: ['cancellation_reason', 'cancellation_comment'],
      of: (row) =>
        row.cancellation_reason === null ? null : { reason: row.cancellation_reason as 'other', comment: row.cancellation_comment },
    },
    pause: {
      from: ['paused_at', 'resumes_at'],
      of: ({ paused_at, resumes_at }) => paused_at && { paused_at: paused_at.toISOString(), resumes_at: resumes_at?.toISOString() ?? null },
    },
    pending_change: { select: selectPendingChange, of: publicPendingChange },
    access: { select: grantsPlan },
  },
  inputs: z.object({
    coupon_code: typedCode().min(3).max(40).meta({ description: 'Code of a coupon.', example: 'WELCOME10', createOnly: true }),
    start_at: timestamp().meta({
      description: 'When the subscription started, if that was in the past; for staff only.',
      example: '2026-03-01T09:30:00.000Z',
      createOnly: true,
    }),
  }),
  writable: [
    { field: 'member_id', on: 'create' },
    { field: 'plan_id', on: 'create' },
    { field: 'price_id', on: 'create' },
    { field: 'collection', on: 'create', roles: ['staff'] },
    { field: 'trial_ends_at', on: 'update', roles: ['staff'] },
    { field: 'current_period_end', on: 'update', roles: ['staff'] },
    { field: 'external_id', roles: ['staff'] },
    { field: 'metadata', roles: ['staff'] },
  ],
  required: ['plan_id', 'price_id'],
  filters: [
    'status',
    'collection',
    'cancel_at_period_end',
    { name: 'plan_id', description: 'the id of a plan', value: reference('mpl', 'Id of a plan.'), where: isOneOf('plan_id') },
    { name: 'price_id', description: 'the id of a price', value: reference('prc', 'Id of a price.'), where: isOneOf('price_id') },
    { name: 'member_id', description: 'the id of a member', value: reference('mbr', 'Id of a member.'), where: isOneOf('person_id') },
    'current_period_end',
    'created_at',
    'updated_at',
    'external_id',
  ],
  sorts: ['-created_at', 'updated_at', 'current_period_end'],
  exports: true,
  expand: {
    member: { resource: (): Resource => members, id: ({ person_id }) => person_id },
    plan: { resource: (): Resource => membershipPlans, id: ({ plan_id }) => plan_id },
    latest_order: { resource: (): Resource => orders, id: ({ latest_order_id }) => latest_order_id },
  },
  visibility: { anonymous: nothing, learner: isMySubscription, lecturer: isMySubscription, staff: everything },
  views: { own: isMySubscription },
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      asksFirst: 'money',
      risk: 'costs',
      errors: ['invalid_state', 'already_subscribed', 'checkout_required', 'coupon_unavailable', 'coupon_already_used'],
      check: checkSubscription,
      defaults: subscriptionDefaults,
      after: afterSubscribing,
    },
    update: {
      scope: 'write',
      asksFirst: 'outward',
      errors: ['invalid_state'],
      roles: ['staff'],
      check: checkTimes,
      before: async (_writing, row, values) => moveTimes(row, values),
    },
  },
  actions: {
    cancel: defineAction('subscription', {
      scope: 'write',
      asksFirst: 'money',
      errors: ['invalid_state'],
      summary: 'Cancel a subscription at the end of its period, or now',
      input: z.object({
        at: z
          .enum(['period_end', 'now'])
          .default('period_end')
          .meta({ description: 'When the subscription ends; now is for staff only.', example: 'period_end' }),
        reason: reason.optional().meta({ description: 'Reason of the cancellation.', example: 'not_using' }),
        comment: z.string().max(500).optional().meta({ description: 'Your comment.', example: 'Moving away.' }),
      }),
      run: cancelSubscription,
      after: afterTransition,
    }),
    resume: {
      scope: 'write',
      asksFirst: 'outward',
      risk: 'costs',
      summary: 'Resume a subscription that is paused or is set to end; if both, the later is taken back',
      from: ['paused', 'trialing', 'active', 'past_due'],
      to: ['active', 'trialing', 'past_due', 'paused'],
      run: resumeSubscription,
      after: afterTransition,
    },
    pause: defineAction('subscription', {
      scope: 'write',
      asksFirst: 'access',
      roles: ['staff'],
      summary: 'Pause a subscription',
      from: ['trialing', 'active', 'paused'],
      to: 'paused',
      input: z.object({
        resumes_at: timestamp().nullable().optional().meta({ description: 'When the subscription resumes automatically.', example: null }),
      }),
      run: pauseSubscription,
      after: afterTransition,
    }),
    mark_paid: defineAction('subscription', {
      scope: 'write',
      errors: ['invalid_state'],
      id: 'markSubscriptionPaid',
      asksFirst: 'money',
      roles: ['staff'],
      summary: 'Confirm a payment that the school collected itself',
      input: z.object({
        provider: z
          .enum(paymentProviders)
          .exclude(['none'])
          .default('manual')
          .meta({ description: 'Payment method.', example: 'bank_transfer' }),
        reference: text(200, z.string().trim()).optional().meta({
          description: 'Identifier of the payment. A payment with the same provider and reference counts once.',
          example: 'SEPA 81-2',
        }),
      }),
      perform: async (writing, row, payment) => ({
        isUnchanged: !(await confirmByStaff(writing, row, payment)),
      }),
    }),
    change_plan: defineAction('subscription', {
      scope: 'write',
      risk: 'costs',
      errors: ['invalid_state', 'already_subscribed', 'checkout_required'],
      id: 'changePlan',
      asksFirst: 'money',
      summary: 'Change to another price or plan',
      input: z.object({
        price_id: reference('prc', 'Price of this or another plan.'),
        when: z.enum(['now', 'period_end']).default('period_end').meta({
          description:
            'When the change takes effect. period_end: the current period stays as it was paid, and the next one has the new price. now, for staff only, and not for payments that the checkout collects: a full period at the full new price begins and is ordered, less the credit; the discount of the former plan ends. `latest_order_id` names the order.',
          example: 'period_end',
        }),
        credit: z.enum(planChangeCredits).meta({ component: 'PlanChangeCredit' }).optional().meta({
          description:
            'What a change now credits for the unused time of the current period, as a discount of the new order: none, or its part of the price. Default: the setting `plan_change_credit` of the school. A credit above the new price is refused.',
          example: 'unused_time',
        }),
      }),
      run: changePlan,
      after: afterPlanChange,
    }),
    'change_plan/cancel': {
      scope: 'write',
      asksFirst: 'outward',
      id: 'cancelPlanChange',
      follows: 'changePlan',
      summary: 'Cancel a pending change of plan',
      run: async (_writing, { pending_price_id }) => (pending_price_id === null ? undefined : noPendingChange),
    },
  },
})

function isOneOf(column: 'plan_id' | 'price_id' | 'person_id') {
  return (subscription: Rows<'subscription'>, ids: readonly string[]) => subscription(`subscription.${column}`, 'in', [...ids])
}
