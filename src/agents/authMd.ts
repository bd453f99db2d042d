import { authSteps } from './authSteps.ts'
import { errorTable, lifetimeTable, limitTable, scopeList } from './authTables.ts'
import { authWire } from './authWire.ts'
import { legalLinks } from './legalLinks.ts'
import { code, document, link, Markdown, markdown } from './markdown.ts'
import { schoolAbout } from './schoolAbout.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'

/** Renders `/auth.md`: how an agent or a developer gets to the first response of the API. All values are the current ones. */
export async function authMd(facts: SchoolFacts): Promise<string> {
  const [about, metadata, hasMcp] = await Promise.all([schoolAbout(facts), facts.metadata(), facts.isServed(paths.mcp)])
  const { issuer, oauth, rateLimits, scopes } = facts
  const isRegistrationOpen = metadata.registration_endpoint !== undefined
  return document([
    markdown`# auth.md: access to ${about.name}`,
    markdown`> OAuth 2.0 and OpenID Connect: authorization code with PKCE (S256 only). A client registers itself, then a person signs in and consents.`,
    supported({ issuer, isRegistrationOpen, hasMcp }),
    markdown`Without a token you are a visitor: you see public data and never get a challenge. Do not wait for a 401 to begin.`,
    ...authSteps(facts, metadata),
    ...authWire(facts, metadata, hasMcp),
    markdown`## Errors`,
    errorTable(isRegistrationOpen),
    markdown`Every error is JSON; \`error_description\` says how to correct it. Quote \`request_id\` when you ask for help. Repeat requests only after 429 and 503.`,
    markdown`## Lifetimes`,
    lifetimeTable(oauth),
    markdown`## Rate limits`,
    limitTable(rateLimits),
    markdown`Requests above a limit get 429. \`RateLimit\` in every response of the API shows the remaining requests.`,
    markdown`## Scopes`,
    markdown`A write scope does not include the read scope. A token never contains scopes that the person's role cannot use; some are useful to the roles in brackets only.`,
    scopeList(scopes),
    markdown`## More`,
    await more(facts),
  ])
}

interface Supported {
  issuer: string
  isRegistrationOpen: boolean
  hasMcp: boolean
}

/** On the first screen: the features of other services that this one does not have. */
function supported({ issuer, isRegistrationOpen, hasMcp }: Supported): Markdown {
  return new Markdown(`| | Supported |
| --- | --- |
| Self-service registration (RFC 7591), loopback redirect URIs | ${isRegistrationOpen ? 'yes' : 'no: clients are registered by the school'} |
| Authorization code with PKCE, refresh, revocation | yes |
| MCP server | ${hasMcp ? `${code(issuer + paths.mcp).text}: the public catalogue, no token needed` : 'no'} |
| Claim step | none: the person only signs in and consents |
| Service identities, ID-JAG and other assertions, an identity endpoint | no: do not send an assertion |
| Device flow, client credentials, password, implicit, API keys | no |`)
}

/** Lists whom to ask, the rules of the school, and the other documents. */
async function more(facts: SchoolFacts): Promise<Markdown> {
  const { issuer, docsUrl } = facts
  const [about, legal] = await Promise.all([schoolAbout(facts), legalLinks(facts)])
  const at = (label: string, path: string): Markdown => link(label, issuer + path)
  const lines = [
    about.contact_email ? markdown`- Questions, and requests for an integration: ${code(about.contact_email)}` : undefined,
    about.support_url ? markdown`- ${link('Help', about.support_url)} from the school` : undefined,
    docsUrl === issuer + paths.authMd ? undefined : markdown`- ${link('Documentation', docsUrl)} for developers`,
    legal.terms ? markdown`- ${link('Terms', legal.terms)}` : undefined,
    legal.privacy ? markdown`- ${link('Privacy', legal.privacy)}` : undefined,
    markdown`- ${at('Metadata of the authorization server', paths.authorizationServer)} and ${at('of the API', paths.protectedResource)}`,
    markdown`- ${at('Index', paths.llmsTxt)}, ${at('skills', paths.skills)}, ${at('operations', paths.apiMd)}, ${at('OpenAPI', paths.openApi)}, ${at('apps', paths.appsMd)}, ${at('pricing', paths.pricingMd)}`,
  ]
  return markdown`${lines.filter((line) => line !== undefined)}`
}
