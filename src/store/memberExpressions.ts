import { type Expression, type SqlBool, sql } from 'kysely'
import { refs } from './columns.ts'

const person = refs('person')
const school = refs('school')

/** True if the school shows its directory of members to one of these; `members` by default. For a query over `person`. */
export const showsDirectoryTo = (...modes: readonly ('members' | 'public')[]): Expression<SqlBool> =>
  sql<SqlBool>`EXISTS (SELECT FROM "school" WHERE ${school.id} = ${person.school_id}
    AND coalesce(${school.settings} ->> 'member_directory', 'members') = ANY (${[...modes]}::text[]))`

/** The same of the row of a school. */
export const isDirectoryPublic: Expression<SqlBool> = sql<SqlBool>`(${school.settings} ->> 'member_directory') = 'public'`
