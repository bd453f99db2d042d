// Proves RFC 5321 section 4.2.1: The SMTP transport distinguishes permanent from temporary failures

import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterEach, describe, expect, test } from 'vitest'
import { createLog } from '../../../src/base/log/log.ts'
import { fileTransport } from '../../../src/base/mail/fileTransport.ts'
import { smtpTransport } from '../../../src/base/mail/smtpTransport.ts'
import { type Email, emailConcurrency } from '../../../src/base/mail/transport.ts'
import { startMailServer } from '../../support/mailServer.ts'
import { until } from '../../support/poll.ts'

const link = `https://school.example.com/account/password/new?token=${'T'.repeat(43)}`
const email = (more: Partial<Email> = {}): Email => ({
  from: { name: 'Schule «Ä»', address: 'no-reply@school.example.com' },
  to: 'marlo@example.com',
  subject: 'Grüße',
  language: 'de',
  text: `Open this:\n\n${link}\n\n.\nlast line\n`,
  html: `<p>Open this:</p><p><a href="${link}">${link}</a></p><p>.</p><p>last line</p>`,
  ...more,
})
const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function outbox() {
  const directory = join(await mkdtemp(join(tmpdir(), 'schoolgate-outbox-')), 'outbox')
  undo.push(() => rm(join(directory, '..'), { recursive: true }))
  const lines: string[] = []
  const log = createLog('trace', new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }))
  return { directory, lines, transport: fileTransport({ directory, log }) }
}

describe('the outbox', () => {
  test('keeps each message in a file that the service alone can read, and says so in the log without the link', async () => {
    const { directory, lines, transport } = await outbox()
    await transport.deliver(email())
    const [name = ''] = await readdir(directory)
    const file = join(directory, name)
    expect(name).toMatch(/^[0-9a-f-]{36}\.eml$/)
    expect([(await stat(file)).mode & 0o777, (await stat(directory)).mode & 0o777]).toEqual([0o600, 0o700])
    const text = await readFile(file, 'utf8')
    expect(text).toMatch(/^To: marlo@example\.com$/m)
    expect(text).toContain(`\nContent-Transfer-Encoding: 8bit\n`)
    expect(text).toContain(`\n${link}\n`)
    expect(lines.join('')).toContain(name)
    expect(lines.join('')).not.toMatch(/token|TTT|marlo/)
  })

  test('keeps the newest 500', async () => {
    const { directory, transport } = await outbox()
    await transport.deliver(email())
    for (let at = 0; at < 505; at++) await writeFile(join(directory, `0000-${String(at).padStart(4, '0')}.eml`), '')
    await writeFile(join(directory, 'notes.txt'), '')
    await transport.deliver(email())
    const names = (await readdir(directory)).toSorted()
    expect(names.filter((name) => name.endsWith('.eml'))).toHaveLength(500)
    expect(names).toContain('notes.txt')
    expect(names).not.toContain('0000-0000.eml')
  })

  test.each([
    ['a subject', { subject: 'x\r\nBcc: evil@example.com\r\n\r\nbody' }],
    ['a name of the sender', { from: { name: 'x\r\nBcc: evil@example.com', address: 'no-reply@school.example.com' } }],
    ['a recipient', { to: 'marlo@example.com\r\nBcc: evil@example.com' }],
  ])('writes no header that was in %s', async (_what, more) => {
    const { directory, transport } = await outbox()
    await transport.deliver(email(more))
    const [name = ''] = await readdir(directory)
    const [head = '', ...rest] = (await readFile(join(directory, name), 'utf8')).split('\n\n')
    expect([head, ...rest].join('\n\n')).not.toMatch(/^bcc:/im)
    expect(
      head
        .split('\n')
        .filter((line) => /^[A-Za-z-]+:/.test(line))
        .map((line) => line.split(':')[0]?.toLowerCase())
        .toSorted(),
    ).toEqual(['auto-submitted', 'content-language', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'])
  })
})

async function mailServer(answers: string[] = []) {
  const { url, heard, close } = await startMailServer(answers)
  const transport = smtpTransport({ url })
  undo.push(async () => {
    transport.close()
    await close()
  })
  return { heard, transport, url }
}

describe('a mail server', () => {
  test('is given one recipient, the sender and the whole text', async () => {
    const { heard, transport } = await mailServer()
    await transport.deliver(email())
    expect(heard.filter((line) => /^(MAIL|RCPT)/.test(line))).toEqual([
      'MAIL FROM:<no-reply@school.example.com>',
      'RCPT TO:<marlo@example.com>',
    ])
    expect(heard.join('\n').replace(/=\n/g, '').replaceAll('=3D', '=')).toContain(link)
    expect(heard).toContain('Auto-Submitted: auto-generated')
    expect(heard).toContain('last line')
  })

  test.each([
    ['a temporary error', '451 busy', false],
    ['a permanent error', '550 no marlo@example.com here', true],
  ])('with %s says whether another attempt is useful, and no address is in the error', async (_name, answer, isPermanent) => {
    const { heard, transport } = await mailServer([answer])
    const failure = await transport.deliver(email()).catch((error: Error) => error)
    expect(failure).toMatchObject({ name: 'DeliveryFailure', isPermanent })
    expect(String(failure)).toContain(answer.slice(0, 3))
    expect(JSON.stringify([failure, String(failure), (failure as Error).cause])).not.toContain('marlo')
    expect(heard.filter((line) => line.startsWith('RCPT'))).toHaveLength(1)
  })

  test('that is unreachable may be tried again, and the error says so', async () => {
    const { url } = await mailServer()
    await Promise.all(undo.splice(0).map((step) => step()))
    const transport = smtpTransport({ url })
    await expect(transport.deliver(email())).rejects.toMatchObject({
      message: expect.stringMatching(/did not take a message: E/),
      isPermanent: false,
    })
    transport.close()
  })

  test('that does not respond to the e-mails of one queue gets those of the others, because each has its connections', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const transport = smtpTransport({ url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` })
    const all = Object.values(emailConcurrency).flatMap((count) => Array.from({ length: count }, () => transport.deliver(email())))
    const ended = Promise.allSettled(all)
    await until(() => sockets.length === all.length, { what: 'a connection for each e-mail' })
    for (const socket of sockets) socket.destroy()
    transport.close()
    await ended
    server.close()
  })

  test('is named at the start without its password', () => {
    const transport = smtpTransport({ url: 'smtps://user:s3cret@mail.example.com:465' })
    expect(transport.describe()).toBe('messages go to the mail server mail.example.com:465')
    transport.close()
  })
})
