import { createServer, type RequestListener, request as sendOverHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request that a lane may answer. Headers are names and values in turn, so that a name can be repeated. */
export interface LaneProbe {
  method: string
  path: string
  headers: readonly string[]
  body?: string
}

export interface LaneReply {
  status: number
  headers: Record<string, unknown>
  body: string
  /** True if the lane sent the response. */
  isFromLane: boolean
}

export interface ProbedHandler {
  /** Sends the probe as it is, so that the lane answers it if it may. */
  send(probe: LaneProbe): Promise<LaneReply>
  /** Sends the same request with a header that has no other effect than to keep it out of the lane. */
  sendAround(probe: LaneProbe): Promise<LaneReply>
  close(): Promise<void>
}

const mark = 'learned-from'
/** A probe of `schoolgate doctor` whose signature is wrong is treated as if the request did not have the header. */
const aroundTheLane = ['x-schoolgate-probe', 'no signature']
const differsAlways = new Set(['date', 'request-id', 'keep-alive', 'connection', mark])

/**
 * Serves a handler whose lane has not answered yet. `learn` marks the response that the lane learns its headers from, so that each of its
 * responses has the mark, and no response of the pipeline.
 */
export async function probeHandler(handler: RequestListener, learn: readonly LaneProbe[], usual = 200): Promise<ProbedHandler> {
  let isLearning = true
  const server = createServer((request, response) => {
    if (isLearning) response.setHeader(mark, 'the pipeline')
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const send = (probe: LaneProbe): Promise<LaneReply> => sendProbe(port, probe)
  for (const probe of learn) {
    const { status } = await send(probe)
    if (status !== usual) throw new Error(`the lane cannot learn from a response with ${status}`)
  }
  isLearning = false
  return {
    send,
    sendAround: (probe) => send({ ...probe, headers: [...probe.headers, ...aroundTheLane] }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function sendProbe(port: number, { method, path, headers, body }: LaneProbe): Promise<LaneReply> {
  return new Promise((resolve, reject) => {
    const length = body === undefined || headers.includes('transfer-encoding') ? [] : ['content-length', String(Buffer.byteLength(body))]
    const all = ['host', `127.0.0.1:${port}`, ...headers, ...length]
    const sent = sendOverHttp({ host: '127.0.0.1', port, method, path, headers: all, agent: false }, (response) => {
      text(response).then((received) => {
        const seen = Object.entries(response.headers).filter(([name]) => !differsAlways.has(name))
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(seen.sort(([one], [other]) => (one < other ? -1 : 1))),
          body: received.replaceAll(/"req_\w+"/g, '"the id of the request"'),
          isFromLane: response.headers[mark] !== undefined,
        })
      }, reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Returns what differs between two responses, without what belongs to one response alone; empty if nothing does. */
export function differences(one: LaneReply, other: LaneReply): string[] {
  const parts = ({ status, headers, body }: LaneReply): Record<string, unknown> => ({ status, ...headers, body })
  const [own, theirs] = [parts(one), parts(other)]
  const names = new Set([...Object.keys(own), ...Object.keys(theirs)])
  return [...names]
    .filter((name) => JSON.stringify(own[name]) !== JSON.stringify(theirs[name]))
    .map((name) => `${name}: ${JSON.stringify(own[name])} and ${JSON.stringify(theirs[name])}`)
}
