import { Socket } from 'node:net'

/** The requests that one piece of work sent to the stores. */
export interface StoreRequests {
  /** Statements of PostgreSQL in order, BEGIN and COMMIT included. */
  statements: SentStatement[]
  /** Writes to a socket of Redis: each waits for one answer, whether it contains one command, a pipeline or a script. */
  redisTrips: string[][]
}

export interface SentStatement {
  text: string
  /** Empty for a statement that is parsed and planned again. */
  name: string
}

export interface RequestCounter {
  /** Returns what this process sent to the stores while `work` ran. Nothing else may use the stores meanwhile. */
  during(work: () => Promise<unknown>): Promise<StoreRequests>
  stop(): void
}

/**
 * Counts on the wire, below every client library: it reads the bytes that this process writes to the ports of PostgreSQL and Redis. Only
 * connections that are opened after this call are counted.
 */
export function countStoreRequests(ports: { postgresql: number; redis: number }): RequestCounter {
  let counted: StoreRequests | undefined
  const readers = new WeakMap<Socket, (bytes: Buffer) => void>()
  const readerOf = (socket: Socket): ((bytes: Buffer) => void) => {
    const made = readers.get(socket) ?? statementReader((statement) => counted?.statements.push(statement))
    readers.set(socket, made)
    return made
  }
  const seen = (socket: Socket, bytes: () => Buffer): void => {
    if (socket.remotePort === ports.postgresql) readerOf(socket)(bytes())
    if (socket.remotePort === ports.redis) counted?.redisTrips.push(commandsIn(bytes()))
  }
  // A corked socket sends its writes in one `_writev`, which is one write to the socket.
  const { _write: write, _writev: writev } = Socket.prototype
  Socket.prototype._write = function counting(chunk, encoding, done) {
    seen(this, () => asBuffer({ chunk, encoding }))
    write.call(this, chunk, encoding, done)
  }
  Socket.prototype._writev = function counting(chunks, done) {
    seen(this, () => Buffer.concat(chunks.map(asBuffer)))
    writev?.call(this, chunks, done)
  }
  return {
    async during(work) {
      if (counted) throw new Error('two pieces of work cannot be counted at the same time')
      const own: StoreRequests = { statements: [], redisTrips: [] }
      counted = own
      try {
        await work()
      } finally {
        counted = undefined
      }
      return own
    },
    stop() {
      Object.assign(Socket.prototype, { _write: write, _writev: writev })
    },
  }
}

const asBuffer = ({ chunk, encoding }: { chunk: Uint8Array | string; encoding: BufferEncoding }): Buffer =>
  typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk)

const code = { bind: 'B', execute: 'E', parse: 'P', query: 'Q' } as const

/** Reads the messages of a client (PostgreSQL: "Message Formats"). A statement counts when it is executed. */
function statementReader(found: (statement: SentStatement) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0)
  let isStarted = false
  const texts = new Map<string, string>()
  let bound = ''
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 5) {
      // The first message has no type.
      const start = isStarted ? 1 : 0
      const end = start + rest.readInt32BE(start)
      if (rest.length < end) return
      const [type, body] = [String.fromCharCode(rest[0] as number), rest.subarray(start + 4, end)]
      rest = rest.subarray(end)
      if (!isStarted) {
        isStarted = true
      } else if (type === code.query) {
        found({ text: textAt(body, 0), name: '' })
      } else if (type === code.parse) {
        const name = textAt(body, 0)
        texts.set(name, textAt(body, Buffer.byteLength(name) + 1))
      } else if (type === code.bind) {
        bound = textAt(body, Buffer.byteLength(textAt(body, 0)) + 1)
      } else if (type === code.execute) {
        found({ text: texts.get(bound) ?? '?', name: bound })
      }
    }
  }
}

const textAt = (body: Buffer, from: number): string => body.toString('utf8', from, body.indexOf(0, from))

/** Returns the names of the commands in one write (RESP arrays of bulk strings). */
function commandsIn(bytes: Buffer): string[] {
  const names: string[] = []
  let at = 0
  const line = (): string => {
    const end = bytes.indexOf('\r\n', at)
    const text = bytes.toString('utf8', at, end)
    at = end + 2
    return text
  }
  while (at < bytes.length) {
    const count = line()
    if (!count.startsWith('*')) throw new Error(`a write to Redis that does not begin with a command: ${count.slice(0, 40)}`)
    for (let part = 0; part < Number(count.slice(1)); part += 1) {
      const length = Number(line().slice(1))
      if (part === 0) names.push(bytes.toString('utf8', at, at + length))
      at += length + 2
    }
  }
  return names
}
