import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { createCodeTexts as createRendered } from './codeTexts.ts'

/** Returns the hash with which a text is compared. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

const folder = new URL('../../gen/texts/', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, folder), 'utf8')

/** Reads the texts that `npm run generate` writes (`scripts/writeTexts.ts`), each when it is needed. */
export const createCodeTexts: typeof createRendered = () => ({
  apiText: (path) => read(`.${path}`),
  openApi(tag) {
    const path = tag === undefined ? 'openapi.json' : `openapi/${tag}.json`
    return existsSync(new URL(path, folder)) ? read(path) : undefined
  },
  toolSchemas: () => JSON.parse(read('tools.json')),
  requestChoices: () => JSON.parse(read('choices.json')),
  altered() {
    const hashes: Record<string, string> = JSON.parse(read('hashes.json'))
    return Object.keys(hashes).filter((path) => !existsSync(new URL(path, folder)) || hashOf(read(path)) !== hashes[path])
  },
})
