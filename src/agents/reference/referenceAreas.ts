import type { ApiDocument } from './apiDocument.ts'
import {
  type Located,
  piecesOf,
  type ReferenceEntry,
  type ReferenceOperation,
  referenceEntry,
  referenceOperation,
} from './referenceOperation.ts'

/** A resource with its operations, as the list of all operations shows it. */
export interface ReferenceArea {
  name: string
  title: string
  about: string
  href: string
  entries: ReferenceEntry[]
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

function operationsOf({ paths }: ApiDocument, area: string): Located[] {
  return Object.entries(paths).flatMap(([path, members]) =>
    methods.flatMap((method) => {
      const node = members[method]
      return node?.tags.includes(area) ? [{ method, path, node }] : []
    }),
  )
}

const titleOf = (name: string): string => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ')

/** Returns every area with its operations. */
export function referenceAreas(document: ApiDocument): ReferenceArea[] {
  return document.tags.map(({ name, description }) => ({
    name,
    title: titleOf(name),
    about: description,
    href: `/docs/${name}`,
    entries: operationsOf(document, name).map((located) => referenceEntry(name, located)),
  }))
}

/** Returns the areas with the operations that contain every word of the query in their name, path, summary, area or scopes. */
export function searchedAreas(areas: readonly ReferenceArea[], query: string): ReferenceArea[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word))
  return areas
    .map((area) => ({
      ...area,
      entries: area.entries.filter(({ id, method, path, summary, access }) =>
        has([area.title, area.name, id, method, path, summary, access].join(' ')),
      ),
    }))
    .filter(({ entries }) => entries.length > 0)
}

/** An area with everything that its page shows. */
export interface AreaPage extends Omit<ReferenceArea, 'entries' | 'about'> {
  about: ReturnType<typeof piecesOf>
  operations: ReferenceOperation[]
}

/** Returns the page of an area; undefined if the area does not exist. */
export function areaPage(document: ApiDocument, name: string): AreaPage | undefined {
  const tag = document.tags.find((known) => known.name === name)
  if (!tag) return undefined
  return {
    name,
    title: titleOf(name),
    about: piecesOf(tag.description),
    href: `/docs/${name}`,
    operations: operationsOf(document, name).map((located) => referenceOperation(document, name, located)),
  }
}
