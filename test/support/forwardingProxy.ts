import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The action of the proxy for one request: forward it, forward it and drop the response, or send another response. */
export type Treatment = 'forward' | 'drop the response' | { status: number; headers: Record<string, string>; body: string }

export interface ForwardingProxy {
  /** The environment in which curl uses this proxy. */
  environment: Record<string, string>
  /** The paths that were requested. */
  requested: string[]
  /** Treats the next requests in this way, in order; later ones are forwarded. */
  treatNext(...treatments: Treatment[]): void
  close(): Promise<void>
}

/** Starts an HTTP proxy, as a network that loses responses. */
export async function startForwardingProxy(): Promise<ForwardingProxy> {
  const treatments: Treatment[] = []
  const requested: string[] = []
  const server = createServer((near, response) => {
    const treatment = treatments.shift() ?? 'forward'
    const url = new URL(near.url ?? '')
    requested.push(url.pathname)
    if (typeof treatment === 'object') {
      near.resume()
      response.writeHead(treatment.status, treatment.headers).end(treatment.body)
      return
    }
    const far = request(url, { method: near.method, headers: { ...near.headers, connection: 'close' } }, (answer) => {
      if (treatment === 'drop the response') {
        answer.resume().once('end', () => near.socket.destroy())
        return
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    far.once('error', () => near.socket.destroy())
    near.pipe(far)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    environment: { http_proxy: address },
    requested,
    treatNext: (...next) => void treatments.push(...next),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
