import { audienceOf } from '../../base/caller.ts'
import { fromPublicId } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import { deliverableEmail, normaliseEmail } from '../../base/text/emailAddress.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { WriteContext } from '../courses/courseWriting.ts'
import { findOrCreatePerson } from '../students/findOrCreatePerson.ts'

/** A student, by one of three keys. Without a key it is the caller. */
export interface StudentReference {
  student_id?: string | undefined
  student_email?: string | undefined
  student_external_id?: string | undefined
}

const keys = ['student_id', 'student_email', 'student_external_id'] as const

/**
 * Returns the id of the person to enrol. Errors are added to `fieldErrors`; only callers with that permission can name somebody else.
 * @throws Problem access_denied if the caller is not an active student of the school
 */
export async function findStudent(
  { writer, school, caller, now }: WriteContext,
  student: StudentReference,
  { isFor, createMissing, fieldErrors }: { isFor: 'others' | 'oneself' | 'anybody'; createMissing: boolean; fieldErrors: ProblemDetail[] },
): Promise<string | undefined> {
  const [key, second] = keys.filter((one) => student[one] !== undefined)
  if (second !== undefined) {
    fieldErrors.push(fieldError(second, 'not_allowed', `cannot be combined with ${String(key)}. Send one of them.`))
  }
  if (isFor === 'oneself' || (key === undefined && audienceOf(caller) === 'learner'))
    return await findCaller({ writer, school, caller }, student, fieldErrors)
  if (key === undefined) {
    fieldErrors.push(fieldError('student_id', 'required', 'is required, or student_email. Send one of them.'))
    return undefined
  }
  const found = await findPerson(writer, student)
  if (found !== undefined) return found
  const email = student.student_email === undefined ? undefined : deliverableEmail(student.student_email)
  if (createMissing && email !== undefined) {
    const created = await findOrCreatePerson(writer, { email, facet: 'student', now })
    return created.personId
  }
  fieldErrors.push(fieldError(key, 'invalid_reference', 'the school has no such student'))
  return undefined
}

async function findCaller(
  { writer, caller }: Omit<WriteContext, 'now'>,
  student: StudentReference,
  fieldErrors: ProblemDetail[],
): Promise<string> {
  const me = await writer
    .selectFrom('person')
    .select(['id', 'email', 'student_status'])
    .where('id', '=', caller.personId)
    .executeTakeFirst()
  if (!me) throw new Problem('access_denied', { description: 'You are not a student of this school.' })
  if (me.student_status === 'suspended') throw new Problem('access_denied', { description: 'The school has suspended you.' })
  const isMe = {
    student_id: () => fromPublicId('std', student.student_id ?? '') === me.id,
    student_email: () => deliverableEmail(student.student_email ?? '') === me.email,
    student_external_id: () => false,
  }
  for (const key of keys) {
    if (student[key] !== undefined && !isMe[key]()) fieldErrors.push(fieldError(key, 'not_allowed', 'you can only enrol yourself'))
  }
  return me.id
}

async function findPerson(writer: SchoolWriter, student: StudentReference): Promise<string | undefined> {
  const { student_id, student_email, student_external_id } = student
  const id = student_id === undefined ? undefined : fromPublicId('std', student_id)
  const email = student_email === undefined ? undefined : normaliseEmail(student_email)
  if (id === undefined && email === undefined && student_external_id === undefined) return undefined
  const row = await writer
    .selectFrom('person')
    .select('id')
    .where('erased_at', 'is', null)
    .$if(id !== undefined, (query) => query.where('id', '=', String(id)))
    .$if(email !== undefined, (query) => query.where('email', '=', String(email)))
    .$if(student_external_id !== undefined, (query) => query.where('external_id', '=', String(student_external_id)))
    .executeTakeFirst()
  return row?.id
}
