import { scriptPort } from './authScript.ts'
import { authSteps } from './authSteps.ts'
import { errorTable, lifetimeTable, limitTable, scopeList } from './authTables.ts'
import { legalLinks } from './legalLinks.ts'
import { code, document, link, Markdown, markdown, table } from './markdown.ts'
import { schoolAbout } from './schoolAbout.ts'
import { paths, type SchoolFacts, type ServerMetadata } from './schoolFacts.ts'

/** Renders `/auth.md`: how an agent or a developer gets to the first response of the API. All values are the current ones. */
export async function authMd(facts: SchoolFacts): Promise<string> {
  const [about, metadata, hasMcp] = await Promise.all([schoolAbout(facts), facts.metadata(), facts.isServed(paths.mcp)])
  const { issuer, oauth, rateLimits, scopes } = facts
  const isRegistrationOpen = metadata.registration_endpoint !== undefined
  return document([
    markdown`# auth.md: access to ${about.name}`,
    markdown`> OAuth 2.0 and OpenID Connect: authorization code with PKCE (S256 only). A client registers itself, then a person signs in and consents.`,
    markdown`## Pick a method`,
    supported({ issuer, isRegistrationOpen, hasMcp }),
    markdown`## Discover`,
    markdown`Without a token you see public data and never get a challenge. If this page differs from the metadata of ${link('the API', issuer + paths.protectedResource)} and ${link('the authorization server', issuer + paths.authorizationServer)}, follow them.`,
    ...authSteps(facts, metadata),
    ...authWire(facts, metadata, hasMcp),
    markdown`## Errors`,
    errorTable(isRegistrationOpen),
    markdown`Errors are JSON; \`error_description\` says how to correct them. All codes: ${code(paths.errorsMd)}. Repeat requests only after 429, 503 and ${code('approval_required')}, and not before ${code('Retry-After')}.`,
    markdown`## Lifetimes`,
    lifetimeTable(oauth),
    markdown`## Rate limits`,
    limitTable(rateLimits),
    markdown`With a token, they count per client and person. Above a limit: 429. \`RateLimit\` in responses of the API shows how many remain.`,
    markdown`## Scopes`,
    markdown`A write scope does not include the read scope. A token has only scopes that the role of the person can use; some help the roles in brackets only.`,
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
| Claim step: \`claim_uri\` | none: the person only signs in and consents |
| \`agent_auth\` with \`identity_assertion\` (ID-JAG), \`service_auth\`, \`anonymous\`: \`identity_endpoint\`, \`register_uri\` | not supported: do not call |
| Device flow, client credentials, password, implicit, API keys | no |`)
}

async function more(facts: SchoolFacts): Promise<Markdown> {
  const { issuer, docsUrl } = facts
  const [about, legal] = await Promise.all([schoolAbout(facts), legalLinks(facts)])
  const at = (label: string, path: string): Markdown => link(label, issuer + path)
  const lines = [
    about.contact_email ? markdown`- Questions, or an integration: ${code(about.contact_email)}` : undefined,
    about.support_url ? markdown`- ${link('Help', about.support_url)} from the school` : undefined,
    docsUrl === issuer + paths.authMd ? undefined : markdown`- ${link('Documentation', docsUrl)} for developers`,
    legal.terms ? markdown`- ${link('Terms', legal.terms)}` : undefined,
    legal.privacy ? markdown`- ${link('Privacy', legal.privacy)}` : undefined,
    markdown`- ${at('Index', paths.llmsTxt)}, ${at('skills', paths.skills)}, ${at('operations', paths.apiMd)}; ${code(paths.openApi)}; apps: ${code(paths.appsMd)}; prices: ${code(paths.pricingMd)}`,
  ]
  return markdown`${lines.filter((line) => line !== undefined)}`
}

const callback = `http://127.0.0.1:${scriptPort}/callback`
const secret = markdown`With ${code('client_secret_post')}, clients add ${code('client_secret')} to the forms.`

/** Renders the requests of the script with their responses, for clients in other languages. */
function authWire(facts: Pick<SchoolFacts, 'issuer' | 'oauth'>, metadata: ServerMetadata, hasMcp: boolean): Markdown[] {
  const { issuer, oauth } = facts
  const { access_token_seconds: seconds } = oauth.lifetimes
  const { registration_endpoint: registration, authorization_endpoint: authorization } = metadata
  const [token, revocation] = [metadata.token_endpoint, metadata.revocation_endpoint]
  const request = (url: string, parameters: string): Markdown => code(`${url.replace(issuer, '')} ${parameters}`)
  const tokens = { access_token: '…', expires_in: seconds, id_token: '…', refresh_token: '…', scope: 'openid', token_type: 'Bearer' }
  const challenge = 'response_type=code&client_id&redirect_uri&scope&code_challenge&code_challenge_method=S256&state'
  const redirected = markdown`redirect to ${code(`${callback}?code=…&state=…&iss=…`)} or ${code('?error=access_denied&state=…&iss=…')}`
  const registered = JSON.stringify({ client_name: 'Study agent on laptop', redirect_uris: [callback] })
  return [
    markdown`## Without the script: register, authorize, exchange`,
    table(
      ['Request', 'Response'],
      [
        ...(registration ? [[request(registration, registered), code('{"client_id":"cli_…"}')]] : []),
        [request(authorization, challenge), redirected],
        [request(token, 'grant_type=authorization_code&client_id&code&code_verifier&redirect_uri'), code(JSON.stringify(tokens))],
        [request(token, 'grant_type=refresh_token&client_id&refresh_token'), 'the same members, all new'],
        [request(revocation, 'client_id&token'), code('{}')],
        [
          markdown`${code(metadata.userinfo_endpoint.replace(issuer, ''))} with a token, as in step 4`,
          code('{"sub":"acc_…","email":"…","name":"…"}'),
        ],
      ],
    ),
    ...(registration ? [redirectUris(oauth.registration.loopback_hosts), secret] : []),
    refreshing(oauth),
    bound(issuer, hasMcp),
  ]
}

function redirectUris(hosts: readonly string[]): Markdown {
  const allowed = new Markdown(hosts.map((host) => code(`http://${host}:<port>/<path>`).text).join(', '))
  return markdown`Redirect URIs: ${allowed}, later with any port. Fixed HTTPS redirect URIs get ${code('invalid_redirect_uri')}: the contact below registers integrations (${code(paths.appsMd)}).`
}

function refreshing({ refresh_window_seconds: window }: SchoolFacts['oauth']): Markdown {
  const repeated = window > 0 ? `Repeat a refresh only if its response is lost, within ${window} seconds: later` : 'Do not use one again:'
  return markdown`Store a new refresh token before you use it. ${repeated} it counts as theft and revokes the grant.`
}

function bound(issuer: string, hasMcp: boolean): Markdown {
  const forMcp = hasMcp ? markdown` or ${code(issuer + paths.mcp)}` : markdown``
  return markdown`${code('resource')} in the authorization or token request binds the token to one API: ${code(issuer)}${forMcp}.`
}
