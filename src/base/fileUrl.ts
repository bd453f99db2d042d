import { toPublicId } from './ids.ts'

/** Returns the URL of a file's bytes. A private file needs a signature appended. */
export const fileUrl = ({ issuer }: { issuer: string }, { id, filename }: { id: string; filename: string }): string =>
  `${issuer}/files/${toPublicId('fil', id)}/${encodeURIComponent(filename)}`
