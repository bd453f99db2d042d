import { type AgentDocuments, createAgentDocuments } from '../agents/agentDocuments.ts'
import { type PublicView, paths, type RateLimit, type SchoolFacts, type ServerMetadata } from '../agents/schoolFacts.ts'
import { createTruth, type Truth } from '../agents/truth.ts'
import type { Config } from '../config/load.ts'
import type { SchoolConfig } from '../config/schools.ts'
import { rateLimitTexts, type ServerConfig } from '../config/server.ts'
import type { Ask } from '../http/inProcess.ts'
import { apiPath, type Operation } from '../kit/operations.ts'
import type { ScopeEntry } from '../kit/scopeCatalogue.ts'
import type { Log } from '../lib/log.ts'
import { metadataPaths } from '../oidc/metadata.ts'
import { checkoutAddress } from '../policy/checkout.ts'
import type { School } from '../policy/school.ts'

export interface SelfDescriptionArguments {
  /** Asks the service itself, past the check of its truth. */
  ask: Ask
  /** The configuration that is in force, and one school's part of it. */
  config(): Config
  schoolConfig(school: School): SchoolConfig
  operations: readonly Operation[]
  scopes: readonly ScopeEntry[]
  view(school: School): PublicView
  log: Log
}

export interface SelfDescription {
  documents: AgentDocuments
  truth: Truth
}

/** What the service says of itself, and the check that it is so. */
export function createSelfDescription(args: SelfDescriptionArguments): SelfDescription {
  const { ask, config, schoolConfig, operations, scopes, view, log } = args
  const factsOf = (school: School): SchoolFacts => {
    const { issuer } = school
    const { docs_url: docsUrl, pricing_note: pricingNote, checkout_url: checkoutUrl } = schoolConfig(school)
    const { oauth, server } = config()
    return {
      ...{ issuer, apiPath, docsUrl, pricingNote, oauth, rateLimits: limitsOf(server), scopes, operations },
      checkoutOf: (item) => checkoutUrl && checkoutAddress(checkoutUrl, item),
      view: view(school),
      metadata: async () => JSON.parse((await ask(issuer + paths.authorizationServer)).text) as ServerMetadata,
      // 404: turned off. 403: open to visitors of other schools, and not of this one.
      isServed: async (path) => ![403, 404].includes((await ask(issuer + path)).status),
    }
  }
  const truth = createTruth({
    ask,
    expected: ({ issuer }) => ({
      issuer,
      scopes: scopes.map(({ name }) => name),
      baselineScopes: config().oauth.baseline_scopes,
      metadataPaths,
      isRegistrationOpen: config().oauth.registration.enabled,
    }),
    report({ slug }, { faults, milliseconds }) {
      const seen = { school: slug, milliseconds, ...(faults.length > 0 ? { faults } : {}) }
      if (faults.length > 0) log.error(seen, 'what this school says of itself is not so: it is closed')
      else log.info(seen, 'what this school says of itself is so')
    },
  })
  return { documents: createAgentDocuments({ apiPath, factsOf }), truth }
}

const limitsOf = ({ rate_limits: limits }: ServerConfig): RateLimit[] =>
  (Object.keys(limits) as (keyof typeof limits)[]).map((name) => ({ name, about: rateLimitTexts[name], ...limits[name] }))
