import { authSteps } from './authSteps.ts'
import { errorTable, lifetimeTable, limitTable, scopeTable } from './authTables.ts'
import { code, document, link, Markdown, markdown } from './markdown.ts'
import { schoolAbout } from './schoolAbout.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'

/** Renders `/auth.md`: how an agent or a developer gets to the first response of the API. All values are the current ones. */
export async function authMd(facts: SchoolFacts): Promise<string> {
  const [about, metadata, hasMcp] = await Promise.all([schoolAbout(facts), facts.metadata(), facts.isServed(paths.mcp)])
  const { issuer, docsUrl, oauth, rateLimits, scopes } = facts
  const contact = [
    docsUrl === issuer + paths.authMd ? undefined : markdown`- ${link('Documentation', docsUrl)}`,
    about.support_url ? markdown`- ${link('Help', about.support_url)}` : undefined,
    about.contact_email ? markdown`- ${code(about.contact_email)}` : undefined,
    markdown`- ${link('Pricing', issuer + paths.pricingMd)}, ${link('index', issuer + paths.llmsTxt)}, ${link('OpenAPI', issuer + paths.openApi)}`,
  ]
  return document([
    markdown`# auth.md: access to ${about.name}`,
    markdown`> OAuth 2.0 and OpenID Connect: authorization code with PKCE (S256 only). A client registers itself, then a person signs in and consents.`,
    supported(metadata.registration_endpoint !== undefined),
    markdown`Without a token you are a visitor: you see public data and never get a challenge. Do not wait for a 401 to begin.`,
    ...authSteps({ facts, metadata, hasMcp }),
    markdown`## Errors`,
    errorTable(metadata.registration_endpoint !== undefined),
    markdown`Every error is JSON with \`error\` and \`error_description\`; the description says how to correct it. Quote \`request_id\` when you ask for help.`,
    markdown`Repeat a request only after 429 and 503, and not before \`Retry-After\`. Never repeat an authorization code.`,
    markdown`## Lifetimes`,
    lifetimeTable(oauth),
    markdown`## Rate limits`,
    limitTable(rateLimits),
    markdown`Requests above a limit get 429. \`RateLimit\` in every response of the API shows the remaining requests.`,
    markdown`## Scopes`,
    markdown`A write scope does not include the read scope. A token never contains scopes that the person's role cannot use.`,
    markdown`If you have no specific needs, request ${code(oauth.baseline_scopes.join(' '))}.`,
    scopeTable(scopes),
    markdown`## More`,
    new Markdown(
      contact
        .filter((one) => one !== undefined)
        .map(({ text }) => text)
        .join('\n'),
    ),
  ])
}

/** On the first screen: the features of other services that this one does not have. */
function supported(isOpen: boolean): Markdown {
  return new Markdown(`| | Supported |
| --- | --- |
| Self-service registration (RFC 7591), loopback redirect URIs | ${isOpen ? 'yes' : 'no: clients are registered by the school'} |
| Authorization code with PKCE, refresh, revocation | yes |
| Claim step | none: the person only signs in and consents |
| Anonymous or service identities, ID-JAG and other assertions | no: do not send an assertion |
| An identity endpoint, a registration by claim | no: there is no such endpoint |
| Device flow, client credentials, password, implicit | no |
| API keys | no |`)
}
