import type { Expression } from 'kysely'
import { z } from 'zod'
import { fileUrl } from '../../base/fileUrl.ts'
import { fromPublicId } from '../../base/ids.ts'
import { isLinkable, maxUrlLength } from '../../base/net/webUrl.ts'
import { isSlug, normalizedSlug, slugOf } from '../../base/text/slugText.ts'
import { codePoint, invisible, isVisible, unreadable } from '../../base/text/visibleText.ts'
import { type StoredImage, selectImage } from '../../database/statements/expressions.ts'
import type { Derived } from './derived.ts'
import type { ColumnOf, Columns, TableName } from './expressions.ts'
import type { Presentation } from './rowSerializer.ts'

declare const sometimesAbsent: unique symbol

/** A field that some responses do not have: its view is narrower than the row's, or only `expand` names it. */
export interface SometimesAbsent {
  readonly [sometimesAbsent]: true
}

declare module 'zod' {
  // Types follow the metadata: RowOf makes such a field optional. The parameters are those of the interface that this extends.
  interface ZodType<
    out Output = unknown,
    out Input = unknown,
    out Internals extends z.core.$ZodTypeInternals<Output, Input> = z.core.$ZodTypeInternals<Output, Input>,
  > {
    meta(data: z.core.GlobalMeta & ({ view: 'own' | 'staff' } | { onDemand: true })): this & SometimesAbsent
  }

  interface GlobalMeta {
    /** The narrowest view that shows the field. Absent: everyone who sees the row. */
    view?: 'own' | 'staff' | undefined
    /** True if the field is null in the public view of rows that are not `ungated`. */
    gated?: true | undefined
    /** True if the response has the field only when `expand` names it. */
    onDemand?: true | undefined
    /** The prefix of a row's id, which is stored as a UUID and shown with this prefix. */
    idPrefix?: string | undefined
    /** The name under which the OpenAPI document shares the schema. In a request it ends with `Input`, in a patch with `Patch`. */
    component?: string | undefined
    createOnly?: true | undefined
    /** True for an input that directs the effects of a change and changes nothing itself. */
    isOption?: true | undefined
    /** True for a list whose rows the documents describe elsewhere. */
    isSummarized?: true | undefined
    /** True for a read-only member of an object that clients send. */
    readOnly?: true | undefined
  }
}

/** Members of `.meta` that control the framework and are omitted from published schemas. */
export const internalMeta = ['view', 'gated', 'onDemand', 'idPrefix', 'createOnly', 'isOption', 'isSummarized'] as const

/** Schema of a time as the API writes it: RFC 3339, UTC, milliseconds. */
export const timestamp = (): z.ZodISODateTime => z.iso.datetime()

/** Schema of a name, title or other line: trimmed, at least one visible character, no control or bidirectional characters. */
export const line = (max: number): z.ZodString => lineOrEmpty(max).min(1)

/** Schema of a text that can have several lines: at least one visible character. */
export const text = (max: number, kind: z.ZodString = z.string()): z.ZodString =>
  kind
    .min(1)
    .max(max)
    .refine((value) => value === '' || isVisible(value), invisible)

export const lineOrEmpty = (max: number): z.ZodString =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => unreadable(text) === undefined, { error: ({ input }) => unreadable(String(input)) })

type LinkScheme = 'https' | 'http' | 'mailto'

/**
 * Returns the schema of a URL that a person enters: without credentials, at most 2,000 characters, with one of these schemes. Links to web
 * pages accept https and http; resources that a page loads accept only https.
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

/**
 * Schema of a slug, a readable key in URLs: lower-case words joined by hyphens, up to `parts` of them joined by slashes. It has no
 * underscore, so it never looks like an id. Letters that mean the same are stored in one form: `Süd` is `sud`, `Мир` is `mir`.
 */
export const slug = ({ max = 96, parts = 1 } = {}): z.ZodString =>
  z
    .string()
    .overwrite(normalizedSlug)
    .max(max)
    .check(({ value: input, issues }) => {
      if (!isSlugPath(input, parts)) issues.push({ code: 'invalid_format', format: 'regex', input, message: slugRule(input, parts) })
    })
    .meta({ pattern: slugPattern(parts), component: parts === 1 ? 'Slug' : 'SlugPath' })

/** True for up to `parts` slugs joined by slashes. */
export const isSlugPath = (text: string, parts: number): boolean => {
  const slugs = text.split('/', parts + 1)
  return slugs.length <= parts && slugs.every(isSlug)
}

// Excludes what no slug has, instead of naming every letter: the expression means the same in the dialects of all languages.
const word = '[^\\x00-\\x2f\\x3a-\\x60\\x7b-\u052f]+'
const slugPattern = (parts: number): string => {
  const one = `${word}(?:-${word})*`
  return parts === 1 ? `^${one}$` : `^${one}(?:/${one}){0,${parts - 1}}$`
}

