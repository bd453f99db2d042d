import type { PersonViewer, Visitor } from '../../base/caller.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import { isMe } from '../students/studentVisibility.ts'
import { isDirectoryPublic, showsDirectoryTo } from './memberExpressions.ts'

type Persons = Builder<'person'>

export const isMember = (person: Persons): Condition => person('person.is_member', '=', person.lit(true))

const isListed = (person: Persons): Condition =>
  person.and([person('member_status', '=', 'active'), person('directory_visible', '=', person.lit(true))])

export const isInPublicDirectory = (person: Persons, { schoolId }: Visitor): Condition =>
  person.and([isListed(person), showsDirectoryTo(schoolId, 'public')])

export const hasPublicDirectory = (): Condition => isDirectoryPublic

/** Matches members whom a member can see: the directory, and themselves. A blocked or former member sees what visitors see. */
export function isKnownToMembers(person: Persons, me: PersonViewer): Condition {
  const members =
    me.personId === null ? person.lit(false) : person.and([showsDirectoryTo(me.schoolId, 'members'), isActiveMember(person, me.personId)])
  return person.or([isMe(person, me), person.and([isListed(person), person.or([showsDirectoryTo(me.schoolId, 'public'), members])])])
}

/** Matches members whom a lecturer can see, whether the lecturer is a member or not. */
export const isKnownToLecturers = (person: Persons, me: PersonViewer): Condition =>
  person.or([isMe(person, me), person.and([isListed(person), showsDirectoryTo(me.schoolId, 'public', 'members')])])

const isActiveMember = (person: Persons, personId: string): Condition =>
  person.exists(
    person
      .selectFrom('person as caller')
      .where('caller.id', '=', personId)
      .where('caller.is_member', '=', true)
      .where('caller.member_status', '=', 'active'),
  )
