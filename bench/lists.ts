import { callerFrom, type PersonCaller } from '../src/base/caller.ts'
import { createKeyring } from '../src/base/keyring.ts'
import type { Database } from '../src/database/connection/database.ts'
import { inSchool, schoolDatabase } from '../src/database/school/inSchool.ts'
import type { RunContext } from '../src/engine/call.ts'
import type { OperationOf } from '../src/engine/declare/operations.ts'
import { queryScopeOf } from '../src/engine/declare/queryScope.ts'
import type { ExternalServices } from '../src/engine/externalServices.ts'
import { run } from '../src/engine/run.ts'
import { findPerson } from '../src/identity/accounts/findPerson.ts'
import { operationsIn, resources, scopeCatalogue } from '../src/school/index.ts'
import { countAll, cursorBehind } from './places.ts'

/** The times of the pages of one list, in milliseconds. */
export interface ListTimes {
  name: string
  rows: number
  /** Fractions of the rows that come before a page. */
  depths: readonly number[]
  /** The median of each order at each depth. */
  orders: { sort: string; medians: number[] }[]
  /** The ratio of the slowest to the fastest page: by medians, and by the quickest tenth of the responses, which other work affects least. */
  ratio: number
  quickRatio: number
}

export interface ListRequest {
  slug: string
  rounds: number
  minRows: number
  /** Names of lists; by default all large ones. */
  only: readonly string[]
}

export type List = OperationOf<'list'>

interface Page {
  list: List
  sort: string
  depth: number
  parameters: Readonly<Record<string, string>>
  times: number[]
}

const depths = [0, 0.01, 0.1, 0.5, 0.9, 0.99] as const
/** Warm-up rounds, which fill caches and are not counted. */
const warmUps = 3

/** Requests every page in turn, through the same code as a request. */
export async function measureLists(database: Database, { slug, rounds, minRows, only }: ListRequest): Promise<ListTimes[]> {
  const { caller, context } = await asOwner(database, slug)
  const ask = async ({ list, parameters }: Pick<Page, 'list' | 'parameters'>) =>
    await run(list, caller, { parameters: () => parameters }, context)
  const found: { list: List; rows: number; pages: Page[] }[] = []
  for (const list of listsOf(only)) {
    const queryScope = queryScopeOf({ resource: list.resource, schoolId: context.school.id, caller })
    const rows = await countAll(database.kysely, queryScope)
    if (rows < minRows) continue
    const pages: Page[] = []
    for (const sort of list.resource.sorts) {
      const parameters = { sort: sort.name }
      const first = await ask({ list, parameters })
      const cursor = (first.body as { page: { next_cursor: string } }).page.next_cursor
      for (const depth of depths) {
        const place = Math.floor(rows * depth)
        const at =
          depth === 0
            ? {}
            : { cursor: await cursorBehind(database.kysely, { queryScope, sort, signer: context.signer, cursor, place, rows }) }
        pages.push({ list, sort: sort.name, depth, parameters: { ...parameters, ...at }, times: [] })
      }
    }
    found.push({ list, rows, pages })
  }
  const all = found.flatMap(({ pages }) => pages)
  for (let round = -warmUps; round < rounds; round += 1) {
    // Each round begins with another page, so that the order varies.
    for (const index of all.keys()) {
      const page = all[(index * stride(all.length) + round + warmUps) % all.length] as Page
      const start = performance.now()
      await ask(page)
      if (round >= 0) page.times.push(performance.now() - start)
    }
  }
  return found.map(({ list, rows, pages }) => {
    const orders = list.resource.sorts.map(({ name }) => ({
      sort: name,
      medians: pages.filter(({ sort }) => sort === name).map(({ times }) => quantile(times, 0.5)),
    }))
    return {
      name: list.path.split('/').at(-1) as string,
      rows,
      depths,
      orders,
      ratio: spread(orders.flatMap(({ medians }) => medians)),
      quickRatio: spread(pages.map(({ times }) => quantile(times, 0.1))),
    }
  })
}

/** The top-level lists. A list under a row is a part of one of them. */
export function listsOf(only: readonly string[]): List[] {
  const lists = operationsIn(resources).filter((operation): operation is List => operation.kind === 'list' && !operation.parent)
  return only.length === 0 ? lists : lists.filter(({ path }) => only.includes(path.split('/').at(-1) as string))
}

/** Returns a step that visits every position once before it returns to the first. */
function stride(length: number): number {
  let step = Math.max(1, Math.floor(length * 0.618))
  while (divisor(step, length) !== 1) step += 1
  return step
}

const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other))

function quantile(times: readonly number[], part: number): number {
  const ordered = times.toSorted((one, other) => one - other)
  return ordered[Math.floor(ordered.length * part)] as number
}

const spread = (costs: readonly number[]): number => Math.max(...costs) / Math.min(...costs)

/** Returns the school's owner as a caller. `secret` signs the cursors. */
export async function asOwner(
  database: Database,
  slug: string,
  secret = 'only cursors of this run are signed with it',
): Promise<{ caller: PersonCaller; context: RunContext }> {
  const [owner] = await database.sql.query<{ school_id: string; account_id: string }>(
    `SELECT staff.school_id, person.account_id FROM staff JOIN person ON person.school_id = staff.school_id AND person.id = staff.person_id
      WHERE staff.role = 'owner' AND staff.status = 'active' AND person.account_id IS NOT NULL
        AND staff.school_id = (SELECT id FROM school WHERE slug = $1) LIMIT 1`,
    [slug],
  )
  const person = owner && (await findPerson(inSchool(database.kysely, owner.school_id), owner.account_id))
  if (!person) throw new Error(`school ${slug} must exist and have an owner who can sign in: choose another with --school`)
  const scopes = scopeCatalogue(resources).map(({ name }) => name)
  const keyring = createKeyring([secret])
  return {
    caller: callerFrom(person, { scopes, clientId: 'bench', grantId: 'bench' }, new Set(scopes)),
    context: {
      database: inSchool(database.kysely, owner.school_id),
      store: schoolDatabase(database, owner.school_id, 'person'),
      school: { id: owner.school_id, slug, issuer: 'http://127.0.0.1:3000' },
      signer: {
        sign: (text) => keyring.sign('cursors', text),
        verify: (text, signature) => keyring.verify('cursors', text, signature),
      },
      externalServices,
    },
  }
}

// A list only returns the addresses of files.
const externalServices = {
  files: {
    downloadAddress: ({ issuer }: { issuer: string }, { id }: { id: string }) => ({ url: `${issuer}/files/${id}`, expires_at: null }),
    publicId: (object: string, id: string) => `${object} ${id}`,
  },
  checkoutAddress: () => undefined,
} as unknown as ExternalServices
