import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A span as a receiver of OTLP decodes it. */
export interface ReceivedSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Record<string, string | number>
  /** 2: failed. */
  status: number | undefined
  service: string
}

export interface TraceReceiver {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string
  spans: ReceivedSpan[]
  /** Everything that was received, as text. */
  text(): string
  /** The headers of each export. */
  headers: IncomingHttpHeaders[]
  stop(): Promise<void>
}

interface Value {
  stringValue?: string
  intValue?: number | string
  doubleValue?: number
}
type Attribute = { key: string; value: Value }
interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'attributes' | 'status' | 'service'> & { attributes: Attribute[]; status?: { code?: number } })[]
    }[]
  }[]
}

const members = (attributes: Attribute[]): ReceivedSpan['attributes'] =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue } }) => [key, stringValue ?? doubleValue ?? Number(intValue)]),
  )

/** Starts a receiver of OTLP over HTTP that decodes the JSON form. `status` replaces 200. */
export async function startTraceReceiver({ status = 200 }: { status?: number } = {}): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = []
  const bodies: unknown[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Export
    bodies.push(body)
    headers.push(request.headers)
    if (request.url === '/v1/traces' && request.headers['content-type'] === 'application/json')
      for (const { resource, scopeSpans } of body.resourceSpans)
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({
            ...span,
            parentSpanId: span.parentSpanId || undefined,
            attributes: members(span.attributes),
            status: span.status?.code,
            service: String(members(resource.attributes)['service.name']),
          })
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    text: () => JSON.stringify(bodies),
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
