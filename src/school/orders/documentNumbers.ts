import { sql } from 'kysely'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { InSchool } from '../schoolHandles.ts'

const prefixes = { invoice: 'INV', credit_note: 'CN' } as const

/**
 * Numbers the invoice of a paid order, and stores the seller as the invoice names it. An order with a total of 0 has none. Call it last in
 * a transaction: other payments of the school wait for the number from now on.
 */
export async function issueInvoice(
  writer: SchoolWriter,
  { orderId, total, ...school }: InSchool & { orderId: string; total: number },
): Promise<void> {
  if (total === 0) return
  const number = await nextNumber(writer, school, 'invoice')
  await writer
    .updateTable('orders')
    .from('school')
    .set(({ ref }) => ({
      invoice_number: number,
      invoice_seller: sql`jsonb_build_object('name', ${ref('school.name')}, 'address', ${ref('school.address')}, 'contact_email', ${ref('school.contact_email')},
        'tax_id', ${ref('school.settings')} #> '{tax,tax_id}')`,
    }))
    .whereRef('school.id', '=', 'orders.school_id')
    .where('orders.id', '=', orderId)
    .execute()
}

/** Numbers the credit note of a refund. A refund of 0 has none. Call it last in a transaction, as `issueInvoice`. */
export async function issueCreditNote(
  writer: SchoolWriter,
  { refundId, amount, ...school }: InSchool & { refundId: string; amount: number },
): Promise<void> {
  if (amount === 0) return
  const number = await nextNumber(writer, school, 'credit_note')
  await writer.updateTable('refund').set({ credit_note_number: number }).where('id', '=', refundId).execute()
}

/** Returns the next number in the current year of the school's time zone. A transaction that is rolled back uses none. */
async function nextNumber(writer: SchoolWriter, { now }: InSchool, kind: keyof typeof prefixes): Promise<string> {
  const { year, last_no } = await writer
    .insertInto('document_counter')
    .values((counter) => ({
      school_id: writer.schoolId,
      kind,
      year: counter
        .selectFrom('school')
        .select((school) =>
          sql<number>`extract(year FROM ${now}::timestamptz AT TIME ZONE ${school.ref('school.time_zone')})::int`.as('year'),
        )
        .where('school.id', '=', writer.schoolId),
      last_no: 1,
    }))
    .onConflict((conflict) =>
      conflict.columns(['school_id', 'kind', 'year']).doUpdateSet((row) => ({ last_no: row('document_counter.last_no', '+', 1) })),
    )
    .returning(['year', 'last_no'])
    .executeTakeFirstOrThrow()
  return `${prefixes[kind]}-${year}-${String(last_no).padStart(6, '0')}`
}
