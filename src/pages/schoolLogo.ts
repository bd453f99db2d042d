import type { Logo } from '../domain/school/appearance.ts'
import { fileUrl } from '../policy/fileUrl.ts'
import { schemeOf, schoolThemeColours } from '../policy/themeColours.ts'
import type { Look } from './look.ts'

/** A picture as a page shows it. Width and height are in pixels; undefined where they are not known. */
export interface Picture {
  src: string
  width: number | undefined
  height: number | undefined
}

/** The logo at the top of a page. */
export interface PageLogo extends Picture {
  alt: string
  /** For dark devices, where it is another one. */
  onDark: Picture | undefined
}

/** The logo of a school's pages; undefined where it has none. */
export function schoolLogo(look: Look, name: string): PageLogo | undefined {
  const { light, dark } = schoolThemeColours(look)
  const [logo, darkLogo] = [logoOn(light.background, look).logo, logoOn(dark.background, look).logo]
  if (!logo || !darkLogo) return undefined
  return { ...picture(logo), alt: logo.alt || darkLogo.alt || name, onDark: darkLogo.id === logo.id ? undefined : picture(darkLogo) }
}

const picture = (logo: Logo): Picture => ({
  // Of the page's own origin, whatever that is: the policy of pages lets in no other picture.
  src: fileUrl({ issuer: '' }, logo),
  width: logo.width ?? undefined,
  height: logo.height ?? undefined,
})

const plates = { light: '#ffffff', dark: '#121614' }

/** The logo for a ground, and the colour behind it: another one than the ground where the school's only logo is made for the opposite. */
export function logoOn(background: string, { logo, logo_dark }: Pick<Look, 'logo' | 'logo_dark'>): { logo: Logo | null; plate: string } {
  const [own, other, opposite] =
    schemeOf(background) === 'light' ? ([logo, logo_dark, 'dark'] as const) : ([logo_dark, logo, 'light'] as const)
  return own || !other ? { logo: own, plate: background } : { logo: other, plate: plates[opposite] }
}
