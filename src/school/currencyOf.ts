import type { SchoolReader, SchoolWriter } from '../database/connection/database.ts'

export async function currencyOf(reader: SchoolReader): Promise<string> {
  const { currency } = await reader.selectFrom('school').select('currency').where('id', '=', reader.schoolId).executeTakeFirstOrThrow()
  return currency
}

/**
 * Returns the currency in which the school sells, and keeps it until the transaction ends: a change of the currency waits. Call it before
 * the prices of an order are read.
 */
export async function lockedCurrencyOf(writer: SchoolWriter): Promise<string> {
  const { currency } = await writer
    .selectFrom('school')
    .select('currency')
    .where('id', '=', writer.schoolId)
    .forKeyShare()
    .executeTakeFirstOrThrow()
  return currency
}
