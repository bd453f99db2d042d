import { z } from 'zod'
import { toPublicId } from '../../src/base/ids.ts'
import type { Operation, OperationOf } from '../../src/engine/declare/operations.ts'
import type { Resource } from '../../src/engine/declare/resource.ts'
import { unwrapped, viewOf } from '../../src/engine/declare/views.ts'
import type { DemoApi } from '../school/demoApi.ts'
import { createSubjects } from '../school/derived/createSubjects.ts'
import { actor, everyWrite, withMatch } from '../school/derived/everyWrite.ts'
import { newPlan } from '../support/community.ts'
import { secretMark } from './plantMarkers.ts'

type Update = OperationOf<'update' | 'replace'>

export interface SentSecrets {
  /** The markers that were sent. */
  sent: string[]
  /** The responses of the API that are errors. */
  refused: string[]
}

/**
 * Sends a marker, through the API, in every free text that visitors may not read: every text of drafts, and of published rows the texts
 * of each value of the fields that say who may read them. What the service makes of these texts when they are written, such as an
 * excerpt, contains the marker as well.
 */
export async function sendSecrets(api: DemoApi): Promise<SentSecrets> {
  const result: SentSecrets = { sent: [], refused: [] }
  for (const update of everyWrite.filter(
    (one): one is Update => one.kind === 'update' && isMade(one) && textsOf(one.resource).length > 0,
  )) {
    const publish = everyWrite.find(
      (one) => one.resource === update.resource && one.kind === 'action' && /^(publish|activate)$/.test(one.name),
    )
    for (const gate of await gatesOf(api, update.resource)) {
      const secret = textsOf(update.resource).filter((field) => isSecret(update.resource, field, gate))
      if (secret.length > 0) await sendTo(api, { update, publish, gate, secret, result })
    }
    if (publish) await sendTo(api, { update, publish: undefined, gate: {}, secret: textsOf(update.resource), result })
  }
  return result
}

const isMade = ({ resource }: Operation): boolean =>
  !resource.isSingleton && everyWrite.some((one) => one.kind === 'create' && one.resource === resource)

interface Sending {
  update: Update
  publish: Operation | undefined
  gate: object
  secret: readonly string[]
  result: SentSecrets
}

async function sendTo(api: DemoApi, { update, publish, gate, secret, result }: Sending): Promise<void> {
  const { resource } = update
  const subjects = createSubjects(api)
  const id = publish ? await subjects.subjectOf(publish) : await subjects.freshRow(update)
  const markers = Object.fromEntries(
    secret.map((field) => [field, `Words ${secretMark}-sent-${resource.object}-${field}-${result.sent.length}`.replaceAll('_', '-')]),
  )
  const steps: [Operation, object][] = [[update, { ...gate, ...markers }], ...(publish ? ([[publish, {}]] as [Operation, object][]) : [])]
  for (const [operation, body] of steps) {
    const reply = await api.send(subjects.addressOf(operation, id), withMatch({ as: actor, method: operation.method, body }))
    if (reply.status >= 300) result.refused.push(`${operation.id} ${JSON.stringify(gate)}: ${reply.status} ${reply.text.slice(0, 300)}`)
    else if (operation === update) result.sent.push(...secret.map((field) => `${resource.object}.${field}`))
  }
}

const fieldOf = ({ schema }: Resource, field: string): z.ZodType => schema.shape[field] as z.ZodType

/** Writable fields with words in them: neither keys nor addresses. */
const textsOf = (resource: Resource): string[] =>
  resource.writable
    .filter(({ field, isCreateOnly }) => {
      const text = unwrapped(fieldOf(resource, field))
      return !isCreateOnly && field !== 'slug' && text instanceof z.ZodString && text.format === null && (text.maxLength ?? 0) >= 120
    })
    .map(({ field }) => field)

/** Each value of the fields that say who may read a row, with what it asks for; without such a field one empty change. */
async function gatesOf(api: DemoApi, resource: Resource): Promise<object[]> {
  const name = ['visibility', 'access'].find((one) => resource.writable.some(({ field }) => field === one))
  const choice = name === undefined ? undefined : unwrapped(fieldOf(resource, name))
  if (name === undefined || !(choice instanceof z.ZodEnum)) return [{}]
  const { sql } = api.database
  const has = (field: string) => resource.writable.some((one) => one.field === field)
  const asked: Record<string, () => Promise<object>> = {
    plans: async () => ({ plan_ids: [toPublicId('mpl', await newPlan(sql, api.school.id))] }),
    course: async () => {
      const [course] = await sql.query<{ id: string }>('SELECT id FROM course WHERE school_id = $1 LIMIT 1', [api.school.id])
      return { course_id: toPublicId('crs', course?.id as string) }
    },
    paid: async () => (has('price') ? { price: { amount: 900, currency: 'EUR' } } : {}),
  }
  return await Promise.all(choice.options.map(async (option) => ({ [name]: option, ...(await asked[option as string]?.()) })))
}

/** Returns whether the texts of a published row are not public. */
function isSecret(resource: Resource, field: string, gate: object): boolean {
  const isOpen = Object.values(gate).includes('public')
  const { gated } = fieldOf(resource, field).meta() ?? {}
  const view = viewOf(fieldOf(resource, field))
  return view === 'staff' || (!isOpen && (view === 'own' || gated === true))
}
