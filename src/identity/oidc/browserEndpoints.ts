import { isDeepStrictEqual } from 'node:util'
import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { isForeignForm } from '../../base/http/foreignForm.ts'
import { Problem } from '../../base/problem.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { clientFact } from '../../database/facts/fact.ts'
import { storableText } from '../../database/statements/storableText.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import { findAnyClient, saveClient } from '../../database/tables/clients.ts'
import { type DocumentRules, looksLikeDocumentUrl, readClientDocument, untrustedDocumentReason } from '../clients/clientDocument.ts'
import type { ClientDocuments } from './clientDocuments.ts'
import { endedPage, endOf, findEnd, isRepeatable, isSamePerson, uidIn } from './endedInteractions.ts'
import { dispatch, type Handler, limit, runEngine, type ServiceArguments, showProblemsOf } from './endpointHandler.ts'
import { endpoints, interactionPath } from './endpoints.ts'
import { engineContext } from './engineContext.ts'
import { inExchange, newExchange } from './engineTransaction.ts'
import { rewriteFormPost } from './formPost.ts'
import { removeWrongHint, trustedSignOut } from './idTokenHints.ts'
import { takeManualCodeUri } from './manualCodeUri.ts'
import { namedClient } from './namedClient.ts'
import { canonicalise } from './readEngineForm.ts'
import { rewritePrompts } from './requestedPrompts.ts'
import { orUnavailable, type Stores } from './stores.ts'

/** A waiting request stores every parameter. 6,000 characters are enough for all scopes, a long state, a hint and a redirect URI. */
const maxQueryCharacters = 6000

/**
 * The authorization endpoint (RFC 6749 section 3.1), with `resource` and `scope` in canonical spelling. Anybody can send a request, and it
 * is stored until somebody signs in, so it is limited by address and in size before the engine sees it.
 */
export const authorize: Handler = async (ctx, args) => {
  ctx.state.clientId = namedClient(ctx.query.client_id)
  const isAdmitted = await showProblemsOf(ctx, args, async () => {
    await limit(ctx, args, 'authorize')
    requireShortQuery(ctx.querystring)
    await admitClient(ctx, args)
  })
  if (!isAdmitted) return
  const { provider } = await args.runtimes.get(ctx.state.school)
  const query = new URLSearchParams(ctx.querystring)
  const { isSignUp } = rewritePrompts(query)
  rewriteFormPost(query)
  await removeWrongHint(provider, query)
  tidyScope(query)
  canonicalise(query)
  ctx.querystring = query.toString()
  // Without a page, the request itself may issue the code.
  const readsKept = !query.getAll('prompt').some((prompt) => prompt.split(' ').includes('none'))
  await runEngine({ ctx, args, exchange: { ...newExchange(), readsKept } })
  if (isSignUp) showSignUp(ctx)
}

/** Leads a person who must sign in to the sign-up page first, which leads back. */
function showSignUp(ctx: Context): void {
  const location = ctx.response.get('Location')
  if (ctx.status !== 303 || !location.startsWith(`${interactionPath}/`)) return
  ctx.redirect(withQuery(accountPaths.signUp, { return_to: location }))
  ctx.status = 303
}

/** Stores the client of a metadata document before the engine looks it up. */
async function admitClient(
  ctx: Context,
  { documentRules, clientDocuments, documentFailures, stores, recordAudit }: ServiceArguments,
): Promise<void> {
  const clientId = ctx.query.client_id
  if (typeof clientId !== 'string' || !looksLikeDocumentUrl(clientId)) return
  const { school, requestId, address } = ctx.state
  const rules = await documentRules(school, clientId)
  if (!rules) return
  const failures = { check: () => documentFailures.check(ctx), count: () => documentFailures.count(ctx) }
  const args = { stores, schoolId: school.id, rules, documents: clientDocuments, failures }
  const entry = await admitDocumentClient(clientId, args)
  if (entry) await recordAudit([{ ...entry, request_id: requestId, address }])
}

function requireShortQuery(query: string): void {
  if (query.length <= maxQueryCharacters) return
  throw new Problem('invalid_request', {
    description: `The authorization request has ${query.length} characters and may have ${maxQueryCharacters}. Send a shorter state: keep the rest in your app.`,
  })
}

/**
 * The return from the pages to the engine. A manual code is shown here: the interaction has ended with it. A browser that returns again
 * is led to the same address for a minute: its first response may be lost.
 */
export const resume: Handler = (ctx, args) =>
  inExchange(args.exchanges, async () => {
    await dispatch(ctx, args)
    const { isInteractionOver, isEndStored } = args.exchanges.getStore() ?? {}
    if (isInteractionOver) return await resumeAgain(ctx, args)
    const end = isEndStored ? undefined : endOf(ctx)
    if (end) await orUnavailable(args.stores, args.stores.ephemeral.save(end))
    const manualCode = takeManualCodeUri(ctx)
    if (manualCode) await args.showManualCode(ctx, manualCode)
  })

