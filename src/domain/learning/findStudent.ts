import { fromPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { audienceOf, type PersonCaller } from '../../policy/caller.ts'
import type { Sql } from '../../store/sql.ts'
import { mailAddress, normaliseEmail } from '../accounts/mailAddress.ts'
import { findOrCreatePerson } from '../students/findOrCreatePerson.ts'

/** One student, named in one of three ways. Who names none means themselves. */
export interface StudentReference {
  student_id?: string | undefined
  student_email?: string | undefined
  student_external_id?: string | undefined
}

interface Context {
  sql: Sql
  school: { id: string }
  caller: PersonCaller
  now: Date
}

const keys = ['student_id', 'student_email', 'student_external_id'] as const

/**
 * The person who is meant. Somebody else is meant only by who may: what is wrong is added to `fieldErrors`.
 * @throws Problem access_denied for who has no place among the students
 */
export async function findStudent(
  { sql, school, caller, now }: Context,
  asked: StudentReference,
  { isFor, createMissing, fieldErrors }: { isFor: 'others' | 'oneself' | 'anybody'; createMissing: boolean; fieldErrors: ProblemDetail[] },
): Promise<string | undefined> {
  const named = keys.filter((key) => asked[key] !== undefined)
  const [key, second] = named
  if (second !== undefined) fieldErrors.push(fault(second, 'not_allowed', `the student is named by ${String(key)} already`))
  if (isFor === 'oneself' || (key === undefined && audienceOf(caller) === 'learner'))
    return await oneself({ sql, school, caller }, asked, fieldErrors)
  if (key === undefined) {
    fieldErrors.push(fault('student_id', 'required', 'is required, or student_email. Send one of them.'))
    return undefined
  }
  const found = await findPerson(sql, school.id, asked)
  if (found !== undefined) return found
  const email = asked.student_email === undefined ? undefined : mailAddress(asked.student_email)
  if (createMissing && email !== undefined) {
    const made = await findOrCreatePerson(sql, { schoolId: school.id, email, facet: 'student', now })
    return made.personId
  }
  fieldErrors.push(fault(key, 'invalid_reference', 'the school has no such student'))
  return undefined
}

async function oneself(
  { sql, school, caller }: Omit<Context, 'now'>,
  asked: StudentReference,
  fieldErrors: ProblemDetail[],
): Promise<string | undefined> {
  const [me] = await sql.query<{ id: string; email: string; external_id: string | null; student_status: string }>(
    'SELECT id, email, external_id, student_status FROM person WHERE school_id = $1 AND id = $2',
    [school.id, caller.personId],
  )
  if (!me) throw new Problem('access_denied', { description: 'You are no student of this school.' })
  if (me.student_status === 'suspended') throw new Problem('access_denied', { description: 'The school has suspended you.' })
  const isMe = {
    student_id: () => fromPublicId('std', asked.student_id ?? '') === me.id,
    student_email: () => mailAddress(asked.student_email ?? '') === me.email,
    student_external_id: () => false,
  }
  for (const key of keys) {
    if (asked[key] !== undefined && !isMe[key]()) fieldErrors.push(fault(key, 'not_allowed', 'you can enrol yourself, and nobody else'))
  }
  return me.id
}

async function findPerson(sql: Sql, schoolId: string, asked: StudentReference): Promise<string | undefined> {
  const [row] = await sql.query<{ id: string }>(
    `SELECT id FROM person WHERE school_id = $1 AND erased_at IS NULL AND (id = $2::uuid OR email = $3::text OR external_id = $4::text)
        AND ($2::uuid IS NULL OR id = $2) AND ($3::text IS NULL OR email = $3) AND ($4::text IS NULL OR external_id = $4)`,
    [
      schoolId,
      asked.student_id === undefined ? null : (fromPublicId('std', asked.student_id) ?? null),
      asked.student_email === undefined ? null : (normaliseEmail(asked.student_email) ?? null),
      asked.student_external_id ?? null,
    ],
  )
  return row?.id
}

const fault = (field: string, code: string, message: string): ProblemDetail => ({ field, code, message: `${field}: ${message}` })
