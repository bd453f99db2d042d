import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type StoredDocument, storeDocument } from '../http/document.ts'

/** A file of the reference, with a URL that changes with its content. */
export interface ReferenceFile {
  name: string
  href: string
  document: StoredDocument
}

const oneDay = 86_400

/**
 * Loads the files of the reference: Swagger UI from its package, and a few own lines. The package is a dependency rather than a copy in the
 * repository, so that `npm audit` and updates cover it.
 */
export function readReferenceFiles(path: string): ReferenceFile[] {
  const ours = (name: string): URL => new URL(`../../views/assets/${name}`, import.meta.url)
  const theirs = (name: string): string => import.meta.resolve(`swagger-ui-dist/${name}`)
  return [
    fileAt(path, 'swagger-ui-bundle.js', theirs('swagger-ui-bundle.js')),
    fileAt(path, 'swagger-ui.css', theirs('swagger-ui.css')),
    fileAt(path, 'reference.js', ours('reference.js').href),
    fileAt(path, 'reference.css', ours('reference.css').href),
  ]
}

function fileAt(path: string, name: string, address: string): ReferenceFile {
  const text = readFileSync(new URL(address), 'utf8')
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'
  return { name, href: `${path}/assets/${name}?v=${version}`, document: storeDocument(text, { type, maxAgeSeconds: oneDay }) }
}
