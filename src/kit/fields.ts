import { z } from 'zod'

declare module 'zod' {
  interface GlobalMeta {
    /** The narrowest view that shows the field. Absent: everyone who sees the row. */
    view?: 'own' | 'staff' | undefined
    /** The field is a row's id: stored as a UUID, shown with this prefix. */
    idPrefix?: string | undefined
  }
}

/** Members of `.meta` that steer the kit and belong in no published schema. */
export const internalMeta = ['view', 'idPrefix'] as const

/** A point in time as the API writes it: RFC 3339, UTC, milliseconds. */
export const timestamp = (): z.ZodISODateTime => z.iso.datetime()

/** A readable key in addresses: lower-case words joined by hyphens, never an underscore, so that it cannot be taken for an id. */
export const slug = (): z.ZodString => z.string().regex(slugForm).max(96)

export const slugForm = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** The id of a row of another resource. Columns hold the UUID; the kit turns one into the other. */
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
        .regex(/^[A-Z]{3}$/)
        .meta({ description: 'ISO 4217 code.', example: 'EUR' }),
    })
    .meta({ description })
}

/** The money object of two columns, or null where there is no amount. */
export function moneyOf(amount: number | null, currency: string | null): { amount: number; currency: string } | null {
  return amount === null || currency === null ? null : { amount, currency }
}
