import type { Language } from '../../src/base/text/languages.ts'
import type { PageContext } from '../../src/pages/pageContext.ts'
import { createTexts } from '../../src/pages/texts.ts'

/** The setting of a page at a school, as a request would find it. */
export function pageContextOf(schoolName: string, language: Language = 'en'): PageContext {
  const link = (to: Language, label: string) => ({ language: to, label, href: `/account/apps?lang=${to}`, isCurrent: to === language })
  return {
    texts: createTexts(language),
    schoolName,
    isOpenToSignUp: () => true,
    schoolLogo: undefined,
    legalLinks: [],
    hasImprint: false,
    accountDocuments: undefined,
    privacyUrl: undefined,
    help: undefined,
    themeColours: { light: '#ffffff', dark: '#000000' },
    schoolStylesheet: '/assets/school.css',
    languageLinks: [link('en', 'English'), link('de', 'Deutsch')],
  }
}