/** Repeats the redirect of an interaction that this browser has completed, or says what happened. Otherwise the response stays. */
async function resumeAgain(ctx: Context, args: ServiceArguments): Promise<void> {
  const ended = await findEnd(ctx, args.stores, uidIn(ctx))
  if (!ended) return
  if (!isRepeatable(ended) || !(await isSamePerson(ctx, ended))) {
    const page = endedPage(ended)
    return page && (await args.showProblem(ctx, new Problem('invalid_request', { description: page.description }), page.kind))
  }
  ctx.body = null
  const { location, posted } = ended
  if (posted) return await args.showFormPost(ctx, location, posted)
  if (ended.isManual) {
    const age = Math.ceil((Date.now() - ended.endedAt) / 1000)
    return await args.showManualCode(ctx, { address: new URL(location), seconds: Math.max(0, ended.codeSeconds - age) })
  }
  ctx.status = 303
  ctx.set('Cache-Control', 'no-store')
  ctx.redirect(location)
}

/**
 * The sign-out. What cannot be trusted counts as absent: the person confirms, and stays here if no client vouches for the address. If nobody
 * is signed in, nothing has to be confirmed: the engine's self-submitting form is skipped.
 */
export const endSession: Handler = async (ctx, args) => {
  const { provider } = await args.runtimes.get(ctx.state.school)
  ctx.querystring = (await trustedSignOut(provider, new URLSearchParams(ctx.querystring))).toString()
  await dispatch(ctx, args)
  const oidc = engineContext(ctx)
  if (ctx.status !== 200 || !oidc?.session || oidc.session.accountId) return
  // The engine has compared it with the client's registered URIs, or removed it.
  const { post_logout_redirect_uri: target, state } = oidc.params ?? {}
  const to = new URL(typeof target === 'string' ? target : `${ctx.state.school.issuer}${endpoints.end_session.path}/success`)
  if (typeof target === 'string' && typeof state === 'string') to.searchParams.set('state', state)
  ctx.body = null
  ctx.status = 303
  ctx.redirect(to.href)
}

/**
 * The engine checks the form's token; a form from another site is rejected even if its token is valid. The token is out of date if another
 * tab has asked since, or the session has ended: the person is asked again.
 */
export const confirmEndSession: Handler = async (ctx, args) => {
  const { issuer } = ctx.state.school
  if (isForeignForm(ctx, issuer))
    throw new Problem('access_denied', { description: `This form was sent from another address than ${issuer}.` })
  await dispatch(ctx, args)
  if (ctx.status !== 400) return
  ctx.body = null
  ctx.status = 303
  ctx.redirect(endpoints.end_session.path)
}

/** Removes leading and repeated spaces from `scope`, which some clients send. */
function tidyScope(query: URLSearchParams): void {
  const [scope, ...more] = query.getAll('scope')
  if (scope !== undefined && more.length === 0) query.set('scope', scope.split(' ').filter(Boolean).join(' '))
}

interface AdmitArguments {
  stores: Pick<Stores, 'database' | 'facts'>
  schoolId: string
  rules: DocumentRules
  documents: ClientDocuments
  /** Counts the failures of the caller. Only the documents of clients that the school does not know are refused because of it. */
  failures: { check(): Promise<void>; count(): Promise<void> }
}

/**
 * Stores the client that a client id names by the URL of its document, so that the engine and all pages find it like any other. Called by
 * authorization requests only: other requests use the stored client and never cause a request to another host. A disabled client is not
 * changed. @returns the audit entry of a new or changed client
 * @throws Problem invalid_client, invalid_redirect_uri, rate_limited, temporarily_unavailable
 */
async function admitDocumentClient(
  clientId: string,
  { stores: { database, facts }, schoolId, rules, documents, failures }: AdmitArguments,
): Promise<AuditEntry | undefined> {
  const untrusted = untrustedDocumentReason(clientId, rules)
  if (untrusted) throw new Problem('invalid_client', { description: untrusted })
  const known = storableText(clientId) === clientId ? await findAnyClient(database, schoolId, clientId) : undefined
  if (known?.disabled_at) return undefined
  const isKnown = known !== undefined
  if (!isKnown) await failures.check()
  const { metadata: described } = await loadMetadata(clientId, { rules, documents, isKnown }).catch(async (error: unknown) => {
    // A limit that refused the request counts for itself.
    if (error instanceof Problem && error.code !== 'rate_limited') await failures.count()
    throw error
  })
  const isTrusted = untrustedDocumentReason(clientId, { ...rules, allowedIds: [] }) === undefined
  const metadata = { ...described, ...(!isTrusted && { accepted_by: 'school' }) }
  if (known && isDeepStrictEqual(known.metadata, metadata)) return undefined
  await facts.changing([clientFact(schoolId, clientId)], () =>
    saveClient(database, { schoolId, id: clientId, registeredVia: 'document', metadata }),
  )
  const details = { client_name: metadata.client_name, redirect_uris: metadata.redirect_uris }
  return { school_id: schoolId, event: known ? 'client.document_changed' : 'client.document_accepted', client_id: clientId, details }
}

async function loadMetadata(
  clientId: string,
  { rules, documents, isKnown }: Pick<AdmitArguments, 'rules' | 'documents'> & { isKnown: boolean },
): Promise<{ metadata: Extract<ReturnType<typeof readClientDocument>, { metadata: unknown }>['metadata'] }> {
  const verdict = readClientDocument(clientId, await documents.load(clientId, { isKnown }), rules)
  if ('error' in verdict) throw new Problem(verdict.error, { description: verdict.description })
  return verdict
}
