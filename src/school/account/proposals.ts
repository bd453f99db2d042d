import { z } from 'zod'
import type { Caller } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import {
  findProposal,
  isOpen,
  listProposals,
  moveProposal,
  type Proposal,
  removeRequest,
  requestsOf,
  type StoredRequest,
} from '../../database/tables/proposals.ts'
import { listOf } from '../../engine/declare/elementList.ts'
import { timestamp } from '../../engine/declare/fields.ts'
import { defineAction, defineRead } from '../../engine/declare/typedOperations.ts'
import type { Reading } from '../../engine/read/reading.ts'
import { dryRunSchema, reportOn, type TriedRequest } from '../../engine/write/dryRunReport.ts'
import { proposalUrl, untilDecided } from '../../engine/write/proposals.ts'
import { openRequest } from '../../engine/write/replay.ts'
import type { Writing } from '../../engine/write/writing.ts'
import { ownId } from './accountFields.ts'

/** So many proposals of an app are listed. */
const maxListed = 100

const report = dryRunSchema.omit({ asks: true }).meta({ component: 'RequestReport' })

const proposalFields = {
  id: ownId('apr', 'Id of the proposal.'),
  object: z.literal('proposal').meta({ description: 'Type of the object.' }),
  name: z.string().meta({ description: 'Name in the header Proposal.', example: 'spring-term' }),
  status: z
    .enum(['draft', 'submitted', 'merged', 'refused', 'ended', 'expired'])
    .meta({ component: 'ProposalStatus', description: 'What became of it.', example: 'submitted' }),
  url: z.string().nullable().meta({
    description: 'Page on which the person decides: give them this address. Null before it is submitted.',
    example: 'https://school.example/account/approvals/apr_01jgwejj00e6srgkpqm2sqf05m',
  }),
  created_at: timestamp().meta({ description: 'When it began.', example: '2026-03-01T09:30:00.000Z' }),
  decided_at: timestamp().nullable().meta({ description: 'When the person decided.', example: null }),
  expires_at: timestamp().meta({ description: 'When it ends without a decision.', example: '2026-03-08T09:30:00.000Z' }),
}

const proposal = z.object(proposalFields).meta({ component: 'Proposal' })

const proposalWithRequests = z
  .object({
    ...proposalFields,
    requests: z
      .array(
        z.object({
          position: z.int().meta({ description: 'Place in the proposal.', example: 1 }),
          operation: z.string().meta({ description: 'Operation of the API.', example: 'updateCourse' }),
          target: z.string().meta({ description: 'URL of the request; empty if it is no longer stored.', example: '/api/v1/courses' }),
          status: z.enum(['waiting', 'merged', 'left_out']).meta({ description: 'What became of it.', example: 'waiting' }),
          report: report.nullable().meta({
            description: 'What it changes now; after the decision, what it was to change. Null if it cannot be made.',
            example: null,
          }),
          first_report: report
            .nullable()
            .meta({ description: 'What it would have changed when it was added, if that differs from `report`.', example: null }),
          error: z
            .object({
              code: z.string().meta({ description: 'Error code.', example: 'not_found' }),
              message: z.string().meta({ description: 'Why it can no longer be made.', example: 'Not found.' }),
            })
            .nullable()
            .meta({ description: 'Not null if it can no longer be made.', example: null }),
          response: z
            .object({
              status: z.int().meta({ description: 'Status.', example: 201 }),
              body: z.string().meta({
                description: 'Body, the text of a JSON object; empty if there is none.',
                example: '{"id":"crs_01jgwejj00e6srgkpqm2sqf05m"}',
              }),
            })
            .nullable()
            .meta({ description: 'The response, after it was merged.', example: null }),
        }),
      )
      .meta({ description: 'Its requests, in their order.', example: [] }),
  })
  .meta({ component: 'ProposalWithRequests' })

const named = z.object({
  name: z.string().max(64).meta({ description: 'Name of the proposal.', example: 'spring-term' }),
})

const grantOf = (caller: Caller): string => (caller.kind === 'person' ? caller.grantId : '')

/** @throws Problem not_found */
async function required(reader: SchoolReader, caller: Caller, name: unknown): Promise<Proposal> {
  const found = await findProposal(reader, { grantId: grantOf(caller), name: String(name) })
  if (!found) throw new Problem('not_found', { description: 'The proposal does not exist.' })
  return found
}

const factsOf = (found: Proposal, issuer: string) => ({
  id: toPublicId('apr', found.id),
  object: 'proposal' as const,
  name: found.name ?? '',
  status: found.is_expired && (found.status === 'draft' || found.status === 'submitted') ? ('expired' as const) : found.status,
  url: found.status === 'draft' ? null : proposalUrl(issuer, found.id),
  created_at: found.created_at,
  decided_at: found.decided_at,
  expires_at: found.expires_at,
})

