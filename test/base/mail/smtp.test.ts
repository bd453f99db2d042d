// Proves RFC 2046, 2047, 2387, 2392, 3834: A mail server receives multipart/alternative with the logo by Content-ID, a UTF-8 subject and Auto-Submitted

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId } from '../../../src/base/ids.ts'
import { smtpTransport } from '../../../src/base/mail/smtpTransport.ts'
import type { MailTransport } from '../../../src/base/mail/transport.ts'
import { send } from '../../pages/account/account.ts'
import { createBrowser } from '../../pages/browser.ts'
import { owner, png, type StorageService, startStorage } from '../../school/files/storageService.ts'
import { type MailServer, startMailServer } from '../../support/mailServer.ts'
import { decodedHeader, type MimePart, parseMime } from '../../support/mime.ts'
import { blocksOf, linksOf } from './htmlText.ts'

describe('an e-mail of the service, as a mail server receives it', () => {
  let mails: MailServer
  let transport: MailTransport
  let service: StorageService
  beforeAll(async () => {
    mails = await startMailServer()
    transport = smtpTransport({ url: mails.url })
    service = await startStorage({ transport })
    await service.addPerson({ email: 'wren@example.com' })
    await service.database.sql.query("UPDATE account SET locale = 'de' WHERE email = 'wren@example.com'")
    await service.database.sql.query("UPDATE school SET name = 'Schule für «Töpfern» 陶芸'")
  })
  afterAll(async () => {
    await service?.stop()
    transport?.close()
    await mails?.close()
  })

  /** Requests a new password, and returns the e-mail with its link. */
  async function resetEmail(): Promise<MimePart> {
    // Notices of earlier sign-ins.
    await service.app.drained()
    const before = mails.messages.length
    const browser = createBrowser(service.issuer)
    const response = await send(browser, await browser.get('/account/password'), { email: 'wren@example.com' })
    expect(response.status).toBe(200)
    await service.app.drained()
    return parseMime(mails.messages[before] ?? '')
  }
  const field = ({ headers }: MimePart, name: string): string | undefined => headers.get(name)?.join(' | ')

  test('has a text and an HTML part with the same words, and headers that machines understand', async () => {
    const email = await resetEmail()
    expect(mails.heard.filter((line) => line.startsWith('RCPT')).at(-1)).toBe('RCPT TO:<wren@example.com>')
    expect(field(email, 'to')).toBe('wren@example.com')
    expect(decodedHeader(field(email, 'subject') ?? '')).toBe('Wählen Sie ein neues Passwort für Schule für «Töpfern» 陶芸')
    expect(field(email, 'subject')).toMatch(/^[\x20-\x7e]+$/)
    expect(decodedHeader(field(email, 'from') ?? '')).toMatch(/^"?Schule für «Töpfern» 陶芸"? <no-reply@/)
    expect(field(email, 'auto-submitted')).toBe('auto-generated')
    expect(field(email, 'content-language')).toBe('de')
    // All e-mails are about the person's own requests and account, so there is no list to leave.
    for (const name of ['list-unsubscribe', 'list-id', 'precedence', 'bcc', 'x-mailer'])
      expect([name, field(email, name)]).toEqual([name, undefined])

    expect([email.type, email.parts.map(({ type }) => type)]).toEqual(['multipart/alternative', ['text/plain', 'text/html']])
    const [plain = '', html = ''] = email.parts.map(({ content }) => content.toString())
    const lines = plain.split(/\r?\n/).filter(Boolean)
    expect(blocksOf(html)).toEqual(['Schule für «Töpfern» 陶芸', decodedHeader(field(email, 'subject') ?? ''), ...lines])
    const [link = ''] = linksOf(html)
    expect(lines).toContain(link)
    expect((await createBrowser(service.issuer).get(link)).status).toBe(200)
  })

  test('contains the logo as a part that the HTML shows, byte by byte, and refers to nothing else', async () => {
    const { id } = (
      await service.bring(owner, png, { filename: 'logo.png', content_type: 'image/png', purpose: 'image', visibility: 'public' })
    ).json
    await service.database.sql.query('UPDATE appearance SET logo_file_id = $1, logo_alt = $2', [fromPublicId('fil', id), 'Ein Ofen'])
    const email = await resetEmail()
    const [plain, related] = email.parts
    expect([email.type, plain?.type, related?.type]).toEqual(['multipart/alternative', 'text/plain', 'multipart/related'])
    const [html, logo] = related?.parts ?? []
    expect([html?.type, logo?.type]).toEqual(['text/html', 'image/png'])
    expect(logo?.content.equals(png)).toBe(true)
    const [contentId = '', disposition = ''] = ['content-id', 'content-disposition'].map((name) => logo && field(logo, name))
    expect(disposition).toMatch(/^inline/)
    const page = html?.content.toString() ?? ''
    expect([...page.matchAll(/ src="([^"]*)"/g)].map(([, source]) => source)).toEqual([`cid:${contentId.replace(/[<>]/g, '')}`])
    expect(page).toContain('alt="Ein Ofen"')
    expect(page).not.toMatch(/url\(|@import|<link|<script|srcset|background="/i)
  })
})
