import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { readRange } from '../../src/base/http/byteRange.ts'

export interface BucketServer {
  endpoint: string
  /** Bytes by `/bucket/key`. */
  objects: Map<string, Buffer>
  close(): Promise<void>
}

/** A server that speaks as much of the protocol of S3 as file storage needs: PUT, GET with Range, DELETE, each one signed. */
export async function startBucketServer(): Promise<BucketServer> {
  const objects = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    const refuse = (status: number, code: string): void => {
      response.writeHead(status, { 'content-type': 'application/xml' })
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
    }
    const key = decodeURIComponent((request.url ?? '').split('?')[0] as string)
    if (!/^AWS4-HMAC-SHA256 Credential=test\//.test(request.headers.authorization ?? '')) return refuse(403, 'AccessDenied')
    if (request.method === 'PUT') {
      buffer(request).then(
        (bytes) => {
          if (bytes.length !== Number(request.headers['content-length'])) return refuse(400, 'IncompleteBody')
          objects.set(key, bytes)
          response.end()
        },
        () => response.destroy(),
      )
      return
    }
    if (request.method === 'DELETE') {
      objects.delete(key)
      response.writeHead(204).end()
      return
    }
    const bytes = objects.get(key)
    if (!bytes) return refuse(404, 'NoSuchKey')
    const range = readRange(request.headers.range ?? '', bytes.length)
    if (range === 'unsatisfiable') return refuse(416, 'InvalidRange')
    const part = range === 'whole' ? bytes : bytes.subarray(range.first, range.last + 1)
    response.writeHead(range === 'whole' ? 200 : 206, { 'content-length': part.length })
    response.end(part)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
