import { Agent, request } from 'node:http'

/** A request of the fuzzer, complete, so that it can be repeated and printed. */
export interface FuzzRequest {
  /** The operation, such as `updateCourse` or `POST /api/oauth/token`. */
  target: string
  method: string
  path: string
  headers: Readonly<Record<string, string | string[]>>
  body?: Buffer
  /** The role of the caller; `nobody` for requests without a token. */
  role: string
  /** The changes that make it invalid; none for a valid request. */
  mutations: readonly string[]
}

export interface FuzzReply {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  text: string
  milliseconds: number
}

/** Thrown when there is no whole response within the time. */
export class NoReply extends Error {}

export interface Wire {
  send(fuzzRequest: FuzzRequest): Promise<FuzzReply>
  close(): void
}

/** Milliseconds without a response after which a request hangs. */
export const hangMs = 5000

/** Sends requests over keep-alive connections. Node's own client accepts headers and paths that `fetch` would correct. */
export function createWire(origin: string): Wire {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(origin)
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const start = performance.now()
        const length = body === undefined ? {} : { 'content-length': String(body.length) }
        const call = request({ agent, hostname, port, method, path, headers: { ...headers, ...length } }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', fail)
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
              milliseconds: performance.now() - start,
            }),
          )
        })
        const timer = setTimeout(() => call.destroy(new NoReply(`no response within ${hangMs} ms`)), hangMs)
        function fail(error: Error): void {
          clearTimeout(timer)
          reject(error instanceof NoReply ? error : new NoReply(error.message))
        }
        call.on('error', fail).on('close', () => clearTimeout(timer))
        call.end(body)
      }),
    close: () => agent.destroy(),
  }
}

/** Returns the request as a command for a shell. */
export function asCurl(origin: string, { method, path, headers, body }: FuzzRequest): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
  const named = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const))
  const lines = named.map(
    ([name, value]) => `-H ${quoted(`${name}: ${name === 'authorization' ? value.replace(/(Bearer .{6}).*/, '$1…') : value}`)}`,
  )
  const sent =
    body === undefined
      ? []
      : [`--data-binary ${quoted(body.length > 2000 ? `${body.toString('utf8', 0, 2000)}… (${body.length} bytes)` : body.toString())}`]
  return ['curl -i --path-as-is', `-X ${method}`, ...lines, ...sent, quoted(origin + path)].join(' ')
}
