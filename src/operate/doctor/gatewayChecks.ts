import { type ProbeFacts, type ProbeKind, probeHeader, probeRedirect, probeStream, signProbe } from '../../base/http/probe.ts'
import type { Keyring } from '../../base/keyring.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import { type Check, type Finding, failed, passed, skipped, warned } from './check.ts'
import { type HttpRequest, type HttpResponse, sendRequest } from './sendRequest.ts'

export interface GatewayArguments {
  base: string
  keyring: Keyring
}

const gateway = 'Compare the gateway with deploy/nginx.conf or deploy/Caddyfile'
const noAnswer = skipped('the service does not answer probes: it runs another release, or with another SECRET_KEY')
/** An address of the documentation network (RFC 5737), which no real caller has. */
const forged = '203.0.113.77'
const clockSeconds = { warn: 2, fail: 60 }

/** Returns the checks of the gateway: signed requests to which the service answers what arrived. */
export function gatewayChecks({ base, keyring }: GatewayArguments): Check[] {
  const probe = (kind: ProbeKind, path: string, { headers, ...more }: HttpRequest = {}): Promise<HttpResponse> => {
    const signed = signProbe((text) => keyring.sign('probes', text), kind)
    return sendRequest(`${base}${path}`, { ...more, headers: { ...headers, [probeHeader]: signed } })
  }
  const facts = async (more?: HttpRequest): Promise<{ facts: ProbeFacts; response: HttpResponse } | undefined> => {
    const response = await probe('facts', '/api/v1/probe', more)
    return response.status === 200 && isFacts(response.json) ? { facts: response.json, response } : undefined
  }
  const withFacts = (judge: (facts: ProbeFacts, response: HttpResponse) => Finding, more?: HttpRequest) => async (): Promise<Finding> => {
    const found = await facts(more)
    return found ? judge(found.facts, found.response) : noAnswer
  }
  return [
    { id: 'probe', run: () => checkProbe(facts) },
    { id: 'host', run: withFacts((got) => judgeHost(got, base)) },
    { id: 'forwarded', run: withFacts((got, response) => judgeForwarded(got, response, base), { headers: { 'x-forwarded-for': forged } }) },
    { id: 'authorization', run: withFacts(judgeAuthorization, { headers: { authorization: 'Bearer schoolgate-doctor' } }) },
    { id: 'clock', run: withFacts(judgeClock) },
    { id: 'body_size', run: () => checkBodySize(facts, probe) },
    { id: 'redirects', run: () => checkRedirects(probe) },
    { id: 'streaming', run: () => checkStreaming(probe) },
  ]
}

const isFacts = (value: unknown): value is ProbeFacts => isObject(value) && typeof value.peer_port === 'number'

async function checkProbe(facts: () => Promise<unknown>): Promise<Finding> {
  if (await facts()) return passed('the service answers signed probes')
  return warned(
    'the service does not answer signed probes, so the gateway is judged in part',
    'Run the command with the SECRET_KEY and the release of the service, and let the gateway pass on unknown headers.',
  )
}

function judgeHost({ host }: ProbeFacts, base: string): Finding {
  const expected = new URL(base).host
  if (host === expected) return passed(host)
  return failed(
    `the service gets Host ${host} instead of ${expected}`,
    `${gateway}: set Host to that of the request (nginx: proxy_set_header Host $http_host).`,
  )
}

const isLoopbackAddress = (text: string): boolean => /^(127\.|::1$|::ffff:127\.)/.test(text)

/** Without a gateway, the connection arrives from the port at this end. */
const isDirect = ({ peer_port: port }: ProbeFacts, { localPort }: HttpResponse): boolean => port === localPort

