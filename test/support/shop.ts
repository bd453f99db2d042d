/** Creates the rows of sales with the fewest columns that the foreign keys allow. */
import { newId } from '../../src/base/ids.ts'
import type { Sql } from '../../src/database/connection/sql.ts'
import { newFile } from './files.ts'

/** Creates a person without an account. Returns their id. */
export async function newPerson(
  sql: Sql,
  schoolId: string,
  { email = `${newId()}@example.org`, name = 'Wren Tallow' } = {},
): Promise<string> {
  const id = newId()
  await sql.query(`INSERT INTO person (school_id, id, email, name, is_student) VALUES ($1, $2, $3, $4, true)`, [schoolId, id, email, name])
  return id
}

/** Creates a published course. Returns its id. */
export async function newCourse(sql: Sql, schoolId: string): Promise<string> {
  const id = newId()
  await sql.query(
    `INSERT INTO course (school_id, id, slug, title, status, language, position) VALUES ($1, $2, $3, 'Salt Glazing', 'published', 'en', 0)`,
    [schoolId, id, `salt-${id}`],
  )
  return id
}

/** Creates a published digital product. Returns its id. */
export async function newProduct(
  sql: Sql,
  schoolId: string,
  { price = 900, limit = null as number | null, slug = undefined as string | undefined, status = 'published', access = 'paid' } = {},
): Promise<string> {
  const id = newId()
  await sql.query(
    `INSERT INTO digital_product (school_id, id, slug, title, kind, status, access, price_amount, price_currency, download_limit)
     VALUES ($1, $2, $3, 'Kiln Log', 'template', $4, $5, $6, 'EUR', $7)`,
    [schoolId, id, slug ?? `kiln-log-${id}`, status, access, access === 'paid' ? price : null, limit],
  )
  return id
}

/** Creates the row of a file inside a product, without its bytes. Returns its id within the product. */
export async function newProductFile(
  sql: Sql,
  schoolId: string,
  productId: string,
  { filename = 'kiln-log.pdf', position = 0 } = {},
): Promise<string> {
  const fileId = await newFile(sql, schoolId, { visibility: 'private', purpose: 'digital_product', filename })
  const id = newId()
  await sql.query(
    `INSERT INTO product_file (school_id, id, product_id, file_id, title, position) VALUES ($1, $2, $3, $4, 'Kiln log', $5)`,
    [schoolId, id, productId, fileId, position],
  )
  return id
}

/** Creates a coupon of 100 %. Returns its id. */
export async function newCoupon(
  sql: Sql,
  schoolId: string,
  { code = `C${newId()}`.toUpperCase(), max = null as number | null, each = 1 } = {},
): Promise<string> {
  const id = newId()
  await sql.query(
    `INSERT INTO coupon (school_id, id, code, discount_type, percent_bps, max_redemptions, max_redemptions_per_person)
     VALUES ($1, $2, $3, 'percent', 10000, $4, $5)`,
    [schoolId, id, code, max, each],
  )
  return id
}

/** Creates people who have each used a coupon, and the same number of unused coupons. */
export async function newUses(sql: Sql, schoolId: string, count: number): Promise<string> {
  const couponId = await newCoupon(sql, schoolId)
  for (let used = 0; used < count; used++) {
    await newCoupon(sql, schoolId)
    const personId = await newPerson(sql, schoolId)
    await sql.query(
      `INSERT INTO coupon_redemption (school_id, id, coupon_id, person_id, person_seq, product_type, product_id, amount_off, currency, status)
       VALUES ($1, $2, $3, $4, 1, 'course', $2, 100, 'EUR', 'confirmed')`,
      [schoolId, newId(), couponId, personId],
    )
  }
  return couponId
}

/** Creates a paid order of a new person. Returns its id. */
export async function newOrder(sql: Sql, schoolId: string): Promise<string> {
  const id = newId()
  const number = `2001-${BigInt(`0x${id.slice(-8)}`)}`.padEnd(11, '0')
  await sql.query(
    `INSERT INTO orders (school_id, id, number, status, kind, person_id, buyer_name, buyer_email, currency, subtotal_amount, total_amount, tax_mode,
                         receipt_number, paid_at)
     VALUES ($1, $2, $3, 'paid', 'one_time', $4, 'Wren Tallow', 'wren@example.org', 'EUR', 900, 900, 'none', $3, now())`,
    [schoolId, id, number, await newPerson(sql, schoolId)],
  )
  await sql.query(
    `INSERT INTO order_item (school_id, id, order_id, position, product_type, product_id, title, currency, unit_amount, total_amount)
     VALUES ($1, $2, $3, 0, 'digital_product', $2, 'Kiln Log', 'EUR', 900, 900)`,
    [schoolId, newId(), id],
  )
  return id
}

/** Gives a product to a person. Returns the id of the entitlement. */
export async function newProductGrant(sql: Sql, schoolId: string, productId: string, personId: string): Promise<string> {
  const id = newId()
  await sql.query(`INSERT INTO product_grant (school_id, id, product_id, person_id, source) VALUES ($1, $2, $3, $4, 'manual')`, [
    schoolId,
    id,
    productId,
    personId,
  ])
  return id
}
