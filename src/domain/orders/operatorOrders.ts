import { orderStatusSql } from '../../store/shopExpressions.ts'
import type { Sql } from '../../store/sql.ts'

/** An order as an operator sees it. Amounts in the smallest unit of the currency. */
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

interface Asked {
  status?: string | undefined
  /** Lower-cased. */
  email?: string | undefined
  limit: number
}

/** Orders of a school, the newest first. */
export async function listOrders(sql: Sql, schoolId: string, { status, email, limit }: Asked): Promise<ListedOrder[]> {
  const rows = await sql.query<ListedOrder>(
    `SELECT ${columns} FROM orders
      WHERE school_id = $1 AND ($2::text IS NULL OR ${orderStatusSql} = $2) AND ($3::text IS NULL OR buyer_email = $3)
      ORDER BY id DESC LIMIT $4`,
    [schoolId, status ?? null, email ?? null, limit],
  )
  return rows.map(counted)
}

/** The order with this number or stored id. */
export async function findOrder(
  sql: Sql,
  schoolId: string,
  key: { number: string } | { id: string },
): Promise<(ListedOrder & { items: string[] }) | undefined> {
  const [column, value] = 'id' in key ? ['id', key.id] : ['number', key.number]
  const [row] = await sql.query<ListedOrder>(`SELECT ${columns} FROM orders WHERE school_id = $1 AND ${column} = $2`, [schoolId, value])
  if (!row) return undefined
  const items = await sql.query<{ quantity: number; title: string }>(
    'SELECT quantity, title FROM order_item WHERE school_id = $1 AND order_id = $2 ORDER BY position',
    [schoolId, row.id],
  )
  return { ...counted(row), items: items.map(({ quantity, title }) => `${quantity} × ${title}`) }
}

const columns = `id, number, ${orderStatusSql} AS status, kind, buyer_name, buyer_email, currency, total_amount AS total, refunded_amount AS refunded,
  placed_at, paid_at, payment_provider, payment_reference`

// Eight-byte numbers arrive as text.
const counted = (row: ListedOrder): ListedOrder => ({ ...row, total: Number(row.total), refunded: Number(row.refunded) })
