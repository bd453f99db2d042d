import type { Resource as Listed, ResourceTemplateType as Template } from '@modelcontextprotocol/server'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import { aboutRead, apiPath, type Operation, pagedBy } from '../declare/operations.ts'
import { catalogueReads, read, type Served } from './catalogue.ts'
import { listAsMarkdown, rowAsMarkdown } from './rowMarkdown.ts'

/** A document that is not a row, with the content that the service serves elsewhere. */
export interface CatalogueDocument {
  /** `school://pricing`. */
  uri: string
  name: string
  description: string
  text(school: School): Promise<string>
}

export const pricingDocument = (text: CatalogueDocument['text']): CatalogueDocument => ({
  uri: 'school://pricing',
  name: 'pricing',
  description: 'What the school sells, and what it costs.',
  text,
})

export interface ResourceText {
  text: string
  lastModified?: string | undefined
}

export interface CatalogueResources {
  /** Lists every resource with a fixed URI, with the time of its last change if one simple query returns it. */
  list(context: Served): Promise<Listed[]>
  templates: readonly Template[]
  /**
   * Returns the content of a URI; undefined if there is none.
   * @throws Problem not_found, invalid_id
   */
  read(uri: string, context: Served): Promise<ResourceText | undefined>
}

const mimeType = 'text/markdown'
const shownRows = 50
const maxElements = 100
const longestUri = 500
/** Names in URIs that are clearer than those of the API. */
const names: Readonly<Record<string, string>> = { school: 'about', curriculum: 'outline' }

interface Place {
  /** `school://courses/{slug}`. */
  uri: string
  variable: string | undefined
  form: RegExp
  source: Operation
}

/** Returns every read operation as Markdown with a URI: `/api/v1/courses/{id_or_slug}` is `school://courses/{slug}`. */
export function catalogueResources(operations: readonly Operation[], documents: readonly CatalogueDocument[] = []): CatalogueResources {
  const places = catalogueReads(operations).map(placeOf)
  const fixed = places.filter(({ variable }) => variable === undefined)
  return {
    templates: places
      .filter(({ variable }) => variable !== undefined)
      .map(({ uri, source: operation }) => ({
        uriTemplate: uri,
        name: operation.id,
        title: operation.summary,
        description: aboutRead(operation),
        mimeType,
      })),
    async list(context) {
      const listed: Listed[] = []
      for (const { uri, source } of fixed) {
        const { id, summary } = source
        const lastModified = await lastChange(source, context)
        listed.push({
          uri,
          name: id,
          title: summary,
          description: aboutRead(source),
          mimeType,
          ...(lastModified !== undefined && { annotations: { lastModified } }),
        })
      }
      return [...listed, ...documents.map(({ uri, name, description }) => ({ uri, name, description, mimeType }))]
    },
    async read(uri, context) {
      if (uri.length > longestUri) return undefined
      const document = documents.find((one) => one.uri === uri)
      if (document) return { text: await document.text(context.school) }
      // A fixed URI is not a slug: `school://posts/tags`.
      for (const place of [...fixed, ...places]) {
        const match = place.form.exec(uri)
        const key = match && decoded(match[1] ?? '')
        if (key !== null && key !== undefined) return textOf(place, key, context)
      }
      return undefined
    },
  }
}

function placeOf(operation: Operation): Place {
  const key = operation.parameters.find((parameter) => parameter.in === 'path')?.name
  const segments = operation.path
    .slice(apiPath.length + 1)
    .split('/')
    .map((segment) => names[segment] ?? segment)
  const uri = `school://${segments.join('/').replace('{id_or_slug}', '{slug}')}`
  const form = uri.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '([^/]+)')
  return { uri, variable: key, form: new RegExp(`^${form}$`), source: operation }
}

async function textOf({ variable, source }: Place, key: string, context: Served): Promise<ResourceText> {
  const values = variable === undefined ? {} : { [variable]: key }
  if (source.kind !== 'list') {
    const { page: _page, ...row } = await read(source, pagedBy(source) === undefined ? values : { ...values, limit: maxElements }, context)
    return { text: rowAsMarkdown(row), lastModified: typeof row.updated_at === 'string' ? row.updated_at : undefined }
  }
  const { data, page } = (await read(source, { ...values, limit: shownRows }, context)) as {
    data: Record<string, unknown>[]
    page: { has_more: boolean }
  }
  const { name, area } = source.resource
  const addressOf = (row: Record<string, unknown>): string => `school://${name}/${encodeURIComponent(String(row.slug ?? row.id))}`
  return { text: listAsMarkdown(area.title, data, addressOf, page.has_more) }
}

/** Returns when the newest row of a list, or the only row, was changed; undefined if one simple query cannot return it. */
async function lastChange(source: Operation, context: Served): Promise<string | undefined> {
  const { kind, parameters, resource } = source
  if (!parameters.some(({ name }) => name === 'fields')) return undefined
  if (kind === 'list' && !resource.sorts.some(({ name }) => name === '-updated_at')) return undefined
  const newest = kind === 'list' ? { sort: '-updated_at', limit: 1 } : {}
  try {
    const response = await read(source, { ...newest, fields: ['updated_at'] }, context)
    const [row] = kind === 'list' ? (response.data as Record<string, unknown>[]) : [response]
    return row?.updated_at as string | undefined
  } catch (error) {
    // Closed features stay listed; reading them returns the error.
    if (error instanceof Problem && error.status < 500) return undefined
    throw error
  }
}

/** Returns the key in a URI, or undefined if its percent-encoding is invalid. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
