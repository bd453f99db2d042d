/** The content of another site, as its export contains it. */
export interface MovedSite {
  /** Identifies the content of the site, so that a second run finds what the first one made: `wordpress:blog.example.org`. */
  source: string
  /** The address of the site, without a slash at the end; undefined if the export does not contain it. */
  address: string | undefined
  items: MovedItem[]
  /** The addresses of uploaded files: a link to one of them in a text becomes a link to our copy. */
  media: ReadonlySet<string>
  /** Parts that the school cannot have. */
  omitted: Omission[]
}

export interface MovedItem {
  /** Unique in the site. */
  id: string
  kind: 'post' | 'page'
  title: string
  slug: string
  /** Paths on the old site. */
  paths: string[]
  html: string
  excerpt: string
  status: 'draft' | 'published' | 'scheduled'
  visibility: 'public' | 'members' | 'paid'
  date: Date | undefined
  tags: string[]
  /** The address of its picture. */
  cover: string | undefined
  author: { email: string | undefined; name: string } | undefined
  takesComments: boolean
  comments: MovedComment[]
}

export interface MovedComment {
  id: string
  parentId: string | undefined
  email: string
  name: string
  date: Date | undefined
  html: string
  status: 'published' | 'pending'
}

/** Something that is left out, or that the school has in another form. */
export interface Omission {
  kind: 'post' | 'page' | 'comment' | 'picture' | 'part'
  name: string
  reason: string
}

/** Says what the import does with one part of the old site. */
export interface MoveLine {
  action: 'create' | 'keep' | 'leave out'
  type: string
  name: string
  reason: string
}

export const moveLimits = {
  fileBytes: 100 * 1_048_576,
  items: 50_000,
  comments: 200_000,
  /** Elements inside one another. Exports have six. */
  depth: 20,
  /** Elements or members in all. */
  elements: 2_000_000,
  /** Characters of one text. */
  text: 5_000_000,
} as const
