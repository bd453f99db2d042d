import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { OutboundNetwork } from '../../src/base/net/outboundRequest.ts'

const run = promisify(execFile)

/** A public address, at which the websites of the tests seem to be. */
export const publicAddress = '93.184.215.14'

export type Page = (request: IncomingMessage, response: ServerResponse) => void

/** Websites with TLS on this machine, which the service reaches as if they were public. */
export interface DocumentHost {
  /** The page at a URL. A function answers for itself; an object is served as JSON. */
  pages: Map<string, object | Page>
  /** URLs that were requested, and the headers of the requests. */
  requests: { url: string; headers: IncomingMessage['headers'] }[]
  /** Number of TCP connections. */
  connections(): number
  /** Addresses of each name. A name without an entry has the public address. */
  names: Map<string, readonly string[]>
  /** Names that were resolved. */
  resolved: string[]
  network: Partial<OutboundNetwork>
  server: Server
  stop(): Promise<void>
}

/** Starts websites for these hosts, with a certificate of a certificate authority that exists for this test only. */
export async function startDocumentHost(hosts: readonly string[]): Promise<DocumentHost> {
  const { ca, key, cert } = await certificateFor(hosts)
  const pages = new Map<string, object | Page>()
  const requests: DocumentHost['requests'] = []
  const names = new Map<string, readonly string[]>()
  const resolved: string[] = []
  let connections = 0
  const server = createServer({ key, cert }, (request, response) => {
    const url = `https://${request.headers.host}${request.url}`
    requests.push({ url, headers: request.headers })
    const page = pages.get(url)
    if (typeof page === 'function') return page(request, response)
    response.writeHead(page ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(page ?? {}))
  })
  server.on('connection', () => {
    connections += 1
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    pages,
    requests,
    names,
    resolved,
    server,
    connections: () => connections,
    network: {
      ca,
      async resolve(hostname) {
        resolved.push(hostname)
        return names.get(hostname) ?? [publicAddress]
      },
      target: () => ({ host: '127.0.0.1', port }),
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function certificateFor(hosts: readonly string[]): Promise<{ ca: string; key: string; cert: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-ca-'))
  const at = (name: string): string => join(directory, name)
  const openssl = (...args: string[]): Promise<unknown> => run('openssl', args)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  try {
    await openssl('req', '-x509', ...key, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-days', '2', '-subj', '/CN=Test CA')
    await openssl('req', ...key, '-keyout', at('key.pem'), '-out', at('request.pem'), '-subj', '/CN=websites')
    await writeFile(at('names'), `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`)
    const signing = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('names'), '-days', '2']
    await openssl('x509', '-req', '-in', at('request.pem'), '-out', at('cert.pem'), ...signing)
    const read = (name: string): Promise<string> => readFile(at(name), 'utf8')
    return { ca: await read('ca.pem'), key: await read('key.pem'), cert: await read('cert.pem') }
  } finally {
    await rm(directory, { recursive: true })
  }
}
