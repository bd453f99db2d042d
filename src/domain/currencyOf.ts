import type { Reader } from '../store/database.ts'

/** Returns the currency in which the school sells. */
export async function currencyOf(reader: Reader, schoolId: string): Promise<string> {
  const { currency } = await reader.selectFrom('school').select('currency').where('id', '=', schoolId).executeTakeFirstOrThrow()
  return currency
}
