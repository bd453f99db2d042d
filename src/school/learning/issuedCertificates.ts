import { randomInt } from 'node:crypto'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import { newIdAt } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import type { SchoolReader, Stored } from '../../database/connection/database.ts'
import type { Builder } from '../../database/statements/expressions.ts'
import { unnest } from '../../database/statements/unnest.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import type { ChangeContext } from '../changeContext.ts'

/** Digits and capital letters, without the letters that look like digits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const numberForm = /^[0-9A-HJKMNP-TV-Z]{16}$/

/** Returns a new number of sixteen characters: 80 random bits, so that it cannot be guessed. */
const certificateNumber = (): string => Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]).join('')

/**
 * Returns the number that somebody wrote: in any case, with spaces or hyphens, and with the letters I, L and O for the digits that they look
 * like, as Crockford's base 32 reads them. Undefined if no certificate can have it.
 */
export function readCertificateNumber(written: string): string | undefined {
  const number = comparisonForm(written).replaceAll(/[ -]/g, '').toUpperCase().replaceAll(/[IL]/g, '1').replaceAll('O', '0')
  return numberForm.test(number) ? number : undefined
}

export const groupedNumber = (number: string): string => (number.match(/.{1,4}/g) ?? []).join('-')

type Completed = Stored<'certificate', 'id' | 'version'>

/**
 * Issues the certificates of enrolments that are being completed, in the transaction that completes them. The enrolments are locked. Another
 * time of issue is that of another system.
 */
export async function issueCertificates(
  context: ChangeContext,
  completed: readonly Completed[],
  issuedAt: Date = context.now,
): Promise<void> {
  const issued = new Set(
    await insertCertificates(
      { ...context, now: issuedAt },
      completed.map(({ id }) => id),
    ),
  )
  const changed = completed.filter(({ id }) => issued.has(id))
  await recordChanges(context.writer, { type: 'enrollment', action: 'certificate_issued' }, changed)
}

/**
 * Issues the certificate of a completed enrolment or, with `isCorrected`, issues the one of this completion again under its number, with the
 * current name of the student and the current title of the course. The enrolment is locked.
 * @returns true if the certificate is new or was changed
 * @throws Problem invalid_state
 */
export async function issueOnRequest(
  context: ChangeContext,
  { id, completed_at }: { id: string; completed_at: Date | null },
  { isCorrected }: { isCorrected: boolean },
): Promise<boolean> {
  const { writer, now } = context
  if (completed_at === null)
    throw new Problem('invalid_state', { description: 'The course is not completed. A certificate can be issued after completion.' })
  const current = await writer
    .selectFrom('certificate')
    .innerJoin('person', 'person.id', 'certificate.person_id')
    .innerJoin('course', 'course.id', 'certificate.course_id')
    .select(['certificate.id', 'certificate.revoked_at', 'certificate.holder_name', 'certificate.course_title'])
    .select(['person.name', 'person.erased_at', 'course.title'])
    .where('certificate.enrollment_id', '=', id)
    .where('certificate.completed_at', '=', completed_at)
    .executeTakeFirst()
  if (current === undefined) {
    const issued = await insertCertificates(context, [id])
    if (issued.length > 0) return true
    throw new Problem('invalid_state', { description: 'The course does not issue certificates, or the student was erased.' })
  }
  if (current.revoked_at !== null) throw new Problem('invalid_state', { description: 'The certificate of this completion was revoked.' })
  if (!isCorrected || (current.holder_name === current.name && current.course_title === current.title)) return false
  if (current.erased_at !== null) throw new Problem('invalid_state', { description: 'The student was erased.' })
  const changed = await writer
    .updateTable('certificate')
    .set((row) => ({ version: row('version', '+', 1), updated_at: now, corrected_at: now }))
    .set({ holder_name: current.name, course_title: current.title })
    .where('id', '=', current.id)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'certificate', action: 'updated' }, changed)
  return true
}

