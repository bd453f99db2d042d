import { accountPaths } from '../../base/accountPaths.ts'
import type { SiteAction, SiteContent, SiteItem, SiteLink, SitePicture } from '../../base/sitePage.ts'
import { decimalAmount } from '../../base/text/decimalAmount.ts'
import type { PageOfRows } from '../../base/text/pageOfRows.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { type SiteKind, sitePath } from '../../engine/sitePaths.ts'
import type { ApiReader, Course, Subscription } from '../../school/apiRows.ts'
import type { SubjectType } from '../../school/comments/commentAccess.ts'
import type { Commenting } from '../../school/comments/mayComment.ts'
import type { TextKey, Texts } from '../texts.ts'

/** The facts that every public page needs in addition to its row. */
export interface SiteContext {
  issuer: string
  schoolName: string
  texts: Texts
  /** How prices relate to tax: they include it, the checkout adds it, or none applies. */
  tax: 'inclusive' | 'exclusive' | 'none'
  /** Returns the checkout URL of an item; undefined if the school has none. */
  checkoutOf(item: { type: string; id: string; price?: string }): string | undefined
  /** Where people can ask the school. */
  contactEmail: string | null
  /** True if the school has plans that anyone can choose. */
  hasPlans: boolean
  /** The main language of the school (BCP 47). */
  schoolLocale: string
  /** The person who is signed in; undefined for visitors. */
  viewer: SiteViewer | undefined
  /** Returns what the reader can write at a subject, by its public id; undefined where nobody writes, as in Markdown. */
  commentingOn: ((subject: { type: SubjectType; id: string }) => Promise<Commenting>) | undefined
}

/** The facts about the signed-in person that pages need. */
export interface SiteViewer {
  /** The subscriptions that have not ended. */
  subscriptions: readonly Subscription[]
}

/** The part of a page that depends on its kind. The rest is the same for all. */
export type SiteBody = Pick<SiteContent, 'title' | 'description' | 'isIndexed' | 'heading' | 'data'> &
  Partial<
    Pick<
      SiteContent,
      'lead' | 'textLanguage' | 'notices' | 'picture' | 'shareImage' | 'facts' | 'prices' | 'actions' | 'sections' | 'publishedAt'
    >
  > & {
    slug: string
  }

export type ListParameters = Readonly<Record<string, string>>

/** How the rows of one kind are read and shown. */
interface TypeOfRows<Item, Row extends { id: string }> {
  /** Reads a page of the list, with the fields that an item shows. */
  list(source: ApiReader, parameters: ListParameters): Promise<PageOfRows<Item>>
  filters?: ListParameters
  /** Filters that leave out what only staff see, such as drafts. */
  published: ListParameters
  /** The filters and the sort order that a reader can choose: their texts by value. The empty value is the default. */
  choices?: Readonly<Record<string, { label: TextKey; options: Readonly<Record<string, TextKey>> }>>
  /** A second list with the rows that the first one leaves out, at the path with `?past=1`. */
  past?: { filters: ListParameters; name: TextKey; description: TextKey }
  /**
   * Reads one row.
   * @throws Problem not_found
   */
  one(source: ApiReader, idOrSlug: string): Promise<Row>
  item(row: Item, context: SiteContext): SiteItem
  page(row: Row, context: SiteContext): SiteBody
}

/** The pages of one kind of rows. */
export interface SiteType extends Pick<TypeOfRows<unknown, never>, 'filters' | 'published' | 'choices' | 'past'> {
  items(source: ApiReader, parameters: ListParameters, context: SiteContext): Promise<PageOfRows<SiteItem>>
  /** Returns true if the list has rows. */
  hasRows(source: ApiReader): Promise<boolean>
  /**
   * Reads a row and builds its page.
   * @throws Problem not_found
   */
  body(source: ApiReader, idOrSlug: string, context: SiteContext): Promise<SiteBody & { id: string }>
}

export const siteType = <Item, Row extends { id: string }>({ list, one, item, page, ...rest }: TypeOfRows<Item, Row>): SiteType => ({
  ...rest,
  async items(source, parameters, context) {
    const { rows, ...cursors } = await list(source, parameters)
    return { ...cursors, rows: rows.map((row) => item(row, context)) }
  },
  hasRows: async (source) => (await list(source, { ...rest.filters, limit: '1' })).rows.length > 0,
  async body(source, idOrSlug, context) {
    const row = await one(source, idOrSlug)
    return { ...page(row, context), id: row.id }
  },
})

/** Returns the link to the page of a row. */
export const siteLink = (kind: SiteKind, { slug, label }: { slug: string; label: string }): SiteLink => ({
  href: sitePath(kind, slug),
  label,
})

/** Returns the link to the sign-in, which leads back to the page. */
export const signInLink = (texts: Texts, label: TextKey, page: string): SiteAction => ({
  href: withQuery(accountPaths.signIn, { return_to: page }),
  label: texts.text(label),
})

/** Returns a picture at its path, because the content security policy allows pictures of the page's own origin only. */
export function sitePicture(picture: Course['cover_image'], issuer: string): SitePicture | undefined {
  if (!picture) return undefined
  const { url, alt, width, height } = picture
  const src = url.startsWith(`${issuer}/`) ? url.slice(issuer.length) : url
  return { src, alt: alt ?? '', width: width ?? undefined, height: height ?? undefined }
}

/** The price of an offer in the data of a page, and whether it includes tax, if any applies (schema.org PriceSpecification). */
export function priceNode(amount: NonNullable<Course['price']>, { tax }: Pick<SiteContext, 'tax'>) {
  const price = { price: decimalAmount(amount), priceCurrency: amount.currency }
  if (tax === 'none' || amount.amount === 0) return price
  return { ...price, priceSpecification: { '@type': 'PriceSpecification', ...price, valueAddedTaxIncluded: tax === 'inclusive' } }
}

/** The school in the data of another page. */
export const schoolNode = ({ issuer, schoolName }: Pick<SiteContext, 'issuer' | 'schoolName'>) => ({
  '@type': 'EducationalOrganization',
  '@id': `${issuer}/#school`,
  name: schoolName,
  url: `${issuer}/`,
})

/** A lecturer in the data of another page. */
export const personNode = (issuer: string, { display_name: name, slug }: { display_name: string; slug: string }) => ({
  '@type': 'Person',
  name,
  url: issuer + sitePath('lecturers', slug),
})
