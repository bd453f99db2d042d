import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { SeenEvent } from './judge.ts'

export interface WebhookReceiver {
  url: string
  secret: string
  close(): void
}

/** Receives webhooks, and adds each to the list when it comes first: a repeated delivery has the same `webhook-id`. */
export async function startReceiver(received: SeenEvent[]): Promise<WebhookReceiver> {
  const ids = new Set<string>()
  const server = createServer(async (request, response) => {
    const id = String(request.headers['webhook-id'])
    const { data } = JSON.parse(await text(request)) as { data: { id: string; version: number } }
    if (!ids.has(id)) received.push({ id, resource: data.id, version: data.version })
    ids.add(id)
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
