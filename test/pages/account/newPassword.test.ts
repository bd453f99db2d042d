import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliverableEmail } from '../../../src/base/text/emailAddress.ts'
import { isTooLong } from '../../../src/identity/accounts/password.ts'
import { passwordIssue } from '../../../src/identity/accounts/passwordRule/passwordIssue.ts'

const context = { email: 'marlo.quill@lanternmail.example', schoolName: 'Lanternfield School of Making' }

describe('a new password', () => {
  test.each([
    ['seven77', 'too_short'],
    ['pässwö7', 'too_short'],
    ['🏮🏮🏮🏮🏮🏮🏮', 'too_short'],
    ['é'.repeat(513), 'too_long'],
    ['a\nsecond line', 'not_typed'],
    ['half a pair \ud800', 'not_typed'],
    ['password', 'too_common'],
    ['Password1!', 'too_common'],
    ['P@ssw0rd2026', 'too_common'],
    ['ｐａｓｓｗｏｒｄ', 'too_common'],
    ['12345678', 'too_common'],
    ['87654321', 'too_common'],
    ['qwerty123', 'too_common'],
    ['abababababab', 'too_common'],
    ['aaaaaaaaaaaaaaaaaaaa', 'too_common'],
    ['monkeymonkey', 'too_common'],
    ['iloveyou2', 'too_common'],
    ['lanternfield', 'too_close'],
    ['Lanternfield2026', 'too_close'],
    ['Lanternfield School of Making', 'too_close'],
    ['marlo.quill', 'too_close'],
    ['quillmarlo1', 'too_close'],
    ['MARLO.QUILL@lanternmail.example', 'too_close'],
  ] as const)('%j is %s', (password, issue) => {
    expect(passwordIssue(password, context)).toBe(issue)
  })

  test.each(['tiny blue kettle', 'f8#kQz!2', 'correct horse battery staple', 'маленький чайник', `${'x'.repeat(1000)}yz`, '        .'])(
    '%j is taken: nothing is asked of its characters',
    (password) => {
      expect(passwordIssue(password, context)).toBeUndefined()
    },
  )

  test('is judged in bounded time, and never throws, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1100 }), fc.string({ unit: 'binary' }), (password, schoolName) => {
        const issue = passwordIssue(password, { email: context.email, schoolName })
        if (isTooLong(password)) expect(issue).toBeDefined()
      }),
    )
    const before = process.cpuUsage()
    for (const unit of ['a', 'ab', 'a1', '@', '1a!']) passwordIssue(unit.repeat(Math.floor(1024 / unit.length) - 1) + unit[0], context)
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(500)
  })
})

describe('an address for messages', () => {
  test.each([
    ['marlo@example.com', 'marlo@example.com'],
    [' Marlo.Q+school@Sub.Example.COM ', 'marlo.q+school@sub.example.com'],
    ["o'brien@example.com", "o'brien@example.com"],
    ['x@xn--exmple-cua.example', 'x@xn--exmple-cua.example'],
    ['dev@localhost', 'dev@localhost'],
  ])('%j is %j', (typed, address) => {
    expect(deliverableEmail(typed)).toBe(address)
  })

  test.each([
    'a@b@example.com',
    'a,b@example.com',
    'a;b@example.com',
    'a<b@example.com',
    'a>b@example.com',
    '"a"@example.com',
    'a b@example.com',
    'a(b)@example.com',
    'a:b@example.com',
    'a\\b@example.com',
    '.a@example.com',
    'a..b@example.com',
    'a@-example.com',
    'a@example..com',
    'a@example.com.',
    'a@[127.0.0.1]',
    'ä@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'a\n@example.com',
    'a\0@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    `a@${'b.'.repeat(130)}com`,
    '@example.com',
    'a@',
    '',
  ])('%j is not an address', (typed) => {
    expect(deliverableEmail(typed)).toBeUndefined()
  })

  test('contains no character that could end a header or an address, for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (local, host) => {
        const address = deliverableEmail(`${local}@${host}`)
        if (address !== undefined) expect(address).toMatch(/^[!-~]+$/)
        expect(address ?? '').not.toMatch(/[\s<>(),;:\\"[\]]/)
      }),
      { numRuns: 500 },
    )
  })
})
