import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import { isDirectoryPublic, showsDirectoryTo } from '../../store/memberExpressions.ts'
import { isMe } from '../students/studentVisibility.ts'

type Persons = ExpressionBuilder<DB, 'person'>
type Condition = Expression<SqlBool>

/** Whom the school knows as a member, present or former. */
export const isMember = (person: Persons): Condition => person('person.is_member', '=', person.lit(true))

/** Who stands in the directory, where there is one. */
const isListed = (person: Persons): Condition =>
  person.and([person('member_status', '=', 'active'), person('directory_visible', '=', person.lit(true))])

/** Whom visitors see. */
export const isInPublicDirectory = (person: Persons): Condition => person.and([isListed(person), showsDirectoryTo('public')])

/** Whether the school has a directory for visitors at all. */
export const hasPublicDirectory = (): Condition => isDirectoryPublic

/** Whom members see: the directory, and themselves. Who is blocked, or gone, sees of it what visitors see. */
export function isKnownToMembers(person: Persons, me: PersonCaller): Condition {
  const members = me.personId === null ? person.lit(false) : person.and([showsDirectoryTo('members'), isActiveMember(person, me.personId)])
  return person.or([isMe(person, me), person.and([isListed(person), person.or([showsDirectoryTo('public'), members])])])
}

/** The same for who teaches here, member or not. */
export const isKnownToLecturers = (person: Persons, me: PersonCaller): Condition =>
  person.or([isMe(person, me), person.and([isListed(person), showsDirectoryTo('public', 'members')])])

const isActiveMember = (person: Persons, personId: string): Condition =>
  person.exists(
    person
      .selectFrom('person as caller')
      .select('caller.id')
      .whereRef('caller.school_id', '=', 'person.school_id')
      .where('caller.id', '=', personId)
      .where('caller.is_member', '=', true)
      .where('caller.member_status', '=', 'active'),
  )
