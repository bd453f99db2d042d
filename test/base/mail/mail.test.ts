import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type EmailKind, emailKinds } from '../../../src/base/mail/emailKinds.ts'
import { emailTemplates, parseTemplate } from '../../../src/base/mail/emailTemplates.ts'
import { createMail } from '../../../src/base/mail/mail.ts'
import type { Email } from '../../../src/base/mail/transport.ts'
import { type Language, languages } from '../../../src/base/text/languages.ts'
import { quotedName } from '../../../src/database/outbox/sendMessage.ts'
import { preferenceOf } from '../../../src/school/notifications/notificationPreferences.ts'
import { emailOf, exampleLegal, exampleSchool as school, exampleValues as values } from './exampleValues.ts'

const kinds = Object.keys(emailKinds) as EmailKind[]
const { en, de, 'de.informal': informalGerman } = emailTemplates

/** E-mails that follow from what the person has done at the school, and from nothing that somebody else can do in their name. */
const isExpected = (kind: EmailKind): boolean =>
  kind === 'requests_waiting' || en[kind].text.includes('{occasion}') || preferenceOf(kind) !== undefined

interface Given {
  name?: string
  from?: string
  locale?: string
  available?: readonly Language[]
}

const to = (email: string, ...locales: (string | null)[]) => ({ email, locales })

function mail({ name = 'Lanternfield', from, locale = 'en', available = languages }: Given = {}) {
  const sent: Email[] = []
  const transport = { deliver: async (email: Email) => void sent.push(email), describe: () => '', close() {} }
  return { sent, send: createMail({ transport, from, branding: async () => ({ name, locale, legal: {} }), languages: () => available }) }
}

test('the name of an app stays inside its quotes, is short, and becomes no link', () => {
  expect(quotedName('Study Helper')).toBe('Study Helper')
  expect(quotedName('Bank". Sign in at https://evil.example/login or to@evil.example')).toBe(
    "Bank'. Sign in at https:// evil. example/ login or to@ evil. example",
  )
  expect(quotedName('n'.repeat(200))).toHaveLength(80)
})

test.each([
  ['{school}\n\n{link}\n', '1: a template is'],
  ['# {school}\n{link}\n', '1: a template is'],
  ['# {school}\n\nA link:\n\n{lnk}\n', '5: {lnk} is not a placeholder of this e-mail, which has {school}, {link}'],
  ['# {school}\n\nThe {link of {school}\n', '3: { is not a placeholder'],
  ['# School\n\n{link}\n', '1: the placeholder {school} is missing'],
])('the template %j is refused with its path and line', (source, message) => {
  expect(() => parseTemplate('views/mails/en/x.md', source, ['link'])).toThrow(`views/mails/en/x.md:${message}`)
})

test('each template belongs to an e-mail', () => {
  for (const language of Object.keys(emailTemplates))
    expect(kinds.map((kind) => `${kind}.md`)).toEqual(expect.arrayContaining(readdirSync(`views/mails/${language}`)))
  expect(readdirSync('views/mails').toSorted()).toEqual(Object.keys(emailTemplates).toSorted())
})

