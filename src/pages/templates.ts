import { compileView } from '../base/text/views.ts'
import type { AppsGuide } from '../identity/apps/appsGuide.ts'
import type { AccountPage } from './account/accountPage.ts'
import type { AppsPage } from './account/appsPage.ts'
import type { FactorPage } from './account/factorPage.ts'
import type { AccountMessagePage } from './account/messagePage.ts'
import type { SchoolAppsPage } from './account/school/schoolAppsPage.ts'
import type { SchoolAuditPage } from './account/school/schoolAuditPage.ts'
import type { SecurityPage } from './account/securityPage.ts'
import { type Asset, readAsset } from './asset.ts'
import type { CertificatePage } from './certificatePage.ts'
import type { ConsentPage } from './consentPage.ts'
import type { ErrorPage } from './errorPage.ts'
import type { FormPage } from './formPage.ts'
import type { FormPostPage } from './formPostPage.ts'
import type { FormSentPage, SchoolFormPage } from './forms/schoolFormPage.ts'
import type { Frame } from './frame.ts'
import type { HomePage } from './homePage.ts'
import type { ManualCodePage } from './manualCodePage.ts'
import type { CopiedGuide } from './serveAppsGuide.ts'
import type { SignedOutPage, SignOutPage } from './signOutPages.ts'
import type { SiteView } from './site/siteView.ts'
import type { UnsubscribePage } from './unsubscribePages.ts'

export interface ViewPages {
  account: AccountPage
  'account-apps': AppsPage
  'account-factor': FactorPage
  'account-message': AccountMessagePage
  'account-school': SchoolAppsPage
  'account-school-audit': SchoolAuditPage
  'account-security': SecurityPage
  'apps-guide': Frame & Omit<AppsGuide, 'apps'> & CopiedGuide & { script: string; copy: { submit: string; done: string } }
  certificate: CertificatePage
  consent: ConsentPage
  error: ErrorPage
  form: FormPage
  home: HomePage
  'manual-code': ManualCodePage
  'form-post': FormPostPage
  'school-form': SchoolFormPage
  'school-form-sent': FormSentPage
  'sign-out': SignOutPage
  'signed-out': SignedOutPage
  site: SiteView
  unsubscribe: UnsubscribePage
}

export type ViewName = keyof ViewPages

export interface Views {
  stylesheet: Asset
  /** The style sheet of the school's public pages, in addition to the common one. */
  siteStylesheet: Asset
  /** The script of the pages. Every page works without it. */
  script: Asset
  passkeyScript: Asset
  render<Name extends ViewName>(name: Name, page: ViewPages[Name]): string
}

const names: readonly ViewName[] = [
  'account',
  'account-apps',
  'account-factor',
  'account-message',
  'account-school',
  'account-school-audit',
  'account-security',
  'apps-guide',
  'certificate',
  'consent',
  'error',
  'form',
  'home',
  'manual-code',
  'form-post',
  'school-form',
  'school-form-sent',
  'sign-out',
  'signed-out',
  'site',
  'unsubscribe',
]

/** Reads `views/` once. From the sources, a view that does not compile prevents the start; in the bundle, it prevents `npm run generate`. */
export function createViews(): Views {
  const templates = new Map(names.map((name) => [name, compileView(name)]))
  return {
    stylesheet: readAsset('schoolgate.css'),
    siteStylesheet: readAsset('site.css'),
    script: readAsset('pages.js'),
    passkeyScript: readAsset('passkeys.js'),
    render(name, page) {
      const template = templates.get(name)
      if (!template) throw new Error(`there is no view ${name}`)
      return template({ ...page })
    },
  }
}
