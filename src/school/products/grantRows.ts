import type { Expression } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import { uuidOf } from '../../base/ids.ts'
import { fieldProblem, Problem } from '../../base/problem.ts'
import type { Builder } from '../../database/statements/expressions.ts'
import type { ChangeAction } from '../../database/tables/changeActions.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import type { ChangeContext } from '../changeContext.ts'
import { grantProduct } from './grantProduct.ts'

type Grants = Builder<'product_grant'>

/** Selects the owner of the product with both facets, as staff see them. */
export const ownerOf = (grant: Grants): Expression<unknown> =>
  jsonObjectFrom(
    grant
      .selectFrom('person')
      .select((person) => [
        'person.name',
        person.case().when('person.is_student', '=', true).then(person.ref('person.id')).end().as('student_id'),
        person.case().when('person.is_member', '=', true).then(person.ref('person.id')).end().as('member_id'),
      ])
      .whereRef('person.id', '=', 'product_grant.person_id'),
  )

interface GrantInput {
  student_id?: string | undefined
  member_id?: string | undefined
  note?: string | null | undefined
}

/**
 * Grants a product to a person. An existing grant is kept.
 * @returns the id of the grant, and what was done
 * @throws Problem validation_failed, invalid_reference
 */
export async function giveProduct(
  { writer, now }: ChangeContext,
  productId: string,
  input: GrantInput,
): Promise<{ id: string; action: ChangeAction | undefined }> {
  const { student_id, member_id, note } = input
  const publicId = student_id ?? member_id
  if (publicId === undefined || (student_id !== undefined && member_id !== undefined)) {
    throw fieldProblem('validation_failed', 'student_id', 'required', 'send either student_id or member_id, not both')
  }
  const [field, prefix] = student_id === undefined ? (['member_id', 'mbr'] as const) : (['student_id', 'std'] as const)
  const personId = uuidOf(prefix, publicId)
  const person = await writer
    .selectFrom('person')
    .select('id')
    .where('id', '=', personId)
    .where(prefix === 'std' ? 'is_student' : 'is_member', '=', true)
    .where('erased_at', 'is', null)
    .executeTakeFirst()
  if (!person) throw fieldProblem('invalid_reference', field, 'invalid_reference', 'the school has no such person')
  const { grantId, outcome } = await grantProduct(writer, {
    now,
    personId,
    productId,
    source: 'manual',
    note,
    isRecorded: true,
  })
  return { id: grantId, action: actions[outcome] }
}

const actions = { created: 'created', reactivated: 'updated', unchanged: undefined } as const

/**
 * Revokes the grant of a product.
 * @returns whether it was active
 * @throws Problem not_found
 */
export async function revokeGrant({ writer, now }: ChangeContext, productId: string, grantId: string): Promise<boolean> {
  const grant = await writer
    .selectFrom('product_grant')
    .select('revoked_at')
    .where('product_id', '=', productId)
    .where('id', '=', grantId)
    .forUpdate()
    .executeTakeFirst()
  if (!grant) throw new Problem('not_found', { description: 'The product has no such grant.' })
  if (grant.revoked_at) return false
  const { version } = await writer
    .updateTable('product_grant')
    .set((row) => ({ revoked_at: now, updated_at: now, version: row('version', '+', 1) }))
    .where('id', '=', grantId)
    .returning('version')
    .executeTakeFirstOrThrow()
  await recordChange(writer, { type: 'product_grant', resource_id: grantId, action: 'revoked', version })
  return true
}
