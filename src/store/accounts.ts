import { type Handle, rawSql } from './rawSql.ts'

export interface AccountRow {
  id: string
  email: string
  email_verified: boolean
  name: string
  given_name: string | null
  family_name: string | null
  /** The file of the person's picture. */
  avatar: { id: string; filename: string } | null
  locale: string | null
  time_zone: string | null
  updated_at: Date
  /** Sessions that began until then are over. */
  sessions_valid_after: Date | null
}

/** A person's login, unless it has been disabled. */
export async function findAccount(sql: Handle, schoolId: string, id: string): Promise<AccountRow | undefined> {
  const rows = await rawSql(sql).query<AccountRow>(
    `SELECT id, email, email_verified, name, given_name, family_name, locale, time_zone, updated_at,
            sessions_valid_after,
            (SELECT json_build_object('id', file.id, 'filename', file.filename) FROM file
              WHERE file.school_id = account.school_id AND file.id = account.avatar_file_id AND file.status = 'ready') AS avatar
       FROM account WHERE school_id = $1 AND id = $2 AND disabled_at IS NULL`,
    [schoolId, id],
    'account_find',
  )
  return rows[0]
}
