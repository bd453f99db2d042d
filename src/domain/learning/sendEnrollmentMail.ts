import { accountPaths } from '../../policy/accountPaths.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { Reader } from '../../store/database.ts'
import { pageUrl } from '../accounts/createMailedLink.ts'

interface Context {
  writer: Reader
  school: School
  externalServices: ExternalServices
}

/** Sends an e-mail to a person whom the school has enrolled. Without a login the link leads to the sign-up page. */
export async function sendEnrollmentMail({ writer, school, externalServices }: Context, personId: string): Promise<void> {
  const person = await writer
    .selectFrom('person')
    .select(['email', 'locale', 'account_id'])
    .where('school_id', '=', school.id)
    .where('id', '=', personId)
    .executeTakeFirst()
  if (!person) return
  const link = pageUrl(school, person.account_id ? accountPaths.signIn : accountPaths.signUp)
  await externalServices.send(writer, school, { email: person.email, locales: [person.locale] }, 'enrolled', { link })
}
