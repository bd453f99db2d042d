import { z } from 'zod'
import { type Audience, audiences } from '../../base/caller.ts'
import type { CollectionRead } from '../read/reading.ts'
import { type Area, defineArea, type ScopeText, type ScopeVerb } from './area.ts'
import { type CatalogueView, plainView } from './catalogueView.ts'
import { checkDeclaration, checkDescriptions } from './checkDeclaration.ts'
import { withCommonFields } from './commonFields.ts'
import type { Declaration, OrElse, SortBy, Writable } from './declaration.ts'
import type { AnyDerived } from './derived.ts'
import { everything, type NoMembers, nothing, type TableName } from './expressions.ts'
import { type AnyFilter, customFilter, type Filter, filterOf } from './filters.ts'
import type { Declared, Defaulted, Resource, Searched, WritableField } from './resource.ts'
import { rowMembers, rowSerializer } from './rowSerializer.ts'
import { type Sort, sortsBy, sortsOf } from './sorts.ts'
import { forEachView, forEachViewOnDemand, isOnDemand, membersOf, narrowed, toColumn } from './views.ts'

type Search = string | OrElse<string, string> | { staff: string }

interface AnyDeclaration extends Declared, Partial<Defaulted> {
  schema: z.ZodObject
  inputs?: z.ZodObject
  scopes: Readonly<Record<ScopeVerb, ScopeText>> | Area<ScopeVerb>
  singleton?: true
  anonymous?: 'partial'
  catalogue?: false | CatalogueView
  derived?: Readonly<Record<string, AnyDerived>>
  writable?: readonly Writable<string>[]
  filters?: readonly (string | AnyFilter)[]
  search?: readonly Search[]
  sorts?: readonly (string | OrElse<string, string> | SortBy<string>)[]
  staffSort?: string
  exports?: true
  expand?: Resource['expansions']
}

/**
 * Returns the resource that a declaration describes.
 * @throws Error at start if the declaration contradicts itself in a way that types cannot detect
 */
export function defineResource<
  Table extends TableName,
  Verb extends ScopeVerb,
  Shape extends z.ZodRawShape,
  Inputs extends z.ZodRawShape = NoMembers,
  Required extends (keyof Shape & string) | (keyof Inputs & string) = never,
  Parent extends TableName = never,
>(declaration: Declaration<Table, Verb, Shape, Inputs, Required, Parent>): Resource<Verb> {
  // The framework serves every resource with the same code, so the types of one table and schema end here. A declaration has been checked
  // against them, and what reaches its functions comes from the same table and has passed the same schema.
  const resource = resourceOf(declaration as unknown as AnyDeclaration)
  checkDeclaration(resource)
  return resource
}

function resourceOf(declaration: AnyDeclaration): Resource<ScopeVerb> {
  const { schema: ownSchema, inputs, scopes, singleton, anonymous, catalogue, derived: declaredFields = {}, ...rest } = declaration
  const { writable = [], filters = [], search = [], sorts: ownSorts = [], staffSort, exports, expand, ...declared } = rest
  const { name, object, idPrefix, visibility } = declared
  const schema = withCommonFields(ownSchema, object, idPrefix)
  checkDescriptions(schema, name)
  const members = membersOf(schema)
  const fieldOf = (field: string): z.ZodType => members[field] ?? z.never()
  const columnOf = (field: string): string => declaredFields[field]?.column ?? field
  const derived = Object.entries(declaredFields).map(
    ([field, how]) => [field, how.column === undefined ? how : renamed(how.column, fieldOf(field))] as const,
  )
  const derivations = derived.flatMap(([field, { of, select, from = [] }]) =>
    of ? [{ field, of, isSelected: select !== undefined, from }] : [],
  )
  const sorts = ownSorts.flatMap((sort) => declaredSorts(sort, fieldOf))
  return {
    ...{ called: { one: object, many: name }, path: name, versionColumn: 'version', reservedSlugs: [], slugParts: 1, isPart: false },
    ...{ currentInputs: {}, required: [], csvMembers: {}, representations: [], listedUnder: [], views: {}, deprecations: {} },
    ...{ reads: {}, collectionReads: {}, actions: {}, collectionActions: {} },
    ...declared,
    stateColumn: columnOf('status'),
    area: isArea(scopes) ? scopes : defineArea(name, scopes),
    isSingleton: singleton ?? false,
    isPartlyPublic: anonymous === 'partial',
    isInCatalogue: catalogue !== false,
    catalogue: catalogue || plainView,
    hasSlug: 'slug' in members && !singleton,
    schema,
    inputs: inputs ? membersOf(inputs) : {},
    schemas: forEachViewOnDemand((view) => narrowed(schema, view)),
    members: forEachViewOnDemand((view) => rowMembers({ schema, object, derivations }, view, true)),
    serializers: forEachView((view) => rowSerializer({ schema, object, derivations }, view, { hidesGated: true })),
    serializeWhole: rowSerializer({ schema, object, derivations }, 'staff', { hidesGated: false }),
    columns: columnsOf(schema, derived),
    selections: derived.flatMap(([field, { select }]) => (select ? [{ field, select }] : [])),
    derivations,
    writers: new Map(derived.flatMap(([field, { write }]) => (write ? [[field, write] as const] : []))),
    fileFields: derived.flatMap(([field, { file }]) => (file === undefined ? [] : [{ field, column: file }])),
    writable: writable.map(writableField),
    onDemand: Object.keys(members).filter((field) => isOnDemand(fieldOf(field))),
    filters: filters.map((filter) => declaredFilter(filter, { fieldOf, columnOf })),
    search: search.map(searchedOf),
    sorts,
    defaultSorts: sorts[0] && { everyone: sorts[0], staff: sorts.find((sort) => sort.name === staffSort) ?? sorts[0] },
    isExported: exports ?? false,
    expansions: expand ?? {},
    gatedFields: Object.keys(members).filter((field) => fieldOf(field).meta()?.gated === true),
    audiences: audiences.filter((audience) => !isNothing(visibility[audience])),
  }
}

