/** Returns the path of the public page of a row. */
export const rowPath = (kind: string, slug: string): string => `/${kind}/${encodeURIComponent(slug)}`
