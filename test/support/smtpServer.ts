import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

export interface SmtpServer {
  port: number
  /** The commands and lines of messages that arrived, in order, and whether the connection was encrypted. */
  heard: { line: string; isEncrypted: boolean }[]
  stop(): Promise<void>
}

/** A mail server that accepts everything. With a key and a certificate it offers STARTTLS (RFC 3207). */
export async function startSmtpServer(tls?: { key: Buffer; cert: Buffer }): Promise<SmtpServer> {
  const heard: SmtpServer['heard'] = []
  const sockets = new Set<Socket>()
  const serve = (socket: Socket, isEncrypted: boolean): void => {
    let isData = false
    const answer = (text: string): void => void socket.write(`${text}\r\n`)
    const onData = (chunk: Buffer): void => {
      for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
        heard.push({ line, isEncrypted })
        if (isData) {
          if (line !== '.') continue
          isData = false
          answer('250 taken')
        } else if (line === 'STARTTLS' && tls) {
          socket.off('data', onData)
          answer('220 go ahead')
          serve(new TLSSocket(socket, { isServer: true, ...tls }), true)
        } else if (line.startsWith('EHLO')) answer(tls && !isEncrypted ? '250-test\r\n250 STARTTLS' : '250 test')
        else if (line === 'DATA') {
          isData = true
          answer('354 go on')
        } else if (line === 'QUIT') socket.end('221 bye\r\n')
        else answer(line === 'STARTTLS' ? '502 not here' : '250 ok')
      }
    }
    socket.on('error', () => undefined).on('data', onData)
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    serve(socket, false)
    socket.write('220 test ESMTP\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}
