import { type IncomingHttpHeaders, type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { isObject } from '../../base/text/jsonValue.ts'

export interface HttpRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Called for each piece of the body, with the time since the request in milliseconds. */
  onPiece?(milliseconds: number): void
}

export interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
  /** The JSON value of the body; undefined if it is not JSON. */
  json: Record<string, unknown> | undefined
  /** The port of this end of the connection. */
  localPort: number | undefined
}

const timeoutMs = 10_000
const maxBytes = 4 * 1_048_576

/**
 * Sends one request on its own connection, follows no redirect and decodes nothing. The certificate is not checked here: the check of TLS
 * reports it, and the others still find what else is wrong.
 */
export async function sendRequest(
  address: string,
  { method = 'GET', headers = {}, body, onPiece }: HttpRequest = {},
): Promise<HttpResponse> {
  const url = new URL(address)
  const start = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const signal = AbortSignal.timeout(timeoutMs)
  const options = { method, headers: { 'user-agent': 'schoolgate-doctor', ...headers }, agent: false, signal } as const
  const sent = url.protocol === 'https:' ? overHttps(url, { ...options, rejectUnauthorized: false }) : overHttp(url, options)
  sent.on('response', resolve).on('error', reject).end(body)
  const response = await promise.catch((error: unknown) => {
    throw signal.aborted ? new Error(`${url.origin} did not respond within ${timeoutMs / 1000} s`) : error
  })
  const { localPort } = response.socket
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const part of response) {
    const piece: Buffer = part
    onPiece?.(performance.now() - start)
    bytes += piece.length
    if (bytes > maxBytes) throw new Error(`${url.pathname} has more than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  const whole = Buffer.concat(pieces)
  const text = whole.toString('utf8')
  return { status: response.statusCode ?? 0, headers: response.headers, body: whole, text, json: parsed(text), localPort }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
