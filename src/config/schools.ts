import { z } from 'zod'
import { languages as pageLanguages } from '../base/text/languages.ts'
import { origin, webAddress } from './address.ts'
import { integration } from './integration.ts'
import type { RoleScopes } from './roles.ts'
import { line, noRepeats } from './rules.ts'
import { schoolDefaults } from './schoolDefaults.ts'
import { webhookKeys } from './webhooks.ts'

const roles = ['owner', 'admin', 'lecturer', 'learner'] as const satisfies readonly (keyof RoleScopes)[]

const secondStep = z
  .union([
    z.enum(['off', 'optional']),
    z.strictObject({
      required_for: z
        .array(z.enum(roles))
        .min(1)
        .max(roles.length)
        .superRefine(...noRepeats())
        .meta({
          description:
            'Roles whose people need a second factor. Those who have none set one up when they sign in, and cannot remove the last one. Browsers in which they signed in with the password alone have to sign in again; access of apps continues.',
          examples: [['owner', 'admin']],
        }),
    }),
  ])
  .default('optional')
  .meta({
    description:
      'Passkeys and authenticator apps. off: people cannot set them up, and sign-ins do not ask for them. optional: people decide for themselves. With required_for, people of the listed roles need one, and all others decide for themselves.',
    examples: [{ required_for: ['owner', 'admin'] }],
  })

/** Checks an address with placeholders, one of which it must have. */
const isTemplate =
  (required: readonly string[], placeholders: readonly string[]) =>
  (text: string): boolean => {
    const names = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '')
    const filled = text.replaceAll(/\{[a-z]+\}/g, 'x')
    return (
      required.some((name) => names.includes(name)) &&
      names.every((name) => placeholders.includes(name)) &&
      webAddress.safeParse(filled).success &&
      !/[{}]/.test(filled)
    )
  }

const checkoutTemplate = z
  .string()
  .max(2048)
  .refine(isTemplate(['id'], ['type', 'id', 'price', 'code']))
  .meta({
    title: 'an https:// address that contains {id}, and optionally {type}, {price} and {code}',
  })

const orderTemplate = z
  .string()
  .max(2048)
  .refine(isTemplate(['number', 'reference'], ['id', 'number', 'reference']))
  .meta({
    title: 'an https:// address that contains {number} or {reference}, and optionally {id}',
  })

export const schoolSchema = z.strictObject({
  issuer: origin.optional().meta({
    description: 'Public address of the school, and issuer of its tokens. schools/demo.yaml may omit it and then uses BASE_URL.',
    examples: ['https://school.example.com'],
  }),
  docs_url: webAddress.optional().meta({
    description:
      'Documentation for developers, linked from metadata and error responses. Default: /auth.md and /docs of the school. Its page /errors has an anchor for each error code.',
    examples: ['https://docs.example.com'],
  }),
  security_contact: z
    .string()
    .max(300)
    .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/)
    .optional()
    .meta({
      title: 'a mailto: or https:// URL',
      description:
        'Where people report security problems, in /.well-known/security.txt. Default: the contact address of the school; without one there is no file.',
      examples: ['mailto:security@example.com'],
    }),
  checkout_url: checkoutTemplate.optional().meta({
    description:
      'URL of the checkout. {type} is course, digital_product, membership_plan or event; {id} its id; {price} the id of the price that a person chose for a plan, empty for anything else; {code} the coupon code, empty without one.',
    examples: ['https://shop.example.com/checkout?item={type}/{id}&coupon={code}'],
  }),
  order_url: orderTemplate.optional().meta({
    description:
      'URL of the page of an order at the checkout, where owners and admins refund it. {number} is the number of the order, {reference} the identifier of the payment, {id} the id of the order. Without it, the page of the order names the payment.',
    examples: ['https://shop.example.com/admin/payments/{reference}'],
  }),
  languages: z
    .array(z.enum(pageLanguages))
    .min(1)
    .superRefine(...noRepeats())
    .default([...pageLanguages])
    .meta({
      description:
        'Languages of pages and e-mails. If a person prefers none of them, the main language of the school applies, otherwise the first of the list.',
      examples: [['de', 'en']],
    }),
  german_address: z
    .enum(['formal', 'informal'])
    .default('formal')
    .meta({
      description: 'How German pages and e-mails address people: formal (Sie) or informal (du).',
      examples: ['informal'],
    }),
  public_pages: z
    .boolean()
    .default(true)
    .meta({
      description:
        "True if this service shows the school's courses, events, lecturers, posts, plans and own pages as web pages, with a feed and in the sitemap. Set it to false if another site shows them: then these pages do not exist here.",
      examples: [false],
    }),
  protected_client_names: z
    .array(line(80))
    .max(200)
    .superRefine(...noRepeats())
    .default([])
    .meta({
      description: 'Names that a self-registered client should not imitate: the consent page warns about similar names.',
      examples: [['Lanternfield']],
    }),
  integrations: z
    .array(integration)
    .max(500)
    .superRefine(...noRepeats('client_id'))
    .default([])
    .meta({
      description:
        'Approved clients: services with an https:// redirect URI, and apps that cannot register themselves. Removing one revokes its tokens.',
      examples: [[{ client_id: 'newsletter-sync', client_name: 'Newsletter Sync', redirect_uris: ['https://sync.example.com/callback'] }]],
    }),
  second_step: secondStep,
  ...webhookKeys,
  pricing_note: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ description: 'Markdown below the price table of /pricing.md.', examples: ['Prices include VAT.'] }),
  defaults: schoolDefaults,
})

export type SchoolFile = z.output<typeof schoolSchema>

export type SchoolConfig = Omit<SchoolFile, 'issuer' | 'docs_url' | 'defaults'> & {
  slug: string
  issuer: string
  docs_url: string
  defaults: SchoolFile['defaults'] & { name: string }
}

export function resolveSchool(file: SchoolFile, { slug, issuer }: { slug: string; issuer: string }): SchoolConfig {
  const { docs_url: docsUrl = ownDocs(issuer), defaults } = file
  return { ...file, slug, issuer, docs_url: docsUrl, defaults: { ...defaults, name: defaults.name ?? nameOf(slug) } }
}

/** Returns the school with another issuer, and with the documentation URL that is derived from it if the file does not set one. */
export const reissue = (school: SchoolConfig, issuer: string): SchoolConfig => ({
  ...school,
  issuer,
  docs_url: school.docs_url === ownDocs(school.issuer) ? ownDocs(issuer) : school.docs_url,
})

/** Returns the URL of the error reference: in the documentation of the school if it has its own, otherwise in this service. */
export const errorsUrl = ({ issuer, docs_url: docsUrl }: Pick<SchoolConfig, 'issuer' | 'docs_url'>): string =>
  docsUrl === ownDocs(issuer) ? `${issuer}/docs/errors` : `${docsUrl.replace(/\/$/, '')}/errors`

const ownDocs = (issuer: string): string => `${issuer}/auth.md`

const nameOf = (slug: string): string =>
  slug.replace(/(^|-)([a-z0-9])/g, (_, dash: string, email: string) => `${dash && ' '}${email.toUpperCase()}`)
