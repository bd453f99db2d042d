import type { Context } from 'koa'
import type Provider from 'oidc-provider'
import { Problem } from '../base/problem.ts'
import type { School } from '../base/school.ts'
import { originOf } from '../identity/clients/clientOrigin.ts'
import { claimedRole, imitatedName } from '../identity/clients/imitatedName.ts'
import { accountIdOf } from '../identity/oidc/claims.ts'
import { disabledClientText, isDisabledClient } from '../identity/oidc/disabledClients.ts'
import { decisionOf } from '../identity/oidc/endedInteractions.ts'
import { destinationOf } from './destination.ts'
import type { Interaction, LaterSignIn, OpenInteraction } from './interaction.ts'
import { knownClient } from './knownRows.ts'
import type { LanguageState } from './language.ts'
import { pageProblem } from './pageProblem.ts'
import type { PageServices } from './pagesArguments.ts'
import { plainText } from './plainText.ts'

/**
 * Finds the interaction of this browser, which must be the one in the URL.
 * @throws Problem invalid_client if the client has been removed or disabled since; SessionNotFound or a Problem if the interaction does not exist
 */
export async function openInteraction(ctx: Context, services: PageServices): Promise<OpenInteraction> {
  const { school } = ctx.state
  const provider = await services.provider(ctx)
  // Read first: the engine compares it with the session of the interaction.
  const session = await provider.Session.get(ctx)
  const interaction = await provider.interactionDetails(ctx.req, ctx.res)
  if (interaction.uid !== ctx.params.uid) {
    throw pageProblem('interaction_expired', 'invalid_request', 'This sign-in has ended, or it was started in another browser.')
  }
  await takeLanguage(ctx, interaction)
  const clientId = String(interaction.params.client_id)
  ctx.state.clientId = clientId
  const client = await provider.Client.find(clientId)
  if (!client) throw await lostClient(services, school, clientId)
  const known = await knownClient(services, school.id, clientId)
  const origin = known && { ...originOf(clientId, known.registered_via), createdAt: known.created_at }
  const isVerified = origin?.registeredVia === 'integration'
  const subject = interaction.session?.accountId
  return {
    provider,
    interaction,
    clientId,
    clientName: plainText(client.clientName, 60),
    origin,
    imitated: async () => (isVerified ? undefined : imitatedName(client.clientName, await services.protectedNames(school))),
    claimedRole: isVerified ? undefined : claimedRole(client.clientName),
    destination: destinationOf(interaction.params.redirect_uri),
    accountId: subject === undefined ? undefined : accountIdOf(subject),
    signedInAt: subject !== undefined && session.accountId === subject ? session.loginTs : undefined,
    signIn: subject === undefined ? undefined : signInOf(session, subject),
    laterSignIn: laterSignIn(session, interaction),
  }
}

async function lostClient({ databaseOf }: PageServices, { id, issuer }: School, clientId: string): Promise<Problem> {
  if (await isDisabledClient(databaseOf(id).kysely, id, clientId))
    return pageProblem('disabled_app', 'invalid_client', disabledClientText(issuer))
  return new Problem('invalid_client', { description: 'The registration of this client is unknown or has expired.' })
}

/** Reasons for which the engine asks for a sign-in that any later sign-in satisfies. */
const satisfied: ReadonlySet<string> = new Set(['no_session', 'login_prompt', 'max_age', 'max_age_zero'])

/** Times are whole seconds: if somebody was signed in already, a sign-in of the same second may be the earlier one. */
const isLater = (signedInAt: number, { prompt, iat }: Interaction): boolean =>
  prompt.reasons.includes('no_session') ? signedInAt >= iat : signedInAt > iat

function laterSignIn(session: InstanceType<Provider['Session']>, interaction: Interaction): LaterSignIn | undefined {
  const { prompt } = interaction
  if (session.loginTs === undefined || !isLater(session.loginTs, interaction)) return undefined
  if (prompt.name !== 'login' || !prompt.reasons.every((reason) => satisfied.has(reason))) return undefined
  return signInOf(session, session.accountId)
}

/** Returns the sign-in of a session; undefined if it belongs to another account than `subject`. */
function signInOf(
  { accountId, loginTs, amr, acr, transient }: InstanceType<Provider['Session']>,
  subject: string | undefined,
): LaterSignIn | undefined {
  if (accountId === undefined || accountId !== subject || loginTs === undefined) return undefined
  return { accountId, ts: loginTs, amr: amr ?? [], ...(acr !== undefined && { acr }), remember: transient !== true }
}

/** Replaces `ui_locales` with the language that the person chose. The following pages of the authorization use the same parameters. */
async function takeLanguage(ctx: Context, interaction: Interaction): Promise<void> {
  const { chosenLanguage } = ctx.state
  if (chosenLanguage !== undefined && interaction.params.ui_locales !== undefined) {
    interaction.params.ui_locales = chosenLanguage
    await interaction.persist()
  }
  Object.assign(ctx.state, { uiLocales: interaction.params.ui_locales } satisfies LanguageState)
}

/** Returns true if consent was given or refused already and the browser has not continued yet. */
export const isAnswered = ({ interaction: { result } }: OpenInteraction): boolean =>
  result?.consent !== undefined || result?.error !== undefined

/** Returns true if this browser has sent the same form already, and has not continued or begun again since. */
export const isRepeated = (ctx: Context, { interaction: { result } }: OpenInteraction): boolean =>
  result?.decision === decisionOf(ctx) && result?.steps === undefined

export async function finishInteraction(
  ctx: Context,
  { provider }: OpenInteraction,
  result: Parameters<Provider['interactionResult']>[2],
  { merge }: { merge: boolean },
): Promise<void> {
  // The engine ignores the decision. It distinguishes a repeated form from another one.
  const decided = { ...result, decision: decisionOf(ctx) }
  goOn(ctx, await provider.interactionResult(ctx.req, ctx.res, decided, { mergeWithLastSubmission: merge }))
}

/** Redirects the browser with the stored result: the first one counts. */
export async function resumeInteraction(ctx: Context, { interaction }: OpenInteraction): Promise<void> {
  goOn(ctx, interaction.returnTo)
}

function goOn(ctx: Context, address: string): void {
  const returnTo = new URL(address)
  ctx.status = 303
  ctx.set('Cache-Control', 'no-store')
  // The path only: the cookies belong to the host that the browser uses.
  ctx.redirect(returnTo.pathname + returnTo.search)
}
