import { scriptPort } from './authScript.ts'
import { code, Markdown, markdown, table } from './markdown.ts'
import { paths, type SchoolFacts, type ServerMetadata } from './schoolFacts.ts'

const callback = `http://127.0.0.1:${scriptPort}/callback`
const secret = markdown`Clients that registered with ${code('client_secret_post')} add ${code('client_secret')} to the forms.`

/** Renders the requests of the script with their responses, for clients in other languages. */
export function authWire(facts: Pick<SchoolFacts, 'issuer' | 'oauth'>, metadata: ServerMetadata, hasMcp: boolean): Markdown[] {
  const { issuer, oauth } = facts
  const { access_token_seconds: seconds } = oauth.lifetimes
  const { registration_endpoint: registration, authorization_endpoint: authorization } = metadata
  const [token, revocation] = [metadata.token_endpoint, metadata.revocation_endpoint]
  const request = (url: string, parameters: string): Markdown => code(`${url.replace(issuer, '')} ${parameters}`)
  const tokens = { access_token: '…', expires_in: seconds, id_token: '…', refresh_token: '…', scope: 'openid', token_type: 'Bearer' }
  const challenge = 'response_type=code&client_id&redirect_uri&scope&code_challenge&code_challenge_method=S256&state'
  const redirected = markdown`redirect to ${code(`${callback}?code=…&state=…&iss=…`)} or ${code('?error=access_denied&state=…&iss=…')}`
  const registered = JSON.stringify({ client_name: 'My agent', redirect_uris: [callback] })
  return [
    markdown`## The requests`,
    markdown`For clients in other languages. If this page and the metadata differ, follow the metadata.`,
    table(
      ['Request', 'Response'],
      [
        ...(registration ? [[request(registration, registered), code('{"client_id":"cli_…"}')]] : []),
        [request(authorization, challenge), redirected],
        [request(token, 'grant_type=authorization_code&client_id&code&code_verifier&redirect_uri'), code(JSON.stringify(tokens))],
        [request(token, 'grant_type=refresh_token&client_id&refresh_token'), 'the same members, all new'],
        [request(revocation, 'client_id&token'), '200 without a body'],
        [
          markdown`${code(metadata.userinfo_endpoint.replace(issuer, ''))} with a token, as in step 4`,
          code('{"sub":"acc_…","email":"…","name":"…"}'),
        ],
        ['any, with an error', code('{"error":"invalid_grant","error_description":"…"}')],
      ],
    ),
    ...(registration ? [redirectUris(oauth.registration.loopback_hosts), secret] : []),
    refreshing(oauth),
    bound(issuer, hasMcp),
  ]
}

function redirectUris(hosts: readonly string[]): Markdown {
  const allowed = new Markdown(hosts.map((host) => code(`http://${host}:<port>/<path>`).text).join(', '))
  return markdown`Self-registered redirect URIs: ${allowed}. The port may differ later; host and path are fixed. Fixed HTTPS redirect URIs get ${code('invalid_redirect_uri')}: the school registers such clients as integrations, on request to the contact below (${code(paths.appsMd)}).`
}

function refreshing({ lifetimes, refresh_window_seconds: window }: SchoolFacts['oauth']): Markdown {
  const repeated =
    window > 0
      ? `If the response to a refresh is lost, the same request within ${window} seconds gets the same response again. Later it counts as theft and revokes the grant.`
      : 'Using one again counts as theft and revokes the grant.'
  return markdown`An access token expires after ${lifetimes.access_token_seconds} seconds. Store a new refresh token before you use it. ${repeated}`
}

function bound(issuer: string, hasMcp: boolean): Markdown {
  const forMcp = hasMcp ? markdown`, ${code(issuer + paths.mcp)} for the MCP server only` : markdown``
  return markdown`To bind a token to one API, send ${code('resource')} in the authorization or token request: ${code(issuer)} for the API${forMcp}. Without it a token is valid for all APIs of this origin.`
}
