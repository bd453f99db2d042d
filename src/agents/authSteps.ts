import { isOpen, isSingle, isWholeList } from './entryPoints.ts'
import { block, code, type Markdown, markdown } from './markdown.ts'
import { paths, type SchoolFacts, type ServerMetadata } from './schoolFacts.ts'

export interface StepArguments {
  facts: SchoolFacts
  metadata: ServerMetadata
  hasMcp: boolean
}

const port = 8765

/** Renders the steps to a first response, with commands that can be pasted in order into one POSIX shell with curl and openssl. */
export function authSteps({ facts, metadata, hasMcp }: StepArguments): Markdown[] {
  const { issuer, apiPath, oauth } = facts
  const [host = '127.0.0.1'] = oauth.registration.loopback_hosts
  const callback = `http://${host}:${port}/callback`
  const mine = facts.operations.find((one) => isSingle(one) && !isOpen(one))
  const open = facts.operations.find((one) => isWholeList(one) && isOpen(one))
  const asked = ['openid', mine?.scope, open?.scope].filter((scope) => scope !== undefined)
  const called = issuer + (mine?.path ?? apiPath)
  return [
    markdown`## 1. Discover`,
    markdown`Run the commands of this page in order, in one shell. They need ${code('curl')} and ${code('openssl')}.`,
    block('sh', [`curl -sS ${issuer}${paths.protectedResource}`, `curl -sS ${issuer}${paths.authorizationServer}`].join('\n')),
    markdown`If this page and the metadata differ, follow the metadata.`,
    ...registration(metadata, callback),
    markdown`## 3. Send the person`,
    block('sh', proof),
    markdown`Open the printed URL in the person's browser:`,
    block(
      'sh',
      `echo "${metadata.authorization_endpoint}?response_type=code&client_id=$CLIENT_ID&redirect_uri=${encodeURIComponent(callback)}&scope=${encodeURIComponent(asked.join(' '))}&code_challenge=$CHALLENGE&code_challenge_method=S256&state=$STATE"`,
    ),
    markdown`The person signs in, sees what you request, and can allow less. The token response lists the allowed scopes in ${code('scope')}.`,
    markdown`## 4. Receive the response`,
    markdown`The browser is redirected to ${code(callback)} with ${code('code')}, ${code('state')} and ${code('iss')}. Either listen there, in the same shell and before the person opens the URL:`,
    block('sh', `REDIRECT=$(${listener(host)})`),
    markdown`Or do not listen: the browser shows that it cannot connect, and its address bar contains the response. Copy the whole URL:`,
    block('sh', `read -r REDIRECT`),
    markdown`Then parse it. Compare before you continue: a different ${code('state')} belongs to another request, a different ${code('iss')} comes from another server.`,
    block('sh', takeApart(issuer)),
    markdown`### When the browser is on another machine`,
    markdown`A loopback address is on the machine of the browser. Send the person the URL of step 3. If they tick “The app is on a different computer” on the consent page, the next page shows the whole response, and the code alone, to copy back to you. Otherwise let them copy the address bar, or forward the port to the machine on which you listen:`,
    block('text', `ssh -L ${port}:${host}:${port} MACHINE-OF-THE-AGENT`),
    markdown`## 5. Redeem the code`,
    markdown`The code works once, within ${oauth.lifetimes.authorization_code_seconds} seconds:`,
    block(
      'sh',
      `TOKENS=$(curl -sS ${metadata.token_endpoint} -d grant_type=authorization_code -d client_id="$CLIENT_ID" \\
  -d code="$CODE" -d code_verifier="$VERIFIER" --data-urlencode redirect_uri=${callback})
ACCESS_TOKEN=$(member access_token "$TOKENS")
REFRESH_TOKEN=$(member refresh_token "$TOKENS")`,
    ),
    markdown`Clients that registered with ${code('client_secret_post')} add ${code('client_secret')} to this form and to those of steps 7 and 8.`,
    markdown`## 6. Call`,
    block(
      'sh',
      `curl -sS ${called} -H "Authorization: Bearer $ACCESS_TOKEN"\ncurl -sS ${metadata.userinfo_endpoint} -H "Authorization: Bearer $ACCESS_TOKEN"`,
    ),
    bound(issuer, hasMcp),
    markdown`## 7. Refresh`,
    markdown`An access token expires after ${oauth.lifetimes.access_token_seconds} seconds. Each refresh returns a new refresh token: store it before you use it.`,
    block(
      'sh',
      `TOKENS=$(curl -sS ${metadata.token_endpoint} -d grant_type=refresh_token -d client_id="$CLIENT_ID" -d refresh_token="$REFRESH_TOKEN")
ACCESS_TOKEN=$(member access_token "$TOKENS")
REFRESH_TOKEN=$(member refresh_token "$TOKENS")`,
    ),
    oauth.refresh_window_seconds > 0
      ? markdown`If the response is lost, the same request within ${oauth.refresh_window_seconds} seconds gets the same response again. Later it counts as theft and revokes the grant.`
      : markdown`A refresh token works once. Using it again counts as theft and revokes the grant.`,
    markdown`## 8. Revoke`,
    block('sh', `curl -sS ${metadata.revocation_endpoint} -d client_id="$CLIENT_ID" -d token="$REFRESH_TOKEN"`),
    markdown`Revoking the refresh token revokes every token of the person's consent. The response is 200, also for an unknown token.`,
    markdown`## 9. Ask for more`,
    markdown`A 403 ${code('insufficient_scope')} names every scope that the call needs. Go back to step 3 and request these scopes together with those that you have: a new token contains only the scopes of that request.`,
    ...(hasMcp ? [markdown`MCP clients do the same: they request the scopes that they have together with those of the challenge.`] : []),
  ]
}

