import { aliased, columns } from '../../../database/statements/columns.ts'
import { defineRollup, type Happening, nobody, paidAt, rowOrders as row } from './rollup.ts'

const steps: readonly Pick<Happening<'placed' | 'paid' | 'failed' | 'expired' | 'refunded'>, 'at' | 'where' | 'adds'>[] = [
  { at: row.placed_at, adds: { placed: '1' } },
  { at: paidAt(row), adds: { paid: '1' } },
  { at: row.failed_at, where: `${row.status} = 'failed'`, adds: { failed: '1' } },
  { at: `coalesce(${row.expires_at}, ${row.updated_at})`, where: `${row.status} = 'expired'`, adds: { expired: '1' } },
  { at: row.refunded_at, where: `${row.status} = 'refunded'`, adds: { refunded: '1' } },
]

const item = aliased('order_item')
const product = aliased('order_item', 'product')

/** Each order once for each product in it. */
const products = `JOIN LATERAL (
  SELECT DISTINCT ${columns('order_item', ['product_type', 'product_id'])} FROM ${item}
   WHERE ${item.school_id} = ${row.school_id} AND ${item.order_id} = ${row.id}) AS product ON true`

export const orderRollup = defineRollup({
  table: 'analytics_daily_order',
  keys: ['product_type', 'product_id', 'status'],
  measures: ['placed', 'paid', 'failed', 'expired', 'refunded'],
  events: steps.flatMap((step) => [
    { ...step, from: `${row}`, keys: { product_type: `'any'`, product_id: `'${nobody}'::uuid`, status: row.status } },
    {
      ...step,
      from: `${row} ${products}`,
      keys: { product_type: product.product_type, product_id: product.product_id, status: row.status },
    },
  ]),
})
