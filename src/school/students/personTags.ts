import { comparisonForm } from '../../base/text/comparisonForm.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'

export type TagKind = 'student_tag' | 'member_label'

export const tagsOf = (kind: TagKind) => (person: Builder<'person'>) =>
  person
    .selectFrom('person_tag')
    .select((tag) => tag.fn.agg<string[]>('array_agg', ['person_tag.tag']).orderBy('person_tag.tag').as('tags'))
    .whereRef('person_tag.person_id', '=', 'person.id')
    .where('person_tag.kind', '=', kind)

export const hasTag =
  (kind: TagKind) =>
  (person: Builder<'person'>, tags: readonly string[]): Condition =>
    person.exists(
      person
        .selectFrom('person_tag')
        .whereRef('person_tag.person_id', '=', 'person.id')
        .where('person_tag.kind', '=', kind)
        .where('person_tag.form', 'in', tags.map(comparisonForm)),
    )

interface TaggedPerson {
  personId: string
  kind: TagKind
}

export async function setTags(writer: SchoolWriter, { personId, kind }: TaggedPerson, tags: readonly string[]): Promise<void> {
  await writer
    .deleteFrom('person_tag')
    .where('person_id', '=', personId)
    .where('kind', '=', kind)
    .$if(tags.length > 0, (query) => query.where('form', 'not in', tags.map(comparisonForm)))
    .execute()
  await addTags(writer, { personId, kind }, tags)
}

/** Adds tags to a person whose row is locked. A trigger skips those that the person has, in any spelling. */
export async function addTags(writer: SchoolWriter, { personId, kind }: TaggedPerson, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return
  await writer
    .insertInto('person_tag')
    .values(tags.map((tag) => ({ school_id: writer.schoolId, person_id: personId, kind, tag })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
