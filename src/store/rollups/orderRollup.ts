import { type Happening, nobody, type Rollup } from './rollup.ts'
import { paidAt } from './sales.ts'

const steps: readonly Pick<Happening, 'at' | 'where' | 'adds'>[] = [
  { at: 'row.placed_at', adds: { placed: '1' } },
  { at: paidAt('row'), adds: { paid: '1' } },
  { at: 'row.failed_at', where: `row.status = 'failed'`, adds: { failed: '1' } },
  { at: 'coalesce(row.expires_at, row.updated_at)', where: `row.status = 'expired'`, adds: { expired: '1' } },
  { at: 'row.refunded_at', where: `row.status = 'refunded'`, adds: { refunded: '1' } },
]

/** Each order once for each product in it. */
const products = `JOIN LATERAL (
  SELECT DISTINCT product_type, product_id FROM order_item
   WHERE order_item.school_id = row.school_id AND order_item.order_id = row.id) AS product ON true`

/** What became of orders. */
export const orderRollup: Rollup = {
  table: 'analytics_daily_order',
  keys: ['product_type', 'product_id', 'status'],
  measures: ['placed', 'paid', 'failed', 'expired', 'refunded'],
  happenings: steps.flatMap((step) => [
    { ...step, from: 'orders AS row', keys: { product_type: `'any'`, product_id: `'${nobody}'::uuid`, status: 'row.status' } },
    {
      ...step,
      from: `orders AS row ${products}`,
      keys: { product_type: 'product.product_type', product_id: 'product.product_id', status: 'row.status' },
    },
  ]),
}
