import { randomInt } from 'node:crypto'
import { recordChange } from '../../store/changeLog.ts'
import type { SchoolReader } from '../../store/database.ts'
import { unnest } from '../../store/unnest.ts'
import type { ChangeContext } from '../changeContext.ts'

/** Digits and capital letters, without the letters that look like digits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const numberForm = /^[0-9A-HJKMNP-TV-Z]{16}$/

/** Returns a new number of sixteen characters: 80 random bits, so that it cannot be guessed. */
export const certificateNumber = (): string => Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]).join('')

/**
 * Returns the number that somebody wrote: in any case, with spaces or hyphens, and with the letters I, L and O for the digits that they look
 * like, as Crockford's base 32 reads them. Undefined if no certificate can have it.
 */
export function readCertificateNumber(written: string): string | undefined {
  const number = written.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll(/[IL]/g, '1').replaceAll('O', '0')
  return numberForm.test(number) ? number : undefined
}

export const groupedNumber = (number: string): string => (number.match(/.{1,4}/g) ?? []).join('-')

export interface CertificateFacts {
  certificate_holder_name: string | null
  certificate_course_title: string
}

export interface IssuedCertificate extends CertificateFacts {
  certificate_number: string
  certificate_issued_at: Date
}

/**
 * Issues the certificates of enrolments that are being completed, in the transaction that completes them: of those that have none and whose
 * course has certificates. The certificate keeps the current name of the person and the current title of the course.
 * @param completed the locked enrolments, with the version that completes them
 * @returns the written columns, by the id of the enrolment
 */
export async function issueCertificates(
  { writer, school, now }: ChangeContext,
  completed: readonly { id: string; version: number }[],
): Promise<Map<string, IssuedCertificate>> {
  if (completed.length === 0) return new Map()
  const versions = new Map(completed.map(({ id, version }) => [id, version]))
  const issued = await writer
    .updateTable('enrollment')
    .from(
      unnest('new', {
        id: { type: 'uuid', values: [...versions.keys()] },
        number: { type: 'text', values: completed.map(() => certificateNumber()) },
      }),
    )
    .from('course')
    .from('person')
    .set(({ ref }) => ({
      certificate_number: ref('new.number'),
      certificate_issued_at: now,
      certificate_holder_name: ref('person.name'),
      certificate_course_title: ref('course.title'),
    }))
    .whereRef('enrollment.id', '=', 'new.id')
    .where('enrollment.certificate_number', 'is', null)
    .whereRef('course.id', '=', 'enrollment.course_id')
    .where('course.certificate_enabled', '=', true)
    .whereRef('person.id', '=', 'enrollment.person_id')
    .where('person.erased_at', 'is', null)
    .returning(['enrollment.id', 'new.number as certificate_number'])
    .returning(['person.name as certificate_holder_name', 'course.title as certificate_course_title'])
    .execute()
  for (const { id } of issued) {
    const version = versions.get(id) ?? 1
    await recordChange(writer, { school_id: school.id, type: 'enrollment', resource_id: id, action: 'certificate_issued', version })
  }
  return new Map(issued.map(({ id, ...columns }) => [id, { ...columns, certificate_issued_at: now }]))
}

/** Returns what a certificate of the enrolment would state now; undefined if the person was erased. */
export async function currentFacts(
  reader: SchoolReader,
  { enrollmentId }: { enrollmentId: string },
): Promise<(CertificateFacts & { certificate_enabled: boolean }) | undefined> {
  return await withHolder(reader)
    .select(['person.name as certificate_holder_name', 'course.title as certificate_course_title', 'course.certificate_enabled'])
    .where('enrollment.id', '=', enrollmentId)
    .where('person.erased_at', 'is', null)
    .executeTakeFirst()
}

/** Returns what anybody with the number may read of a certificate. The name of an erased person is null. */
export async function findCertificate(reader: SchoolReader, number: string) {
  const row = await withHolder(reader)
    .select(['enrollment.certificate_holder_name', 'enrollment.certificate_course_title', 'enrollment.completed_at'])
    .select(['enrollment.certificate_issued_at as issued_at', 'enrollment.certificate_corrected_at as corrected_at'])
    .select(['person.name', 'person.erased_at', 'course.title', 'course.certificate_template as template'])
    .where('enrollment.certificate_number', '=', number)
    .executeTakeFirst()
  if (!row) return undefined
  const { certificate_holder_name, certificate_course_title, completed_at, name, erased_at, title, ...dates } = row
  return {
    number,
    ...dates,
    // A process of an earlier release issues certificates without these columns, until the last one has stopped.
    course_title: certificate_course_title ?? title,
    holder_name: erased_at === null ? (certificate_holder_name ?? name) : null,
    valid: completed_at !== null,
  }
}

const withHolder = (reader: SchoolReader) =>
  reader
    .selectFrom('enrollment')
    .innerJoin('course', 'course.id', 'enrollment.course_id')
    .innerJoin('person', 'person.id', 'enrollment.person_id')