describe('e-mails', () => {
  test.each(kinds)('%s names the school, says what to do if it was somebody else, and fills every placeholder', async (kind) => {
    const { sent, send } = mail()
    await send(school, to('marlo@example.com'), kind, values)
    const [email] = sent
    expect(email?.subject).toContain('Lanternfield')
    if (!isExpected(kind)) expect(email?.text).toMatch(/If it was not you|If you did not ask/)
    expect(`${email?.subject} ${email?.text}`).not.toMatch(/[{}]|undefined/)
    for (const [, url] of email?.text.matchAll(/^(https?:\S+)$/gm) ?? []) expect(url).toMatch(/^https:\/\/school\.example\.com\//)
    const others = 'contact|facts|occasion|lessons|signals|items|copy'
    const links = en[kind].text.match(new RegExp(`^(?:\\[.+\\]\\()?\\{(?!(?:${others})\\})[a-z_]+\\}\\)?$`, 'gm'))?.length ?? 0
    expect(email?.text.match(/^[^:\n]+:\nhttps?:/gm)?.length ?? 0).toBe(links)
    expect(email?.html.match(/<a class="button"/g)?.length ?? 0).toBe(links)
  })

  test.each(kinds)('%s has the same placeholders and as many paragraphs in German as in English', (kind) => {
    const places = (text: string) => [...text.matchAll(/\(?\{[a-z_]+\}\)?/g)].map(([place]) => place).toSorted()
    for (const part of ['subject', 'text'] as const) expect(places(de[kind][part])).toEqual(places(en[kind][part]))
    expect(de[kind].text.split('\n\n')).toHaveLength(en[kind].text.split('\n\n').length)
    expect(/Wenn Sie das nicht/.test(de[kind].text)).toBe(!isExpected(kind))
    expect(`${de[kind].text} ${en[kind].text}`).not.toMatch(/\bemail\b|\bEmail\b/)
  })

  test.each(kinds)(
    '%s says du in the German of a school that chose it, with the same placeholders and paragraphs as the formal one',
    (kind) => {
      const [formal, informal] = [de[kind], informalGerman[kind]]
      const all = ({ subject, text }: typeof formal) => `${subject}\n\n${text}`
      const places = (text: string) => [...text.matchAll(/\(?\{[a-z_]+\}\)?/g)].map(([place]) => place)
      expect(places(all(informal))).toEqual(places(all(formal)))
      expect(informal.text.split('\n\n')).toHaveLength(formal.text.split('\n\n').length)
      // The app, the address and the order are feminine, so that sentences about them begin with Sie.
      const address = /\b(?:Sie(?! (?:nennt|gehört|ist) )|Ihnen|Ihr(?:e[mnrs]?|es)?)\b/
      expect(all(informal)).not.toMatch(address)
      expect(/\b(?:du|dir|dich|dein(?:e[mnrs]?|es)?)\b|^(?:Wähle|Schließe) /im.test(all(informal))).toBe(address.test(all(formal)))
    },
  )

  test('link to the legal documents of the school below the text, labelled in the language of the e-mail', async () => {
    for (const [language, lines] of [
      ['en', ['Legal notice: https://school.example.com/pages/legal/imprint', 'Privacy policy: https://legal.example.org/privacy?a=1&b=2']],
      [
        'de',
        ['Impressum: https://school.example.com/pages/legal/imprint', 'Datenschutzerklärung: https://legal.example.org/privacy?a=1&b=2'],
      ],
    ] as const) {
      const { text, html } = await emailOf('email_changed', language, { legal: exampleLegal })
      expect(text.endsWith(`\n\n${lines.join('\n')}\n`)).toBe(true)
      expect(html).toContain('<a href="https://legal.example.org/privacy?a=1&amp;b=2"')
      expect(html).toContain('<a href="https://school.example.com/pages/legal/imprint"')
    }
  })

  test('are in the language of the person, else in that of the school, among those that the school has', async () => {
    const languageFor = async (given: Given, ...locales: (string | null)[]) => {
      const { sent, send } = mail(given)
      await send(school, to('a@example.com', ...locales), 'email_changed', values)
      expect(sent[0]?.text.startsWith(sent[0]?.language === 'de' ? 'Ihr Konto bei' : 'Your account at')).toBe(true)
      return sent[0]?.language
    }
    expect(await languageFor({}, 'de-AT', 'en')).toBe('de')
    expect(await languageFor({}, null, 'de')).toBe('de')
    expect(await languageFor({}, 'fr', '__proto__', '')).toBe('en')
    expect(await languageFor({ locale: 'de-CH' }, null)).toBe('de')
    expect(await languageFor({ available: ['en'], locale: 'de' }, 'de')).toBe('en')
    expect(await languageFor({ available: ['de'], locale: 'fr' }, 'en')).toBe('de')
  })

  test('come from the configured address, or from the host of the school', async () => {
    const from = async (more: { from?: string }, issuer: string) => {
      const { sent, send } = mail(more)
      await send({ ...school, issuer }, to('a@example.com'), 'email_changed', values)
      return sent[0]?.from
    }
    expect(await from({ from: 'post@example.com' }, school.issuer)).toEqual({ name: 'Lanternfield', address: 'post@example.com' })
    expect((await from({}, school.issuer))?.address).toBe('no-reply@school.example.com')
    expect((await from({}, 'http://127.0.0.1:3000'))?.address).toBe('no-reply@localhost')
    expect((await from({}, 'http://[::1]:3000'))?.address).toBe('no-reply@localhost')
  })

  test('take a school name of any shape as one line, and never as a placeholder', async () => {
    const { sent, send } = mail({ name: 'A\r\nBcc: evil@example.com {link} $&\u2028' })
    await send(school, to('a@example.com'), 'password_reset', { link: 'https://school.example.com/x' })
    expect(sent[0]?.subject).toBe('Choose a new password for A Bcc: evil@example.com {link} $&')
    expect(sent[0]?.from.name).not.toMatch(/[\r\n\u2028]/)
  })

  test('show a question with its answer, without a colon after the question mark', async () => {
    const { sent, send } = mail()
    await send(school, to('a@example.com'), 'form_received_copy', values)
    expect(sent[0]?.text).toContain('\nWhich clay? Stoneware\n')
    expect(sent[0]?.html).toContain('>Which clay?</th> <td')
  })

  test('show each text of an event in one line', async () => {
    const { sent, send } = mail()
    await send(school, to('a@example.com'), 'event_canceled_because', {
      ...values,
      title: 'Kiln\r\nBcc: evil@example.com',
      reason: 'Cold\n\n{link}',
    })
    expect(sent[0]?.subject).toBe('Lanternfield: Kiln Bcc: evil@example.com is cancelled')
    expect(sent[0]?.text).toContain('Reason: Cold {link}\n')
  })

  test('about an event name its time in the language of the person, its place, and have it as a calendar file', async () => {
    for (const [language, period] of [
      ['en', 'When: Monday, 2 March 2026, 18:30–20:30 (Europe/Berlin)'],
      ['de', 'Zeit: Montag, 2. März 2026, 18:30–20:30 Uhr (Europe/Berlin)'],
    ] as const) {
      const { sent, send } = mail()
      await send(school, to('a@example.com', language), 'event_reminder', values)
      const { text = '', calendar = '' } = sent[0] ?? {}
      expect(text).toContain(
        `${period}\n${language === 'en' ? 'Where' : 'Ort'}: Town hall, Market 1\nOnline: https://meet.example.org/kiln`,
      )
      expect(text).toContain('https://school.example.com/account/events/open-kiln-evening')
      expect(calendar).toContain('DTSTART:20260302T173000Z\r\nDTEND:20260302T193000Z\r\nSUMMARY:Open Kiln Evening')
    }
  })

  test('without a required link are not sent', async () => {
    const { sent, send } = mail()
    await expect(send(school, to('a@example.com'), 'password_reset', {} as typeof values)).rejects.toThrow('needs the value link')
    expect(sent).toEqual([])
  })
})
