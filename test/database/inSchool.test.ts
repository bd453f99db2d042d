import fc from 'fast-check'
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import type { Reader } from '../../src/database/connection/database.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'

// Three tables of two schools whose rows have the same keys, and the same tables of a database in which the first school is alone: there
// they have no school. A statement must mean the same in both.
const colours = ['red', 'green', 'blue'] as const
type Colour = (typeof colours)[number]
interface Row {
  k: string
  v: string
}
type Tables = Record<Colour | `alone_${Colour}`, Row>
type Names = (colour: Colour) => Colour
interface Select {
  from: Source
  joins: { type: 'inner' | 'left' | 'cross'; source: Source; on: 'k' | 'v' }[]
  conditions: Condition[]
  union: Select | undefined
  common: Select | undefined
}
type Source = { colour: Colour } | { subquery: Select }
type Condition =
  | { kind: 'one of'; select: Select }
  | { kind: 'exists'; select: Select; isCorrelated: boolean }
  | { kind: 'or as text'; value: string }
  | { kind: 'or'; values: [string, string] }
  | { kind: 'count'; select: Select }
type Write =
  | { kind: 'insert'; into: Colour; rows: Row[]; conflict: Conflict }
  | { kind: 'insert select'; into: Colour; select: Select; conflict: Conflict }
  | { kind: 'update'; table: Colour; from: Source | undefined; conditions: Condition[] }
  | { kind: 'delete'; table: Colour; using: Source | undefined; conditions: Condition[] }
type Conflict = 'ignored' | 'updated'

const keys = ['k0', 'k1', 'k2', 'k3', 'k4']
const colour = fc.constantFrom(...colours)

/** Generates the parts of statements that nest up to `depth` times. */
function parts(depth: number) {
  const inner = depth > 0 ? parts(depth - 1) : undefined
  const source: fc.Arbitrary<Source> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ colour }) },
    ...(inner ? [{ weight: 1, arbitrary: fc.record({ subquery: inner.select }) }] : []),
  )
  const condition: fc.Arbitrary<Condition> = fc.oneof(
    fc.record({ kind: fc.constant('or' as const), values: fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...keys)) }),
    fc.record({ kind: fc.constant('or as text' as const), value: fc.constantFrom(...keys) }),
    ...(inner
      ? [
          fc.record({ kind: fc.constant('one of' as const), select: inner.select }),
          fc.record({ kind: fc.constant('exists' as const), select: inner.select, isCorrelated: fc.boolean() }),
          fc.record({ kind: fc.constant('count' as const), select: inner.select }),
        ]
      : []),
  )
  const type = fc.constantFrom<'inner' | 'left' | 'cross'>('inner', 'left', 'cross')
  const other = inner ? fc.option(inner.select, { nil: undefined, freq: 3 }) : fc.constant(undefined)
  const select: fc.Arbitrary<Select> = fc.record({
    from: source,
    joins: fc.array(fc.record({ type, source, on: fc.constantFrom<'k' | 'v'>('k', 'v') }), { maxLength: 2 }),
    conditions: fc.array(condition, { maxLength: 2 }),
    union: other,
    common: other,
  })
  return { select, source, condition }
}
const { select, source, condition } = parts(1)
const conflict = fc.constantFrom<Conflict>('ignored', 'updated')
const from = fc.option(source, { nil: undefined })
const conditions = fc.array(condition, { maxLength: 2 })
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({
    kind: fc.constant('insert' as const),
    into: colour,
    rows: fc.uniqueArray(fc.record({ k: fc.constantFrom(...keys), v: fc.constantFrom('a', 'n') }), {
      minLength: 1,
      maxLength: 3,
      selector: ({ k }) => k,
    }),
    conflict,
  }),
  fc.record({ kind: fc.constant('insert select' as const), into: colour, select, conflict }),
  fc.record({ kind: fc.constant('update' as const), table: colour, from, conditions }),
  fc.record({ kind: fc.constant('delete' as const), table: colour, using: from, conditions }),
)

