import { Resolver } from 'node:dns/promises'
import { type IncomingMessage, request as requestPlainly } from 'node:http'
import { request } from 'node:https'
import { connect as connectPlainly, isIP, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { forbiddenAddressReason } from './outboundAddress.ts'

/** A request to a server that is not in the configuration. */
export interface OutboundRequest {
  /** An https URL. Redirects are not followed. */
  url: URL
  method: 'GET' | 'POST'
  headers: Readonly<Record<string, string>>
  body?: string
  /** Longest response body in bytes. 0: the body is not read. */
  maxBytes: number
  /** Time for the whole exchange, name resolution included. */
  timeoutMs: number
}

export interface OutboundResponse {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

/** `forbidden`: the address is not public. `failed`: no response. `invalid`: a response outside of the limits. */
export type OutboundFailure = 'forbidden' | 'failed' | 'invalid'

/** Why there was no response. */
export type OutboundCause = 'unknown_host' | 'refused' | 'unreachable' | 'tls' | 'reset' | 'timeout' | 'unknown'

/** A request without a usable response. The message is for the log: a caller could map the network with it. */
export class OutboundError extends Error {
  readonly failure: OutboundFailure
  readonly reason: OutboundCause

  constructor(
    failure: OutboundFailure,
    message: string,
    { cause, reason = causeOf(cause) }: { cause?: unknown; reason?: OutboundCause } = {},
  ) {
    super(message, { cause })
    this.name = 'OutboundError'
    this.failure = failure
    this.reason = reason
  }
}

/** Returns why a connection or an exchange failed. Node's errors of certificates have the codes of OpenSSL. */
function causeOf(error: unknown): OutboundCause {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return causes.find(([, codes]) => codes.test(code))?.[0] ?? 'unknown'
}

const causes: readonly [OutboundCause, RegExp][] = [
  ['unknown_host', /^(ENOTFOUND|ENODATA)$/],
  ['refused', /^ECONNREFUSED$/],
  ['unreachable', /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/],
  ['timeout', /^(ETIMEDOUT|ABORT_ERR)$/],
  ['reset', /^(ECONNRESET|EPIPE|ERR_SOCKET_CLOSED)$/],
  ['tls', /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO|HOSTNAME_MISMATCH)/],
]

export type SendOutbound = (request: OutboundRequest) => Promise<OutboundResponse>

/** The network that requests use. Tests replace its parts. */
export interface OutboundNetwork {
  resolve(hostname: string): Promise<readonly string[]>
  forbiddenReason(address: string): string | undefined
  /** Returns where to connect for a checked address. */
  target(address: string, port: number): { host: string; port: number }
  ca?: string
  /** True if URLs without TLS are requested, for hosts that the operator names. */
  allowsHttp?: boolean
}

const maxAddresses = 4

/**
 * Creates the function that sends a request to a host that somebody else chose. It resolves the name once, rejects the request if any of
 * the addresses is not public, and connects to a checked address, so that a second resolution cannot lead elsewhere. @throws OutboundError
 */
export function createOutbound(network: Partial<OutboundNetwork> = {}): SendOutbound {
  const { resolve = resolveName, forbiddenReason = forbiddenAddressReason, target = (host, port) => ({ host, port }) } = network
  return async (outbound) => {
    const { url, timeoutMs } = outbound
    const isPlain = url.protocol === 'http:' && network.allowsHttp === true
    if ((url.protocol !== 'https:' && !isPlain) || url.username !== '' || url.password !== '')
      throw new OutboundError('forbidden', 'only https URLs are requested')
    const signal = AbortSignal.timeout(timeoutMs)
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const addresses = await within(signal, isIP(hostname) ? Promise.resolve([hostname]) : resolve(hostname))
    if (addresses.length === 0) throw new OutboundError('failed', `${hostname} has no address`, { reason: 'unknown_host' })
    for (const address of addresses) {
      const reason = forbiddenReason(address)
      if (reason) throw new OutboundError('forbidden', `${hostname} resolves to ${address}, which ${reason}`)
    }
    let failure: unknown
    for (const address of addresses.slice(0, maxAddresses)) {
      const to = target(address, Number(url.port || (isPlain ? 80 : 443)))
      const socket = isPlain ? connectPlainly(to) : connectSecurely(to, hostname, network.ca)
      try {
        await within(signal, connected(socket, isPlain ? 'connect' : 'secureConnect'))
        return await exchange(outbound, socket, signal)
      } catch (error) {
        if (error instanceof OutboundError) throw error
        failure = error
      } finally {
        socket.destroy()
      }
    }
    throw new OutboundError('failed', `no connection to ${hostname}: ${String(failure)}`, { cause: failure })
  }
}

/** Resolves without the search domains and the hosts file of this machine, and without blocking a thread. */
async function resolveName(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

const connectSecurely = (to: { host: string; port: number }, hostname: string, ca: string | undefined): Socket =>
  connect({
    ...to,
    servername: isIP(hostname) ? '' : hostname,
    ca: ca === undefined ? undefined : [ca],
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  })

function connected(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve)
    socket.on('error', reject)
    socket.once('close', () => reject(Object.assign(new Error('connection closed'), { code: 'ECONNRESET' })))
  })
}

async function exchange(outbound: OutboundRequest, socket: Socket, signal: AbortSignal): Promise<OutboundResponse> {
  const { url, method, headers, body, maxBytes } = outbound
  const sent = (url.protocol === 'http:' ? requestPlainly : request)(url, {
    method,
    // Without an agent: an agent would resolve the name and connect once more.
    createConnection: () => socket,
    maxHeaderSize: 16_384,
    signal,
    headers: {
      'Accept-Encoding': 'identity',
      ...headers,
      Host: url.host,
      Connection: 'close',
      ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
    },
  })
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve)
      sent.on('error', reject)
      sent.end(body)
    })
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: maxBytes === 0 ? Buffer.alloc(0) : await readLimited(response, maxBytes),
    }
  } catch (error) {
    if (error instanceof OutboundError) throw error
    if (signal.aborted) throw new OutboundError('failed', 'no complete response in time', { cause: error, reason: 'timeout' })
    throw new OutboundError('failed', `no valid response: ${String(error)}`, { cause: error })
  } finally {
    sent.destroy()
  }
}

async function readLimited(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = response.headers['content-encoding'] ?? 'identity'
  // A small compressed body can be huge.
  if (encoding !== 'identity') throw new OutboundError('invalid', `the response has the content encoding ${encoding}`)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > maxBytes) throw new OutboundError('invalid', `the response has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Waits for work that cannot be aborted, until the time is over. */
async function within<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  signal.throwIfAborted()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const expire = (): void => reject(new OutboundError('failed', 'no answer in time', { reason: 'timeout' }))
  signal.addEventListener('abort', expire, { once: true })
  try {
    return await Promise.race([work, late])
  } finally {
    signal.removeEventListener('abort', expire)
    work.catch(() => undefined)
  }
}
