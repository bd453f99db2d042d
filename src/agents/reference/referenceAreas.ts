import { comparisonForm } from '../../base/text/comparisonForm.ts'
import type { ApiDocument } from './apiDocument.ts'
import {
  type Located,
  piecesOf,
  type ReferenceEntry,
  type ReferenceOperation,
  referenceEntry,
  referenceOperation,
} from './referenceOperation.ts'

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

/** Identifiers have American spelling, texts have British. */
const titleOf = (name: string): string =>
  (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ').replace('nrollment', 'nrolment')

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
  const words = comparisonForm(query).split(' ').filter(Boolean)
  const has = (text: string): boolean => words.every((word) => comparisonForm(text).includes(word))
  return areas
    .map((area) => ({
      ...area,
      entries: area.entries.filter(({ id, method, path, summary, access }) =>
        has([area.title, area.name, id, method, path, summary, access].join(' ')),
      ),
    }))
    .filter(({ entries }) => entries.length > 0)
}

export interface AreaPage extends Omit<ReferenceArea, 'entries' | 'about'> {
  about: ReturnType<typeof piecesOf>
  operations: ReferenceOperation[]
}

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
