import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ejs from 'ejs'
import type { AppsGuide } from '../policy/appsGuide.ts'
import type { AppsPage } from './account/appsPage.ts'
import type { AccountMessagePage } from './account/messagePage.ts'
import { type Asset, readAsset } from './asset.ts'
import type { ConsentPage } from './consentPage.ts'
import type { ErrorPage } from './errorPage.ts'
import type { FormPage } from './formPage.ts'
import type { HomePage } from './homePage.ts'
import type { ManualCodePage } from './manualCodePage.ts'
import type { LanguageLink, PageContext } from './pageContext.ts'
import type { PageLogo } from './schoolLogo.ts'
import type { SignedOutPage, SignOutPage } from './signOutPages.ts'

/** Members of every page. */
export interface Frame {
  language: string
  title: string
  schoolName: string
  /** Shown instead of the name. */
  logo: PageLogo | undefined
  /** URLs of the common style sheet and of the school's colours. */
  stylesheets: string[]
  languagesLabel: string
  languageLinks: LanguageLink[]
  /** Set if search engines may list the page. */
  isIndexed?: true
}

/** The object that each view renders. */
export interface ViewPages {
  'account-apps': AppsPage
  'account-message': AccountMessagePage
  'apps-guide': Frame & AppsGuide
  consent: ConsentPage
  error: ErrorPage
  form: FormPage
  home: HomePage
  'manual-code': ManualCodePage
  'sign-out': SignOutPage
  'signed-out': SignedOutPage
}

export type ViewName = keyof ViewPages

/** The compiled views and their style sheet and script. */
export interface Views {
  stylesheet: Asset
  /** The script of the pages. Every page works without it. */
  script: Asset
  render<Name extends ViewName>(name: Name, page: ViewPages[Name]): string
}

const names: readonly ViewName[] = [
  'account-apps',
  'account-message',
  'apps-guide',
  'consent',
  'error',
  'form',
  'home',
  'manual-code',
  'sign-out',
  'signed-out',
]

/** Reads and compiles `views/` once. A view that does not compile prevents the start. */
export function createViews(): Views {
  const templates = new Map(names.map((name) => [name, compileView(name)]))
  return {
    stylesheet: readAsset('schoolgate.css'),
    script: readAsset('pages.js'),
    render(name, page) {
      const template = templates.get(name)
      if (!template) throw new Error(`there is no view ${name}`)
      return template(page)
    },
  }
}

function compileView(name: ViewName): (page: ViewPages[ViewName]) => string {
  const filename = fileURLToPath(new URL(`../../views/${name}.ejs`, import.meta.url))
  // Strict: a view can access `page` only, and a misspelt name throws instead of printing nothing.
  const template = ejs.compile(readFileSync(filename, 'utf8'), { filename, strict: true, localsName: 'page', cache: true })
  return (page) => template({ ...page })
}

/** Returns the members that all pages share. */
export function frame(
  { stylesheet }: Views,
  { texts, schoolName, schoolLogo, schoolStylesheet, languageLinks }: PageContext,
  title: string,
): Frame {
  return {
    language: texts.language,
    title: `${title} · ${schoolName}`,
    schoolName,
    logo: schoolLogo,
    stylesheets: [stylesheet.href, schoolStylesheet],
    languagesLabel: texts.text('languages.label'),
    languageLinks,
  }
}
