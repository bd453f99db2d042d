export const rowPath = (kind: string, slug: string): string => `/${kind}/${encodeURIComponent(slug)}`
