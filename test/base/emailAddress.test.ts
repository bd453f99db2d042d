import { describe, expect, test } from 'vitest'
import { deliverableEmail, normaliseEmail } from '../../src/base/text/emailAddress.ts'
import { emailAddress, typedEmail } from '../../src/school/students/studentFields.ts'

describe('one rule for e-mail addresses: pages, API, platform and CLI accept the same ones', () => {
  test.each([
    ['first&last@example.com', 'first&last@example.com'],
    ['a/b!c=d#e%f{g}h~i@example.com', 'a/b!c=d#e%f{g}h~i@example.com'],
    ['o’malley'.replace('’', "'").concat('@example.com'), "o'malley@example.com"],
    ['user@example.xn--p1ai', 'user@example.xn--p1ai'],
    ['user@пример.рф', 'user@xn--e1afmkfd.xn--p1ai'],
    [' Ada@MÜNCHEN.example ', 'ada@xn--mnchen-3ya.example'],
    ['ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
    ['ada@localhost', 'ada@localhost'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%j is accepted as %j', (typed, stored) => {
    expect(deliverableEmail(typed)).toBe(stored)
    expect(typedEmail().parse(typed)).toBe(stored)
    expect(emailAddress().safeParse(stored).success).toBe(true)
  })

  test.each([
    ...['', '@', 'a@', '@a', 'a@@b', 'a@b@c', 'a b@example.com', '.a@example.com', 'a.@example.com', 'a..b@example.com'],
    ...['ü@example.com', '名@example.com', '"a b"@example.com', 'a@-example.com', 'a@example-.com', 'a@exa_mple.com', 'a@[127.0.0.1]'],
    ...['a@example.com\r\nBcc: b@example.com', 'a\0@example.com', `${'a'.repeat(300)}@example.com`, `a@${'b.'.repeat(200)}com`],
  ])('%j is refused', (typed) => {
    expect(deliverableEmail(typed)).toBeUndefined()
    expect(typedEmail().safeParse(typed).success).toBe(false)
  })

  test('every spelling of a host is one address', () => {
    const spellings = ['ada@münchen.example', 'ada@MÜNCHEN.example', 'ada@mu\u0308nchen.example', 'ADA@xn--mnchen-3ya.example']
    expect(new Set(spellings.map(normaliseEmail))).toEqual(new Set(['ada@xn--mnchen-3ya.example']))
  })
})