describe.each(await databasesToTest())('a handle of one school ($name)', ({ open }) => {
  const store = duringTests(open)
  const [ownId, otherId] = [newId(), newId()]

  beforeAll(async () => {
    await store.database.transaction(async (_, text) => {
      for (const name of colours) {
        await text.query(`CREATE TABLE ${name} (school_id uuid, k text, v text, PRIMARY KEY (school_id, k))`)
        await text.query(`CREATE TABLE alone_${name} (k text PRIMARY KEY, v text)`)
        for (const [index, key] of keys.entries()) {
          const isOwn = name.length % 3 !== index % 3
          if (isOwn) await text.query(`INSERT INTO ${name} VALUES ($1, $2, $3)`, [ownId, key, `a${index % 2}`])
          if (isOwn) await text.query(`INSERT INTO alone_${name} VALUES ($1, $2)`, [key, `a${index % 2}`])
          await text.query(`INSERT INTO ${name} VALUES ($1, $2, $3)`, [otherId, key, index === 0 ? 'a0' : `b${index}`])
        }
      }
    })
  })

  const asTables = (reader: Reader): Kysely<Tables> => reader as unknown as Kysely<Tables>

  test('reads what the school would read if it were alone in the database', async () => {
    const own = asTables(inSchool(store.database.kysely, ownId))
    const alone = asTables(store.database.kysely)
    await fc.assert(
      fc.asyncProperty(select, async (spec) => {
        const read = async (database: Kysely<Tables>, nameOf: Names) =>
          (await builder(nameOf).select(database, spec).execute()).map(({ k, v }) => `${k} ${v}`).toSorted()
        expect(await read(own, (name) => name)).toEqual(await read(alone, aloneName))
      }),
      { numRuns: 200 },
    )
  })

  test('changes what the school would change if it were alone, and no row of another school', async () => {
    await fc.assert(
      fc.asyncProperty(write, async (spec) => {
        const { own, alone, others } = await afterWrite(spec)
        expect(own).toEqual(alone)
        expect(others).toEqual(await rowsOf(store.database.kysely, otherId))
      }),
      { numRuns: 200 },
    )
  })

  async function afterWrite(spec: Write) {
    const undone = new Error('undone')
    const rows = { own: [] as string[], alone: [] as string[], others: [] as string[] }
    await store.database
      .transaction(async (writer) => {
        await builder((name) => name).write(asTables(inSchool(writer, ownId)), spec)
        await builder(aloneName).write(asTables(writer), spec)
        rows.own = await rowsOf(writer, ownId)
        rows.others = await rowsOf(writer, otherId)
        for (const name of colours) {
          const found = await asTables(writer).selectFrom(`alone_${name}`).select(['k', 'v']).execute()
          rows.alone.push(...found.map(({ k, v }) => `${name} ${k} ${v}`))
        }
        rows.alone.sort()
        throw undone
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error
      })
    return rows
  }

  /** Reads the rows of a school with its condition, on a handle without a school. */
  async function rowsOf(reader: Reader, schoolId: string): Promise<string[]> {
    const rows = []
    for (const name of colours) {
      const found = await asTables(reader).selectFrom(name).select(['k', 'v']).where(sql.ref('school_id'), '=', schoolId).execute()
      rows.push(...found.map(({ k, v }) => `${name} ${k} ${v}`))
    }
    return rows.toSorted()
  }

  test('binds the school once, whatever the number of its tables', () => {
    const own = asTables(inSchool(store.database.kysely, ownId))
    const compiled = own.selectFrom('red').innerJoin('blue', 'blue.k', 'red.k').selectAll('red').where('red.v', '=', 'a').compile()
    expect(compiled.sql).toBe(
      'select "red".* from "red" inner join "blue" on ("blue"."k" = "red"."k") and "blue"."school_id" = $1 where ("red"."v" = $2) and "red"."school_id" = $1',
    )
    expect(compiled.parameters).toEqual([ownId, 'a'])
  })

  test.each<[string, RegExp, (own: Kysely<Tables>) => { compile(): unknown }]>([
    ['a right join', /use a left join/, (own) => own.selectFrom('red').rightJoin('blue', 'blue.k', 'red.k').select('blue.k')],
    ['a full join', /use a left join/, (own) => own.selectFrom('red').fullJoin('blue', 'blue.k', 'red.k').select('blue.k')],
    [
      'a table in text',
      /select from the table/,
      (own) => own.selectFrom('red').select(sql`(SELECT max(k) FROM ${sql.table('blue')})`.as('k')),
    ],
    ['a merge', /select from the table/, (own) => own.mergeInto('red').using('blue', 'blue.k', 'red.k').whenMatched().thenDelete()],
    ['a statement as text', /as text/, (own) => ({ compile: () => sql`SELECT k FROM red`.compile(own) })],
    [
      'a row of another school',
      /a row of another school/,
      (own) => own.insertInto('red').values({ k: 'x', v: 'x', ...({ school_id: otherId } as object) }),
    ],
    ['a change of the school', /to another school/, (own) => own.updateTable('red').set({ ...({ school_id: otherId } as object) })],
    [
      'a statement of another school',
      /statement of another one/,
      (own) =>
        own
          .selectFrom('red')
          .select('k')
          .where('k', 'in', asTables(inSchool(store.database.kysely, otherId)).selectFrom('blue').select('k')),
    ],
  ])('refuses %s', (_, reason, build) => {
    expect(() => build(asTables(inSchool(store.database.kysely, ownId))).compile()).toThrow(reason)
  })

  test('cannot become the handle of another school', () => {
    const own = inSchool(store.database.kysely, ownId)
    expect(inSchool(own, ownId)).toBe(own)
    expect(() => inSchool(own, otherId)).toThrow(/another school/)
  })
})

const aloneName = (name: Colour): Colour => `alone_${name}` as Colour

