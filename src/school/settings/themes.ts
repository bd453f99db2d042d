import { keysOf } from '../../base/text/keysOf.ts'
import { type Palette, palettes, type Theme } from '../../base/text/palettes.ts'

export type Mode = 'light' | 'dark' | 'auto'
export type CornerRadius = 'none' | 'small' | 'medium' | 'large'

export interface ThemeSettings {
  theme: Theme
  mode: Mode
  colors: Palette
  fonts: { heading: FontFamily; body: FontFamily }
  corner_radius: CornerRadius
}

const shapes = {
  studio: { fonts: { heading: 'fraunces', body: 'source_sans' }, corner_radius: 'medium' },
  campus: { fonts: { heading: 'work_sans', body: 'inter' }, corner_radius: 'small' },
  journal: { fonts: { heading: 'lora', body: 'source_serif' }, corner_radius: 'none' },
  minimal: { fonts: { heading: 'inter', body: 'inter' }, corner_radius: 'small' },
} as const satisfies Record<Theme, Pick<ThemeSettings, 'fonts' | 'corner_radius'>>

export const themeDefaults = (theme: Theme): ThemeSettings => ({ theme, mode: 'auto', colors: palettes[theme], ...shapes[theme] })

export interface Branding {
  theme: Theme
  mode: Mode
  colors: { [Colour in keyof Palette]?: string | undefined }
}

/** Returns the initial settings of a school: those of its theme, with the colours of its configuration file. */
export function initialThemeSettings({ theme, mode, colors }: Branding): ThemeSettings {
  const chosen = Object.fromEntries(Object.entries(colors).filter(([, colour]) => colour !== undefined))
  return { ...themeDefaults(theme), mode, colors: { ...palettes[theme], ...chosen } }
}

/** The families that a school can choose, with the ones that replace a family while it loads. */
export const fontFamilies = {
  atkinson_hyperlegible: "'Atkinson Hyperlegible', Verdana, sans-serif",
  fraunces: "Fraunces, Georgia, 'Times New Roman', serif",
  ibm_plex_mono: "'IBM Plex Mono', Menlo, Consolas, monospace",
  ibm_plex_sans: "'IBM Plex Sans', 'Helvetica Neue', Arial, sans-serif",
  inter: 'Inter, system-ui, sans-serif',
  karla: "Karla, 'Gill Sans', 'Trebuchet MS', sans-serif",
  lora: "Lora, Georgia, 'Times New Roman', serif",
  merriweather: "Merriweather, Georgia, 'Times New Roman', serif",
  nunito_sans: "'Nunito Sans', 'Segoe UI', system-ui, sans-serif",
  source_sans: "'Source Sans 3', 'Segoe UI', system-ui, sans-serif",
  source_serif: "'Source Serif 4', Georgia, 'Times New Roman', serif",
  work_sans: "'Work Sans', 'Helvetica Neue', Arial, sans-serif",
} as const satisfies Record<string, string>

export type FontFamily = keyof typeof fontFamilies

export const fontNames = keysOf(fontFamilies)
