import { contrastRatio, leastContrast } from '../lib/contrast.ts'
import type { Palette } from '../lib/palettes.ts'

/** Every colour of a page, each legible where it stands. */
export interface Shades {
  scheme: 'light' | 'dark'
  /** Behind everything, with its text. */
  ground: string
  groundInk: string
  groundQuiet: string
  /** Behind the page's content. */
  sheet: string
  /** Behind what is typed, within the sheet. */
  field: string
  /** Text on sheet and field, and what is said more quietly. */
  ink: string
  quiet: string
  /** Edges that show where something is, and those that only divide. */
  line: string
  faint: string
  /** Links and the one main button, with its text. */
  primary: string
  onPrimary: string
  /** Edges of what is to be noticed. */
  accent: string
  cautionGround: string
  cautionInk: string
  faultGround: string
  faultInk: string
}

/** The least contrast of what is no text (WCAG 2.2 success criterion 1.4.11). */
export const leastEdgeContrast = 3

const signals = {
  light: { cautionGround: '#fdf3dc', cautionInk: '#5c3d00', faultGround: '#fdeaea', faultInk: '#8c1c1c' },
  dark: { cautionGround: '#33290f', cautionInk: '#f3d48d', faultGround: '#3b1a1a', faultInk: '#f6b3b3' },
}

// Grounds for the scheme that a school's own colours are not made for.
const neutrals = {
  light: { background: '#f4f5f2', surface: '#ffffff', text: '#1d2421' },
  dark: { background: '#121614', surface: '#1b211e', text: '#e6ebe8' },
}

/** The shades of a school's pages on light and on dark devices. Its grounds are used where they suit, its primary colour and accent in both. */
export function schoolShades({ mode, colors }: { mode: 'light' | 'dark' | 'auto'; colors: Palette }): { light: Shades; dark: Shades } {
  const own = schemeOf(colors.background)
  const shades = (scheme: 'light' | 'dark'): Shades => shadesOf(scheme === own ? colors : { ...colors, ...neutrals[scheme] })
  const [light, dark] = mode === 'auto' ? (['light', 'dark'] as const) : ([mode, mode] as const)
  return { light: shades(light), dark: shades(dark) }
}

/** A colour that cannot be read where it stands gives way to the nearest one towards the text, and the text to one towards black or white. */
export function shadesOf({ primary, accent, background: ground, surface: sheet, text }: Palette): Shades {
  const ink = legible(text, { on: [sheet], towards: pole(sheet) })
  const groundInk = legible(text, { on: [ground], towards: pole(ground) })
  const field = contrastRatio(ink, ground) >= leastContrast ? ground : sheet
  const inside = { on: [sheet, field], towards: ink }
  const main = legible(primary, inside)
  const scheme = schemeOf(sheet)
  return {
    scheme,
    ground,
    groundInk,
    groundQuiet: legible(mix(groundInk, ground, 0.3), { on: [ground], towards: groundInk }),
    sheet,
    field,
    ink,
    quiet: legible(mix(ink, sheet, 0.3), inside),
    line: legible(mix(ink, sheet, 0.55), { ...inside, least: leastEdgeContrast }),
    faint: mix(ink, sheet, 0.85),
    primary: main,
    onPrimary: contrastRatio('#ffffff', main) >= leastContrast ? '#ffffff' : '#000000',
    accent: legible(accent, { ...inside, least: leastEdgeContrast }),
    ...signals[scheme],
  }
}

/** Whether dark text or light text stands out on a ground. */
export const schemeOf = (ground: string): 'light' | 'dark' => (pole(ground) === '#000000' ? 'light' : 'dark')

/** Black or white, whichever stands out more: at least 4.58 to 1, whatever the colour. */
const pole = (colour: string): string => (contrastRatio('#000000', colour) >= contrastRatio('#ffffff', colour) ? '#000000' : '#ffffff')

const steps = 20

/** The colour, as far towards another one as it takes to stand out. The other one does. */
function legible(colour: string, { on, towards, least = leastContrast }: { on: string[]; towards: string; least?: number }): string {
  for (let step = 0; step < steps; step++) {
    const tried = mix(colour, towards, step / steps)
    if (on.every((ground) => contrastRatio(tried, ground) >= least)) return tried
  }
  return towards
}

/** One colour with a share of another one. */
function mix(one: string, other: string, share: number): string {
  const channel = (colour: string, at: number): number => Number.parseInt(colour.slice(at, at + 2), 16)
  const mixed = [1, 3, 5].map((at) => Math.round(channel(one, at) * (1 - share) + channel(other, at) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
