import { z } from 'zod'
import { languages as pageLanguages } from '../lib/languages.ts'
import { origin, webAddress } from './address.ts'
import { integration } from './integration.ts'
import { line, noRepeats } from './rules.ts'
import { schoolDefaults } from './schoolDefaults.ts'

const placeholders = ['type', 'id', 'code']

function isCheckoutTemplate(text: string): boolean {
  const names = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '')
  const filled = text.replaceAll(/\{[a-z]+\}/g, 'x')
  return (
    names.includes('id') &&
    names.every((name) => placeholders.includes(name)) &&
    webAddress.safeParse(filled).success &&
    !/[{}]/.test(filled)
  )
}

const checkoutTemplate = z.string().max(2048).refine(isCheckoutTemplate).meta({
  title: 'an https:// address with {id} in it, and {type} and {code} where wanted',
})

/** `schools/<slug>.yaml`: the settings of one school. */
export const schoolSchema = z.strictObject({
  issuer: origin.optional().meta({
    description: 'Public address of the school, and issuer of its tokens. schools/demo.yaml may leave it out and uses BASE_URL.',
    examples: ['https://school.example.com'],
  }),
  docs_url: webAddress.optional().meta({
    description:
      'Documentation for developers, linked from metadata and error responses. Default: /auth.md and /docs of the school. Its page /errors has an anchor for each error code.',
    examples: ['https://docs.example.com'],
  }),
  checkout_url: checkoutTemplate.optional().meta({
    description:
      'Where something is paid. {type} is course, digital_product, membership_plan or event; {id} its id; {code} the coupon code, empty without one.',
    examples: ['https://shop.example.com/checkout?item={type}/{id}&coupon={code}'],
  }),
  languages: z
    .array(z.enum(pageLanguages))
    .min(1)
    .superRefine(...noRepeats())
    .default([...pageLanguages])
    .meta({
      description:
        'Languages of the pages and letters that people see. Where nobody asks for one of them, the main language of the school, else the first.',
      examples: [['de', 'en']],
    }),
  protected_client_names: z
    .array(line(80))
    .max(200)
    .superRefine(...noRepeats())
    .default([])
    .meta({
      description: 'Names that a self-registered client should not carry: the consent page warns of those that resemble one.',
      examples: [['Lanternfield']],
    }),
  integrations: z
    .array(integration)
    .max(500)
    .superRefine(...noRepeats('client_id'))
    .default([])
    .meta({
      description: 'Registered clients with fixed HTTPS callbacks. Removing one ends its tokens.',
      examples: [[{ client_id: 'newsletter-sync', client_name: 'Newsletter Sync', redirect_uris: ['https://sync.example.com/callback'] }]],
    }),
  pricing_note: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ description: 'Markdown below the price table of /pricing.md.', examples: ['Prices include VAT.'] }),
  defaults: schoolDefaults,
})

export type SchoolFile = z.output<typeof schoolSchema>

/** One school as it is configured: its file, with everything that the file may leave out filled in. */
export type SchoolConfig = Omit<SchoolFile, 'issuer' | 'docs_url' | 'defaults'> & {
  slug: string
  issuer: string
  docs_url: string
  defaults: SchoolFile['defaults'] & { name: string }
}

/** Fills in what a school's file leaves out. */
export function resolveSchool(file: SchoolFile, { slug, issuer }: { slug: string; issuer: string }): SchoolConfig {
  const { docs_url: docsUrl = ownDocs(issuer), defaults } = file
  return { ...file, slug, issuer, docs_url: docsUrl, defaults: { ...defaults, name: defaults.name ?? nameOf(slug) } }
}

/** The school with another issuer, and the documentation address that follows from it where the file names none. */
export const reissue = (school: SchoolConfig, issuer: string): SchoolConfig => ({
  ...school,
  issuer,
  docs_url: school.docs_url === ownDocs(school.issuer) ? ownDocs(issuer) : school.docs_url,
})

/** The page of errors: of the school's documentation where it has some, else of this service. */
export const errorsUrl = ({ issuer, docs_url: docsUrl }: Pick<SchoolConfig, 'issuer' | 'docs_url'>): string =>
  docsUrl === ownDocs(issuer) ? `${issuer}/docs/errors` : `${docsUrl.replace(/\/$/, '')}/errors`

const ownDocs = (issuer: string): string => `${issuer}/auth.md`

const nameOf = (slug: string): string =>
  slug.replace(/(^|-)([a-z0-9])/g, (_, dash: string, email: string) => `${dash && ' '}${email.toUpperCase()}`)
