import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contrastRatio, leastContrast } from '../../src/base/text/contrast.ts'
import { palettes } from '../../src/base/text/palettes.ts'

const colour = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`)

describe('the contrast of two colours (WCAG 2.2)', () => {
  test.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    // The example of the well-known edge: the lightest grey on white that still passes, and the next one.
    ['#767676', '#ffffff', 4.54],
    ['#777777', '#ffffff', 4.48],
    ['#0000ff', '#ffffff', 8.59],
  ])('%s on %s is %d', (one, other, ratio) => {
    expect(contrastRatio(one, other)).toBeCloseTo(ratio, 2)
  })

  test('is the same both ways, between 1 and 21, and 1 only of a colour with one as light', () => {
    fc.assert(
      fc.property(colour, colour, (one, other) => {
        const ratio = contrastRatio(one, other)
        expect(ratio).toBe(contrastRatio(other, one))
        expect(ratio).toBeGreaterThanOrEqual(1)
        expect(ratio).toBeLessThanOrEqual(21)
        expect(contrastRatio(one, one)).toBe(1)
      }),
    )
  })

  test('every background has a readable text: black or white', () => {
    fc.assert(
      fc.property(colour, (background) => {
        expect(Math.max(contrastRatio('#000000', background), contrastRatio('#ffffff', background))).toBeGreaterThanOrEqual(leastContrast)
      }),
    )
  })

  test.each(Object.entries(palettes))(
    'the theme %s can be read, on its background and on its surfaces',
    (_name, { text, background, surface, primary }) => {
      for (const behind of [background, surface]) expect(contrastRatio(text, behind)).toBeGreaterThanOrEqual(leastContrast)
      expect(contrastRatio(primary, background)).toBeGreaterThanOrEqual(leastContrast)
    },
  )
})
