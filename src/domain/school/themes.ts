import { type Palette, palettes, type Theme } from '../../lib/palettes.ts'
import type { FontFamily } from './fontFamilies.ts'

export type Mode = 'light' | 'dark' | 'auto'
export type CornerRadius = 'none' | 'small' | 'medium' | 'large'

/** The settings that a theme defines until staff change them. */
export interface Look {
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
} as const satisfies Record<Theme, Pick<Look, 'fonts' | 'corner_radius'>>

/** Returns the unchanged settings of a theme. */
export const lookOf = (theme: Theme): Look => ({ theme, mode: 'auto', colors: palettes[theme], ...shapes[theme] })

/** The branding in a school's configuration file. */
export interface Branding {
  theme: Theme
  mode: Mode
  colors: { [Colour in keyof Palette]?: string | undefined }
}

/** Returns the initial settings of a school: those of its theme, with the colours of its configuration file. */
export function startingLook({ theme, mode, colors }: Branding): Look {
  const chosen = Object.fromEntries(Object.entries(colors).filter(([, colour]) => colour !== undefined))
  return { ...lookOf(theme), mode, colors: { ...palettes[theme], ...chosen } }
}
