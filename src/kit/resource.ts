import type { Expression } from 'kysely'
import type { z } from 'zod'
import { type Audience, audiences, type Caller } from '../policy/caller.ts'
import { type Area, defineArea, type ScopeText, type ScopeVerb } from './area.ts'
import { checkDescriptions, withCommonFields } from './completeSchema.ts'
import type { Declaration, Derived, OperationKind, Presentation } from './declaration.ts'
import { type AnyRows, type AnyRule, type Condition, nothing, type TableName } from './expressions.ts'
import { type CustomFilter, customFilter, type Filter, filterOf } from './filters.ts'
import { type Sort, sortsOf } from './sorts.ts'
import { narrowed, type Picker, pickerOf, type View } from './views.ts'

/** A resource as the kit works with it. */
export interface Resource<Verb extends ScopeVerb = never> {
  name: string
  object: string
  idPrefix: string
  table: string
  about: string
  area: Area<Verb>
  isSingleton: boolean
  hasSlug: boolean
  /** Every field with its view, the common ones included. */
  schema: z.ZodObject
  /** What each view answers, strictly. */
  schemas: Readonly<Record<View, z.ZodObject>>
  pickers: Readonly<Record<View, Picker>>
  columns: readonly string[]
  selections: readonly { field: string; select(rows: AnyRows, caller: Caller): Expression<unknown> }[]
  derivations: readonly { field: string; of(source: never, context: Presentation): unknown; isSelected: boolean }[]
  writable: readonly string[]
  filters: readonly Filter[]
  sorts: readonly Sort[]
  defaultSorts: { everyone: Sort; staff: Sort } | undefined
  visibility: Readonly<Record<Audience, AnyRule>>
  unlisted: ((rows: AnyRows) => Condition) | undefined
  views: Partial<Record<Exclude<View, 'public'>, AnyRule>>
  /** Who may call at all: the audiences that have any rows. */
  audiences: readonly Audience[]
  operations: Partial<Record<OperationKind, ScopeVerb>>
}

/**
 * Makes a resource of its declaration.
 * @throws Error at start where the declaration contradicts itself in a way that types cannot see
 */
export function defineResource<Table extends TableName, Verb extends ScopeVerb, Shape extends z.ZodRawShape>(
  declaration: Declaration<Table, Verb, Shape>,
): Resource<Verb> {
  const { name, object, idPrefix, table, about, scopes, visibility, operations } = declaration
  const schema = withCommonFields(declaration.schema, object, idPrefix)
  checkDescriptions(schema, name)
  const fieldOf = (field: string): z.ZodType => schema.shape[field] as z.ZodType
  const derived = Object.entries((declaration.derived ?? {}) as Record<string, Derived<Table, unknown>>)
  const sorts = (declaration.sorts ?? []).flatMap((sort: string) => sortsOf(sort, fieldOf(sort.replace(/^-/, ''))))
  const firstSort = sorts[0]
  if (operations.list && !firstSort) throw new Error(`${name} can be listed and names no sort`)
  return {
    name,
    object,
    idPrefix,
    table,
    about,
    area: isArea(scopes) ? scopes : defineArea(name, scopes),
    isSingleton: declaration.singleton ?? false,
    hasSlug: 'slug' in schema.shape && !declaration.singleton,
    schema,
    schemas: forEachView((view) => narrowed(schema, view)),
    pickers: forEachView((view) => pickerOf(schema, view)),
    columns: columnsOf(schema, derived),
    selections: derived.flatMap(([field, how]) =>
      how.select ? [{ field, select: how.select as unknown as Resource['selections'][number]['select'] }] : [],
    ),
    derivations: derived.flatMap(([field, how]) =>
      how.of ? [{ field, of: how.of as (source: never, context: Presentation) => unknown, isSelected: how.select !== undefined }] : [],
    ),
    writable: declaration.writable ?? [],
    filters: (declaration.filters ?? []).map((filter: string | CustomFilter<Table>) =>
      typeof filter === 'string' ? filterOf(filter, fieldOf(filter)) : customFilter(filter),
    ),
    sorts,
    defaultSorts: firstSort && { everyone: firstSort, staff: sorts.find((sort) => sort.name === declaration.staffSort) ?? firstSort },
    visibility: visibility as unknown as Record<Audience, AnyRule>,
    unlisted: declaration.unlisted as unknown as Resource['unlisted'],
    views: (declaration.views ?? {}) as unknown as Resource['views'],
    audiences: audiences.filter((audience) => (visibility[audience] as unknown) !== nothing),
    operations,
  }
}

const isArea = <Verb extends ScopeVerb>(scopes: Readonly<Record<Verb, ScopeText>> | Area<Verb>): scopes is Area<Verb> => 'title' in scopes

const forEachView = <Value>(make: (view: View) => Value): Record<View, Value> => ({
  public: make('public'),
  own: make('own'),
  staff: make('staff'),
})

/** Columns that the fields need; a column that nothing names is not even read. */
function columnsOf(schema: z.ZodObject, derived: readonly (readonly [string, { from?: readonly string[] | undefined }])[]): string[] {
  const withoutColumn = new Set(['object', ...derived.map(([field]) => field)])
  const own = Object.keys(schema.shape).filter((field) => !withoutColumn.has(field))
  const others = derived.flatMap(([, how]) => how.from ?? [])
  return [...new Set(['version', ...own, ...others])]
}
