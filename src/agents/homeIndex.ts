import { schoolAbout } from './schoolAbout.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'

/** Renders `/` as JSON: the addresses from which a program finds everything else. */
export async function homeIndex(facts: SchoolFacts): Promise<string> {
  const { issuer, apiPath, isServed } = facts
  const [{ name, tagline }, hasMcp] = await Promise.all([schoolAbout(facts), isServed(paths.mcp)])
  return JSON.stringify({
    name,
    tagline,
    api: issuer + apiPath,
    ...(hasMcp && { mcp: issuer + paths.mcp }),
    documents: {
      get_a_token: issuer + paths.authMd,
      index: issuer + paths.llmsTxt,
      skills: issuer + paths.skills,
      apps: issuer + paths.appsMd,
      api_map: issuer + paths.apiMd,
      openapi: issuer + paths.openApi,
      errors: issuer + paths.errorsMd,
      pricing: issuer + paths.pricingMd,
      api_catalog: issuer + paths.apiCatalog,
      ...(hasMcp && { mcp_server_card: issuer + paths.serverCard, ai_catalog: issuer + paths.aiCatalog }),
      protected_resource: issuer + paths.protectedResource,
      authorization_server: issuer + paths.authorizationServer,
    },
  })
}
