import { expect, test } from 'vitest'
import { readEnvironment } from '../../../src/config/environment.ts'

test.each([
  [{ SMTP_URL: 'http://mail.example.com/s3cret' }, 'SMTP_URL'],
  [{ SMTP_URL: 'smtp://' }, 'SMTP_URL'],
  [{ SMTP_URL: 'mail.example.com:25/s3cret' }, 'SMTP_URL'],
  [{ MAIL_FROM: 'Name <s3cret@example.com>' }, 'MAIL_FROM'],
  [{ MAIL_FROM: 's3cret@example.com\nBcc: a@example.com' }, 'MAIL_FROM'],
])('%j is refused by its name, without its value', (given, name) => {
  const refusal = (() => {
    try {
      return JSON.stringify(readEnvironment(given))
    } catch (error) {
      return String(error)
    }
  })()
  expect(refusal).toContain(name)
  expect(refusal).not.toContain('s3cret')
})

test('a mail server with its user and password is taken', () => {
  const given = { SMTP_URL: 'smtps://user:p%40ss@mail.example.com:465', MAIL_FROM: 'no-reply@example.com' }
  expect(readEnvironment(given)).toMatchObject(given)
})