/**
 * Inserts a certificate for the completion of each of these enrolments that has none, if the course has certificates. It states the current name
 * of the person and the current title of the course. An enrolment that is not completed yet is completed now.
 * @returns the ids of the enrolments that got one
 */
async function insertCertificates({ writer, now }: ChangeContext, enrollmentIds: readonly string[]): Promise<string[]> {
  if (enrollmentIds.length === 0) return []
  const numbered = unnest('new', {
    id: { type: 'uuid', values: enrollmentIds.map(() => newIdAt(now)) },
    number: { type: 'text', values: enrollmentIds.map(() => certificateNumber()) },
    enrollment_id: { type: 'uuid', values: enrollmentIds },
  })
  const time = (row: Builder<'enrollment'>) => row.cast<Date>(row.val(now), 'timestamptz')
  const issued = await writer
    .insertInto('certificate')
    .columns([
      ...(['id', 'number', 'enrollment_id', 'course_id', 'person_id'] as const),
      ...(['completed_at', 'holder_name', 'course_title', 'issued_at', 'created_at', 'updated_at'] as const),
    ])
    .expression((query) =>
      query
        .selectFrom('enrollment')
        .innerJoin(numbered, 'new.enrollment_id', 'enrollment.id')
        .innerJoin('course', 'course.id', 'enrollment.course_id')
        .innerJoin('person', 'person.id', 'enrollment.person_id')
        .select(['new.id', 'new.number', 'new.enrollment_id', 'enrollment.course_id', 'enrollment.person_id'])
        .select((row) => row.fn.coalesce('enrollment.completed_at', time(row)).as('completed_at'))
        .select(['person.name', 'course.title'])
        .select((row) => [time(row).as('issued_at'), time(row).as('created_at'), time(row).as('updated_at')])
        .where('course.certificate_enabled', '=', true)
        .where('person.erased_at', 'is', null),
    )
    .onConflict((one) => one.columns(['enrollment_id', 'completed_at']).doNothing())
    .returning(['id', 'enrollment_id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'certificate', action: 'created' }, issued)
  return issued.map(({ enrollment_id }) => enrollment_id)
}

export interface NewestCertificate extends Stored<'certificate', 'number' | 'holder_name' | 'course_title'> {
  issued_at: string
  corrected_at: string | null
}

/** Selects the newest certificate of an enrolment that is valid. */
export const newestCertificate = (enrollment: Builder<'enrollment'>) =>
  jsonObjectFrom(
    enrollment
      .selectFrom('certificate')
      .select(['number', 'issued_at', 'holder_name', 'course_title', 'corrected_at'])
      .whereRef('certificate.enrollment_id', '=', 'enrollment.id')
      .where('certificate.revoked_at', 'is', null)
      .orderBy('certificate.completed_at', 'desc')
      .limit(1),
  )

export const validity = (certificate: Builder<'certificate'>) =>
  certificate.case().when('certificate.revoked_at', 'is', null).then('valid').else('revoked').end()

/**
 * Returns what anybody with the number may read of a certificate. The name of an erased person is null. Lecturers and length are those that the
 * course has now.
 */
export async function findCertificate(reader: SchoolReader, number: string) {
  const row = await reader
    .selectFrom('certificate')
    .innerJoin('course', 'course.id', 'certificate.course_id')
    .select(['number', 'holder_name', 'course_title', 'issued_at', 'corrected_at', 'revoked_at', 'course.certificate_template as template'])
    .select('course.published_duration_minutes as duration_minutes')
    .select((certificate) =>
      jsonArrayFrom(
        certificate
          .selectFrom('course_lecturer')
          .innerJoin('lecturer', 'lecturer.id', 'course_lecturer.lecturer_id')
          .select('lecturer.display_name')
          .whereRef('course_lecturer.course_id', '=', 'certificate.course_id')
          .where('lecturer.status', '=', 'active')
          .orderBy('course_lecturer.position'),
      ).as('lecturers'),
    )
    .where('certificate.number', '=', number)
    .executeTakeFirst()
  return row && { ...row, valid: row.revoked_at === null }
}
