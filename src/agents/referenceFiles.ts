import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type StoredDocument, storeDocument } from '../http/document.ts'

/** A file of the reference, with a URL that changes with its content. */
export interface ReferenceFile {
  name: string
  href: string
  /** Reads the file. It is not kept in memory: browsers keep it for a day. */
  read(): Promise<StoredDocument>
}

const oneDay = 86_400

/**
 * Finds the files of the reference: Swagger UI from its package, and a few own lines. The package is a dependency rather than a copy in the
 * repository, so that `npm audit` and updates cover it.
 */
export function findReferenceFiles(path: string): Promise<ReferenceFile[]> {
  const ours = (name: string): string => fileURLToPath(new URL(`../../views/assets/${name}`, import.meta.url))
  const theirs = (name: string): string => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))
  return Promise.all([
    fileAt(path, 'swagger-ui-bundle.js', theirs('swagger-ui-bundle.js')),
    fileAt(path, 'swagger-ui.css', theirs('swagger-ui.css')),
    fileAt(path, 'reference.js', ours('reference.js')),
    fileAt(path, 'reference.css', ours('reference.css')),
  ])
}

async function fileAt(path: string, name: string, file: string): Promise<ReferenceFile> {
  const version = createHash('sha256')
    .update(await readFile(file))
    .digest('base64url')
    .slice(0, 16)
  const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'
  return {
    name,
    href: `${path}/assets/${name}?v=${version}`,
    read: async () => storeDocument(await readFile(file, 'utf8'), { type, maxAgeSeconds: oneDay }),
  }
}
