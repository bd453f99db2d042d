import { paths, type SchoolFacts } from './schoolFacts.ts'

/** Media type of `/.well-known/api-catalog` (RFC 9727 section 4.2). */
export const linksetType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

interface Target {
  href: string
  type: string
}

/** `/.well-known/api-catalog` (RFC 9727): the interfaces of this origin, and what describes each (RFC 8631). */
export async function apiCatalog({ issuer, apiPath, isServed }: SchoolFacts): Promise<string> {
  const at = (path: string, type: string): Target => ({ href: issuer + path, type })
  const json = 'application/json'
  const authMd = at(paths.authMd, 'text/markdown')
  const meta = (suffix: string): Target[] => [
    at(paths.protectedResource + suffix, json),
    at(paths.authorizationServer, json),
    at(paths.openidConfiguration, json),
  ]
  const mcp = {
    anchor: issuer + paths.mcp,
    'service-desc': [at(paths.serverCard, 'application/mcp-server-card+json')],
    'service-doc': [at(paths.appsMd, 'text/markdown')],
    'service-meta': [...meta('/mcp'), at(paths.aiCatalog, 'application/ai-catalog+json')],
  }
  const interfaces = [
    {
      anchor: issuer + apiPath,
      'service-desc': [at(paths.openApi, json)],
      'service-doc': [authMd, at(paths.llmsTxt, 'text/plain'), at(paths.apiMd, 'text/markdown'), at(paths.pricingMd, 'text/markdown')],
      'service-meta': meta(''),
    },
    ...((await isServed(paths.mcp)) ? [mcp] : []),
  ]
  const own = { anchor: issuer + paths.apiCatalog, item: interfaces.map(({ anchor }) => ({ href: anchor })) }
  return JSON.stringify({ linkset: [own, ...interfaces] })
}

/** Link header of a HEAD response (RFC 9727 section 2): the catalogue and the address of the API. */
export const catalogLinks = ({ issuer, apiPath }: Pick<SchoolFacts, 'issuer' | 'apiPath'>): string =>
  `<${issuer}${paths.apiCatalog}>; rel="api-catalog", <${issuer}${apiPath}>; rel="item"`
