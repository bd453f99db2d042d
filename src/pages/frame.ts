import type { Asset } from './asset.ts'
import type { LanguageLink, PageContext } from './pageContext.ts'
import type { PageLogo } from './schoolLogo.ts'

export interface Frame {
  language: string
  title: string
  schoolName: string
  /** Shown instead of the name. */
  logo: PageLogo | undefined
  /** Colour of the browser around the page, in the light and the dark theme. */
  themeColours: PageContext['themeColours']
  /** URLs of the common style sheet and of the school's colours. */
  stylesheets: string[]
  legalLinks: PageContext['legalLinks']
  help: PageContext['help']
  languagesLabel: string
  languageLinks: LanguageLink[]
  /** Set if search engines may list the page. */
  isIndexed?: true
}

export function frame(
  { stylesheet }: { stylesheet: Asset },
  { texts, schoolName, schoolLogo, schoolStylesheet, themeColours, legalLinks, help, languageLinks }: PageContext,
  title: string,
): Frame {
  return {
    language: texts.language,
    title: `${title} · ${schoolName}`,
    schoolName,
    logo: schoolLogo,
    themeColours,
    stylesheets: [stylesheet.href, schoolStylesheet],
    legalLinks,
    help,
    languagesLabel: texts.text('languages.label'),
    languageLinks,
  }
}
