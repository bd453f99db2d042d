const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const decoded = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)

/** The tags of an e-mail in HTML. */
export const tagsOf = (html: string): string[] => html.replace(/<style>[\s\S]*?<\/style>/, '').match(/<[^>]*>/g) ?? []

/** The paragraphs, headings and rows of an e-mail in HTML, without tags and entities. */
export const blocksOf = (html: string): string[] =>
  [...html.slice(html.indexOf('<main>')).matchAll(/<(p|h1|tr)\b[^>]*>([\s\S]*?)<\/\1>/g)].map(([, , inner = '']) =>
    decoded(inner.replace(/<[^>]*>/g, '')),
  )

/** The URLs to which an e-mail in HTML links. */
export const linksOf = (html: string): string[] => [...html.matchAll(/ href="([^"]*)"/g)].map(([, url = '']) => decoded(url))
