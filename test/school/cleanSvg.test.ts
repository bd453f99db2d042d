import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanSvg } from '../../src/school/files/cleanSvg.ts'

const svg = (inside: string, attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"${attributes}>${inside}</svg>`
const forbidden =
  /script|onload|onclick|onerror|onbegin|javascript|foreignobject|https?:\/\/(?!www\.w3\.org)|data:|<style|style=|@import|<!|<\?|iframe/i

describe('a drawing', () => {
  test('keeps what draws', () => {
    const drawn = svg(
      '<defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs><path d="M0 0L5 5" fill="url(#g)"/><use href="#g"/>',
    )
    const cleaned = cleanSvg(drawn)
    for (const kept of ['viewBox="0 0 10 10"', '<linearGradient id="g">', 'd="M0 0L5 5"', 'fill="url(#g)"', 'href="#g"'])
      expect(cleaned).toContain(kept)
    expect(cleanSvg(cleaned)).toBe(cleaned)
  })

  test('loses everything that runs, loads or leads away', () => {
    const evil = [
      '<script>alert(1)</script>',
      '<SCRIPT>alert(1)</SCRIPT>',
      '<script xlink:href="https://evil.example/x.js"/>',
      '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></body></foreignObject>',
      '<a href="javascript:alert(1)"><text>x</text></a>',
      '<a xlink:href="&#106;avascript:alert(1)"><text>x</text></a>',
      '<use href="https://evil.example/x.svg#a"/>',
      '<use href="data:image/svg+xml;base64,PHN2Zz4="/>',
      '<image href="https://evil.example/beacon.png"/>',
      '<rect onclick="alert(1)" width="1"/>',
      '<animate attributeName="href" values="javascript:alert(1)"/>',
      '<set attributeName="onmouseover" to="alert(1)"/>',
      '<style>@import url(https://evil.example/x.css);</style>',
      '<rect style="background:url(https://evil.example)" width="1"/>',
      '<rect fill="url(https://evil.example/x.svg#a)"/>',
      '<iframe src="https://evil.example"/>',
      '<![CDATA[<script>alert(1)</script>]]>',
      '<g><svg onload="alert(1)"/></g>',
    ]
    for (const inside of evil)
      expect(cleanSvg(svg(inside))).not.toMatch(
        /<script|on[a-z]+=|javascript:|<foreignobject|evil\.example|data:|<style|style=|<iframe|<image|<set|<animate/i,
      )
    expect(cleanSvg(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x "y">]>${svg('<path d="M0 0"/>', ' onload="alert(1)"')}`)).not.toMatch(
      forbidden,
    )
  })

  test('is nothing else, whatever comes', () => {
    for (const text of ['', 'plain', '<html><svg></svg></html>', '<script/>', '{}'])
      expect(() => cleanSvg(text)).toThrow('type_not_allowed')
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            '<',
            '>',
            '"',
            "'",
            '/',
            'script',
            'svg',
            'onload=',
            ' ',
            'href=',
            'javascript:',
            '<!--',
            '-->',
            '<![CDATA[',
            ']]>',
            '&#x6a;',
            'a',
          ),
          { maxLength: 25 },
        ),
        (parts) => {
          const cleaned = cleanSvg(svg(parts.join('')))
          expect(cleaned).not.toMatch(/<script|<[^>]*\son[a-z]+\s*=|<[^>]*href="(?!#)/i)
        },
      ),
    )
  })
})
