import type { Reader } from '../../database/connection/database.ts'
import { demoId, demoIdRange } from './ids.ts'

/** Returns true if the school has the people and courses of the demo. */
export async function hasDemo(database: Reader, schoolId: string): Promise<boolean> {
  const owner = await database
    .selectFrom('account')
    .select('id')
    .where('school_id', '=', schoolId)
    .where('id', '=', demoId(schoolId, 'account', 0))
    .executeTakeFirst()
  return owner !== undefined
}

/** Returns the e-mail addresses of demo accounts that can sign in. Their password is not secret. */
export async function listDemoSignIns(database: Reader, schoolId: string): Promise<string[]> {
  const rows = await database
    .selectFrom('account')
    .select('email')
    .where('school_id', '=', schoolId)
    .where((account) => account.between('id', ...demoIdRange))
    .where('password_hash', 'is not', null)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ email }) => email)
}

export async function splitAccounts(database: Reader, schoolId: string): Promise<{ demo: number; others: string[] }> {
  const rows = await database
    .selectFrom('account')
    .select(['email', (account) => account.between('id', ...demoIdRange).as('is_demo')])
    .where('school_id', '=', schoolId)
    .orderBy('id')
    .execute()
  return { demo: rows.filter(({ is_demo }) => is_demo).length, others: rows.filter(({ is_demo }) => !is_demo).map(({ email }) => email) }
}