function slugRule(text: string, parts: number): string {
  const hidden = /\p{Default_Ignorable_Code_Point}/u.exec(text)
  if (hidden) return `must not contain invisible characters. Remove ${codePoint(hidden[0])}.`
  const suggestion = text
    .split('/')
    .slice(0, parts)
    .map((part) => slugOf(part))
    .filter((part) => part !== '')
    .join('/')
  const rule = parts === 1 ? 'must be' : `must be up to ${parts} parts joined by /, each of`
  return `${rule} lower-case words joined by hyphens, each in one script, such as ${suggestion || 'clay-from-scratch'}.`
}

/** Returns the schema of the id of another resource's row. Columns store the UUID; the framework converts between them. */
export function reference(idPrefix: string, description: string): z.ZodString {
  const form = new RegExp(`^${idPrefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
  return z.string().regex(form, `must be an id: ${idPrefix}_ and 26 characters`).meta({ description, idPrefix })
}

/** Returns the schema of an amount in the currency's smallest unit, so that amounts are never rounded. */
export function money(description: string): z.ZodObject<{ amount: z.ZodInt; currency: z.ZodString }> {
  return z
    .object({
      amount: z.int().min(0).max(99_999_999_999).meta({ description: 'In the smallest unit of the currency.', example: 8900 }),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
        .meta({ description: 'ISO 4217 code.', example: 'EUR' }),
    })
    .meta({ description, component: 'Money' })
}

/** Returns the money object of two columns, or null if there is no amount. The database returns eight-byte numbers as text. */
export function moneyOf(amount: number | string | null, currency: string | null): { amount: number; currency: string } | null {
  return amount === null || currency === null ? null : { amount: Number(amount), currency }
}

export const moneyIn = (amount: number | string, currency: string): { amount: number; currency: string } => ({
  amount: Number(amount),
  currency,
})

/** Returns the two columns of a money object: `price_amount` and `price_currency` for the name `price`. */
export const moneyColumns = <Name extends string>(name: Name, money: { amount: number; currency: string } | null) =>
  ({ [`${name}_amount`]: money?.amount ?? null, [`${name}_currency`]: money?.currency ?? null }) as {
    [Column in `${Name}_amount`]: number | null
  } & { [Column in `${Name}_currency`]: string | null }

/** Schema of up to twenty texts that an integration stores with a row; visible to staff. */
export const metadata = () =>
  z
    .record(z.string().regex(/^[a-z0-9_]{1,40}$/, 'must have 1 to 40 characters from a-z, 0-9 and _'), z.string().max(500))
    .refine((members) => Object.keys(members).length <= 20, 'must have at most 20 members')
    .meta({ description: 'Custom texts by name; at most 20.', example: { sku: 'clay-1' }, view: 'staff', component: 'Metadata' })

/** Schema of the key of the row in another system; visible to staff. */
export const externalId = () =>
  z.string().min(1).max(120).nullable().meta({
    description: 'Key of this object in the system from which it was imported; unique in the school.',
    example: 'erp-4711',
    view: 'staff',
  })

/** A picture in a response. Clients send only `file_id` and `alt`. */
export interface Image {
  file_id: string
  url: string
  alt?: string | null | undefined
  width: number | null
  height: number | null
}

/** Returns the schema of a picture. For an optional one: `image(…).nullable().meta({ description, example: null })`. */
export const image = (description: string) =>
  z
    .object({
      file_id: reference('fil', 'Id of an uploaded public picture. Staff can use any; other callers only pictures that they uploaded.'),
      url: z.url().meta({ description: 'URL of the picture.', example: 'https://school.example/files/fil_01/kiln.webp', readOnly: true }),
      alt: z.string().max(300).nullable().default(null).meta({
        description: 'Alternative text: describes the picture for people who cannot see it. Without one, that of the file.',
        example: 'A kiln, open',
      }),
      width: z.int().nullable().meta({ description: 'In pixels.', example: 1600, readOnly: true }),
      height: z.int().nullable().meta({ description: 'In pixels.', example: 900, readOnly: true }),
    })
    .meta({ description, component: 'Image' })

/**
 * Returns a field stored in the columns `<name>_file_id` and `<name>_alt` of its table. The framework checks that the caller may use
 * the file, and records the reference in the same transaction.
 */
export function imageField<Table extends TableName, Name extends string>(
  table: `${Name}_file_id` | `${Name}_alt` extends ColumnOf<Table> ? Table : never,
  name: Name,
): Derived<Table, Image | null> {
  return {
    file: `${name}_file_id`,
    select: () => selectImage(table, name) as Expression<unknown>,
    of: (selected: StoredImage | null, context) => imageOf(selected, context),
    write: (value) =>
      ({
        [`${name}_file_id`]: value === null ? null : fromPublicId('fil', value.file_id),
        [`${name}_alt`]: value?.alt ?? null,
      }) as Columns<Table>,
  }
}

/** Returns the picture that `selectImage` has read as the response shows it, for pictures in lists inside a row. */
export function imageOf(stored: StoredImage | null, { school }: Pick<Presentation, 'school'>): Image | null {
  if (stored === null) return null
  const { file_id, filename, alt, width, height } = stored
  return { file_id, url: fileUrl(school, { id: file_id, filename }), alt, width, height }
}
