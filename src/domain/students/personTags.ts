import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { Writer } from '../../store/database.ts'

type Persons = ExpressionBuilder<DB, 'person'>

/** Whose words: the school's of a student, or of a member. */
export type TagKind = 'student_tag' | 'member_label'

/** The words that the school put to a person, in the order of the alphabet. */
export const tagsOf =
  (kind: TagKind) =>
  (person: Persons): Expression<unknown> =>
    person
      .selectFrom('person_tag')
      .select((tag) => tag.fn.agg<string[]>('array_agg', ['person_tag.tag']).orderBy('person_tag.tag').as('tags'))
      .whereRef('person_tag.school_id', '=', 'person.school_id')
      .whereRef('person_tag.person_id', '=', 'person.id')
      .where('person_tag.kind', '=', kind)

/** People to whom one of these words was put. */
export const hasTag =
  (kind: TagKind) =>
  (person: Persons, words: readonly string[]): Expression<SqlBool> =>
    person.exists(
      person
        .selectFrom('person_tag')
        .select('person_tag.tag')
        .whereRef('person_tag.school_id', '=', 'person.school_id')
        .whereRef('person_tag.person_id', '=', 'person.id')
        .where('person_tag.kind', '=', kind)
        .where('person_tag.tag', 'in', [...words]),
    )

interface TaggedPerson {
  schoolId: string
  personId: string
  kind: TagKind
}

/** Makes these the only words of a kind that a person has. */
export async function setTags(writer: Writer, { schoolId, personId, kind }: TaggedPerson, words: readonly string[]): Promise<void> {
  await writer
    .deleteFrom('person_tag')
    .where('school_id', '=', schoolId)
    .where('person_id', '=', personId)
    .where('kind', '=', kind)
    .$if(words.length > 0, (query) => query.where('tag', 'not in', [...words]))
    .execute()
  await addTags(writer, { schoolId, personId, kind }, words)
}

/** Puts words to a person, beside those that are there. */
export async function addTags(writer: Writer, { schoolId, personId, kind }: TaggedPerson, words: readonly string[]): Promise<void> {
  if (words.length === 0) return
  await writer
    .insertInto('person_tag')
    .values([...new Set(words)].map((tag) => ({ school_id: schoolId, person_id: personId, kind, tag })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
