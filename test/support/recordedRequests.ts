import { once } from 'node:events'
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** A request as a client sent it. */
export interface RecordedRequest {
  method: string
  /** Path and query. */
  target: string
  headers: Readonly<Record<string, string>>
  body: string
}

export interface RecordedResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

/** Returns a function that records a request with its body, for `startService`. The service reads the request as if nobody did. */
export const recordRequests =
  (recorded: RecordedRequest[]) =>
  (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '', headers } = incoming
    const sent = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
    const chunks: Buffer[] = []
    const push = incoming.push.bind(incoming)
    incoming.push = (chunk, encoding) => {
      if (Buffer.isBuffer(chunk)) chunks.push(chunk)
      return push(chunk, encoding)
    }
    response.on('finish', () => {
      recorded.push({ method, target: url, headers: Object.fromEntries(sent), body: Buffer.concat(chunks).toString() })
    })
  }

const agent = new Agent({ keepAlive: true })

/** Sends a recorded request again. Its length is that of the body. */
export async function replay(issuer: string, { method, target, headers, body }: RecordedRequest): Promise<RecordedResponse> {
  const { 'content-length': _, 'transfer-encoding': __, connection: ___, expect: ____, ...others } = headers
  const { hostname, port } = new URL(issuer)
  const length = body === '' && method !== 'POST' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const sent = request({ hostname, port, method, path: target, agent, headers: { ...others, ...length } })
  sent.end(body)
  const [response]: [IncomingMessage] = (await once(sent, 'response')) as [IncomingMessage]
  const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(received), body: await text(response) }
}
