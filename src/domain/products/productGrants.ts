import type { Expression, ExpressionBuilder } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { fromPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { CourseContext } from '../courses/courseWriting.ts'
import { grantProduct } from './grantProduct.ts'

type Grants = ExpressionBuilder<DB, 'product_grant'>

/** Who owns it, as staff see them: both facets of the person. */
export const ownerOf = (grant: Grants): Expression<unknown> =>
  grant
    .selectFrom((inner) =>
      inner
        .selectFrom('person')
        .select((person) => [
          'person.name',
          person.case().when('person.is_student', '=', true).then(person.ref('person.id')).end().as('student_id'),
          person.case().when('person.is_member', '=', true).then(person.ref('person.id')).end().as('member_id'),
        ])
        .whereRef('person.school_id', '=', 'product_grant.school_id')
        .whereRef('person.id', '=', 'product_grant.person_id')
        .as('owner'),
    )
    .select((owner) => owner.fn.toJson('owner').as('person'))

/** A gift as it is sent: to a student or a member. */
interface Gift {
  student_id?: string | undefined
  member_id?: string | undefined
  note?: string | null | undefined
}

/**
 * Gives a product to a person. Who owns it already keeps what they have.
 * @returns the id of the grant
 * @throws Problem validation_failed, invalid_reference
 */
export async function giveProduct({ writer, sql, school, now }: CourseContext, productId: string, gift: Gift): Promise<string> {
  const { student_id, member_id, note } = gift
  if ((student_id === undefined) === (member_id === undefined)) {
    throw new Problem('validation_failed', { details: [fault('student_id', 'required', 'name a student or a member, and not both')] })
  }
  const [field, prefix] = student_id === undefined ? (['member_id', 'mbr'] as const) : (['student_id', 'std'] as const)
  const personId = fromPublicId(prefix, (student_id ?? member_id) as string) as string
  const person = await writer
    .selectFrom('person')
    .select('id')
    .where('school_id', '=', school.id)
    .where('id', '=', personId)
    .where(prefix === 'std' ? 'is_student' : 'is_member', '=', true)
    .where('erased_at', 'is', null)
    .executeTakeFirst()
  if (!person)
    throw new Problem('invalid_reference', { details: [fault(field, 'invalid_reference', 'there is no such person in this school')] })
  const { grantId } = await grantProduct(sql, { schoolId: school.id, now, personId, productId, source: 'manual', note, isNoted: true })
  return grantId
}

/**
 * Takes a product away again.
 * @returns whether it was there to take
 * @throws Problem not_found
 */
export async function revokeGrant({ writer, sql, school, now }: CourseContext, productId: string, grantId: string): Promise<boolean> {
  const grant = await writer
    .selectFrom('product_grant')
    .select('revoked_at')
    .where('school_id', '=', school.id)
    .where('product_id', '=', productId)
    .where('id', '=', grantId)
    .forUpdate()
    .executeTakeFirst()
  if (!grant) throw new Problem('not_found', { description: 'The product has no such grant.' })
  if (grant.revoked_at) return false
  const { version } = await writer
    .updateTable('product_grant')
    .set((row) => ({ revoked_at: now, updated_at: now, version: row('version', '+', 1) }))
    .where('school_id', '=', school.id)
    .where('id', '=', grantId)
    .returning('version')
    .executeTakeFirstOrThrow()
  await recordChange(sql, { school_id: school.id, type: 'product_grant', resource_id: grantId, action: 'revoked', version })
  return true
}

const fault = (field: string, code: string, message: string): ProblemDetail => ({ field, code, message: `${field}: ${message}` })
