import { z } from 'zod'
import { unreadable } from '../../lib/visibleText.ts'
import { isLinkable, maxUrlLength } from '../../lib/webUrl.ts'

declare module 'zod' {
  interface GlobalMeta {
    /** The narrowest view that shows the field. Absent: everyone who sees the row. */
    view?: 'own' | 'staff' | undefined
    /** The field is null in the public view of a row that is not `ungated`. */
    gated?: true | undefined
    /** The field is answered only to who names it in `expand`. */
    onDemand?: true | undefined
    /** The field is a row's id: stored as a UUID, shown with this prefix. */
    idPrefix?: string | undefined
    /** An input that is sent only where a row is made. */
    createOnly?: true | undefined
    /** A member that is answered and never sent, inside an object that is. */
    readOnly?: true | undefined
  }
}

/** Members of `.meta` that steer the framework and belong in no published schema. */
export const internalMeta = ['view', 'gated', 'onDemand', 'idPrefix', 'createOnly'] as const

/** A point in time as the API writes it: RFC 3339, UTC, milliseconds. */
export const timestamp = (): z.ZodISODateTime => z.iso.datetime()

/** A name, a title or another line that people read: trimmed, with at least one visible character and nothing that controls or turns text. */
export const line = (max: number): z.ZodString => lineOrEmpty(max).min(1)

/** The same where the line can be empty. */
export const lineOrEmpty = (max: number): z.ZodString =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => unreadable(text) === undefined, { error: ({ input }) => unreadable(String(input)) })

/** Schemes of a URL that a person enters. */
type LinkScheme = 'https' | 'http' | 'mailto'

/**
 * A URL that a person enters: without credentials, at most 2,000 characters, of these schemes. Fields of the web take both schemes;
 * what a page loads takes https alone.
 */
export function webUrl(schemes: readonly [LinkScheme, ...LinkScheme[]] = ['https', 'http']): z.ZodURL {
  const begins = schemes.map((scheme) => (scheme === 'mailto' ? 'mailto:' : `${scheme}://`)).join(' or ')
  const rule = `must be a URL that begins with ${begins}, without a user name or password, such as https://school.example/help`
  return (
    z
      .url({ protocol: new RegExp(`^(${schemes.join('|')})$`), error: rule })
      .max(maxUrlLength)
      // The length has its own message.
      .refine((text) => text.length > maxUrlLength || isLinkable(text), rule)
  )
}

/** A readable key in addresses: lower-case words joined by hyphens, never an underscore, so that it cannot be taken for an id. */
export const slug = (): z.ZodString =>
  z.string().regex(slugForm, 'must be lower-case words joined by hyphens, such as clay-from-scratch').max(96)

export const slugForm = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** The id of a row of another resource. Columns hold the UUID; the framework turns one into the other. */
export function reference(idPrefix: string, description: string): z.ZodString {
  const form = new RegExp(`^${idPrefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
  return z.string().regex(form, `must be an id: ${idPrefix}_ and 26 characters`).meta({ description, idPrefix })
}

/** An amount in the currency's smallest unit, so that nothing is ever rounded. */
export function money(description: string): z.ZodObject<{ amount: z.ZodInt; currency: z.ZodString }> {
  return z
    .object({
      amount: z.int().min(0).max(99_999_999_999).meta({ description: 'In the smallest unit of the currency.', example: 8900 }),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
        .meta({ description: 'ISO 4217 code.', example: 'EUR' }),
    })
    .meta({ description })
}

/** The money object of two columns, or null where there is no amount. Eight-byte numbers arrive as text. */
export function moneyOf(amount: number | string | null, currency: string | null): { amount: number; currency: string } | null {
  return amount === null || currency === null ? null : { amount: Number(amount), currency }
}

/** The money object of two columns of which neither is null. */
export const moneyIn = (amount: number | string, currency: string): { amount: number; currency: string } => ({
  amount: Number(amount),
  currency,
})

/** The two columns of a money object, `price_amount` and `price_currency` by the name `price`. */
export const moneyColumns = <Name extends string>(name: Name, money: { amount: number; currency: string } | null) =>
  ({ [`${name}_amount`]: money?.amount ?? null, [`${name}_currency`]: money?.currency ?? null }) as {
    [Column in `${Name}_amount`]: number | null
  } & { [Column in `${Name}_currency`]: string | null }

/** Twenty named texts of an importer's own; for the staff. */
export const metadata = () =>
  z
    .record(z.string().regex(/^[a-z0-9_]{1,40}$/, 'must be 1 to 40 of a-z, 0-9 and _'), z.string().max(500))
    .refine((members) => Object.keys(members).length <= 20, 'must have at most 20 members')
    .meta({ description: 'Texts of your own, by name.', example: { sku: 'clay-1' }, view: 'staff' })

/** The key of the row in another system; for the staff. */
export const externalId = () =>
  z.string().min(1).max(120).nullable().meta({
    description: 'Key of the row in the system that it was imported from, unique in the school.',
    example: 'erp-4711',
    view: 'staff',
  })
