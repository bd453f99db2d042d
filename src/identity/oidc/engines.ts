import type { errors, Provider } from 'oidc-provider'
import { requestIds } from '../../base/http/requestIds.ts'
import type { Log } from '../../base/log/log.ts'
import type { School } from '../../base/school.ts'
import type { OAuthConfig } from '../../config/oauth.ts'
import type { ResourceServerConfig } from '../../config/resourceServers.ts'
import type { Database } from '../../database/connection/database.ts'
import type { SecondFactorRules } from '../signIn/authenticationContext.ts'
import { mayIntrospect } from './engineFeatures.ts'
import type { Exchanges } from './engineTransaction.ts'
import { createProvider, type ProviderArguments } from './provider.ts'
import type { BindableResource } from './resourceIndicators.ts'
import { createRuntimes, type Runtimes } from './runtimes.ts'
import { loadSigningKeys, retiredKeyFinder, signingKeysRevision } from './signingKeys.ts'

type SharedArguments = Pick<ProviderArguments, 'caches' | 'stores' | 'kept' | 'exchanges' | 'keyring' | 'scopes' | 'pages' | 'send'>

export interface EngineArguments extends SharedArguments {
  database: Database
  log: Log
  /** The configuration at the time when an engine is built. */
  settings(): { oauth: OAuthConfig; resourceServers: readonly ResourceServerConfig[] }
  docsUrl(school: School): string
  languages(school: School): readonly string[]
  secondFactors: Pick<SecondFactorRules, 'contexts' | 'isRequired' | 'reachable'>
}

/** How long another process may sign with a key after its rotation. */
const checkEverySeconds = 5

export function createEngines(args: EngineArguments): Runtimes {
  const { caches, database, keyring, exchanges, log } = args
  const keyArguments = (school: School) => ({
    database,
    keyring,
    schoolId: school.id,
    keepAfterRetirementHours: args.settings().oauth.signing_keys.keep_after_retirement_hours,
  })
  return createRuntimes({
    caches,
    checkEverySeconds,
    revision: (school) => signingKeysRevision(keyArguments(school)),
    async build(school) {
      const keys = await loadSigningKeys(keyArguments(school))
      const { oauth, resourceServers } = args.settings()
      const clients = introspectionClients(resourceServers)
      const provider = createProvider({
        ...args,
        school,
        oauth,
        docsUrl: args.docsUrl(school),
        languages: args.languages(school),
        resources: bindable(school, args.scopes, resourceServers),
        introspectionClients: clients,
        keys,
        findRetiredKey: retiredKeyFinder({ database, keyring, schoolId: school.id }, oauth.lifetimes.grant_days),
        contexts: args.secondFactors.contexts(school),
        signInRules: {
          isRequired: (accountId) => args.secondFactors.isRequired(school, accountId),
          reachable: (accountId) => args.secondFactors.reachable(school, accountId),
        },
      })
      listenToEngine(provider, { exchanges, log })
      return { provider, revision: keys.revision, mayIntrospect: (clientId, token) => mayIntrospect(clients, clientId, token) }
    },
  })
}

/** This origin's resources, then those of the configuration. */
function bindable(school: School, scopes: readonly string[], servers: readonly ResourceServerConfig[]): BindableResource[] {
  return [
    { identifier: school.issuer, scopes },
    { identifier: `${school.issuer}/mcp`, scopes },
    ...servers.map(({ identifier, scopes }) => ({ identifier, scopes })),
  ]
}

function introspectionClients(servers: readonly ResourceServerConfig[]): ReadonlyMap<string, ReadonlySet<string>> {
  const clients = new Map<string, Set<string>>()
  for (const { identifier, introspection_clients: ids } of servers) {
    for (const id of ids) clients.set(id, (clients.get(id) ?? new Set()).add(identifier))
  }
  return clients
}

const refusals = ['grant.error', 'revocation.error', 'introspection.error', 'userinfo.error', 'registration_create.error'] as const

/** Records what the engine reports to operators only: why it rejected a request, and internal errors. */
function listenToEngine(provider: Provider, { exchanges, log }: { exchanges: Exchanges; log: Log }): void {
  for (const event of refusals) {
    provider.on(event as 'grant.error', (_ctx, error: errors.OIDCProviderError) => {
      const exchange = exchanges.getStore()
      if (exchange) exchange.refusalDetail = error.error_detail
    })
  }
  provider.on('authorization.error', (ctx, error) => {
    if (ctx.state.isOwn) return
    log.info({ ...requestIds(ctx.state), error: error.error, detail: error.error_detail }, 'authorization refused')
  })
  provider.on('server_error', (ctx, error) => log.error({ err: error, ...requestIds(ctx?.state) }, 'the engine failed'))
}
