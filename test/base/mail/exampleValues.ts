import { crc32, deflateSync } from 'node:zlib'
import type { EmailLegal } from '../../../src/base/mail/emailFoot.ts'
import type { EmailKind, EmailValues } from '../../../src/base/mail/emailKinds.ts'
import { createMail, type Sender } from '../../../src/base/mail/mail.ts'
import type { Email, EmailLogo } from '../../../src/base/mail/transport.ts'
import { type Language, languages } from '../../../src/base/text/languages.ts'

export const exampleSchool: Sender = { id: 'x', slug: 'one', issuer: 'https://school.example.com' }

/** The legal documents of the school: one of its pages, and an address elsewhere. */
export const exampleLegal: EmailLegal = {
  imprint: 'https://school.example.com/pages/legal/imprint',
  privacy: 'https://legal.example.org/privacy?a=1&b=2',
}

type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer Both) => void ? Both : never

/** A value for each placeholder of the e-mails. */
export const exampleValues: All<EmailValues<EmailKind>> = {
  link: `https://school.example.com/account/sign-up/finish?token=${'q3Jx9Zt0'.repeat(5)}abc`,
  sign_in: 'https://school.example.com/account/sign-in',
  reset: 'https://school.example.com/account/password',
  title: 'Open Kiln Evening',
  occasion: {
    ...{ starts_at: '2026-03-02T17:30:00.000Z', ends_at: '2026-03-02T19:30:00.000Z', time_zone: 'Europe/Berlin' },
    ...{ place: 'Town hall, Market 1', online: 'https://meet.example.org/kiln' },
    calendar: {
      ...{ uid: 'evt_01jgwejj00e6srgkpqm2sqf05m@school.example.com', sequence: 2, title: 'Open Kiln Evening', isCanceled: false },
      ...{ createdAt: '2026-01-01T09:00:00.000Z', changedAt: '2026-02-01T09:00:00.000Z' },
      ...{ startsAt: '2026-03-02T17:30:00.000Z', endsAt: '2026-03-02T19:30:00.000Z', location: 'Town hall, Market 1' },
      ...{ description: null, html: null, position: null, url: 'https://school.example.com/account/events/open-kiln-evening' },
    },
  },
  before: {
    en: 'Sunday, 1 March 2026, 18:30–20:30 (Europe/Berlin), Kiln house, Quay 4',
    de: 'Sonntag, 1. März 2026, 18:30–20:30 Uhr (Europe/Berlin), Kiln house, Quay 4',
  },
  until: { en: '20 February 2026 at 18:30 (Europe/Berlin)', de: '20. Februar 2026 um 18:30 (Europe/Berlin)' },
  cannot_come: 'https://school.example.com/account/events/open-kiln-evening',
  course: 'Clay from Scratch',
  answers: 'https://school.example.com/account/school/forms/frm_01jgwejj00e6srgkpqm2sqf05m',
  checkout: 'https://school.example.com/checkout?type=event&id=evt_01jgwejj00e6srgkpqm2sqf05m',
  reason: 'The kiln is cold.',
  app: 'Study Helper',
  ending: 'q2sqf0',
  contact: 'hello@example.com',
  facts: {
    at: '2026-11-22T19:40:00Z',
    time_zone: 'Europe/Berlin',
    from: { browser: 'Firefox', system: 'Windows', network: '203.0.113.0/24' },
  },
  permissions: { en: 'See the courses; See your profile.', de: 'Die Kurse sehen; Ihr Profil sehen.' },
  apps: 'https://school.example.com/account/apps',
  security: 'https://school.example.com/account/security',
  host: 'apps. example',
  imitated: 'Lanternfield',
  left: '7',
  notifications: 'https://school.example.com/account/notifications',
  lesson: 'How glazes melt',
  lessons: {
    en: [
      { label: 'Lesson', value: 'How glazes melt' },
      { label: 'Lesson', value: 'Firing & cooling' },
    ],
    de: [
      { label: 'Lektion', value: 'How glazes melt' },
      { label: 'Lektion', value: 'Firing & cooling' },
    ],
  },
  signals: {
    en: [{ label: 'Study Helper', value: 'Deleted within an hour: 51 (usual: at most 50)' }],
    de: [{ label: 'Study Helper', value: 'In einer Stunde gelöscht: 51 (üblich: höchstens 50)' }],
  },
  school_apps: 'https://school.example.com/account/school/apps',
  count: '3',
  author: 'Fenn Marrow',
  comment: 'Ours cracked, too. Which clay was that?',
  number: '2026-000123',
  items: {
    en: [
      { label: 'Invoice', value: 'INV-2026-000045' },
      { label: 'Date', value: '1 March 2026' },
      { label: 'Item', value: '2 × Clay from Scratch: €98.00' },
      { label: 'Net amount', value: '€82.35' },
      { label: 'Tax (19%)', value: '€15.65' },
      { label: 'Total', value: '€98.00' },
    ],
    de: [
      { label: 'Rechnung', value: 'INV-2026-000045' },
      { label: 'Datum', value: '1. März 2026' },
      { label: 'Artikel', value: '2 × Clay from Scratch: 98,00 €' },
      { label: 'Nettobetrag', value: '82,35 €' },
      { label: 'Steuer (19 %)', value: '15,65 €' },
      { label: 'Gesamtbetrag', value: '98,00 €' },
    ],
  },
  copy: {
    en: [{ label: 'Which clay?', value: 'Stoneware' }],
    de: [{ label: 'Which clay?', value: 'Stoneware' }],
  },
  form: 'Ask the school',
  submissions: '12',
}

interface Branding {
  name?: string
  legal?: EmailLegal
  logo?: EmailLogo
}

/** Returns an e-mail of the example school as it is delivered. */
export async function emailOf(kind: EmailKind, language: Language, branding: Branding, values = exampleValues): Promise<Email> {
  const { promise, resolve } = Promise.withResolvers<Email>()
  const send = createMail({
    transport: { deliver: async (email) => resolve(email), describe: () => '', close() {} },
    branding: async () => ({ name: 'Lanternfield', locale: language, legal: {}, ...branding }),
    languages: () => languages,
  })
  await send(exampleSchool, { email: 'wren@example.com', locales: [language] }, kind, values)
  return promise
}

/** A picture of two shapes in dark green, 480 by 112 pixels, as wide schools' logos are. */
export const exampleLogo: EmailLogo = {
  content: png(480, 112, (x, y) => (x - 56) ** 2 + (y - 56) ** 2 < 48 ** 2 || (x > 128 && x < 470 && y > 36 && y < 76)),
  contentType: 'image/png',
  alt: 'Lanternfield',
  width: 480,
  height: 112,
  plate: '#ffffff',
}

/** Returns a picture with a transparent background (PNG, third edition, section 5). */
function png(width: number, height: number, isDark: (x: number, y: number) => boolean): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits for each of red, green, blue and opacity.
  header.set([8, 6], 8)
  const lines = Array.from({ length: height }, (_line, y) => [
    0,
    ...Array.from({ length: width }, (_column, x) => (isDark(x, y) ? [10, 92, 73, 255] : [0, 0, 0, 0])).flat(),
  ])
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(lines.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
