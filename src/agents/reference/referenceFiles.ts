import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type StoredDocument, storeDocument } from '../../base/http/document.ts'

/** A file of the reference, with a URL that changes with its content. */
export interface ReferenceFile {
  path: string
  href: string
  document: StoredDocument
}

const oneDay = 86_400

export const referenceFiles = (folder: string): Record<'stylesheet' | 'script', ReferenceFile> => ({
  stylesheet: fileAt(folder, 'reference.css', 'text/css; charset=utf-8'),
  script: fileAt(folder, 'reference.js', 'text/javascript; charset=utf-8'),
})

function fileAt(folder: string, name: string, type: string): ReferenceFile {
  const text = readFileSync(new URL(`../../../views/assets/${name}`, import.meta.url), 'utf8')
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  const path = `${folder}/${name}`
  return { path, href: `${path}?v=${version}`, document: storeDocument(text, { type, maxAgeSeconds: oneDay }) }
}
