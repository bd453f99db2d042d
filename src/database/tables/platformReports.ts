import { createHash } from 'node:crypto'
import type { Stored, Writer } from '../connection/database.ts'
import { lockByName } from '../connection/lockByName.ts'

export interface ReportKey {
  schoolId: string
  operation: string
  reference: string
}

/** The first report with a reference: a hash of its content, and the response to it. */
export type StoredReport = Stored<'platform_report', 'fingerprint' | 'body'>

const idOf = ({ operation, reference }: ReportKey): string =>
  createHash('sha256')
    .update(JSON.stringify([operation, reference]))
    .digest('base64url')

/** Locks the reference until the transaction ends, and returns the report that was stored under it. */
export async function lockReport(writer: Writer, key: ReportKey): Promise<StoredReport | undefined> {
  const { schoolId } = key
  await lockByName(writer, `platform report ${schoolId} ${idOf(key)}`)
  return await writer
    .selectFrom('platform_report')
    .select(['fingerprint', 'body'])
    .where('school_id', '=', schoolId)
    .where('id', '=', idOf(key))
    .executeTakeFirst()
}

/** Stores a report and the response to it. The reference must be locked. */
export async function storeReport(writer: Writer, key: ReportKey, { fingerprint, body }: StoredReport): Promise<void> {
  await writer
    .insertInto('platform_report')
    .values({ school_id: key.schoolId, id: idOf(key), fingerprint, body })
    .execute()
}
