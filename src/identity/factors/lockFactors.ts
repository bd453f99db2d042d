import type { SchoolWriter } from '../../database/connection/database.ts'
import type { FactorOwner } from './factorOwner.ts'

/** Serialises changes of the second factors of an account that depend on how many it has. */
export async function lockFactors(writer: SchoolWriter, { accountId }: FactorOwner): Promise<void> {
  await writer.selectFrom('account').select('id').where('id', '=', accountId).forUpdate().execute()
}
