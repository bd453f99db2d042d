import { z } from 'zod'
import { exampleId } from '../../base/ids.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, fromJson, nothing, type Row } from '../../engine/declare/expressions.ts'
import { reference } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { coupons } from '../coupons/coupons.ts'
import { itemTypes, storedIdOf } from '../itemRef.ts'
import { members } from '../members/members.ts'
import { subscriptions } from '../memberships/subscriptions.ts'
import { normalised } from '../students/studentFields.ts'
import { students } from '../students/students.ts'
import { orderDocuments } from './orderDocuments.ts'
import { orderItemList, orderRefundList, orderSchema, orderStatuses } from './orderFields.ts'
import { buyerOf, hasVisibleItem, isInState, isMyOrder, isWhole, itemsOf, refundsOf, sellsMyCourse, stateOf } from './orderVisibility.ts'
import { publicOrderItem, publicRefund, type StoredOrderItem, type StoredRefund } from './publicOrder.ts'

type OrderAmounts = Pick<
  Row<'orders'>,
  'currency' | 'subtotal_amount' | 'discount_amount' | 'tax_amount' | 'total_amount' | 'refunded_amount' | 'refunded_tax_amount'
>
type Amount = Exclude<keyof OrderAmounts, 'currency'>

const amountField = <Column extends Amount>(column: Column) => ({
  from: [column, 'currency'] as const,
  of: (row: Pick<OrderAmounts, 'currency'> & Record<Column, string | number>) => ({ amount: Number(row[column]), currency: row.currency }),
})

interface Buyer {
  id: string | null
  is_student: boolean | null
  is_member: boolean | null
  name: string
  email: string
}

