import { connect, type Socket } from 'node:net'

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

export interface Sending {
  method?: string
  headers?: Record<string, string>
  /** A form or JSON, which determines the content type. */
  form?: Record<string, string>
  json?: unknown
  /** A raw body; the headers contain its content type. */
  raw?: string
}

/** Sends requests to one server over keep-alive connections. */
export interface Client {
  send(path: string, sending?: Sending): Promise<Reply>
  close(): void
}

/**
 * Sends requests over plain sockets. Node's HTTP client costs more for each request than the fastest servers, so that their rates would be
 * those of the client.
 */
export function createClient(origin: string): Client {
  const { host, hostname, port } = new URL(origin)
  const idle: Socket[] = []
  const all = new Set<Socket>()
  const open = (): Socket => {
    const socket = connect(Number(port), hostname).setNoDelay(true)
    all.add(socket)
    socket.on('close', () => {
      all.delete(socket)
      const index = idle.indexOf(socket)
      if (index >= 0) idle.splice(index, 1)
    })
    return socket
  }
  return {
    async send(path, { method, headers = {}, form, json, raw } = {}) {
      const body = raw ?? (form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json))
      const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
      const sent: Record<string, string> =
        body === undefined ? headers : { 'content-type': type, 'content-length': String(Buffer.byteLength(body)), ...headers }
      const { host: name = host, ...others } = sent
      const lines = Object.entries(others).map(([name, value]) => `${name}: ${value}\r\n`)
      const head = `${method ?? (body === undefined ? 'GET' : 'POST')} ${path} HTTP/1.1\r\nhost: ${name}\r\n${lines.join('')}\r\n`
      const socket = idle.pop() ?? open()
      const reply = await exchange(socket, head + (body ?? ''))
      if (reply.headers.connection === 'close') socket.destroy()
      else idle.push(socket)
      return reply
    },
    close: () => {
      for (const socket of all) socket.destroy()
    },
  }
}

function exchange(socket: Socket, request: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const stop = (): void => {
      socket.off('data', read).off('error', fail).off('close', closed)
    }
    const fail = (error: Error): void => {
      stop()
      reject(error)
    }
    const closed = (): void => fail(new Error('the server closed the connection'))
    const read = (chunk: Buffer): void => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const reply = replyIn(received)
      if (!reply) return
      stop()
      resolve(reply)
    }
    // Without a listener, an error between two requests would end the process.
    if (socket.listenerCount('error') === 0) socket.on('error', () => undefined)
    socket.on('data', read).on('error', fail).on('close', closed)
    socket.write(request)
  })
}

/** Returns the response in these bytes if it is complete. */
function replyIn(bytes: Buffer): Reply | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(first.slice(9, 12))
  const headers: Reply['headers'] = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    const before = headers[name]
    headers[name] = before === undefined ? value : [before, value].flat()
  }
  const body = bytes.subarray(end + 4)
  if (status === 204 || status === 304) return { status, headers, text: '' }
  if (headers['transfer-encoding'] !== undefined) {
    const text = dechunked(body)
    return text === undefined ? undefined : { status, headers, text }
  }
  const length = Number(headers['content-length'] ?? 0)
  return body.length < length ? undefined : { status, headers, text: body.toString('utf8', 0, length) }
}

/** Returns the text of a chunked body (RFC 9112 section 7.1) if it is complete. */
function dechunked(body: Buffer): string | undefined {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const line = body.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(body.toString('latin1', at, line), 16)
    const start = line + 2
    if (body.length < start + size + 2) return undefined
    if (size === 0) return Buffer.concat(chunks).toString()
    chunks.push(body.subarray(start, start + size))
    at = start + size + 2
  }
}
