import { isOpen, isSingle, isWholeList } from './entryPoints.ts'
import { block, code, type Markdown, markdown } from './markdown.ts'
import { paths, type SchoolFacts, type ServerMetadata } from './schoolFacts.ts'

export interface StepArguments {
  facts: SchoolFacts
  metadata: ServerMetadata
  hasMcp: boolean
}

const port = 8765

/** The way from nothing to an answer, with commands that can be pasted in their order into one POSIX shell with curl and openssl. */
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
    markdown`The commands of this page follow each other in one shell. They need ${code('curl')} and ${code('openssl')}.`,
    block('sh', [`curl -sS ${issuer}${paths.protectedResource}`, `curl -sS ${issuer}${paths.authorizationServer}`].join('\n')),
    markdown`Where this page and the metadata differ, the metadata are right.`,
    ...registration(metadata, callback),
    markdown`## 3. Send the person`,
    block('sh', proof),
    markdown`Open what this prints in the person's browser:`,
    block(
      'sh',
      `echo "${metadata.authorization_endpoint}?response_type=code&client_id=$CLIENT_ID&redirect_uri=${encodeURIComponent(callback)}&scope=${encodeURIComponent(asked.join(' '))}&code_challenge=$CHALLENGE&code_challenge_method=S256&state=$STATE"`,
    ),
    markdown`The person signs in, sees what you ask for, and may allow less of it. What was allowed stands in ${code('scope')} of the token answer.`,
    markdown`## 4. Take the answer`,
    markdown`The browser goes to ${code(callback)} with ${code('code')}, ${code('state')} and ${code('iss')}. Either listen there, in the same shell before the person opens the address:`,
    block('sh', `REDIRECT=$(${listener(host)})`),
    markdown`Or listen to nothing: the browser shows that it cannot connect, and its address bar holds the answer. Copy the whole address:`,
    block('sh', `read -r REDIRECT`),
    markdown`Then take it apart. Compare before you go on: another ${code('state')} is an answer to somebody else's request, another ${code('iss')} comes from another server.`,
    block('sh', takeApart(issuer)),
    markdown`### When the browser is on another machine`,
    markdown`A loopback address means the machine of the browser. Send the person the address of step 3. Where they tick “The app is on a different computer” on the consent page, the next page shows the whole answer, and the code alone, to copy back to you. Otherwise let them copy the address bar, or forward the port to where you listen:`,
    block('text', `ssh -L ${port}:${host}:${port} MACHINE-OF-THE-AGENT`),
    markdown`## 5. Redeem the code`,
    markdown`Within ${oauth.lifetimes.authorization_code_seconds} seconds, once:`,
    block(
      'sh',
      `TOKENS=$(curl -sS ${metadata.token_endpoint} -d grant_type=authorization_code -d client_id="$CLIENT_ID" \\
  -d code="$CODE" -d code_verifier="$VERIFIER" --data-urlencode redirect_uri=${callback})
ACCESS_TOKEN=$(member access_token "$TOKENS")
REFRESH_TOKEN=$(member refresh_token "$TOKENS")`,
    ),
    markdown`A client that registered with ${code('client_secret_post')} adds ${code('client_secret')} to this form and to those of steps 7 and 8.`,
    markdown`## 6. Call`,
    block(
      'sh',
      `curl -sS ${called} -H "Authorization: Bearer $ACCESS_TOKEN"\ncurl -sS ${metadata.userinfo_endpoint} -H "Authorization: Bearer $ACCESS_TOKEN"`,
    ),
    bound(issuer, hasMcp),
    markdown`## 7. Refresh`,
    markdown`An access token lives ${oauth.lifetimes.access_token_seconds} seconds. Each refresh answers a new refresh token: store it before you use it.`,
    block(
      'sh',
      `TOKENS=$(curl -sS ${metadata.token_endpoint} -d grant_type=refresh_token -d client_id="$CLIENT_ID" -d refresh_token="$REFRESH_TOKEN")
ACCESS_TOKEN=$(member access_token "$TOKENS")
REFRESH_TOKEN=$(member refresh_token "$TOKENS")`,
    ),
    oauth.refresh_window_seconds > 0
      ? markdown`If the answer is lost, the same request within ${oauth.refresh_window_seconds} seconds gets the same answer again. Later it counts as theft and ends the grant.`
      : markdown`A refresh token is good once. Presented again it counts as theft and ends the grant.`,
    markdown`## 8. Revoke`,
    block('sh', `curl -sS ${metadata.revocation_endpoint} -d client_id="$CLIENT_ID" -d token="$REFRESH_TOKEN"`),
    markdown`Revoking the refresh token ends every token that the person's consent led to. The answer is 200 whether or not the token was known.`,
    markdown`## 9. Ask for more`,
    markdown`A 403 ${code('insufficient_scope')} names every scope that the call needs. Go back to step 3 and ask for the union of what you hold and what is named: a new token carries what was asked for this time, and nothing from before.`,
    ...(hasMcp ? [markdown`MCP clients do the same: they keep the scopes that they hold and add those of the challenge.`] : []),
  ]
}

function registration({ registration_endpoint: endpoint }: ServerMetadata, callback: string): Markdown[] {
  const heading = markdown`## 2. Register`
  const keep = block('sh', `member() { printf '%s\\n' "$2" | sed -nE "s/.*\\"$1\\" *: *\\"([^\\"]*)\\".*/\\1/p"; }`)
  if (endpoint === undefined) {
    return [
      heading,
      markdown`Self-service registration is off. Clients are arranged with the school; set ${code('CLIENT_ID')} to what you were given.`,
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
    markdown`Open to clients that redirect to the person's own machine. Any port may be used later; host and path are fixed.`,
    keep,
    block(
      'sh',
      `CLIENT_ID=$(member client_id "$(curl -sS ${endpoint} -H 'Content-Type: application/json' \\\n  -d '${metadata}')")\necho "$CLIENT_ID"`,
    ),
    markdown`Keep the ${code('client_id')} and use it again. A fixed HTTPS callback is refused with ${code('invalid_redirect_uri')}: such clients are registered integrations, arranged with the school.`,
  ]
}

const proof = `VERIFIER=$(openssl rand -base64 48 | tr '+/' '-_' | tr -d '=\\n')
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
STATE=$(openssl rand -hex 16)`

const listener = (host: string): string =>
  `node -e "require('http').createServer((q,s)=>s.end('You can close this page.',()=>{console.log(q.url);process.exit()})).listen(${port},'${host}')"`

const takeApart = (issuer: string): string => `parameter() { printf '%s\\n' "$REDIRECT" | sed -nE "s/.*[?&]$1=([^&]*).*/\\1/p"; }
[ "$(parameter state)" = "$STATE" ] && [ "$(parameter iss)" = '${encodeURIComponent(issuer)}' ] || echo 'Not an answer to this request: stop here'
CODE=$(parameter code)`

function bound(issuer: string, hasMcp: boolean): Markdown {
  const forMcp = hasMcp ? markdown`, ${code(issuer + paths.mcp)} for the MCP server alone` : markdown``
  return markdown`To bind a token to one API, send ${code('resource')} in step 3 or 5: ${code(issuer)} for the API${forMcp}. Without it a token is good for all of this origin.`
}