export const orders = defineResource({
  name: 'orders',
  object: 'order',
  idPrefix: 'ord',
  table: 'orders',
  numberForm: /^\d{4}-\d{6,10}$/,
  about:
    'A purchase. Its buyer, prices and titles remain as they were at the time. Orders are written by the checkout and the operators of the school.',
  notInApi:
    'Not in this API: creating, paying, cancelling and deleting orders, and refunds. The checkout and the operators of the school do this.',
  scopes: {
    read: {
      learner: 'See your orders, payments, refunds and receipts',
      lecturer: 'See your orders, and the orders of your courses with their buyers',
      staff: 'See all orders, payments, refunds and receipts with their buyers',
      othersData: ['lecturer', 'staff'],
    },
  },
  schema: orderSchema,
  derived: {
    status: { select: stateOf },
    buyer: {
      select: buyerOf,
      of: ({ id, is_student, is_member, name, email }: Buyer) => ({
        student_id: is_student ? id : null,
        member_id: is_member ? id : null,
        name,
        email,
      }),
    },
    items: { select: itemsOf, of: (items: StoredOrderItem[] | null) => (items ?? []).map(publicOrderItem) },
    subtotal: amountField('subtotal_amount'),
    discount_total: amountField('discount_amount'),
    tax_total: amountField('tax_amount'),
    total: amountField('total_amount'),
    refunded_total: amountField('refunded_amount'),
    refunded_tax_total: amountField('refunded_tax_amount'),
    net_total: {
      from: ['total_amount', 'refunded_amount', 'currency'],
      of: ({ total_amount, refunded_amount, currency }) => ({ amount: Number(total_amount) - Number(refunded_amount), currency }),
    },
    coupon: {
      from: ['coupon_id', 'coupon_code'],
      of: ({ coupon_id, coupon_code }) => (coupon_id === null ? null : { id: coupon_id, code: coupon_code ?? '' }),
    },
    payment: {
      from: ['payment_provider', 'payment_reference', 'payment'],
      of: ({ payment_provider, payment_reference, payment }) => ({
        ...fromJson<{ card_brand: string | null; card_last4: string | null; failure_code: string | null }>(payment),
        provider: payment_provider,
        reference: payment_reference,
      }),
    },
    refunds: { select: refundsOf, of: (refunds: StoredRefund[] | null) => (refunds ?? []).map(publicRefund) },
  },
  filters: [
    {
      name: 'status',
      description: 'the status of the order',
      value: z.enum(orderStatuses).meta({ component: 'OrderStatus' }),
      where: isInState,
    },
    'kind',
    {
      name: 'student_id',
      description: 'the id of the buyer as a student',
      value: reference('std', 'Id of a student.'),
      where: (order, ids: readonly string[]) => order('person_id', 'in', ids),
    },
    {
      name: 'member_id',
      description: 'the id of the buyer as a member',
      value: reference('mbr', 'Id of a member.'),
      where: (order, ids: readonly string[]) => order('person_id', 'in', ids),
    },
    {
      name: 'product_id',
      description: 'the id of an item of the order',
      value: z
        .string()
        .regex(/^(crs|dgp|mpl|evt)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be the id of a course, digital product, membership plan or event')
        .meta({ example: exampleId('crs') }),
      where: (order, ids: readonly string[], caller) =>
        hasVisibleItem(order, caller, (item) =>
          item(
            'order_item.product_id',
            'in',
            ids.flatMap((id) => storedIdOf(id) ?? []),
          ),
        ),
    },
    {
      name: 'product_type',
      description: 'the type of an item of the order',
      value: z.enum(itemTypes).meta({ component: 'ItemType' }),
      where: (order, types: readonly string[], caller) =>
        hasVisibleItem(order, caller, (item) => item('order_item.product_type', 'in', types)),
    },
    {
      name: 'coupon_id',
      description: 'the id of a coupon',
      value: reference('cpn', 'Id of a coupon.'),
      where: (order, ids: readonly string[], caller) => order.and([order('coupon_id', 'in', ids), isWhole(order, caller)]),
    },
    {
      name: 'subscription_id',
      description: 'the id of a subscription',
      value: reference('sub', 'Id of a subscription.'),
      where: (order, ids: readonly string[], caller) => order.and([order('subscription_id', 'in', ids), isWhole(order, caller)]),
    },
    'currency',
    'number',
    {
      name: 'email',
      view: 'staff',
      description: 'the e-mail address of the buyer',
      value: z.string().max(254).meta({ example: 'learner@example.org' }),
      where: (order, emails: readonly string[]) => order('buyer_email', 'in', emails.map(normalised)),
    },
    ...(['gte', 'lte'] as const).map((operator) => ({
      name: 'total',
      operator,
      view: 'staff' as const,
      description: 'the total, in the smallest unit',
      value: z.int().min(0).max(99_999_999_999),
      where: (order: Parameters<typeof isMyOrder>[0], [amount]: readonly number[]) =>
        order('orders.total_amount', operator === 'gte' ? '>=' : '<=', String(amount)),
    })),
    'created_at',
    'updated_at',
    'placed_at',
    'paid_at',
    'paid_at[exists]',
  ],
  search: ['number', { staff: 'buyer_email' }],
  sorts: ['-created_at', 'paid_at', 'updated_at', { name: 'total', column: 'total_amount', roles: ['learner', 'staff'] }],
  exports: true,
  expand: {
    student: { resource: (): Resource => students, id: ({ person_id }) => person_id },
    member: { resource: (): Resource => members, id: ({ person_id }) => person_id },
    coupon: { resource: (): Resource => coupons, id: ({ coupon_id }) => coupon_id },
    subscription: { resource: (): Resource => subscriptions, id: ({ subscription_id }) => subscription_id },
  },
  visibility: {
    anonymous: nothing,
    learner: isMyOrder,
    lecturer: (order, me) => order.or([isMyOrder(order, me), sellsMyCourse(order, me)]),
    staff: everything,
  },
  views: { own: isMyOrder },
  operations: { list: 'read', get: 'read' },
  reads: {
    items: {
      scope: 'read',
      id: 'listOrderItems',
      summary: 'List the items of an order',
      byId: true,
      output: orderItemList,
      pagedBy: 'id',
      run: async (_reading, row) => ({
        data: (fromJson<StoredOrderItem[] | null>(row.items) ?? []).map(publicOrderItem),
      }),
    },
    refunds: {
      scope: 'read',
      id: 'listOrderRefunds',
      summary: 'List the refunds of an order',
      byId: true,
      view: 'own',
      output: orderRefundList,
      pagedBy: 'id',
      run: async (_reading, row) => ({
        data: (fromJson<StoredRefund[] | null>(row.refunds) ?? []).map(publicRefund),
      }),
    },
    ...orderDocuments,
  },
})
