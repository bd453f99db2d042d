import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  head: string
  body: string
}

/** Sends raw bytes, and returns every response until the service closes the connection or is silent for a while. */
export function sendRaw(address: string, bytes: string | Buffer, { quietMs = 1500 } = {}): Promise<RawAnswer[]> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(address)
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket
      .setTimeout(quietMs, () => socket.destroy())
      .on('data', (chunk) => chunks.push(chunk))
      .on('error', () => socket.destroy())
      .on('close', () => resolve(answersIn(Buffer.concat(chunks).toString('latin1'))))
    socket.write(bytes)
  })
}

/** Returns a request with the given target and headers, and with `Connection: close`. */
export function requestBytes(method: string, target: string, address: string, headers: string[] = [], body = ''): string {
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${new URL(address).host}`, 'Connection: close', ...headers]
  if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest.startsWith('HTTP/1.')) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) break
    const head = rest.slice(0, end)
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
    answers.push({ status: Number(head.slice(9, 12)), head, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}
