import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from './poll.ts'

/** The loopback listener of an app on this machine, to which the browser is redirected (RFC 8252 section 7.3). */
export interface Callback {
  redirectUri: string
  /** Redirects that were received and not taken yet, in order. */
  next(): Promise<URL>
  close(): Promise<void>
}

export async function listenForCallback(): Promise<Callback> {
  const arrived: URL[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    url.port = String((server.address() as AddressInfo).port)
    const isCallback = url.pathname === '/callback'
    if (isCallback) arrived.push(url)
    response.writeHead(isCallback ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' })
    response.end('You can close this page.')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    next: () => until(() => arrived.shift(), { what: 'a browser at the callback' }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
