import type { Expression } from 'kysely'
import type { z } from 'zod'
import { type Audience, audiences, type Caller, type PersonCaller } from '../../policy/caller.ts'
import type { Feature } from '../../policy/features.ts'
import type { Writer } from '../../store/database.ts'
import type { MembersOf } from '../output/csvColumns.ts'
import type { CollectionRead, RowRead } from '../read/reading.ts'
import type { Action, CollectionAction, Columns } from '../write/writing.ts'
import { type Area, defineArea, type ScopeText, type ScopeVerb } from './area.ts'
import { checkDeclaration } from './checkDeclaration.ts'
import { checkDescriptions, withCommonFields } from './completeSchema.ts'
import type { Called, Declaration, Derived, ListedUnder, Operations, OrElse, Presentation, SortBy, Under, Writable } from './declaration.ts'
import type { Deprecation } from './deprecation.ts'
import type { AnyExpansion } from './expansion.ts'
import { type AnyRows, type AnyRule, type ColumnOf, type Condition, nothing, type TableName } from './expressions.ts'
import { slugForm } from './fields.ts'
import { type CustomFilter, customFilter, type Filter, filterOf } from './filters.ts'
import type { Representation } from './representation.ts'
import { type Sort, sortsBy, sortsOf } from './sorts.ts'
import { forEachView, isOnDemand, narrowed, type Picker, pickerOf, type View } from './views.ts'
import { toColumn } from './writeForm.ts'

/** A field that may be sent, and by whom. */
export interface WritableField {
  field: string
  isCreateOnly: boolean
  isUpdateOnly: boolean
  roles: readonly Audience[] | undefined
}

/** A column in which `q` looks. */
export interface Searched {
  column: string
  /** Looked at where the column is empty. */
  otherwise: string | undefined
  isForStaff: boolean
}

/** A resource as the framework works with it. */
export interface Resource<Verb extends ScopeVerb = never> {
  name: string
  object: string
  idPrefix: string
  called: Called
  /** Where it stands under `/api/v1`. */
  path: string
  table: string
  versionColumn: string
  /** Where the field `status` stands. */
  stateColumn: string
  part: ((rows: AnyRows) => Condition) | undefined
  /** Whether `me` names a row, and which. */
  me: ((caller: PersonCaller) => string | null) | undefined
  about: string
  area: Area<Verb>
  feature: Feature | undefined
  isSingleton: boolean
  /** What a visitor is served is a part of what is there. */
  isPartlyPublic: boolean
  /** Of the school's row: whether visitors are served there at all. */
  anonymousWhen: (() => Condition) | undefined
  /** Visitors look around in it, by tools as well. */
  isInCatalogue: boolean
  hasSlug: boolean
  slugForm: RegExp
  numberForm: RegExp | undefined
  reservedSlugs: readonly string[]
  under: { resource(): Resource; column: string } | undefined
  /** Every field with its view, the common ones included. */
  schema: z.ZodObject
  inputs: Readonly<Record<string, z.ZodType>>
  /** The current value of each input that an update takes. */
  currentInputs: Readonly<Record<string, (fields: Readonly<Record<string, unknown>>) => unknown>>
  /** What each view answers, strictly. */
  schemas: Readonly<Record<View, z.ZodObject>>
  pickers: Readonly<Record<View, Picker>>
  columns: readonly string[]
  selections: readonly { field: string; select(rows: AnyRows, caller: Caller): Expression<unknown> }[]
  derivations: readonly { field: string; of(source: never, context: Presentation): unknown; isSelected: boolean }[]
  /** How fields without a column are written. */
  writers: ReadonlyMap<string, (value: never) => Record<string, unknown>>
  /** Fields that name a file, and the column with its id. */
  fileFields: readonly { field: string; column: string }[]
  writable: readonly WritableField[]
  required: readonly string[]
  slugFrom: string | undefined
  /** Fields that are answered only to who names them in `expand`. */
  onDemand: readonly string[]
  /** Parameters of list and get in addition to the framework's. */
  reading: z.ZodObject | undefined
  filters: readonly Filter[]
  search: readonly Searched[]
  sorts: readonly Sort[]
  defaultSorts: { everyone: Sort; staff: Sort } | undefined
  isExported: boolean
  csvMembers: Readonly<Record<string, MembersOf>>
  representations: readonly Representation[]
  expansions: Readonly<Record<string, AnyExpansion>>
  listedUnder: readonly (Omit<ListedUnder<never>, 'where'> & { where(rows: AnyRows, id: string): Condition })[]
  /** Its rows have no addresses of their own. */
  isPart: boolean
  visibility: Readonly<Record<Audience, AnyRule>>
  unlisted: ((rows: AnyRows) => Condition) | undefined
  views: Partial<Record<Exclude<View, 'public'> | 'open', AnyRule>>
  /** Rows of which everybody sees the gated fields. */
  ungated: ((rows: AnyRows) => Condition) | undefined
  gatedFields: readonly string[]
  lockFirst: ((writer: Writer, row: { schoolId: string; id: string }) => Promise<void>) | undefined
  /** Who may call at all: the audiences that have any rows. */
  audiences: readonly Audience[]
  operations: Operations<never, ScopeVerb>
  reads: Readonly<Record<string, RowRead<never, ScopeVerb>>>
  collectionReads: Readonly<Record<string, CollectionRead<ScopeVerb>>>
  actions: Readonly<Record<string, Action<never, ScopeVerb>>>
  collectionActions: Readonly<Record<string, CollectionAction<ScopeVerb>>>
  deprecations: Readonly<Record<string, Deprecation>>
}

