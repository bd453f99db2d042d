import { accountPaths } from '../../policy/accountPaths.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { Sql } from '../../store/sql.ts'
import { addressOf } from '../accounts/mailedLinks.ts'

interface Context {
  sql: Sql
  school: School
  externalServices: ExternalServices
  enqueue(name: string, work: () => Promise<void>): void
}

/** Writes to a person that the school has enrolled them, once that stands. Who has no login yet is told where to make one. */
export async function sendEnrollmentMail({ sql, school, externalServices, enqueue }: Context, personId: string): Promise<void> {
  const [person] = await sql.query<{ email: string; locale: string | null; account_id: string | null }>(
    'SELECT email, locale, account_id FROM person WHERE school_id = $1 AND id = $2',
    [school.id, personId],
  )
  if (!person) return
  const link = addressOf(school, person.account_id ? accountPaths.signIn : accountPaths.signUp)
  enqueue('enrolment', () => externalServices.send(school, { email: person.email, locales: [person.locale] }, 'enrolled', { link }))
}
