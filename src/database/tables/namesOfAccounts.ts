import type { Reader } from '../connection/database.ts'

/** Returns the names and e-mail addresses of accounts, by id. Accounts that are gone are left out. */
export async function namesOfAccounts(
  db: Reader,
  schoolId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { name: string; email: string }>> {
  const known = [...new Set(ids)].filter((id) => /^[0-9a-f-]{36}$/.test(id))
  if (known.length === 0) return new Map()
  const rows = await db
    .selectFrom('account')
    .select(['id', 'name', 'email'])
    .where('school_id', '=', schoolId)
    .where('id', 'in', known)
    .execute()
  return new Map(rows.map(({ id, ...account }) => [id, account]))
}
