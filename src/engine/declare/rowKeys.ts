import { z } from 'zod'
import { fromPublicId } from '../../base/ids.ts'
import { normalizedSlug } from '../../base/text/slugText.ts'
import { isSlugPath } from './fields.ts'
import type { Operation } from './operations.ts'
import { acceptedKey, type KeyName, maxFilterValues, type Parameter } from './parameters.ts'
import type { RowKey } from './queryScope.ts'
import type { Resource } from './resource.ts'
import { isArray } from './schemas.ts'

/** Reads the key of a row; returns undefined for other texts. Slugs do not contain an underscore, so the ids of other resources are not slugs. */
export function rowKeyIn({ idPrefix, slugParts, numberForm }: Resource, text: string, accepts: KeyName): RowKey | undefined {
  const id = fromPublicId(idPrefix, text)
  if (id !== undefined) return { column: 'id', value: id }
  const slug = accepts === 'id_or_slug' ? normalizedSlug(text) : ''
  if (isSlugPath(slug, slugParts)) return { column: 'slug', value: slug }
  return accepts === 'id_or_number' && numberForm?.test(text) ? { column: 'number', value: text } : undefined
}

export const keyForms = ({ idPrefix }: Resource, accepts: KeyName): string => `an id (${idPrefix}_ and 26 characters)${others[accepts]}`

const others = {
  id: '',
  id_or_slug: ' or a slug (lower-case words joined by hyphens)',
  id_or_me: ' or me',
  id_or_number: ' or its number',
} as const satisfies Record<KeyName, string>

/** Returns the operations whose filters by id also take the slug or number of the row, if the row has one. */
export const withKeysInFilters = (operations: readonly Operation[], resources: readonly Resource[]): Operation[] =>
  operations.map((operation) => ({ ...operation, parameters: operation.parameters.map((one) => withKeys(one, resources)) }))

/** Says which keys a filter by the rows of this resource takes: `Id or slug of the course.` */
export const aboutKeys = (target: Resource): string =>
  `Id or ${acceptedKey(target) === 'id_or_slug' ? 'slug' : 'number'} of the ${target.object.replaceAll('_', ' ')}.`

function withKeys(parameter: Parameter, resources: readonly Resource[]): Parameter {
  const { schema, filter, description } = parameter
  const prefix = parameter.in === 'query' ? (filter?.filter.idPrefix ?? schema.meta()?.idPrefix) : undefined
  // Resources can share a prefix: the first one declares the rows, the others parts of them.
  const target = resources.find(({ idPrefix, isSingleton }) => idPrefix === prefix && !isSingleton)
  const accepts = target && acceptedKey(target)
  if (!target || accepts === undefined || accepts === 'id') return parameter
  const key = z
    .string()
    .max(200)
    .refine((text) => rowKeyIn(target, text, accepts) !== undefined, `must be ${keyForms(target, accepts)}`)
    .meta({ idPrefix: target.idPrefix })
  const keys = isArray(schema) ? z.array(key).min(1).max(maxFilterValues) : key
  return { ...parameter, target, schema: keys, description: `${description} ${aboutKeys(target)}` }
}