async function readProposal(reading: Reading<typeof named.shape>) {
  const { database, caller, parameters, school, waitSeconds } = reading
  const { id } = await required(database, caller, parameters.get('name'))
  await untilDecided(reading, { id, waitSeconds })
  const found = await required(database, caller, parameters.get('name'))
  const requests = await requestsOf(database, found.id)
  const replayed = await replaysOf(reading, isOpen(found) ? requests : [])
  const byPosition = new Map(replayed.map((one) => [one.position, one]))
  return {
    ...factsOf(found, school.issuer),
    requests: requests.map((request) => requestIn(reading, request, byPosition.get(request.position))),
  }
}

/** Returns what requests change now. */
const replaysOf = (
  { showRequests, caller }: Pick<Reading, 'showRequests' | 'caller'>,
  requests: readonly StoredRequest[],
): Promise<TriedRequest[]> =>
  showRequests && caller.kind === 'person' && requests.length > 0 ? showRequests(caller, requests) : Promise.resolve([])

function requestIn(
  { externalServices, caller }: Pick<Reading, 'externalServices' | 'caller'>,
  { position, operation, status, sealed, response: sealedResponse }: StoredRequest,
  replayed: TriedRequest | undefined,
) {
  const stored = openRequest({ externalServices }, sealed)
  const answered = sealedResponse === null ? undefined : externalServices.approvals.open(sealedResponse)
  const { status: answer, text = '' }: { status?: number; text?: string } = answered === undefined ? {} : JSON.parse(answered)
  const first = stored && reportOn(stored, caller)
  const now = replayed ? replayed.now && reportOn(replayed.now, caller) : first
  const isSame = !now || JSON.stringify(now) === JSON.stringify(first)
  const { problem } = replayed ?? {}
  return {
    ...{ position, operation, target: stored?.content.target ?? '', status },
    report: now ?? null,
    first_report: isSame ? null : (first ?? null),
    error: problem ? { code: problem.code, message: problem.description } : null,
    response: answer === undefined ? null : { status: answer, body: text },
  }
}

/** The reads of an account that show the proposals of the calling app. */
export const proposalReads = {
  proposals: defineRead('account', {
    scope: 'read',
    id: 'listProposals',
    summary: 'List the proposals of the calling app',
    output: listOf(proposal, 'Proposals, newest first.'),
    pagedBy: 'id',
    async run({ database, caller, school }) {
      const found = await listProposals(database, { grantId: grantOf(caller), limit: maxListed })
      return { data: found.map((one) => factsOf(one, school.issuer)) }
    },
  }),
  'proposals/{name}': defineRead('account', {
    scope: 'read',
    id: 'getProposal',
    summary: 'Get a proposal of the calling app, with what its requests change now',
    limit: 'bulk',
    parameters: named,
    output: proposalWithRequests,
    run: readProposal,
  }),
}

type ProposalWriting = Pick<Writing<typeof named.shape>, 'writer' | 'caller' | 'parameters'>

/** @throws Problem not_found, and invalid_state if it is no longer open */
async function move({ writer, caller, parameters }: ProposalWriting, from: readonly ('draft' | 'submitted')[], to: 'submitted' | 'ended') {
  const found = await required(writer, caller, parameters.get('name'))
  if (!isOpen(found) || !(await moveProposal(writer, { id: found.id, from, to })))
    throw new Problem('invalid_state', { description: 'The proposal was submitted or decided before, or has expired.' })
  return { ...found, status: to }
}

const undo = 'It changes nothing at the school.'

/** The actions of an account on the proposals of the calling app. */
export const proposalActions = {
  submit_proposal: defineAction('account', {
    scope: 'read',
    id: 'submitProposal',
    at: 'proposals/{name}/submit',
    undo,
    errors: ['invalid_state'],
    summary: 'Submit a proposal to the person',
    parameters: named,
    output: proposal,
    perform: async (writing) => {
      const found = await move(writing, ['draft'], 'submitted')
      return { isUnchanged: true, body: async () => factsOf(found, writing.school.issuer) }
    },
  }),
  end_proposal: defineAction('account', {
    scope: 'read',
    id: 'endProposal',
    at: 'proposals/{name}/end',
    status: 204,
    undo,
    errors: ['invalid_state'],
    summary: 'Give up a proposal',
    parameters: named,
    perform: async (writing) => {
      await move(writing, ['draft', 'submitted'], 'ended')
      return { isUnchanged: true }
    },
  }),
  remove_proposal_request: defineAction('account', {
    scope: 'read',
    id: 'removeProposalRequest',
    at: 'proposals/{name}/requests/{position}/remove',
    status: 204,
    undo,
    errors: ['invalid_state'],
    summary: 'Remove a request from a proposal',
    parameters: named.extend({ position: z.coerce.number().int().min(1).meta({ description: 'Place in the proposal.', example: 1 }) }),
    perform: async ({ writer, caller, parameters }) => {
      const found = await required(writer, caller, parameters.get('name'))
      if (found.status !== 'draft' || !isOpen(found)) throw new Problem('invalid_state', { description: 'The proposal is not a draft.' })
      if (!(await removeRequest(writer, { proposalId: found.id, position: Number(parameters.get('position')) })))
        throw new Problem('not_found', { description: 'The proposal has no such request.' })
      return { isUnchanged: true }
    },
  }),
}
