import fc from 'fast-check'
import { expect, test } from 'vitest'
import { browserName } from '../../src/base/text/browserName.ts'

test.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0', { browser: 'Firefox', system: 'Windows' }],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    { browser: 'Safari', system: 'iOS' },
  ],
  ['node', {}],
  ['', {}],
  [undefined, {}],
])('the header %s names %o', (header, names) => {
  expect(browserName(header)).toEqual(names)
})

test('a header of any text gives short names or none', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2000, unit: 'binary' }), (header) => {
      for (const name of Object.values(browserName(header))) expect(name.length).toBeLessThanOrEqual(40)
    }),
  )
})
