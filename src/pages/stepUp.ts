import type { Context } from 'koa'
import { findSignedInAccount } from '../domain/accounts/signedInAccount.ts'
import { stepUpReasons } from '../oidc/interactions.ts'
import { isSatisfied, requestedContexts } from '../policy/authenticationContext.ts'
import type { School } from '../policy/school.ts'
import type { Database } from '../store/database.ts'
import { finishInteraction, type OpenInteraction } from './openInteraction.ts'
import type { StepProgress } from './steps/stepProgress.ts'

/** True if the person is signed in, and the app or the school only asks for a stronger sign-in. */
const isStepUp = ({ interaction: { prompt }, signIn }: OpenInteraction): boolean =>
  signIn !== undefined && prompt.name === 'login' && prompt.reasons.every((reason) => stepUpReasons.has(reason))

/**
 * Returns the progress with which a stronger sign-in begins: the session stands for the password, and the second factor follows. `auth_time`
 * stays that of the session. Undefined if the account has no second factor: setting one up needs the password.
 */
export async function stepUpProgress(database: Database, school: School, open: OpenInteraction): Promise<StepProgress | undefined> {
  const { accountId, signIn } = open
  if (!signIn || accountId === undefined || !isStepUp(open)) return undefined
  const account = await findSignedInAccount(database, school.id, accountId)
  if (!account?.has_second_factor) return undefined
  return {
    account: { accountId, signedInAt: signIn.ts, email: account.email, secondFactor: 'pending' },
    completed: ['password'],
    amr: signIn.amr,
    remember: signIn.remember,
    states: {},
    result: {},
  }
}

/** True if the app demands an authentication context that a sign-in with `acr` does not satisfy. */
export function isUnmet({ interaction }: Pick<OpenInteraction, 'interaction'>, acr: string | undefined): boolean {
  const requested = requestedContexts(interaction.params)
  return requested.isEssential && !isSatisfied(acr, requested)
}

/**
 * Ends an authorization whose person cannot reach the demanded context (OpenID Connect Core section 5.5.1.1). Nobody is signed in.
 * It follows a form of the person: without one, an app could find out whether a person who never consented has a second factor.
 */
export const endUnmet = (ctx: Context, open: OpenInteraction): Promise<void> =>
  finishInteraction(
    ctx,
    open,
    {
      error: 'unmet_authentication_requirements',
      error_description:
        'The person cannot sign in as acr demands. Ask for a weaker context, or let the person set up a second factor on the account pages first',
    },
    { merge: false },
  )