/**
 * Makes a resource of its declaration.
 * @throws Error at start where the declaration contradicts itself in a way that types cannot see
 */
export function defineResource<
  Table extends TableName,
  Verb extends ScopeVerb,
  Shape extends z.ZodRawShape,
  Inputs extends z.ZodRawShape = Record<never, never>,
>(declaration: Declaration<Table, Verb, Shape, Inputs>): Resource<Verb> {
  const { name, object, idPrefix, table, about, scopes, visibility, operations } = declaration
  const schema = withCommonFields(declaration.schema, object, idPrefix)
  checkDescriptions(schema, name)
  const fieldOf = (field: string): z.ZodType => schema.shape[field] as z.ZodType
  const derived = Object.entries((declaration.derived ?? {}) as Record<string, Derived<Table, unknown>>).map(
    ([field, how]) => [field, how.column === undefined ? how : renamed(how.column, fieldOf(field))] as const,
  )
  const columnOf = (field: string): string =>
    (declaration.derived as Record<string, Derived<Table, unknown>> | undefined)?.[field]?.column ?? field
  const sorts = ((declaration.sorts ?? []) as (string | OrElse<string, string> | SortBy<string>)[]).flatMap((sort) =>
    typeof sort === 'string'
      ? sortsOf(sort, fieldOf(sort.replace(/^-/, '')))
      : 'column' in sort
        ? sortsBy(sort)
        : sortsOf(sort.field, fieldOf(sort.field), sort.else),
  )
  const firstSort = sorts[0]
  const resource: Resource<Verb> = {
    name,
    object,
    idPrefix,
    called: declaration.called ?? { one: object, many: name },
    path: declaration.path ?? name,
    table,
    versionColumn: declaration.versionColumn ?? 'version',
    stateColumn: columnOf('status'),
    part: declaration.part as unknown as Resource['part'],
    me: declaration.me,
    about,
    area: isArea(scopes) ? scopes : defineArea(name, scopes),
    feature: declaration.feature,
    isSingleton: declaration.singleton ?? false,
    isPartlyPublic: declaration.anonymous === 'partial',
    anonymousWhen: declaration.anonymousWhen,
    isInCatalogue: declaration.catalogue !== false,
    hasSlug: 'slug' in schema.shape && !declaration.singleton,
    slugForm: declaration.slugForm ?? slugForm,
    numberForm: declaration.numberForm,
    reservedSlugs: declaration.reservedSlugs ?? [],
    under: declaration.under as Under<never> | undefined,
    schema,
    inputs: (declaration.inputs?.shape ?? {}) as Record<string, z.ZodType>,
    currentInputs: (declaration.currentInputs ?? {}) as Resource['currentInputs'],
    schemas: forEachView((view) => narrowed(schema, view)),
    pickers: forEachView((view) => pickerOf(schema, view)),
    columns: columnsOf(schema, derived),
    selections: derived.flatMap(([field, how]) =>
      how.select ? [{ field, select: how.select as unknown as Resource['selections'][number]['select'] }] : [],
    ),
    derivations: derived.flatMap(([field, how]) =>
      how.of ? [{ field, of: how.of as (source: never, context: Presentation) => unknown, isSelected: how.select !== undefined }] : [],
    ),
    writers: new Map(
      derived.flatMap(([field, how]) => (how.write ? [[field, how.write as (value: never) => Record<string, unknown>] as const] : [])),
    ),
    fileFields: derived.flatMap(([field, { file }]) => (file === undefined ? [] : [{ field, column: file }])),
    writable: (declaration.writable ?? []).map(writableField),
    required: declaration.required ?? [],
    slugFrom: declaration.slugFrom,
    onDemand: Object.keys(schema.shape).filter((field) => isOnDemand(fieldOf(field))),
    reading: declaration.reading,
    filters: filtersOf(declaration.filters ?? [], { fieldOf, columnOf }),
    search: ((declaration.search ?? []) as Search[]).map(searchedOf),
    sorts,
    defaultSorts: firstSort && { everyone: firstSort, staff: sorts.find((sort) => sort.name === declaration.staffSort) ?? firstSort },
    isExported: declaration.exports ?? false,
    csvMembers: (declaration.csvMembers ?? {}) as Record<string, MembersOf>,
    representations: declaration.representations ?? [],
    expansions: (declaration.expand ?? {}) as unknown as Record<string, AnyExpansion>,
    listedUnder: (declaration.listedUnder ?? []) as unknown as Resource['listedUnder'],
    isPart: declaration.isPart ?? false,
    visibility: visibility as unknown as Record<Audience, AnyRule>,
    unlisted: declaration.unlisted as unknown as Resource['unlisted'],
    views: (declaration.views ?? {}) as unknown as Resource['views'],
    ungated: declaration.ungated as unknown as Resource['ungated'],
    gatedFields: Object.keys(schema.shape).filter((field) => fieldOf(field).meta()?.gated === true),
    lockFirst: declaration.lockFirst,
    audiences: audiences.filter((audience) => (visibility[audience] as unknown) !== nothing),
    operations: operations as unknown as Resource['operations'],
    reads: (declaration.reads ?? {}) as unknown as Resource['reads'],
    collectionReads: declaration.collectionReads ?? {},
    actions: (declaration.actions ?? {}) as unknown as Resource['actions'],
    collectionActions: declaration.collectionActions ?? {},
    deprecations: declaration.deprecations ?? {},
  }
  checkDeclaration(resource)
  return resource
}

