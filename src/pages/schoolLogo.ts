import { fileUrl } from '../base/fileUrl.ts'
import { schemeOf, schoolThemeColours } from '../base/themeColours.ts'
import type { Logo } from '../school/settings/publicAppearance.ts'
import type { PageTheme } from './pageTheme.ts'

/** A picture on a page. Width and height are in pixels; undefined if unknown. */
export interface Picture {
  src: string
  width: number | undefined
  height: number | undefined
}

export interface PageLogo extends Picture {
  alt: string
  onDark: Picture | undefined
}

export function schoolLogo(theme: PageTheme, name: string): PageLogo | undefined {
  const { light, dark } = schoolThemeColours(theme)
  const [logo, darkLogo] = [logoOn(light.background, theme).logo, logoOn(dark.background, theme).logo]
  if (!logo || !darkLogo) return undefined
  return { ...picture(logo), alt: logo.alt || darkLogo.alt || name, onDark: darkLogo.id === logo.id ? undefined : picture(darkLogo) }
}

const picture = (logo: Logo): Picture => ({
  // A path, so that the picture is of the page's own origin: the content security policy allows no other.
  src: fileUrl({ issuer: '' }, logo),
  width: logo.width ?? undefined,
  height: logo.height ?? undefined,
})

const plates = { light: '#ffffff', dark: '#121614' }

/**
 * Returns the logo for a colour scheme and the background that it needs, which differs from the page's if the school's only logo was made
 * for the other scheme.
 */
export function logoOn(
  background: string,
  { logo, logo_dark }: Pick<PageTheme, 'logo' | 'logo_dark'>,
): { logo: Logo | null; plate: string } {
  const [own, other, opposite] =
    schemeOf(background) === 'light' ? ([logo, logo_dark, 'dark'] as const) : ([logo_dark, logo, 'light'] as const)
  return own || !other ? { logo: own, plate: background } : { logo: other, plate: plates[opposite] }
}
