import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export interface MailServer {
  url: string
  /** Every line that a client sent, commands and messages. */
  heard: string[]
  /** The messages, without the dots of the transfer (RFC 5321 section 4.5.2). */
  messages: string[]
  close(): Promise<void>
}

/** Starts a mail server with scripted responses. `answers` replaces the response to a recipient, once each. */
export async function startMailServer(answers: string[] = []): Promise<MailServer> {
  const [heard, messages]: [string[], string[]] = [[], []]
  const server = createServer((socket) => {
    let message: string[] | undefined
    let rest = ''
    const take = (line: string): void => {
      heard.push(line)
      if (message && line === '.') {
        messages.push(message.join('\r\n'))
        message = undefined
        socket.write('250 taken\r\n')
      } else if (message) message.push(line.replace(/^\./, ''))
      else if (line === 'DATA') {
        message = []
        socket.write('354 go on\r\n')
      } else if (line === 'QUIT') socket.end('221 bye\r\n')
      else if (line.startsWith('RCPT')) socket.write(`${answers.shift() ?? '250 ok'}\r\n`)
      else socket.write('250 ok\r\n')
    }
    socket.on('error', () => {})
    socket.write('220 test ESMTP\r\n')
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(line)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, heard, messages, close: async () => void (await new Promise((done) => server.close(done))) }
}