function registration({ registration_endpoint: endpoint }: ServerMetadata, callback: string): Markdown[] {
  const heading = markdown`## 2. Register`
  const keep = block('sh', `member() { printf '%s\\n' "$2" | sed -nE "s/.*\\"$1\\" *: *\\"([^\\"]*)\\".*/\\1/p"; }`)
  if (endpoint === undefined) {
    return [
      heading,
      markdown`Self-service registration is off. The school registers clients; set ${code('CLIENT_ID')} to the id that you received.`,
      keep,
    ]
  }
  const metadata = JSON.stringify({
    client_name: 'My agent',
    application_type: 'native',
    redirect_uris: [callback],
    token_endpoint_auth_method: 'none',
  })
  return [
    heading,
    markdown`For clients that redirect to the person's own machine. The port may differ later; host and path are fixed.`,
    keep,
    block(
      'sh',
      `CLIENT_ID=$(member client_id "$(curl -sS ${endpoint} -H 'Content-Type: application/json' \\\n  -d '${metadata}')")\necho "$CLIENT_ID"`,
    ),
    markdown`Keep the ${code('client_id')} and reuse it. Fixed HTTPS redirect URIs get ${code('invalid_redirect_uri')}: the school registers such clients as integrations.`,
  ]
}

const proof = `VERIFIER=$(openssl rand -base64 48 | tr '+/' '-_' | tr -d '=\\n')
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
STATE=$(openssl rand -hex 16)`

const listener = (host: string): string =>
  `node -e "require('http').createServer((q,s)=>s.end('You can close this page.',()=>{console.log(q.url);process.exit()})).listen(${port},'${host}')"`

const takeApart = (issuer: string): string => `parameter() { printf '%s\\n' "$REDIRECT" | sed -nE "s/.*[?&]$1=([^&]*).*/\\1/p"; }
[ "$(parameter state)" = "$STATE" ] && [ "$(parameter iss)" = '${encodeURIComponent(issuer)}' ] || echo 'Not the response to this request: stop here'
CODE=$(parameter code)`

function bound(issuer: string, hasMcp: boolean): Markdown {
  const forMcp = hasMcp ? markdown`, ${code(issuer + paths.mcp)} for the MCP server only` : markdown``
  return markdown`To bind a token to one API, send ${code('resource')} in step 3 or 5: ${code(issuer)} for the API${forMcp}. Without it a token is valid for all APIs of this origin.`
}
