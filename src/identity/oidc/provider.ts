import { type AdapterFactory, type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Keyring } from '../../base/keyring.ts'
import type { SendOutbound } from '../../base/net/outboundRequest.ts'
import type { Caches } from '../../base/process/caches.ts'
import type { School } from '../../base/school.ts'
import type { OAuthConfig } from '../../config/oauth.ts'
import { clientTag, grantTag } from '../../database/facts/fact.ts'
import { contextFor, requestedContexts } from '../signIn/authenticationContext.ts'
import { createAdapter } from './adapter.ts'
import { claims } from './claims.ts'
import { assertionAlgorithms, clientAssertions } from './clientAssertions.ts'
import { authMethods, clients } from './clientOptions.ts'
import { isAcceptedSecret } from './clientSecrets.ts'
import { cookies } from './cookies.ts'
import { endpoints } from './endpoints.ts'
import { type FeatureArguments, features } from './engineFeatures.ts'
import type { Exchanges } from './engineTransaction.ts'
import { addFormPost, type ShowFormPost } from './formPost.ts'
import { type HintArguments, validateHint } from './idTokenHints.ts'
import { interactions, type SignInRules } from './interactions.ts'
import type { KeptFacts } from './keptFacts.ts'
import { lifetimes } from './lifetimes.ts'
import { promptValues } from './requestedPrompts.ts'
import { type BindableResource, issueRefreshToken, ownResources } from './resourceIndicators.ts'
import { scopes } from './scopes.ts'
import type { SigningKeys } from './signingKeys.ts'
import { findSilentGrant } from './silentGrant.ts'
import type { Stores } from './stores.ts'
import { tagToken } from './tokenTags.ts'

export interface ProviderArguments {
  caches: Caches
  school: School
  oauth: OAuthConfig
  docsUrl: string
  languages: readonly string[]
  scopes: readonly string[]
  resources: readonly BindableResource[]
  introspectionClients: FeatureArguments['introspectionClients']
  keys: SigningKeys
  findRetiredKey: HintArguments['findRetiredKey']
  keyring: Keyring
  stores: Stores
  kept: KeptFacts
  exchanges: Exchanges
  pages: FeatureArguments['logout'] & { renderError: NonNullable<Configuration['renderError']>; showFormPost: ShowFormPost }
  /** Loads the key sets of integrations. */
  send: SendOutbound
  /** Every authentication context that people can reach at the school. */
  contexts: readonly string[]
  signInRules: SignInRules
}

export function createProvider(args: ProviderArguments): Provider {
  const { school, oauth, keyring, stores, exchanges } = args
  const adapter = createAdapter({
    schoolId: school.id,
    issuer: school.issuer,
    stores,
    kept: args.kept,
    keyring,
    exchanges,
    signInSeconds: oauth.lifetimes.sign_in_minutes * 60,
    ownAudiences: new Set(ownResources(school)),
  })
  const provider = new Provider(school.issuer, {
    adapter: adapter as AdapterFactory,
    clockTolerance: 0,
    expiresWithSession: () => false,
    issueRefreshToken,
    jwks: args.keys.jwks as NonNullable<Configuration['jwks']>,
    pkce: { required: () => true },
    renderError(ctx, out, error) {
      const exchange = exchanges.getStore()
      if (exchange) exchange.isInteractionOver = error.name === 'SessionNotFound'
      return renderError(ctx, out, error, args.pages.renderError)
    },
    // Every authorization has its own grant: revoking any token revokes the grant.
    revokeGrantPolicy: () => true,
    rotateRefreshToken: true,
    routes: Object.fromEntries(Object.entries(endpoints).map(([name, { path }]) => [name, path])),
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'], clientAuthSigningAlgValues: [...assertionAlgorithms] },
    acrValues: args.contexts,
    ...claims({ stores, school, facts: () => exchanges.getStore()?.facts, hasContexts: args.contexts.length > 0 }),
    ...clients(),
    ...clientAssertions(args.send, args.caches),
    ...cookies({ issuer: school.issuer, keyring }),
    ...features({
      registration: oauth.registration.enabled,
      resources: args.resources,
      introspectionClients: args.introspectionClients,
      logout: args.pages,
    }),
    ...interactions(args.signInRules, (ctx) => findSilentGrant(ctx, { stores, exchanges, schoolId: school.id })),
    ...lifetimes(oauth),
    ...scopes({ scopes: args.scopes, requireState: oauth.require_state }),
    discovery: {
      // Without these members clients assume client_secret_basic (RFC 8414 section 2), which is rejected here.
      revocation_endpoint_auth_methods_supported: [...authMethods],
      introspection_endpoint_auth_methods_supported: [...authMethods],
      prompt_values_supported: promptValues,
      protected_resources: ownResources(school),
      service_documentation: args.docsUrl,
      ui_locales_supported: [...args.languages],
    },
  })
  provider.proxy = true
  provider.IdToken.validate = validateHint({ issuer: school.issuer, keys: args.keys.jwks.keys, findRetiredKey: args.findRetiredKey })
  addFormPost(provider, args.pages.showFormPost)
  tagTokens(provider, school)
  reportContexts(provider, args.contexts)
  provider.Client.prototype.compareClientSecret = function compareClientSecret(presented: string) {
    return isAcceptedSecret(presented, this.clientSecret ?? '')
  }
  return provider
}

function tagTokens(provider: Provider, school: School): void {
  for (const model of [provider.AccessToken, provider.RefreshToken, provider.AuthorizationCode]) {
    const prototype = model.prototype as unknown as { generateTokenId(this: { grantId: string; clientId: string }): string }
    const random = prototype.generateTokenId
    prototype.generateTokenId = function generateTokenId() {
      return tagToken(random.call(this), { grantTag: grantTag(school.id, this.grantId), clientTag: clientTag(school.id, this.clientId) })
    }
  }
}

/** Makes `acr` the requested context that the sign-in satisfies: a passkey also satisfies weaker ones. */
function reportContexts(provider: Provider, offered: readonly string[]): void {
  Object.defineProperty(provider.OIDCContext.prototype, 'acr', {
    get(this: KoaContextWithOIDC['oidc']) {
      const context = contextFor(this.session?.acr, requestedContexts(this.params ?? {}))
      return context !== undefined && offered.includes(context) ? context : undefined
    },
  })
}

const pages: ReadonlySet<string> = new Set(['authorization', 'resume', 'end_session', 'end_session_confirm', 'end_session_success'])

/** Shows the requested and the registered values: client authors look for the difference. */
function compareRedirectUris({ oidc }: KoaContextWithOIDC): string {
  const requested = String(oidc.params?.redirect_uri ?? '').slice(0, 300)
  const registered = (oidc.client?.redirectUris ?? []).join(' ').slice(0, 1000)
  return `redirect_uri is ${requested} and registered are: ${registered}. Only the port of a loopback address may differ`
}

/** Browsers get a page; everything under /api responds with JSON, whatever `Accept` contains. */
async function renderError(
  ctx: KoaContextWithOIDC,
  out: Parameters<NonNullable<Configuration['renderError']>>[1],
  error: Error,
  page: NonNullable<Configuration['renderError']>,
): Promise<void> {
  if (pages.has(ctx.oidc?.route))
    await page(ctx, out.error === 'invalid_redirect_uri' ? { ...out, error_description: compareRedirectUris(ctx) } : out, error)
  else ctx.body = out
}
