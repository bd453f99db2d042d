const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const characters = new Map([
  ...Object.entries(entities).map(([character, entity]) => [entity, character] as const),
  ['&#34;', '"'] as const,
])

/** Escapes a text for HTML: in an element, or in an attribute with quotation marks of either kind. XML reads the result in the same way. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** Replaces the entities that `escapeHtml`, the sanitiser and EJS write by their characters. */
export const unescapeHtml = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39|#34);/g, (entity) => characters.get(entity) ?? entity)
