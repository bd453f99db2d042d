import type { Sql } from '../../store/sql.ts'
import type { ItemType, StoredItem } from '../itemRef.ts'

/** Something with a price that everybody can know. */
export interface Offer extends StoredItem {
  title: string
  priceId: string | null
  /** In the smallest unit; 0 for what is free. */
  amount: number
}

/** An item, and of a membership plan the price. */
export interface AskedItem extends StoredItem {
  priceId?: string | undefined
}

const statements: Partial<Record<ItemType, string>> = {
  course: `SELECT title, NULL::uuid AS price_id, coalesce(price_amount, 0) AS amount FROM course
            WHERE school_id = $1 AND id = $2 AND status = 'published' AND access IN ('free', 'paid') AND $3::uuid IS NULL`,
  digital_product: `SELECT title, NULL::uuid AS price_id, coalesce(price_amount, 0) AS amount FROM digital_product
            WHERE school_id = $1 AND id = $2 AND status = 'published' AND access IN ('free', 'paid') AND $3::uuid IS NULL`,
  membership_plan: `SELECT p.name AS title, c.id AS price_id, c.amount FROM membership_plan p
              JOIN plan_price c ON c.school_id = p.school_id AND c.plan_id = p.id
            WHERE p.school_id = $1 AND p.id = $2 AND c.id = $3::uuid AND p.status = 'active' AND c.active`,
}

/** What is for sale of these, in their order; undefined where one is not: a draft, something for members of a plan alone, an event. */
export async function findOffers(sql: Sql, schoolId: string, items: readonly AskedItem[]): Promise<(Offer | undefined)[]> {
  const offers: (Offer | undefined)[] = []
  for (const { type, id, priceId } of items) {
    const statement = statements[type]
    const [row] = statement
      ? await sql.query<{ title: string; price_id: string | null; amount: string }>(statement, [schoolId, id, priceId ?? null])
      : []
    offers.push(row && { type, id, title: row.title, priceId: row.price_id, amount: Number(row.amount) })
  }
  return offers
}
