import { toPublicId } from '../../base/ids.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { isCounter, sourcesOf } from '../../database/statements/columnKinds.ts'
import { type Columns, isOnlyShown, type RowChange, type ShownChange, type ShownField } from '../../database/undo/capture.ts'
import { isBookkeeping } from '../../database/undo/columnKinds.ts'
import { lockRows } from '../../database/undo/rows.ts'
import type { Resource } from '../declare/resource.ts'
import type { Presentation } from '../declare/rowSerializer.ts'
import { membersOf, pickerOf, viewOf } from '../declare/views.ts'

interface Showing {
  /** The table of the rows that the request is about. */
  own: string
  /** The resources whose rows are in a table. */
  resourcesOf(table: string): readonly Resource[]
  context: Presentation
}

/** Rows that are a part of another one: the table of that one, the column with its id, and the field that shows them. */
interface Part {
  of: string
  key: string
  field: string
  /** The entry of a list. Absent for the text of a row, whose column has the name of the field. */
  entry?(row: Columns, publicId: (table: string, id: unknown) => string): unknown
}

const parts: Readonly<Record<string, Part>> = {
  lesson_body: { of: 'lesson', key: 'lesson_id', field: 'content' },
  post_body: { of: 'post', key: 'post_id', field: 'content' },
  course_lecturer: { of: 'course', key: 'course_id', field: 'lecturers', entry: (row, publicId) => publicId('lecturer', row.lecturer_id) },
  event_host: { of: 'event', key: 'event_id', field: 'hosts', entry: (row, publicId) => publicId('lecturer', row.lecturer_id) },
  event_plan: { of: 'event', key: 'event_id', field: 'plans', entry: (row, publicId) => publicId('membership_plan', row.plan_id) },
  post_plan: { of: 'post', key: 'post_id', field: 'plans', entry: (row, publicId) => publicId('membership_plan', row.plan_id) },
  plan_item: {
    of: 'membership_plan',
    key: 'plan_id',
    field: 'includes',
    entry: (row, publicId) => publicId(String(row.product_type), row.product_id),
  },
  plan_price: {
    of: 'membership_plan',
    key: 'plan_id',
    field: 'prices',
    entry: ({ amount, currency, interval, interval_count }) => ({ amount: Number(amount), currency, interval, interval_count }),
  },
  coupon_item: {
    of: 'coupon',
    key: 'coupon_id',
    field: 'applies_to',
    entry: (row, publicId) => publicId(String(row.product_type), row.product_id),
  },
  product_file: { of: 'digital_product', key: 'product_id', field: 'files', entry: ({ title, file_id }) => title ?? file_id },
  person_tag: { of: 'person', key: 'person_id', field: 'tags', entry: ({ tag }) => tag },
}

/** Returns what changes of rows mean in the words of the API: first those of the own table, then those of no person. */
export async function showChanges(
  writer: SchoolWriter,
  captured: readonly RowChange[],
  { own, resourcesOf, context }: Showing,
): Promise<ShownChange[]> {
  const changes = await withNeeded(writer, captured, resourcesOf)
  const shown = new Map<string, { change: RowChange; shown: ShownChange }>()
  // The changes about a person are forgotten with them.
  const erased = new Set(changes.flatMap(({ table, personId, after }) => (table === 'person' && isErased(after) ? [personId] : [])))
  for (const change of changes) {
    if ((erased.has(change.personId) && !isGonePerson(change)) || isOfStranger(change)) continue
    const resource = resourceOf(resourcesOf(change.table), change)
    if (resource && !parts[change.table])
      shown.set(rowKey(change.table, change.key.id), { change, shown: shownOf(resource, change, context) })
  }
  const publicId = (table: string, id: unknown): string => toPublicId(resourcesOf(table)[0]?.idPrefix ?? '', String(id))
  for (const change of changes) addPart(change, shown, publicId)
  const rank = ({ table, personId }: RowChange): number => (table === own ? 0 : personId === null ? 1 : 2)
  return [...shown.values()]
    .toSorted((one, other) => rank(one.change) - rank(other.change))
    .flatMap((one) => (says(one.shown) ? [one.shown] : []))
}

/** Adds the other columns of updated rows of which a changed field needs more than the captured ones. */
async function withNeeded(
  writer: SchoolWriter,
  changes: readonly RowChange[],
  resourcesOf: Showing['resourcesOf'],
): Promise<readonly RowChange[]> {
  const needy = changes.filter((change) => resourcesOf(change.table).some((resource) => needsMore(resource, change))).slice(0, maxRead)
  if (needy.length === 0) return changes
  const rows = new Map<string, Columns>()
  for (const [table, ofTable] of Map.groupBy(needy, (change) => change.table)) {
    const keys = ofTable.map(({ key }) => key)
    for (const row of await lockRows(writer, table, keys)) rows.set(rowKey(table, row.id), row)
  }
  return changes.map((change) => {
    const row = rows.get(rowKey(change.table, change.key.id))
    return row && change.after && change.before ? { ...change, same: row } : change
  })
}

