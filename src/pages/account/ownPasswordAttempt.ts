import { checkPassword } from '../../identity/accounts/passwordCheck.ts'
import type { OwnRequest } from './ownPage.ts'

export type PasswordAttempt = { outcome: 'right' } | { outcome: 'wrong' } | { outcome: 'limited'; retryAfterSeconds: number }

/** Checks the password of a person who is signed in. Wrong ones count under the limits of sign-ins. */
export async function ownPasswordAttempt(
  { ctx, services, school, accountId, person, reader, audit }: OwnRequest,
  password: string,
): Promise<PasswordAttempt> {
  const { email } = person.who
  const browser = await services.knownBrowsers.find(ctx, email)
  const about = { schoolId: school.id, email, address: ctx.state.address, browser }
  const attempt = await services.limits.signIn.attempt(about, async (turn) =>
    (await checkPassword(reader, accountId, password, turn)) ? true : undefined,
  )
  if (attempt.outcome === 'limited') return attempt
  if (attempt.outcome === 'passed') return { outcome: 'right' }
  await audit('confirmation.failed')
  return { outcome: 'wrong' }
}
