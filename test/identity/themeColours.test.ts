// Proves WCAG 1.4.3, 1.4.11: Text is readable with any colours that a school chooses; its logo fits the background and does not shift the layout

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contrastRatio } from '../../src/base/text/contrast.ts'
import { type Palette, palettes } from '../../src/base/text/palettes.ts'
import { schoolThemeColours, type ThemeColours } from '../../src/base/themeColours.ts'

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const anyPalette: fc.Arbitrary<Palette> = fc.record({
  primary: colour,
  accent: colour,
  background: colour,
  surface: colour,
  text: colour,
})
const modes = ['auto', 'light', 'dark'] as const

const texts: readonly (readonly [keyof ThemeColours, keyof ThemeColours])[] = [
  ['onBackground', 'background'],
  ['onBackgroundMuted', 'background'],
  ['text', 'surface'],
  ['text', 'field'],
  ['muted', 'surface'],
  ['muted', 'field'],
  ['primary', 'surface'],
  ['primary', 'field'],
  ['onPrimary', 'primary'],
  ['cautionText', 'cautionBackground'],
  ['errorText', 'errorBackground'],
]
const edges: readonly (readonly [keyof ThemeColours, keyof ThemeColours])[] = [
  ['line', 'surface'],
  ['line', 'field'],
  ['accent', 'surface'],
]

const tooFaint = (themeColours: ThemeColours): string[] => [
  ...texts.filter(([on, background]) => contrastRatio(themeColours[on], themeColours[background]) < 4.5).map(String),
  ...edges.filter(([on, background]) => contrastRatio(themeColours[on], themeColours[background]) < 3).map(String),
]

describe('the shades of a page', () => {
  test('can be read in light and in dark, whatever colours a school chooses (WCAG 2.2 success criteria 1.4.3 and 1.4.11)', () => {
    fc.assert(
      fc.property(anyPalette, fc.constantFrom(...modes), (colors, mode) => {
        const { light, dark } = schoolThemeColours({ mode, colors })
        expect([tooFaint(light), tooFaint(dark)]).toEqual([[], []])
        for (const value of Object.values({ ...light, ...dark })) expect(value).toMatch(/^#[0-9a-f]{6}$|^light$|^dark$/)
      }),
      { numRuns: 2000 },
    )
  })

  test('are exactly the colours of the school where their contrast is sufficient', () => {
    for (const colors of Object.values(palettes)) {
      const { light } = schoolThemeColours({ mode: 'auto', colors })
      expect(light).toMatchObject({ primary: colors.primary, background: colors.background, surface: colors.surface, text: colors.text })
    }
  })

  test('follow the mode: a school that is always light or dark is so on every device', () => {
    const colors = palettes.studio
    const schemes = (mode: (typeof modes)[number]) => {
      const { light, dark } = schoolThemeColours({ mode, colors })
      return [light.scheme, dark.scheme]
    }
    expect(modes.map(schemes)).toEqual([
      ['light', 'dark'],
      ['light', 'light'],
      ['dark', 'dark'],
    ])
    expect(schoolThemeColours({ mode: 'light', colors }).dark).toEqual(schoolThemeColours({ mode: 'auto', colors }).light)
  })

  test("use a school's dark grounds on dark devices, and neutral ones on light devices", () => {
    const colors = { primary: '#8ecbff', accent: '#ffaa00', background: '#0b1020', surface: '#141c33', text: '#f0f4ff' }
    const { light, dark } = schoolThemeColours({ mode: 'auto', colors })
    expect([dark.background, dark.primary, light.scheme, light.background === colors.background]).toEqual([
      '#0b1020',
      '#8ecbff',
      'light',
      false,
    ])
  })
})
