import type { Writer } from '../../store/database.ts'
import type { FactorOwner } from './factorOwner.ts'

/** Serialises changes of the second factors of an account that depend on how many it has. */
export async function lockFactors(writer: Writer, { schoolId, accountId }: FactorOwner): Promise<void> {
  await writer.selectFrom('account').select('id').where('school_id', '=', schoolId).where('id', '=', accountId).forUpdate().execute()
}