const isArea = <Verb extends ScopeVerb>(scopes: Readonly<Record<Verb, ScopeText>> | Area<Verb>): scopes is Area<Verb> => 'title' in scopes

const writableField = (one: Writable<string>): WritableField =>
  typeof one === 'string'
    ? { field: one, isCreateOnly: false, isUpdateOnly: false, roles: undefined }
    : { field: one.field, isCreateOnly: one.on === 'create', isUpdateOnly: one.on === 'update', roles: one.roles }

/** A field that is a column of another name. */
const renamed = <Table extends TableName>(column: ColumnOf<Table>, schema: z.ZodType): Derived<Table, unknown> => ({
  from: [column],
  of: (row) => (row as Record<string, unknown>)[column],
  write: (value) => ({ [column]: toColumn(schema, value) }) as Columns<Table>,
})

type Search = string | OrElse<string, string> | { staff: string }

function searchedOf(search: Search): Searched {
  if (typeof search === 'string') return { column: search, otherwise: undefined, isForStaff: false }
  return 'staff' in search
    ? { column: search.staff, otherwise: undefined, isForStaff: true }
    : { column: search.field, otherwise: search.else, isForStaff: false }
}

/** Filters that name one field are one filter with several operators. */
function filtersOf<Table extends TableName>(
  declared: readonly (string | CustomFilter<Table>)[],
  { fieldOf, columnOf }: { fieldOf(field: string): z.ZodType; columnOf(field: string): string },
): Filter[] {
  return declared.map((filter) => {
    if (typeof filter !== 'string') return customFilter(filter)
    const [, name = filter, operator] = /^(\w+)\[(exists|prefix)\]$/.exec(filter) ?? []
    return filterOf(name, fieldOf(name), { column: columnOf(name), operator: operator as 'exists' | 'prefix' | undefined })
  })
}

/** Columns that the fields need; a column that nothing names is not even read. */
function columnsOf(schema: z.ZodObject, derived: readonly (readonly [string, { from?: readonly string[] | undefined }])[]): string[] {
  const withoutColumn = new Set(['object', ...derived.map(([field]) => field)])
  const own = Object.keys(schema.shape).filter((field) => !withoutColumn.has(field))
  const others = derived.flatMap(([, how]) => how.from ?? [])
  return [...new Set([...own, ...others])]
}
