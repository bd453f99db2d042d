import { contrastRatio, leastContrast } from './text/contrast.ts'
import type { Palette } from './text/palettes.ts'

/** Every colour of a page, legible where it is used. */
export interface ThemeColours {
  scheme: 'light' | 'dark'
  background: string
  onBackground: string
  onBackgroundMuted: string
  /** Background of the page's content. */
  surface: string
  /** Background of inputs. */
  field: string
  /** Text on surface and input, and muted text. */
  text: string
  muted: string
  /** Borders of elements, and borders that only divide. */
  line: string
  border: string
  /** Links and the one main button, with its text. */
  primary: string
  onPrimary: string
  /** Borders of notices. */
  accent: string
  cautionBackground: string
  cautionText: string
  errorBackground: string
  errorText: string
}

/** Minimum contrast of non-text elements (WCAG 2.2 success criterion 1.4.11). */
const leastEdgeContrast = 3

const signals = {
  light: { cautionBackground: '#fdf3dc', cautionText: '#5c3d00', errorBackground: '#fdeaea', errorText: '#8c1c1c' },
  dark: { cautionBackground: '#33290f', cautionText: '#f3d48d', errorBackground: '#3b1a1a', errorText: '#f6b3b3' },
}

// Backgrounds of the colour scheme for which the school's colours are not made.
const neutrals = {
  light: { background: '#f4f5f2', surface: '#ffffff', text: '#1d2421' },
  dark: { background: '#121614', surface: '#1b211e', text: '#e6ebe8' },
}

/**
 * Returns the colours of a school's pages for the light and the dark scheme. Its backgrounds are used where they fit, its primary colour
 * and accent in both.
 */
export function schoolThemeColours({ mode, colors }: { mode: 'light' | 'dark' | 'auto'; colors: Palette }): {
  light: ThemeColours
  dark: ThemeColours
} {
  const own = schemeOf(colors.background)
  const themeColours = (scheme: 'light' | 'dark'): ThemeColours =>
    themeColoursOf(scheme === own ? colors : { ...colors, ...neutrals[scheme] })
  const [light, dark] = mode === 'auto' ? (['light', 'dark'] as const) : ([mode, mode] as const)
  return { light: themeColours(light), dark: themeColours(dark) }
}

/**
 * A colour with too little contrast is replaced by the nearest one in the direction of the text, and the text by one in the direction of
 * black or white.
 */
function themeColoursOf({ primary, accent, background, surface, text: wanted }: Palette): ThemeColours {
  const text = legible(wanted, { on: [surface], towards: pole(surface) })
  const onBackground = legible(wanted, { on: [background], towards: pole(background) })
  const field = contrastRatio(text, background) >= leastContrast ? background : surface
  const inside = { on: [surface, field], towards: text }
  const main = legible(primary, inside)
  const scheme = schemeOf(surface)
  return {
    scheme,
    background,
    onBackground,
    onBackgroundMuted: legible(mix(onBackground, background, 0.3), { on: [background], towards: onBackground }),
    surface,
    field,
    text,
    muted: legible(mix(text, surface, 0.3), inside),
    line: legible(mix(text, surface, 0.55), { ...inside, least: leastEdgeContrast }),
    border: mix(text, surface, 0.85),
    primary: main,
    onPrimary: contrastRatio('#ffffff', main) >= leastContrast ? '#ffffff' : '#000000',
    accent: legible(accent, { ...inside, least: leastEdgeContrast }),
    ...signals[scheme],
  }
}

export const schemeOf = (background: string): 'light' | 'dark' => (pole(background) === '#000000' ? 'light' : 'dark')

/** Returns black or white, whichever has more contrast: at least 4.58 to 1 for every colour. */
const pole = (colour: string): string => (contrastRatio('#000000', colour) >= contrastRatio('#ffffff', colour) ? '#000000' : '#ffffff')

const steps = 20

/** Returns the colour, mixed with another one as far as the contrast requires. The other one has the contrast. */
function legible(colour: string, { on, towards, least = leastContrast }: { on: string[]; towards: string; least?: number }): string {
  for (let step = 0; step < steps; step++) {
    const tried = mix(colour, towards, step / steps)
    if (on.every((background) => contrastRatio(tried, background) >= least)) return tried
  }
  return towards
}

function mix(one: string, other: string, share: number): string {
  const channel = (colour: string, at: number): number => Number.parseInt(colour.slice(at, at + 2), 16)
  const mixed = [1, 3, 5].map((at) => Math.round(channel(one, at) * (1 - share) + channel(other, at) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
