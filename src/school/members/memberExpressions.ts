import { type Expression, type SqlBool, sql } from 'kysely'
import { refs } from '../../database/statements/columns.ts'

const school = refs('school')

/** True if the school shows its directory of members to one of these; `members` by default. The statement reads the school once. */
export const showsDirectoryTo = (schoolId: string, ...modes: readonly ('members' | 'public')[]): Expression<SqlBool> =>
  sql<SqlBool>`EXISTS (SELECT FROM "school" WHERE ${school.id} = ${schoolId}
    AND coalesce(${school.settings} ->> 'member_directory', 'members') = ANY (${[...modes]}::text[]))`

export const isDirectoryPublic: Expression<SqlBool> = sql<SqlBool>`(${school.settings} ->> 'member_directory') = 'public'`
