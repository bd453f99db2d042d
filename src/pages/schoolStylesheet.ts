import { schoolThemeColours, type ThemeColours } from '../base/themeColours.ts'
import { type Asset, asset } from './asset.ts'
import { fontFaces, fontProperties } from './fonts.ts'
import type { PageTheme } from './pageTheme.ts'
import { logoOn } from './schoolLogo.ts'

export const schoolStylesheetName = 'school.css'

const corners: Record<PageTheme['corner_radius'], { '--corner': string; '--inner-corner': string }> = {
  none: { '--corner': '0', '--inner-corner': '0' },
  small: { '--corner': '0.375rem', '--inner-corner': '0.25rem' },
  medium: { '--corner': '0.75rem', '--inner-corner': '0.5rem' },
  large: { '--corner': '1.25rem', '--inner-corner': '0.875rem' },
}

/** Returns the school's fonts, and its colours and corners as custom properties, which the common style sheet uses. */
export function schoolStylesheet(theme: PageTheme): Asset {
  const { light, dark } = schoolThemeColours(theme)
  const block = ({ scheme, ...colours }: ThemeColours): string =>
    rule({ 'color-scheme': scheme, ...properties({ ...colours, plate: logoOn(colours.background, theme).plate }) })
  const body = [
    fontFaces(theme.fonts),
    rule({ ...fontProperties(theme.fonts), ...corners[theme.corner_radius] }),
    block(light),
    `@media (prefers-color-scheme: dark) {\n${block(dark)}}\n`,
  ]
  return asset(schoolStylesheetName, body.join('\n'))
}

const rule = (declarations: Record<string, string>): string =>
  `:root {\n${Object.entries(declarations)
    .map(([name, value]) => `  ${name}: ${value};\n`)
    .join('')}}\n`

const properties = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`--${kebab(name)}`, value]))

const kebab = (name: string): string => name.replace(/[A-Z]/g, (email) => `-${email.toLowerCase()}`)
