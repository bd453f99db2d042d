import type { Operation } from '../engine/declare/operations.ts'
import { authScript, scriptName, scriptPort } from './authScript.ts'
import { isOpen, isSingle } from './entryPoints.ts'
import { block, code, type Markdown, markdown } from './markdown.ts'
import { paths, type SchoolFacts, type ServerMetadata } from './schoolFacts.ts'

/** A line of every document for agents. */
export const afterRestart: Markdown = markdown`After a restart, first read ${code('/api/v1/account/authorizations/current')}: scopes, rules, waiting requests, limits.`

const bearer = `-H "Authorization: Bearer $(sh ${scriptName} token)"`

/** Renders the steps from the first request to revocation. Each command can run in a separate POSIX shell. */
export function authSteps(facts: SchoolFacts, metadata: ServerMetadata): Markdown[] {
  const { issuer, oauth, operations } = facts
  const first = operations.find((one) => isSingle(one) && !isOpen(one))
  const requested = [...new Set([...oauth.baseline_scopes, ...(first ? [first.scope] : [])])]
  return [
    markdown`## 1. Save the script`,
    markdown`Run each command in the same folder, in any shell: the state is in ${code(`${scriptName}.state`)} (mode 600). Read the script, then save it:`,
    block('sh', `curl -sS ${issuer}${paths.authMd} | sed -n '/^#!/,/^esac$/p' >${scriptName}`),
    block('sh', authScript(metadata)),
    markdown`## 2. Register and ask for access`,
    ...(metadata.registration_endpoint
      ? []
      : [
          markdown`Self-service registration is off. Write the ${code('client_id')} that the school gave you into the function ${code('load')}.`,
        ]),
    block('sh', `sh ${scriptName} begin '${requested.join(' ')}'${metadata.registration_endpoint ? ' "Agent on $(uname -n)"' : ''}`),
    block('text', `${metadata.authorization_endpoint}?response_type=code&client_id=cli_…`),
    metadata.registration_endpoint
      ? markdown`The URL for the person. The first run registers a client; the last argument is your name: agent and machine.`
      : markdown`This is the URL for the person.`,
    ...receive(facts),
    ...call(facts, first),
    ...change(facts, first, requested),
    markdown`## 6. Revocation`,
    block('sh', `sh ${scriptName} revoke`),
    markdown`It revokes every token of the consent, and prints nothing.`,
  ]
}

function receive({ oauth }: SchoolFacts): Markdown[] {
  const { authorization_code_seconds: seconds, handed_over_code_seconds: copiedSeconds } = oauth.lifetimes
  return [
    markdown`## 3. Receive the response`,
    markdown`With Node.js, listen in the background first:`,
    block('sh', `nohup sh ${scriptName} finish >school.log 2>&1 </dev/null &`),
    markdown`Then give the person the URL. **Permissions to change data start unticked: name the boxes to tick.** Then compare:`,
    block('sh', 'cat school.log'),
    block('text', 'granted: openid email\nnot granted: profile'),
    markdown`Without Node.js or background processes: the browser shows that it cannot connect. Ask for the whole address in its address bar, and pass it on within ${seconds} seconds:`,
    block('sh', `sh ${scriptName} finish 'http://127.0.0.1:${scriptPort}/callback?code=…&state=…&iss=…'`),
    markdown`If the browser is on another machine, the person ticks “The app is on a different computer” on the consent page. The next page shows the address to copy, valid for ${copiedSeconds} seconds.`,
    markdown`${code('refused: access_denied')}: the person declined. A response with another ${code('state')} or ${code('iss')} is rejected; the right one can still arrive.`,
  ]
}

function call({ issuer, apiPath }: SchoolFacts, first: Operation | undefined): Markdown[] {
  return [
    markdown`## 4. Use the token`,
    block('sh', `curl -sS ${issuer}${first?.path ?? apiPath} ${bearer}`),
    ...(first ? [block('json', JSON.stringify(sampleOf(first)))] : []),
    markdown`${code('token')} refreshes by itself; after a 401 use ${code('token new')}. Leave the token out of public reads. ${code(paths.apiMd)} lists the operations.`,
    afterRestart,
  ]
}

/** A change of a row and a creation. They have no effect that the person would notice. */
function change({ issuer, operations }: SchoolFacts, first: Operation | undefined, requested: readonly string[]): Markdown[] {
  const update = operations.find(({ kind, resource }) => kind === 'update' && resource === first?.resource)
  const create = operations.find(({ kind, resource }) => kind === 'create' && resource.name === 'uploads')
  if (!update || !create) return []
  const json = "-H 'Content-Type: application/json'"
  const announced = { filename: 'me.webp', content_type: 'image/webp', byte_size: 4821, purpose: 'avatar' }
  return [
    markdown`## 5. Ask for more, and change data`,
    markdown`A 403 ${code('insufficient_scope')} names every scope that the call needs. Ask for these and for those that you have: a new token contains only the scopes of its request. Then repeat step 3.`,
    block('sh', `sh ${scriptName} begin '${[...new Set([...requested, update.scope, create.scope])].join(' ')}'`),
    block('sh', `curl -sS -X PATCH ${issuer}${update.path} ${bearer} ${json} \\\n  -d '{"notification_preferences":{"billing":"email"}}'`),
    markdown`${code('If-Match')} with the ${code('ETag')} of your read protects the changes of others: after 412, read again.`,
    markdown`A POST with ${code('Idempotency-Key')} can be repeated for a day: the same key and body get the same response. After an error, correct the request and keep the key.`,
    block(
      'sh',
      `curl -sS ${issuer}${create.path} ${bearer} ${json} -H 'Idempotency-Key: avatar-1' \\\n  -d '${JSON.stringify(announced)}'`,
    ),
    block('json', '{"id":"upl_…","object":"upload","status":"pending"}'),
  ]
}

/** Returns a row as a sample: the names of its first fields. */
function sampleOf({ resource: { idPrefix, object, schemas } }: Operation): Record<string, string> {
  const names = Object.keys(schemas.own.shape).filter((name) => !['id', 'object'].includes(name))
  return { id: `${idPrefix}_…`, object, ...Object.fromEntries(names.slice(0, 3).map((name) => [name, '…'])) }
}
