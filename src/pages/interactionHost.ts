import type { Context } from 'koa'
import type { SchoolDatabase } from '../database/connection/database.ts'
import { findSignedInAccount } from '../identity/accounts/signedInAccount.ts'
import { subjectOf } from '../identity/oidc/claims.ts'
import { interactionPath } from '../identity/oidc/endpoints.ts'
import { stepUpReasons } from '../identity/oidc/interactions.ts'
import { isSatisfied, requestedContexts } from '../identity/signIn/authenticationContext.ts'
import type { OpenInteraction } from './interaction.ts'
import { finishInteraction } from './openInteraction.ts'
import type { PagesArguments } from './pagesArguments.ts'
import { refuseAuthorization } from './refuseAuthorization.ts'
import type { SignInHost } from './steps/signInHost.ts'
import type { StepPrompt } from './steps/signInStep.ts'
import type { StepProgress } from './steps/stepProgress.ts'

/** Member of the interaction's result that contains the progress. The engine ignores it. */
interface StoredSteps {
  steps?: Partial<Record<StepPrompt, StepProgress>>
}

/** Runs steps on the pages of an authorization request. Their progress is stored in the interaction. */
export function interactionHost(ctx: Context, args: PagesArguments, open: OpenInteraction): SignInHost {
  const { interaction } = open
  const path = `${interactionPath}/${interaction.uid}`
  const storedSteps = () => (interaction.result as StoredSteps | undefined)?.steps
  return {
    ctx,
    open,
    path,
    actions: { login: `${path}/sign-in`, consent: `${path}/consent` },
    query: {},
    returnTo: path,
    isSwitch: interaction.prompt.name === 'consent',
    csrfSubject: interaction.uid,
    // Each of these forms may lead to the client's address.
    formTarget: open.destination.source,
    cancelPath: `${path}/refuse`,
    pageContext: () => args.pageContext(ctx, path),
    async loadProgress(prompt) {
      return storedSteps()?.[prompt] ?? (prompt === 'login' ? stepUpProgress(args.databaseOf(ctx.state.school.id), open) : undefined)
    },
    async saveProgress(prompt, progress) {
      interaction.result = { ...interaction.result, steps: { ...storedSteps(), [prompt]: progress } }
      await interaction.persist()
    },
    async finish(prompt, { account, amr, acr, remember, result }) {
      if (prompt === 'consent') return finishInteraction(ctx, open, result, { merge: true })
      if (!account) throw new Error('the steps of the sign-in identified no account')
      if (isUnmet(open, acr)) return endUnmet(ctx, open)
      const accountId = subjectOf(account.accountId)
      await endUnsuitableSession(ctx, open, { accountId, remember })
      // Not merged: an earlier result of this interaction may belong to another person.
      return finishInteraction(
        ctx,
        open,
        { ...result, login: { accountId, ts: account.signedInAt, amr, ...(acr !== undefined && { acr }), remember } },
        { merge: false },
      )
    },
    refuse: (description) => refuseAuthorization(ctx, args, open, description),
  }
}

/**
 * Ends the session of another account before this one signs in, so that the engine starts a new one. Otherwise the engine would send a
 * page that submits itself by a script, which the pages do not allow. Also ends a session that ends with the browser if the person wants
 * to stay signed in: the engine cannot change that of a session.
 */
async function endUnsuitableSession(
  ctx: Context,
  { provider, interaction }: OpenInteraction,
  { accountId, remember }: { accountId: string; remember: boolean },
): Promise<void> {
  const session = await provider.Session.get(ctx)
  const isSuitable = session.accountId === accountId && !(remember && session.transient)
  if (session.accountId === undefined || isSuitable) return
  await session.destroy()
  interaction.session = undefined
  await interaction.persist()
}

/** True if the person is signed in, and the app or the school only asks for a stronger sign-in. */
const isStepUp = ({ interaction: { prompt }, signIn }: OpenInteraction): boolean =>
  signIn !== undefined && prompt.name === 'login' && prompt.reasons.every((reason) => stepUpReasons.has(reason))

/**
 * Returns the progress with which a stronger sign-in begins: the session stands for the password, and the second factor follows. `auth_time`
 * stays that of the session. Undefined if the account has no second factor: setting one up needs the password.
 */
async function stepUpProgress(database: SchoolDatabase, open: OpenInteraction): Promise<StepProgress | undefined> {
  const { accountId, signIn } = open
  if (!signIn || accountId === undefined || !isStepUp(open)) return undefined
  const account = await findSignedInAccount(database, accountId)
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
function isUnmet({ interaction }: Pick<OpenInteraction, 'interaction'>, acr: string | undefined): boolean {
  const requested = requestedContexts(interaction.params)
  return requested.isEssential && !isSatisfied(acr, requested)
}

/**
 * Ends an authorization whose person cannot reach the demanded context (OpenID Connect Core section 5.5.1.1). Nobody is signed in.
 * It follows a form of the person: without one, an app could find out whether a person who never consented has a second factor.
 */
const endUnmet = (ctx: Context, open: OpenInteraction): Promise<void> =>
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
