import type { Context } from 'koa'
import type Provider from 'oidc-provider'
import { Problem } from '../lib/problem.ts'
import { accountIdOf } from '../oidc/claims.ts'
import { imitatedName } from '../policy/imitatedName.ts'
import type { School } from '../policy/school.ts'
import { type Destination, destinationOf } from './destination.ts'
import type { LanguageState } from './language.ts'
import { pageProblem } from './pageProblem.ts'
import type { ClientOrigin, PagesArguments } from './pagesArguments.ts'
import { plainText } from './plainText.ts'

export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** An authorization request that waits for a person, as it was stored: nothing in it comes from the page's own request. */
export interface OpenInteraction {
  provider: Provider
  interaction: Interaction
  clientId: string
  /** As the client calls itself, made fit to be shown; empty where it says nothing. */
  clientName: string
  origin: ClientOrigin | undefined
  /** The protected name that the client's name looks like, where nobody vouches for the client. */
  imitated: string | undefined
  destination: Destination
  /** The account that this browser is signed in with. */
  accountId: string | undefined
  /** When it signed in, in seconds since 1970. */
  signedInAt: number | undefined
}

/**
 * Finds the interaction of this browser, which must be the one in the address.
 * @throws Problem invalid_client where the client has gone meanwhile; SessionNotFound, or a Problem, where there is none
 */
export async function openInteraction(ctx: Context, args: PagesArguments): Promise<OpenInteraction> {
  const { school } = ctx.state as { school: School }
  const provider = await args.provider(ctx)
  const interaction = await provider.interactionDetails(ctx.req, ctx.res)
  if (interaction.uid !== ctx.params.uid) {
    throw pageProblem('interaction_expired', 'invalid_request', 'This sign-in has ended, or it was started in another browser.')
  }
  await takeLanguage(ctx, interaction)
  const clientId = String(interaction.params.client_id)
  const client = await provider.Client.find(clientId)
  if (!client) throw new Problem('invalid_client', { description: 'The registration of this client is unknown or has expired.' })
  const origin = await args.clients.describe(school.id, clientId)
  const subject = interaction.session?.accountId
  const session = subject === undefined ? undefined : await provider.Session.get(ctx)
  return {
    provider,
    interaction,
    clientId,
    clientName: plainText(client.clientName, 60),
    origin,
    imitated: origin?.registeredVia === 'integration' ? undefined : imitatedName(client.clientName, await args.protectedNames(school)),
    destination: destinationOf(interaction.params.redirect_uri),
    accountId: subject === undefined ? undefined : accountIdOf(subject),
    signedInAt: session?.accountId === subject ? session?.loginTs : undefined,
  }
}

/** What the person chooses takes the place of what the app asked for, for the pages that follow too: they have the same parameters. */
async function takeLanguage(ctx: Context, interaction: Interaction): Promise<void> {
  const { chosenLanguage } = ctx.state as LanguageState
  if (chosenLanguage !== undefined && interaction.params.ui_locales !== undefined) {
    interaction.params.ui_locales = chosenLanguage
    await interaction.persist()
  }
  Object.assign(ctx.state, { uiLocales: interaction.params.ui_locales } satisfies LanguageState)
}

/** Whether consent was given or refused already, and the browser has not gone on yet. */
export const isAnswered = ({ interaction: { result } }: OpenInteraction): boolean =>
  result?.consent !== undefined || result?.error !== undefined

/** Hands the person's answer to the engine, and the browser back to it. */
export async function finishInteraction(
  ctx: Context,
  { provider }: OpenInteraction,
  result: Parameters<Provider['interactionResult']>[2],
  { merge }: { merge: boolean },
): Promise<void> {
  goOn(ctx, await provider.interactionResult(ctx.req, ctx.res, result, { mergeWithLastSubmission: merge }))
}

/** Sends the browser on with the answer that stands: the first one counts. */
export async function resumeInteraction(ctx: Context, { interaction }: OpenInteraction): Promise<void> {
  goOn(ctx, interaction.returnTo)
}

function goOn(ctx: Context, address: string): void {
  const returnTo = new URL(address)
  ctx.status = 303
  ctx.set('Cache-Control', 'no-store')
  // The path alone: the browser stays at the host that its cookies belong to.
  ctx.redirect(returnTo.pathname + returnTo.search)
}