function judgeForwarded(facts: ProbeFacts, response: HttpResponse, base: string): Finding {
  const { forwarded_for: list, address } = facts
  if (isDirect(facts, response)) {
    if (address === forged)
      return failed(
        'callers can choose the address that limits and the audit trail use',
        'Remove their network from trusted_proxies in server.yaml.',
      )
    return new URL(base).protocol === 'https:'
      ? warned('no gateway was seen in front of the service', 'Check that trusted_proxies of server.yaml is empty.')
      : passed('no gateway')
  }
  if (list === null || list.trim() === forged)
    return failed(
      list === null
        ? 'the gateway sends no X-Forwarded-For: all callers share one address, and one rate limit'
        : 'the gateway passes on X-Forwarded-For of callers without adding to it',
      `${gateway}: append the caller's address (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for).`,
    )
  // The gateway appends the address of this machine.
  if (address === forged && isLoopbackAddress(list.split(',').at(-1)?.trim() ?? ''))
    return skipped('this machine is one of trusted_proxies: run the command on another one to judge the addresses')
  if (address === forged)
    return failed(
      'callers can choose the address that limits and the audit trail use',
      'Limit trusted_proxies in server.yaml to the addresses of the gateway.',
    )
  if (
    !list
      .split(',')
      .map((one) => one.trim())
      .includes(address)
  )
    return failed(
      `the service takes the gateway (${address}) for the caller`,
      "Add the gateway's address to trusted_proxies in server.yaml, and restart.",
    )
  return passed('X-Forwarded-For names the caller')
}

function judgeAuthorization({ authorization }: ProbeFacts): Finding {
  if (authorization) return passed('Authorization arrives')
  return failed('the gateway removes the Authorization header', `${gateway}: it must pass Authorization on.`)
}

function judgeClock({ time }: ProbeFacts, { headers }: HttpResponse): Finding {
  const now = Date.now()
  const offsets = [Date.parse(time) - now, ...(headers.date === undefined ? [] : [Date.parse(headers.date) - now + 500])]
  const offset = Math.max(...offsets.map((one) => Math.abs(one))) / 1000
  if (offset > clockSeconds.fail)
    return failed(`the clocks differ by ${Math.round(offset)} s`, 'Synchronise the clocks of the machines (NTP): tokens expire by them.')
  if (offset > clockSeconds.warn)
    return warned(`the clocks differ by ${offset.toFixed(1)} s`, 'Synchronise the clocks of the machines (NTP).')
  return passed('Date and the time of the service agree with this machine')
}

async function checkBodySize(
  facts: (more?: HttpRequest) => Promise<{ facts: ProbeFacts } | undefined>,
  probe: (kind: ProbeKind, path: string, more?: HttpRequest) => Promise<HttpResponse>,
): Promise<Finding> {
  if (!(await facts())) return noAnswer
  const body = Buffer.alloc(2 * 1_048_576, 32)
  const { status, json } = await probe('facts', '/api/v1/probe', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/octet-stream' },
  })
  if (status === 200 && json?.received_bytes === body.length) return passed('2 MiB arrive')
  return failed(
    `a body of 2 MiB gets ${status}`,
    `${gateway}: allow bodies of 16 MiB (nginx: client_max_body_size 16m), and more for uploads.`,
  )
}

async function checkRedirects(probe: (kind: ProbeKind, path: string) => Promise<HttpResponse>): Promise<Finding> {
  const { status, headers } = await probe('redirect', '/oauth/probe')
  if (status !== 302 && headers.location === undefined) return noAnswer
  if (headers.location === probeRedirect) return passed('redirects to apps stay as they are')
  return failed(
    `a redirect to ${probeRedirect} became ${headers.location ?? `status ${status}`}`,
    `${gateway}: it may not rewrite Location (nginx: proxy_redirect off).`,
  )
}

async function checkStreaming(probe: (kind: ProbeKind, path: string, more?: HttpRequest) => Promise<HttpResponse>): Promise<Finding> {
  const times: number[] = []
  const { status, headers } = await probe('stream', '/mcp', { headers: { accept: 'text/event-stream' }, onPiece: (at) => times.push(at) })
  if (status !== 200 || !/event-stream/.test(String(headers['content-type'] ?? ''))) return noAnswer
  const spread = (times.at(-1) ?? 0) - (times[0] ?? 0)
  if (spread >= probeStream.pauseMs) return passed('events arrive as they are sent')
  return failed('the gateway holds event streams back until they end', `${gateway}: it may not buffer /mcp (nginx: proxy_buffering off).`)
}
