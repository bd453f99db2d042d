import { toPublicId } from '../../lib/ids.ts'
import type { SchoolReader } from '../../store/database.ts'
import { orderStatus } from '../../store/shopExpressions.ts'

/** An order as the commands of operators show it. Amounts in the smallest unit of the currency. */
export interface ListedOrder {
  id: string
  number: string
  status: string
  kind: string
  buyer_name: string
  buyer_email: string
  currency: string
  total: number
  refunded: number
  placed_at: Date
  paid_at: Date | null
  payment_provider: string
  payment_reference: string | null
}

interface OrderFilter {
  status?: string | undefined
  /** Lower-cased. */
  email?: string | undefined
  limit: number
}

export async function listOrders(reader: SchoolReader, { status, email, limit }: OrderFilter): Promise<ListedOrder[]> {
  const all = selectOrders(reader)
  const inStatus = status === undefined ? all : all.where(orderStatus, '=', status)
  const rows = await (email === undefined ? inStatus : inStatus.where('buyer_email', '=', email))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(withNumbers)
}

/** Returns the order with this number or stored id, and its items with the ids of the lines. */
export async function findOrder(
  reader: SchoolReader,
  key: { number: string } | { id: string },
): Promise<(ListedOrder & { items: string[] }) | undefined> {
  const orders = selectOrders(reader)
  const row = await ('id' in key ? orders.where('id', '=', key.id) : orders.where('number', '=', key.number)).executeTakeFirst()
  if (!row) return undefined
  const items = await reader
    .selectFrom('order_item')
    .select(['id', 'quantity', 'title'])
    .where('order_id', '=', row.id)
    .orderBy('position')
    .execute()
  return { ...withNumbers(row), items: items.map(({ id, quantity, title }) => `${toPublicId('oit', id)} ${quantity} × ${title}`) }
}

const selectOrders = (reader: SchoolReader) =>
  reader
    .selectFrom('orders')
    .select(['id', 'number', orderStatus.as('status'), 'kind', 'buyer_name', 'buyer_email', 'currency'])
    .select(['total_amount as total', 'refunded_amount as refunded', 'placed_at', 'paid_at', 'payment_provider', 'payment_reference'])

/** Converts eight-byte numbers, which the database returns as text. */
const withNumbers = <Row extends { total: number | string; refunded: number | string }>(row: Row) => ({
  ...row,
  total: Number(row.total),
  refunded: Number(row.refunded),
})
