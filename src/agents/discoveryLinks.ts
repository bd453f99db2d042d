import type { SchoolFacts } from './schoolFacts.ts'
import { paths } from './schoolFacts.ts'

/**
 * Returns the Link header that leads from a page or an index to the documents: RFC 8631 (`service-desc`, `service-doc`), RFC 9727
 * (`api-catalog`), and the protected resource metadata (RFC 9728).
 */
export function discoveryLinks(issuer: SchoolFacts['issuer']): string {
  const links: [path: string, relation: string, type: string][] = [
    [paths.authMd, 'service-doc', 'text/markdown'],
    [paths.apiMd, 'service-doc', 'text/markdown'],
    [paths.openApi, 'service-desc', 'application/json'],
    [paths.apiCatalog, 'api-catalog', 'application/linkset+json'],
    [paths.protectedResource, 'oauth-protected-resource', 'application/json'],
    [paths.llmsTxt, 'describedby', 'text/plain'],
  ]
  return links.map(([path, relation, type]) => `<${issuer}${path}>; rel="${relation}"; type="${type}"`).join(', ')
}
