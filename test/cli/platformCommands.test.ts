import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { saveBelow } from '../../src/cli/commandLine.ts'
import { createProgram } from '../../src/cli/program.ts'
import { openSession } from '../../src/cli/session.ts'
import { platformOpenApi } from '../../src/platform/platformOpenApi.ts'
import { platformOperations } from '../../src/platform/platformOperations.ts'

/** The command of each operation, and the members of its body whose option or argument has another name. */
const commands: Readonly<Record<string, { command: string; members?: Readonly<Record<string, string>> }>> = {
  createOrder: {
    command: 'orders create',
    members: { items: '--item', coupon_code: '--coupon', expires_in_minutes: '--minutes' },
  },
  payOrder: { command: 'orders pay' },
  failOrder: { command: 'orders fail', members: { failure_code: '--code' } },
  cancelOrder: { command: 'orders cancel' },
  refundOrder: { command: 'orders refund', members: { items: '--line' } },
  createComment: { command: 'comments add', members: { subject: 'subject', body: '--text', parent_id: '--reply-to' } },
  approveComment: { command: 'comments approve' },
  hideComment: { command: 'comments hide' },
  markCommentAsSpam: { command: 'comments spam' },
  deleteComment: { command: 'comments delete' },
  createFormSubmission: { command: 'forms submit', members: { form: 'slug', contact: '--email' } },
  saveForm: { command: 'forms save', members: { slug: 'slug', notifies_staff: '--notify-staff' } },
  reserveSeats: { command: 'seats reserve', members: { event_id: 'event' } },
  releaseSeats: { command: 'seats release', members: { event_id: '--event' } },
}

const terminal = {
  ...{ out: () => undefined, err: () => undefined, isInteractive: false, save: saveBelow },
  ...{ ask: () => Promise.reject(), askSecretly: () => Promise.reject(), readInput: () => Promise.resolve('') },
}
const program = createProgram(openSession({ terminal, variables: {}, userName: 'ops' }))

function commandNamed(path: string): Command | undefined {
  return path.split(' ').reduce<Command | undefined>((group, name) => group?.commands.find((command) => command.name() === name), program)
}

interface Described {
  operationId: string
  requestBody: { content: { 'application/json': { schema: { properties: Record<string, unknown> } } } }
}

const described = Object.values(platformOpenApi().paths as Record<string, { post: Described }>).map(({ post }) => post)

test('every operation of the intake has one command, and no command is left without its operation', () => {
  expect(described.map(({ operationId }) => operationId)).toEqual(platformOperations.map(({ id }) => id))
  expect(Object.keys(commands).toSorted()).toEqual(described.map(({ operationId }) => operationId).toSorted())
})

describe.each(described)('$operationId', ({ operationId, requestBody }) => {
  const { command = '', members = {} } = commands[operationId] ?? {}
  const found = commandNamed(command)
  const accepted = [
    ...(found?.options.flatMap(({ long }) => long ?? []) ?? []),
    ...(found?.registeredArguments.map((argument) => argument.name()) ?? []),
  ]

  test.each(Object.keys(requestBody.content['application/json'].schema.properties))(`its command ${command} takes %s`, (member) => {
    expect(accepted).toContain(members[member] ?? `--${member.replaceAll('_', '-')}`)
  })
})
