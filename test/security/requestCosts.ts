import { Agent, request } from 'node:http'

/** Sends a request and resolves to the status of its response. */
export type Send = () => Promise<number>

/** A request of which one part can have any length. */
export interface GrowingRequest {
  name: string
  /** The allowed length of the part. It is sent with an eighth, a quarter, a half and the whole of it. */
  length: number
  /** Sends the request with a part of this length. */
  send(length: number): Promise<number>
}

/** The most that the whole length may cost, in ordinary requests to the same path. */
const maxTimes = 10
/** Less is never too much: an ordinary request to some paths takes a third of a millisecond. */
const trivialMs = 8
/** From an eighth to the whole: 8 if the cost is linear, 64 if it is quadratic. */
const maxGrowth = 16
const attempts = 4

/** Returns the CPU time of one request in milliseconds: the minimum of several, since more can only find a shorter one. */
async function costOf(send: Send, runs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage()
    await send()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/**
 * Returns the costs of a request that costs more than its bytes: more than ten ordinary ones, or growing faster than its length.
 * Measures again before it says so. The service runs in this process, so its CPU time is that of the caller and of the service.
 */
export async function tooCostly({ name, length, send }: GrowingRequest, ordinary: Send): Promise<string | undefined> {
  // One run of the whole length decides most cases: further ones could only find a shorter time.
  if ((await costOf(() => send(length), 1)) < trivialMs) return undefined
  const sizes = [length / 8, length / 4, length / 2, length].map(Math.floor)
  const least = sizes.map(() => Number.POSITIVE_INFINITY)
  let usual = Number.POSITIVE_INFINITY
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    for (const [at, size] of sizes.entries()) least[at] = Math.min(least[at] ?? 0, await costOf(() => send(size), attempt))
    usual = Math.min(usual, await costOf(ordinary, attempt))
    const [eighth = 0, , , whole = 0] = least
    if (whole < trivialMs || (whole < usual * maxTimes && whole < eighth * maxGrowth)) return undefined
  }
  const costs = sizes.map((size, at) => `${size}: ${least[at]?.toFixed(1)} ms`).join(', ')
  return `${name} costs too much: ${costs}; without it ${usual.toFixed(1)} ms`
}

export interface Client {
  send(path: string, options?: { method?: string; headers?: Record<string, string>; body?: string | undefined }): Promise<number>
  close(): void
}

/** Creates a client that reads responses to their end over one connection at a time. */
export function createClient(origin: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { hostname, port } = new URL(origin)
  return {
    send: (path, { method = 'GET', headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
        request({ agent, hostname, port, path, method, headers: { ...headers, ...length } }, (response) => {
          response
            .resume()
            .on('end', () => resolve(response.statusCode ?? 0))
            .on('error', reject)
        })
          .on('error', reject)
          .end(body)
      }),
    close: () => agent.destroy(),
  }
}
