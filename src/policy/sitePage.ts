/** A link of a public page. Paths begin with a slash; other URLs are of other sites. */
export interface SiteLink {
  href: string
  label: string
  /** Link types (HTML), for links to other sites. */
  rel?: string
}

export interface SitePicture {
  src: string
  alt: string
  width: number | undefined
  height: number | undefined
}

/** A labelled value, as text or as links. */
export interface SiteFact {
  label: string
  value: string
  /** The value for programs, if it is a time (ISO 8601). */
  time?: string | undefined
  links?: readonly SiteLink[]
}

/** An entry of a list that leads to another page. */
export interface SiteItem {
  link: SiteLink
  line: string | undefined
  details: readonly string[]
  picture: SitePicture | undefined
}

export interface SiteSection {
  heading: string | undefined
  /** Sanitised HTML of the school. */
  html?: string | undefined
  items?: readonly SiteItem[]
  /** Parts with their entries, such as the sections of a course with their lessons. */
  outline?: readonly { title: string; summary: string | null; entries: readonly { title: string; note: string }[] }[]
  list?: readonly string[]
  links?: readonly SiteLink[]
}

/** The content of a public page. HTML and Markdown are rendered from it. */
export interface SiteContent {
  /** Path of the page, with its query. */
  path: string
  title: string
  description: string
  /** True if search engines may list the page. */
  isIndexed: boolean
  /** Undefined if the first section has the heading. */
  heading: string | undefined
  lead: string | undefined
  notices: readonly string[]
  picture: SitePicture | undefined
  /** URL of the preview picture of links to the page. */
  shareImage: string | undefined
  facts: readonly SiteFact[]
  actions: readonly SiteLink[]
  sections: readonly SiteSection[]
  /** Links to the other pages of a long list. */
  pagination: readonly (SiteLink & { relation: 'prev' | 'next' })[]
  /** Pages above this one, from the home page. */
  breadcrumbs: readonly SiteLink[]
  /** The time of publication of an article (ISO 8601). */
  publishedAt: string | undefined
  /** Data for search engines (schema.org), without context. */
  data: readonly Readonly<Record<string, unknown>>[]
}
