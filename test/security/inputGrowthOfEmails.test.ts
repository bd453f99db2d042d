import { createTransport } from 'nodemailer'
import { compose } from '../../src/base/mail/compose.ts'
import { type EmailKind, emailKinds } from '../../src/base/mail/emailKinds.ts'
import { quotedName } from '../../src/database/outbox/sendMessage.ts'
import { emailOf, exampleValues } from '../base/mail/exampleValues.ts'
import { testGrowth } from './growth.ts'
import { defineCase, filled, type ParserCase } from './inputCosts.ts'

const messages = createTransport({ streamTransport: true, buffer: true })

/** Fills a template, and writes the message as it is sent. The growing text is the value of this placeholder. */
async function write(kind: EmailKind, placeholder: string, text: string): Promise<string> {
  const branding = placeholder === 'school' ? { name: text } : {}
  const email = await emailOf(kind, 'en', branding, { ...exampleValues, [placeholder]: text })
  return String((await messages.sendMail(compose(email))).message)
}

/** The values that the people of a school write: the name of the school, the texts of events and forms. Templates come with the product. */
const written: readonly [EmailKind, string][] = [
  ['password_reset', 'school'],
  ['event_canceled_because', 'title'],
  ['event_canceled_because', 'reason'],
  ['form_submissions', 'form'],
]
const pieces = [
  'a',
  'é',
  ' ',
  '&',
  '<b>',
  '"',
  '=',
  '.\r\n',
  '\u202e',
  '{school}',
  '{',
  '{link} ',
  '\n\n',
  'https://school.example.com/ ',
  '👩‍🏫',
]
const size = 2000
/** In the message a character takes at most 12 bytes of quoted-printable or base64, and is in the subject, the text and three times in the HTML. */
const maxOutput = 8 * size * 12 * 8 + 20_000

const cases: readonly ParserCase[] = [
  ...written.flatMap(([kind, placeholder]) => {
    if (!['school', ...emailKinds[kind].values].includes(placeholder)) throw new Error(`${kind} does not contain {${placeholder}}`)
    return pieces.map((piece) =>
      defineCase({
        parser: `e-mail ${kind}, ${placeholder}`,
        grows: JSON.stringify(piece),
        size,
        input: (length) => filled(piece, length),
        parse: (text) => write(kind, placeholder, text),
        maxOutput,
      }),
    )
  }),
  // Anybody can register an app.
  ...pieces.map((piece) =>
    defineCase({
      parser: 'name of an app in an e-mail',
      grows: JSON.stringify(piece),
      size: 20_000,
      input: (length) => filled(piece, length),
      parse: quotedName,
      // 80 characters outside of the basic plane.
      maxOutput: 160,
    }),
  ),
]

testGrowth(cases)
