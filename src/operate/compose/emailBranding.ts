import type { Log } from '../../base/log/log.ts'
import type { EmailLegal } from '../../base/mail/emailFoot.ts'
import type { EmailLogo } from '../../base/mail/transport.ts'
import type { School } from '../../base/school.ts'
import type { Database } from '../../database/connection/database.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { logoOn } from '../../pages/schoolLogo.ts'
import { legalAddresses } from '../../school/settings/legalAddresses.ts'
import type { PageBranding } from '../../school/settings/publicAppearance.ts'
import { readLogo } from './readLogo.ts'

/** Larger logos are left out: each e-mail contains the picture. */
const maxBytes = 100_000

/** The background of the logo, in both colour schemes. */
const plate = '#ffffff'

export interface EmailBrandingArguments {
  accounts: Database
  pageBranding(school: Pick<School, 'id'>): Promise<PageBranding>
  storage: FileStorage
  log: Log
  /** Returns false if another site shows the public pages of the school. */
  hasPages(school: Pick<School, 'id'>): boolean
}

interface EmailBranding {
  name: string
  locale: string
  legal: EmailLegal
  logo: EmailLogo | undefined
}

/** Returns what the e-mails of a school show of it. If the logo cannot be read, the e-mail is sent without it. */
export const createEmailBranding =
  ({ accounts, pageBranding, storage, log, hasPages }: EmailBrandingArguments) =>
  async (school: Pick<School, 'id' | 'slug' | 'issuer'>): Promise<EmailBranding> => {
    const { name, locale, theme, legal } = await pageBranding(school)
    const logo = await emailLogo(school, { name, theme }, { accounts, storage }).catch((error: unknown) => {
      log.warn({ err: error, school: school.slug }, 'logo not read, e-mail sent without it')
      return undefined
    })
    const addresses = Object.entries(legalAddresses(legal, hasPages(school)))
    return {
      name,
      locale,
      logo,
      legal: Object.fromEntries(addresses.map(([kind, address]) => [kind, new URL(address, school.issuer).href])),
    }
  }

/** Returns the logo for a light background, if mail programs show its format. They do not show SVG. */
async function emailLogo(
  school: Pick<School, 'id'>,
  { name, theme }: Pick<PageBranding, 'name' | 'theme'>,
  { accounts, storage }: Pick<EmailBrandingArguments, 'accounts' | 'storage'>,
): Promise<EmailLogo | undefined> {
  const { logo, plate: ownPlate } = logoOn(plate, theme)
  if (!logo?.width || !logo.height) return undefined
  const file = await readLogo(school, logo, { accounts, storage, maxBytes, isAccepted: isShown })
  if (!file) return undefined
  const { width, height, alt } = logo
  return { ...file, alt: alt || name, width, height, plate: ownPlate }
}

const isShown = (contentType: string): contentType is EmailLogo['contentType'] => /^image\/(?:png|jpeg|gif)$/.test(contentType)
