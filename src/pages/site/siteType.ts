import type { SubjectType } from '../../domain/comments/commentAccess.ts'
import type { Commenting } from '../../domain/comments/mayComment.ts'
import { decimalAmount } from '../../lib/decimalAmount.ts'
import { withQuery } from '../../lib/withQuery.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import type { SiteAction, SiteContent, SiteItem, SiteLink, SitePicture } from '../../policy/sitePage.ts'
import { type SiteKind, sitePath } from '../../resources/sitePaths.ts'
import type { OwnSubscription, SiteMoney, SitePictureRow } from '../../resources/siteRows.ts'
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
  subscriptions: readonly OwnSubscription[]
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

/** How the rows of one kind are read and shown. */
export interface SiteType {
  /** Parameters of the list in the API. */
  list: Readonly<Record<string, string>>
  /** Filters that leave out what only staff see, such as drafts. */
  published: Readonly<Record<string, string>>
  /** The filters and the sort order that a reader can choose: their texts by value. The empty value is the default. */
  choices?: Readonly<Record<string, { label: TextKey; options: Readonly<Record<string, TextKey>> }>>
  /** A second list with the rows that the first one leaves out, at the path with `?past=1`. */
  past?: { list: Readonly<Record<string, string>>; name: TextKey; description: TextKey }
  /** Parameters of one row in the API. */
  one: Readonly<Record<string, string>>
  item(row: unknown, context: SiteContext): SiteItem
  page(row: unknown, context: SiteContext): SiteBody
}

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
export function sitePicture(picture: SitePictureRow, issuer: string): SitePicture | undefined {
  if (!picture) return undefined
  const { url, alt, width, height } = picture
  const src = url.startsWith(`${issuer}/`) ? url.slice(issuer.length) : url
  return { src, alt: alt ?? '', width: width ?? undefined, height: height ?? undefined }
}

/** The price of an offer in the data of a page, and whether it includes tax, if any applies (schema.org PriceSpecification). */
export function priceNode(amount: SiteMoney, { tax }: Pick<SiteContext, 'tax'>) {
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
