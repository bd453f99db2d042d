import type { Middleware } from 'koa'
import { type AgentDocuments, createAgentDocuments } from '../../agents/agentDocuments.ts'
import { protectedResources } from '../../agents/protectedResource.ts'
import { paths, type RateLimit, type SchoolFacts, type ServerMetadata } from '../../agents/schoolFacts.ts'
import type { Fetch, FetchResponse } from '../../base/http/inProcess.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import { rateLimitTexts } from '../../config/rateLimits.ts'
import type { ServerConfig } from '../../config/server.ts'
import { inSchool } from '../../database/school/inSchool.ts'
import { checkoutAddress } from '../../engine/checkout.ts'
import { apiPath } from '../../engine/declare/operations.ts'
import type { Foundation } from './foundation.ts'
import { publicView } from './publicView.ts'
import { schoolConfigOf } from './runtime.ts'

export interface SchoolDocumentsParts {
  /** Sends a request to the service itself. */
  ask: Fetch
  /** Returns a number that changes with every change that this process makes to the school. */
  changeOf(school: School): number
}

/** Creates the documents that agents read, from the current configuration and from responses of the service. */
export function createSchoolDocuments(foundation: Foundation, { ask, changeOf }: SchoolDocumentsParts): AgentDocuments {
  const { runtime, database, signer, statements, operations, scopes, pageBranding, externalServices } = foundation
  const factsOf = (school: School): SchoolFacts => {
    const { issuer } = school
    const {
      docs_url: docsUrl,
      pricing_note: pricingNote,
      checkout_url: checkoutUrl,
      security_contact: securityContact,
      public_pages: hasPages,
    } = schoolConfigOf(runtime, school)
    const { oauth, server } = runtime.config
    return {
      ...{ issuer, apiPath, docsUrl, pricingNote, securityContact, oauth, rateLimits: limitsOf(server), scopes, operations, hasPages },
      checkoutOf: (item) => checkoutUrl && checkoutAddress(checkoutUrl, item),
      view: publicView({ database: inSchool(database.kysely, school.id), school, signer, statements, externalServices }),
      legal: async () => (await pageBranding(school)).legal,
      metadata: async () => JSON.parse(requireSuccess(await ask(issuer + paths.authorizationServer)).text) as ServerMetadata,
      // 404: turned off. 403: open to visitors of other schools, and not of this one.
      isServed: async (path) => ![403, 404].includes(requireSuccess(await ask(issuer + path)).status),
    }
  }
  return createAgentDocuments({ caches: foundation.caches, apiPath, operations, apiText: foundation.texts.apiText, factsOf, changeOf })
}

/** Creates the metadata of the API as a protected resource (RFC 9728). */
export const createResourceMetadata = ({ runtime, branding }: Foundation, documents: AgentDocuments): Middleware =>
  protectedResources(async (school) => ({
    name: (await branding(school)).name,
    issuer: school.issuer,
    docsUrl: schoolConfigOf(runtime, school).docs_url,
    baselineScopes: runtime.config.oauth.baseline_scopes,
    legal: await documents.legalLinks(school),
  }))

/**
 * Checks a response that a document is created from: a document created from an error would be wrong.
 * @throws Problem temporarily_unavailable
 */
function requireSuccess(response: FetchResponse): FetchResponse {
  if (response.status >= 500) throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '1' } })
  return response
}

const limitsOf = ({ rate_limits: limits }: ServerConfig): RateLimit[] =>
  keysOf(limits).map((name) => ({ name, about: rateLimitTexts[name], ...limits[name] }))