const needsMore = ({ derivations }: Resource, { before, after, same }: RowChange): boolean =>
  before !== null &&
  after !== null &&
  derivations.some(({ isSelected, from }) => !isSelected && from.some((name) => name in after) && !hasAll(from, { ...same, ...after }))

const hasAll = (names: readonly string[], columns: Columns): boolean => names.every((name) => name in columns)

/** True for a row about somebody whom the school does not know: nothing of it would be forgotten with them. */
const isOfStranger = (change: RowChange): boolean =>
  change.personId === null && isOnlyShown(change.table) && wholeOf(change).person_id === null

/** True for a person whose row is gone: only its former existence is known. */
const isGonePerson = ({ table, after }: RowChange): boolean => table === 'person' && after === null

const isErased = (after: Columns | null): boolean => after === null || (after.erased_at ?? null) !== null

/** False for an updated row of which only counters and the like were changed. */
const says = ({ action, fields }: ShownChange): boolean => action !== 'updated' || fields.length > 0

const rowKey = (table: string, id: unknown): string => `${table} ${String(id)}`

/** Returns the resource that a changed row belongs to: of a person, the facet that the row has. */
function resourceOf(resources: readonly Resource[], change: RowChange): Resource | undefined {
  const columns = wholeOf(change)
  return resources.find(({ object }) => columns[`is_${object}`] !== false) ?? resources[0]
}

function shownOf(resource: Resource, change: RowChange, context: Presentation): ShownChange {
  const { key, personId, before, after } = change
  return {
    type: resource.object,
    id: typeof key.id === 'string' ? toPublicId(resource.idPrefix, key.id) : null,
    action: before === null ? 'created' : after === null ? 'deleted' : 'updated',
    label: isGonePerson(change) ? null : labelIn(wholeOf(change)),
    personId,
    fields: before && after ? fieldsOf(resource, change, { before, after, context }) : [],
  }
}

const wholeOf = ({ before, after, same }: RowChange): Columns => ({ ...same, ...before, ...after })

function labelIn({ title, name, display_name, code, number, filename }: Columns): string | null {
  const label = [title, name, display_name, code, number, filename].find((one) => typeof one === 'string' && one !== '')
  return typeof label === 'string' ? label.slice(0, 200) : null
}

function fieldsOf(
  { table, schema, derivations, fileFields }: Resource,
  { same }: RowChange,
  { before, after, context }: { before: Columns; after: Columns; context: Presentation },
): ShownField[] {
  const isShown = (column: string): boolean =>
    column in after && !isBookkeeping(column) && !isCounter(table, column) && sourcesOf(table, column) === undefined
  return Object.entries(membersOf(schema)).flatMap(([field, member]): ShownField[] => {
    const view = viewOf(member)
    const narrow = view === 'public' ? {} : { view }
    const file = fileFields.find((one) => one.field === field)
    if (file)
      return isShown(file.column) ? [{ field, before: fileId(before[file.column]), after: fileId(after[file.column]), ...narrow }] : []
    const derivation = derivations.find((one) => one.field === field)
    if (derivation?.isSelected || !(derivation?.from ?? [field]).some(isShown)) return []
    const pick = pickerOf(member, 'staff')
    const valueIn = (columns: Columns): unknown => {
      const source = withTimes({ ...same, ...columns })
      if (derivation && !hasAll(derivation.from, source)) return null
      return shortened(pick(derivation ? derivation.of(source, context) : source[field]))
    }
    const [old, current] = [valueIn(before), valueIn(after)]
    return JSON.stringify(old) === JSON.stringify(current) ? [] : [{ field, before: old, after: current, ...narrow }]
  })
}

/** Adds a change of a part to that of the row that it belongs to, whose version it raised. */
function addPart(
  { table, key, before, after }: RowChange,
  shown: ReadonlyMap<string, { shown: ShownChange }>,
  publicId: (table: string, id: unknown) => string,
): void {
  const part = parts[table]
  const whole = part && shown.get(rowKey(part.of, key[part.key]))?.shown
  if (!part || whole?.action !== 'updated') return
  const { field, entry } = part
  if (!entry) {
    if (before && after && field in after) whole.fields.push({ field, before: shortened(before[field]), after: shortened(after[field]) })
    return
  }
  let list = whole.fields.find((one) => one.field === field)
  if (!list) {
    list = { field, before: [], after: [] }
    whole.fields.push(list)
  }
  const [removed, added] = [list.before, list.after]
  if (before && !after && Array.isArray(removed)) removed.push(entry(before, publicId))
  if (after && !before && Array.isArray(added)) added.push(entry(after, publicId))
}

const fileId = (id: unknown): string | null => (typeof id === 'string' ? toPublicId('fil', id) : null)

/** So many rows are read, because their captured columns say too little. */
const maxRead = 100

/** The characters of a text that are shown. */
const longest = 300

function shortened(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > longest ? `${text.slice(0, longest)}…` : value
}

/** Returns the columns of an image as a query returns them: an image has times as texts, in the form of `to_jsonb`. */
const withTimes = (columns: Columns): Columns =>
  Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/.test(value) ? new Date(value) : value,
    ]),
  )
