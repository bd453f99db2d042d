import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'

import { createKoa } from '../../src/base/http/createKoa.ts'
import { createLog } from '../../src/base/log/log.ts'
import { createPlatformHandler } from '../../src/operate/compose/platform.ts'
import type { TestService } from './service.ts'

export const platformKey = 'a-key-of-the-platform-intake-long-enough'
export const nextPlatformKey = 'the-next-key-of-the-platform-intake-as-long'

export interface Reported {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the body of any operation
  body: any
}

export interface Platform {
  /** Base address of the private port. */
  address: string
  log(): string
  /** Sends a report; by default with a new reference. */
  report(path: string, body: object, key?: string): Promise<Reported>
  stop(): Promise<void>
}

let last = 0
/** Returns a reference that no other report has. */
export const newReference = (): string => `ref-${process.pid}-${++last}`

/** Serves the platform intake of a running service on a separate port. */
export async function startPlatform(service: TestService, keys: readonly string[] = [platformKey, nextPlatformKey]): Promise<Platform> {
  const lines: string[] = []
  const log = createLog('info', new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }))
  const koa = createKoa()
  for (const handler of createPlatformHandler({ app: service.app, database: service.database, log }, keys)) koa.use(handler)
  const server = createServer({ keepAliveTimeout: 120_000 }, koa.callback())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    address,
    log: () => lines.join(''),
    async report(path, body, key = platformKey) {
      const response = await fetch(`${address}/platform/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ reference: newReference(), ...body }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : undefined }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
