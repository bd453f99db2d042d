const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const decoded = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)

/** The tags of an e-mail in HTML. */
export const tagsOf = (html: string): string[] => html.replace(/<style>[\s\S]*?<\/style>/, '').match(/<[^>]*>/g) ?? []

/** The paragraphs, headings and rows of an e-mail in HTML, without tags and entities. Of a button, its label and its URL. */
export const blocksOf = (html: string): string[] =>
  [...html.slice(html.indexOf('<main>')).matchAll(/<(p|h1|tr)\b[^>]*>([\s\S]*?)<\/\1>/g)].flatMap(([, , inner = '']) =>
    decoded(inner.replace(/<a class="button" href="([^"]*)"[^>]*>([^<]*)<\/a>/g, '$2:\n$1').replace(/<[^>]*>/g, '')).split('\n'),
  )

/** The URLs to which an e-mail in HTML links. */
export const linksOf = (html: string): string[] => [...html.matchAll(/ href="([^"]*)"/g)].map(([, url = '']) => decoded(url))
