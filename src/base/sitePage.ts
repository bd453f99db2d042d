/** A link of a public page. Paths begin with a slash; other URLs are of other sites. */
export interface SiteLink {
  href: string
  label: string
  /** Link types (HTML), for links to other sites. */
  rel?: string
}

/** A step that a page offers: a link, or a form that is sent to the same path. */
export interface SiteAction extends SiteLink {
  /** The hidden fields of the form. */
  fields?: Readonly<Record<string, string>>
  isSecondary?: true
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
  /** The contents, one line each. */
  list?: readonly string[]
  /** Says that the reader cannot read it yet. */
  lock?: string | undefined
  picture: SitePicture | undefined
  /** The label of its link, if that is a button below the contents. */
  button?: string
  /** True if it is a person, whose picture is a portrait. */
  isPerson?: true
  /** Language of its texts, if they state one (BCP 47). */
  textLanguage?: string | undefined
}

/** An entry of an outline, with the path of its page if the reader can open it. */
export interface SiteEntry {
  title: string
  note: string
  href?: string | undefined
}

export interface SiteSection {
  heading: string | undefined
  /** Sanitised HTML of the school. */
  html?: string | undefined
  items?: readonly SiteItem[]
  /** Parts with their entries, such as the sections of a course with their lessons. */
  outline?: undefined | readonly { title: string; summary: string | null; entries: readonly SiteEntry[] }[]
  list?: readonly string[]
  links?: readonly SiteLink[]
  /** A video of a site whose players pages may show. */
  player?: { src: string; title: string }
  comments?: readonly SiteComment[]
  commentForm?: CommentForm | undefined
}

export interface SiteComment {
  /** Id of the element. */
  id: string
  author: string
  /** ISO 8601. */
  time: string
  date: string
  /** Sanitised HTML. */
  html: string
  /** Says that the comment was changed, or that it waits for a moderator. */
  mark?: string | undefined
  replies: readonly SiteComment[]
  /** The forms of the reader, each below its summary. */
  forms?: readonly { summary: string; form: CommentForm }[]
}

/** A form that writes, changes or deletes a comment. */
export interface CommentForm {
  action: string
  hidden: Readonly<Record<string, string>>
  /** Undefined if there is nothing to write. */
  field?: { id: string; label: string; hint: string; text: string; error: string; maxLength: number } | undefined
  submit: string
  /** The label of the button that shows the text first; absent if there is nothing to write. */
  preview?: string
  isDanger?: true
}

/** A form that looks for rows, with the choices that narrow them. */
export interface SiteSearch {
  action: string
  words: string
  choices: readonly { name: string; label: string; options: readonly { value: string; label: string; isChosen: boolean }[] }[]
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
  /** Language of heading, lead and sections, if the row states one (BCP 47). */
  textLanguage?: string | undefined
  notices: readonly string[]
  picture: SitePicture | undefined
  /** The picture that previews of links to the page show, if it is large enough. */
  shareImage: { url: string; alt: string | null; width: number | null } | undefined
  facts: readonly SiteFact[]
  /** The bar for a person who may change what the page shows. */
  manage?: { label: string; links: readonly SiteLink[] } | undefined
  /** Prices, and the steps that a person can take. */
  prices: readonly SiteFact[]
  actions: readonly SiteAction[]
  search?: SiteSearch | undefined
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
