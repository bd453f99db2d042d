import { loopbackHosts, loopbackUriError } from '../../base/net/loopbackUri.ts'
import { type DocumentRules, readClientDocument, untrustedDocumentReason } from '../clients/clientDocument.ts'
import { type RegistrationRules, registrationError } from '../clients/registrationError.ts'
import type { KnownApp } from './apps.ts'

/** The parts of a school's configuration that decide which apps can sign people in. */
export interface AppRules {
  /** Undefined if clients cannot register themselves. */
  registration: RegistrationRules | undefined
  /** Undefined if client ID metadata documents are off. */
  documents: DocumentRules | undefined
  /** The documents that an owner of the school can allow. */
  offeredIds: readonly string[]
  integrations: readonly { client_id: string; redirect_uris: readonly string[] }[]
}

/** Changes by the operator of which each lets an app sign people in. */
export interface AppRequest {
  loopbackHosts: string[]
  trustedHost: string | undefined
  integration: { client_id: string; client_name: string; redirect_uris: string[] }
}

/** How an app can sign people in at a school: by itself, with a client id of the school, or not without an owner or the operator. */
export type AppAccess =
  | { way: 'document'; host: string }
  | { way: 'registration' }
  | { way: 'integration'; clientId: string }
  | { way: 'owner' }
  | { way: 'none'; request: AppRequest }

type AppRequests = Pick<KnownApp, 'id' | 'name' | 'registration' | 'document' | 'uses'>

/** Evaluates an app by the rules of the school: with the functions that check its real requests. Pure. */
export function appAccess(app: AppRequests, rules: AppRules): AppAccess {
  const host = documentHost(app, rules.documents)
  if (host !== undefined) return { way: 'document', host }
  if (rules.registration && registrationError(app.registration, rules.registration) === undefined) return { way: 'registration' }
  const integration = rules.integrations.find(({ redirect_uris: uris }) => app.uses.every((used) => uris.some((uri) => isSame(uri, used))))
  if (integration) return { way: 'integration', clientId: integration.client_id }
  const request = requestFor(app, rules)
  const isOffered = request.trustedHost !== undefined && rules.offeredIds.includes(app.document?.client_id ?? '')
  return isOffered ? { way: 'owner' } : { way: 'none', request }
}

/** Returns the host of the app's document if the school accepts the document and one of the redirect URIs that the app uses. */
function documentHost({ document, uses }: Pick<KnownApp, 'document' | 'uses'>, rules: DocumentRules | undefined): string | undefined {
  if (!document || !rules || untrustedDocumentReason(document.client_id, rules) !== undefined) return undefined
  const verdict = readClientDocument(document.client_id, JSON.stringify(document), rules)
  if ('error' in verdict || !uses.some((used) => verdict.metadata.redirect_uris.some((uri) => isSame(uri, used)))) return undefined
  return new URL(document.client_id).host
}

function requestFor({ id, name, registration, document, uses }: AppRequests, rules: AppRules): AppRequest {
  const { registration: registrationRules, documents } = rules
  const isLoopback = (uri: string): boolean => loopbackUriError(uri, loopbackHosts) === undefined
  const missing = registrationRules
    ? registration.redirect_uris.filter((uri) => loopbackUriError(uri, registrationRules.loopbackHosts))
    : []
  return {
    // Another host helps only if it is all that the registration lacks.
    loopbackHosts: missing.every(isLoopback) ? [...new Set(missing.map((uri) => new URL(uri).hostname))] : [],
    trustedHost: document && wouldAccept(document.client_id, { document, uses, documents, registrationRules }),
    integration: { client_id: id, client_name: name, redirect_uris: [...uses] },
  }
}

/** Returns the host of a document that the school would accept if it trusted the host. */
function wouldAccept(
  clientId: string,
  app: Pick<KnownApp, 'document' | 'uses'> & { documents: DocumentRules | undefined; registrationRules: RegistrationRules | undefined },
): string | undefined {
  const { host } = new URL(clientId)
  const { registrationRules, documents } = app
  const rules: DocumentRules = {
    loopbackHosts: documents?.loopbackHosts ?? registrationRules?.loopbackHosts ?? [],
    maxRedirectUris: documents?.maxRedirectUris ?? registrationRules?.maxRedirectUris ?? 10,
    privateUseSchemes: documents?.privateUseSchemes ?? [],
    trustedHosts: [host],
  }
  return documentHost(app, rules)
}

/** Returns true if a redirect URI is the registered one, but for the port of a loopback address. */
function isSame(registered: string, used: string): boolean {
  const withoutPort = (uri: string): string =>
    loopbackUriError(uri, loopbackHosts) === undefined ? uri.replace(/^(http:\/\/(?:\[[^\]]*\]|[^:/]*)):\d+/, '$1') : uri
  return registered === used || withoutPort(registered) === withoutPort(used)
}
