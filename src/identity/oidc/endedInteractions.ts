import { setTimeout } from 'node:timers/promises'
import type { Context } from 'koa'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { browserOf } from '../../base/http/ownCookie.ts'
import { hash, keyFromToken, openWith, sealWith } from '../../base/keyring.ts'
import type { Artifact, ArtifactKey } from '../tokens/artifacts.ts'
import { engineContext } from './engineContext.ts'
import { postedIn } from './formPost.ts'
import { manualCodeIn } from './manualCodeUri.ts'
import { orUnavailable, type Stores } from './stores.ts'
import { artifactKey } from './tokenTags.ts'

/** Where an authorization request led, for the browser that completed it. */
export interface EndedInteraction {
  /** `continued`: to the next page of the service. */
  outcome: 'allowed' | 'refused' | 'continued' | 'failed'
  location: string
  /** Contains the fields that the browser posts there; undefined if it is redirected. */
  posted: Readonly<Record<string, unknown>> | undefined
  /** True if the person copies the code instead of being redirected. */
  isManual: boolean
  codeSeconds: number
  /** Identifies the decision that led there: see `decisionOf`. */
  decision: string | undefined
  /** The account that the browser was signed in with. */
  accountId: string | undefined
  /** Hash of the session cookie before the response; undefined if there was none. */
  session: string | undefined
  /** Id of the session after the response. */
  newSession: string | undefined
  /** The `Set-Cookie` headers of the response. */
  cookies: readonly string[]
  endedAt: number
}

/** A browser that repeats its decision within this time is redirected again. */
const repeatMs = 60_000
/** Afterwards the page says for so long what happened. */
const rememberedSeconds = 3600
/** A request that ends an interaction stores where it led shortly afterwards. */
const [endingMs, pauseMs] = [10_000, 100]
const purpose = 'ended interaction'

/** Fields of the forms that say what the person decided. Passwords and codes are not among them. */
const decidingFields = ['step', 'email', 'scope', 'elsewhere']

/** Returns a value that is the same for two requests with the same decision: the form, and what was chosen in it. */
export function decisionOf({ path, state: { form } }: Context): string {
  const fields = form instanceof URLSearchParams ? decidingFields.map((name) => form.getAll(name).toSorted()) : []
  return hash(JSON.stringify([path, fields]))
}

const keyOf = (schoolId: string, uid: string): ArtifactKey => artifactKey(schoolId, 'EndedInteraction', uid)

/**
 * Returns where the engine leads the browser from the address of the return, to be stored; undefined if it does not. Only this browser can
 * decrypt it: a copy of the store reveals no code.
 */
export function endOf(ctx: Context): Artifact | undefined {
  const oidc = engineContext(ctx)
  // The engine reports an error before it keeps the result.
  const result = (oidc?.result ?? oidc?.entities.Interaction?.result) as { decision?: string } | undefined
  const browser = browserOf(ctx)
  const posted = postedIn(ctx)
  const location = posted?.redirectUri ?? (ctx.status === 303 ? ctx.response.get('Location') : '')
  if (oidc?.route !== 'resume' || result === undefined || browser === undefined || location === '') return undefined
  const manualCode = manualCodeIn(ctx)
  const ended: EndedInteraction = {
    outcome: outcomeOf(posted?.response ?? Object.fromEntries(new URL(location, ctx.state.school.issuer).searchParams)),
    location,
    posted: posted?.response,
    isManual: manualCode !== undefined,
    codeSeconds: manualCode?.seconds ?? 0,
    decision: result.decision,
    accountId: oidc.session?.accountId,
    session: sessionOf(ctx, oidc),
    newSession: oidc.session?.jti,
    cookies: [ctx.res.getHeaders()['set-cookie'] ?? []].flat(),
    endedAt: Date.now(),
  }
  const payload = sealWith(keyFromToken(browser, purpose), JSON.stringify(ended))
  return { ...keyOf(ctx.state.school.id, uidIn(ctx)), payload, expiresInSeconds: rememberedSeconds }
}

/** Returns the id of the interaction in the address of the return. The engine's own may be that of the next page already. */
export const uidIn = ({ path }: Context): string => path.split('/').at(-1) ?? ''

const sessionOf = (ctx: Context, { provider }: KoaContextWithOIDC['oidc']): string | undefined => {
  const cookie = ctx.cookies.get(provider.cookieName('session'), { signed: false })
  return cookie && hash(cookie)
}

/**
 * Returns true if the browser is signed in with the account that ended the interaction. A browser that lost the response still has its cookies
 * of before: it gets those of the response, for a minute, unless the person has signed out since.
 */
export async function isSamePerson(ctx: Context, { accountId, session, newSession, cookies, endedAt }: EndedInteraction): Promise<boolean> {
  const oidc = engineContext(ctx)
  if (!oidc) return false
  if (oidc.session?.accountId === accountId) return true
  if (sessionOf(ctx, oidc) !== session || newSession === undefined || Date.now() - endedAt >= repeatMs) return false
  if ((await oidc.provider.Session.find(newSession))?.accountId !== accountId) return false
  ctx.set('Set-Cookie', [...cookies])
  return true
}

function outcomeOf({ code, error }: Readonly<Record<string, unknown>>): EndedInteraction['outcome'] {
  if (code !== undefined) return 'allowed'
  if (error === 'access_denied') return 'refused'
  return error === undefined ? 'continued' : 'failed'
}

/** Returns where an interaction led this browser; undefined if that is unknown. Waits for a request that is about to store it. */
export async function findEnd(ctx: Context, stores: Stores, uid: string): Promise<EndedInteraction | undefined> {
  const { school } = ctx.state
  const browser = browserOf(ctx)
  if (browser === undefined) return undefined
  for (;;) {
    const found = await orUnavailable(stores, stores.ephemeral.find(keyOf(school.id, uid)))
    if (found) {
      const text = openWith(keyFromToken(browser, purpose), found.payload)
      return text === undefined ? undefined : JSON.parse(text)
    }
    const interaction = await orUnavailable(stores, stores.ephemeral.find(artifactKey(school.id, 'Interaction', uid)))
    if (!interaction?.consumedAt || Date.now() - interaction.consumedAt.getTime() > endingMs) return undefined
    await setTimeout(pauseMs)
  }
}

/** True while a repeated request is redirected again. The next page of the service can always be shown. */
export const isRepeatable = ({ outcome, endedAt }: EndedInteraction): boolean => outcome === 'continued' || Date.now() - endedAt < repeatMs

/** The pages that say what happened. */
export type EndedPage = 'already_allowed' | 'already_refused'

/** Returns the page that says what happened, and its text for machines; undefined if there is nothing to say. */
export function endedPage({ outcome }: EndedInteraction): { kind: EndedPage; description: string } | undefined {
  if (outcome === 'allowed') return { kind: 'already_allowed', description: 'This app was allowed already.' }
  if (outcome === 'refused') return { kind: 'already_refused', description: 'This request was refused already.' }
  return undefined
}
