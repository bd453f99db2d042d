import { xmlText } from '../lib/xmlText.ts'
import { schoolThemeColours } from '../policy/themeColours.ts'
import type { PageTheme } from './pageTheme.ts'

/** Returns the icon of a school for browser tabs: the first letter of its name, in its colours. */
export function favicon(name: string, theme: PageTheme): string {
  const { light } = schoolThemeColours(theme)
  const [letter = 'S'] = name.match(/[\p{L}\p{N}]/u) ?? []
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="${light.primary}"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="${light.onPrimary}">${xmlText(letter.toUpperCase())}</text></svg>\n`
}
