import { type AgentDocuments, createAgentDocuments } from '../agents/agentDocuments.ts'
import { type PublicView, paths, type RateLimit, type SchoolFacts, type ServerMetadata } from '../agents/schoolFacts.ts'
import type { Config } from '../config/load.ts'
import type { SchoolConfig } from '../config/schools.ts'
import { rateLimitTexts, type ServerConfig } from '../config/server.ts'
import { apiPath, type Operation } from '../framework/declare/operations.ts'
import type { ScopeEntry } from '../framework/declare/scopeCatalogue.ts'
import type { Ask, GivenAnswer } from '../http/inProcess.ts'
import { Problem } from '../lib/problem.ts'
import { checkoutAddress } from '../policy/checkout.ts'
import type { School } from '../policy/school.ts'

export interface SchoolDocumentsArguments {
  /** Sends a request to the service itself. */
  ask: Ask
  /** The current configuration, and one school's part of it. */
  config(): Config
  schoolConfig(school: School): SchoolConfig
  operations: readonly Operation[]
  scopes: readonly ScopeEntry[]
  view(school: School): PublicView
}

/** The documents that agents read, made from the current configuration and from what the service answers. */
export function createSchoolDocuments(args: SchoolDocumentsArguments): AgentDocuments {
  const { ask, config, schoolConfig, operations, scopes, view } = args
  const factsOf = (school: School): SchoolFacts => {
    const { issuer } = school
    const { docs_url: docsUrl, pricing_note: pricingNote, checkout_url: checkoutUrl } = schoolConfig(school)
    const { oauth, server } = config()
    return {
      ...{ issuer, apiPath, docsUrl, pricingNote, oauth, rateLimits: limitsOf(server), scopes, operations },
      checkoutOf: (item) => checkoutUrl && checkoutAddress(checkoutUrl, item),
      view: view(school),
      metadata: async () => JSON.parse(answered(await ask(issuer + paths.authorizationServer)).text) as ServerMetadata,
      // 404: turned off. 403: open to visitors of other schools, and not of this one.
      isServed: async (path) => ![403, 404].includes(answered(await ask(issuer + path)).status),
    }
  }
  return createAgentDocuments({ apiPath, factsOf })
}

/**
 * A document made from an error would be wrong, so none is made until the error has passed.
 * @throws Problem temporarily_unavailable
 */
function answered(response: GivenAnswer): GivenAnswer {
  if (response.status >= 500) throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '1' } })
  return response
}

const limitsOf = ({ rate_limits: limits }: ServerConfig): RateLimit[] =>
  (Object.keys(limits) as (keyof typeof limits)[]).map((name) => ({ name, about: rateLimitTexts[name], ...limits[name] }))