const isNothing = (rule: unknown): boolean => rule === nothing

const isArea = (scopes: AnyDeclaration['scopes']): scopes is Area<ScopeVerb> => 'title' in scopes

const writableField = (one: Writable<string>): WritableField =>
  typeof one === 'string'
    ? { field: one, isCreateOnly: false, isUpdateOnly: false, roles: undefined }
    : { field: one.field, isCreateOnly: one.on === 'create', isUpdateOnly: one.on === 'update', roles: one.roles }

const renamed = (column: string, schema: z.ZodType): AnyDerived => ({
  from: [column],
  of: (row) => Object(row)[column],
  write: (value) => ({ [column]: toColumn(schema, value) }),
})

function declaredSorts(sort: string | OrElse<string, string> | SortBy<string>, fieldOf: (field: string) => z.ZodType): [Sort, Sort] {
  if (typeof sort === 'string') return sortsOf(sort, fieldOf(sort.replace(/^-/, '')))
  return 'column' in sort ? sortsBy(sort) : sortsOf(sort.field, fieldOf(sort.field), sort.else)
}

function searchedOf(search: Search): Searched {
  if (typeof search === 'string') return { column: search, otherwise: undefined, isForStaff: false }
  return 'staff' in search
    ? { column: search.staff, otherwise: undefined, isForStaff: true }
    : { column: search.field, otherwise: search.else, isForStaff: false }
}

function declaredFilter(
  filter: string | AnyFilter,
  { fieldOf, columnOf }: { fieldOf(field: string): z.ZodType; columnOf(field: string): string },
): Filter {
  if (typeof filter !== 'string') return customFilter(filter)
  const name = filter.replace(/\[.*$/, '')
  const operator = filter.endsWith('[exists]') ? 'exists' : filter.endsWith('[prefix]') ? 'prefix' : undefined
  return filterOf(name, fieldOf(name), { column: columnOf(name), operator })
}

function columnsOf(schema: z.ZodObject, derived: readonly (readonly [string, AnyDerived])[]): string[] {
  const withoutColumn = new Set(['object', ...derived.map(([field]) => field)])
  const own = Object.keys(schema.shape).filter((field) => !withoutColumn.has(field))
  const others = derived.flatMap(([, how]) => how.from ?? [])
  return [...new Set([...own, ...others])]
}

/** The declaration of reports: figures and other data that are computed and not stored in rows. */
export interface ReportsDeclaration<Verb extends ScopeVerb> {
  /** The path under `/api/v1`. */
  name: string
  object: string
  about: string
  scopes: Readonly<Record<Verb, ScopeText>> | Area<Verb>
  /** The roles that can read the reports. A single report can narrow them. */
  roles: readonly Exclude<Audience, 'anonymous'>[]
  /** The reports by the end of their path; a segment in braces is a parameter. */
  reports: Readonly<Record<string, CollectionRead<NoInfer<Verb>>>>
}

/** Returns a resource without rows: its operations read data of the whole school, and their statements have a time limit. */
export function defineReports<Verb extends ScopeVerb>({
  name,
  object,
  about,
  scopes,
  roles,
  reports,
}: ReportsDeclaration<Verb>): Resource<Verb> {
  const seenBy = (role: Exclude<Audience, 'anonymous'>) => (roles.includes(role) ? everything : nothing)
  return defineResource({
    name,
    object,
    idPrefix: 'sch',
    // Reports belong to the school.
    table: 'school',
    about,
    scopes,
    singleton: true,
    schema: z.object({}),
    visibility: { anonymous: nothing, learner: seenBy('learner'), lecturer: seenBy('lecturer'), staff: seenBy('staff') },
    operations: {},
    collectionReads: Object.fromEntries(Object.entries(reports).map(([end, report]) => [end, { isHard: true, ...report } as const])),
  })
}