/** Builds the statements of the generated queries. `nameOf` returns the table of a colour. */
function builder(nameOf: Names) {
  let last = 0
  const next = (prefix: string): string => {
    last += 1
    return `${prefix}${last}`
  }
  type Rows = SelectQueryBuilder<Tables, Colour, Row>

  function buildSelect(database: Kysely<Tables>, spec: Select, outer?: string): Rows {
    const common = spec.common
    const name = next('c') as Colour
    const creator = common ? (database.with(name, () => buildSelect(database, common)) as unknown as Kysely<Tables>) : database
    const [first, alias] = common ? [name, name] : tableOf(database, spec.from)
    let query = creator.selectFrom(first) as unknown as Rows
    let latest = alias
    for (const { type, source: joined, on } of spec.joins) {
      const [table, other] = tableOf(database, joined)
      const ends = [`${other}.${on}` as 'red.k', `${alias}.${on}` as 'red.k'] as const
      if (type === 'cross') query = query.crossJoin(table) as unknown as Rows
      if (type === 'inner') query = query.innerJoin(table, ...ends) as unknown as Rows
      if (type === 'left') query = query.leftJoin(table, ...ends) as unknown as Rows
      latest = other
    }
    query = query.select([`${alias}.k` as 'red.k', sql<string>`coalesce(${sql.ref(`${latest}.v`)}, 'none')`.as('v')]) as unknown as Rows
    for (const one of spec.conditions) query = query.where(conditionOf(database, one, alias))
    if (outer) query = query.whereRef(`${alias}.k` as 'red.k', '=', `${outer}.k` as 'red.k')
    const { union } = spec
    return union ? query.unionAll(buildSelect(database, { ...union, common: undefined })) : query
  }

  /** Returns a table or a subquery, and its name in the statement. */
  function tableOf(database: Kysely<Tables>, spec: Source): [Colour, string] {
    const alias = next('t')
    if ('colour' in spec) return [`${nameOf(spec.colour)} as ${alias}` as Colour, alias]
    return [buildSelect(database, spec.subquery).as(alias) as unknown as Colour, alias]
  }

  function conditionOf(database: Kysely<Tables>, spec: Condition, alias: string) {
    const k = sql.ref<string>(`${alias}.k`)
    switch (spec.kind) {
      case 'one of':
        return sql<boolean>`${k} IN (SELECT k FROM ${buildSelect(database, spec.select)} AS found)`
      case 'exists':
        return sql<boolean>`EXISTS ${buildSelect(database, spec.select, spec.isCorrelated ? alias : undefined)}`
      case 'or as text':
        return sql<boolean>`${k} = ${spec.value} OR ${k} > 'k2'`
      case 'or':
        return sql<boolean>`(${k} = ${spec.values[0]} OR ${k} = ${spec.values[1]})`
      case 'count':
        return sql<boolean>`(SELECT count(*) FROM ${buildSelect(database, spec.select)} AS counted) > 2`
    }
  }

  async function runWrite(database: Kysely<Tables>, spec: Write): Promise<void> {
    switch (spec.kind) {
      case 'insert':
      case 'insert select': {
        const inserting = database.insertInto(nameOf(spec.into))
        const found = () =>
          database
            .selectFrom(buildSelect(database, (spec as Extract<Write, { kind: 'insert select' }>).select).as('found'))
            .select(({ fn, ref }) => [ref('found.k').as('k'), fn.min(ref('found.v')).as('v')])
            .groupBy('found.k')
        const filled = spec.kind === 'insert' ? inserting.values(spec.rows) : inserting.columns(['k', 'v']).expression(found())
        await filled
          .onConflict((one) =>
            spec.conflict === 'ignored' ? one.column('k').doNothing() : one.column('k').doUpdateSet({ v: sql`excluded.v || 'u'` }),
          )
          .execute()
        return
      }
      case 'update': {
        const table = nameOf(spec.table)
        let query = database.updateTable(table).set({ v: sql`${sql.ref(`${table}.v`)} || 'u'` })
        if (spec.from) {
          const [joined, alias] = tableOf(database, spec.from)
          query = (query.from(joined) as unknown as typeof query).whereRef(`${table}.k` as 'k', '=', `${alias}.k` as 'k')
        }
        for (const one of spec.conditions) query = query.where(conditionOf(database, one, table))
        await query.execute()
        return
      }
      case 'delete': {
        const table = nameOf(spec.table)
        let query = database.deleteFrom(table)
        if (spec.using) {
          const [joined, alias] = tableOf(database, spec.using)
          query = (query.using(joined) as unknown as typeof query).whereRef(`${table}.k` as 'k', '=', `${alias}.k` as 'k')
        }
        for (const one of spec.conditions) query = query.where(conditionOf(database, one, table))
        await query.execute()
      }
    }
  }

  return { select: (database: Kysely<Tables>, spec: Select) => buildSelect(database, spec), write: runWrite }
}
