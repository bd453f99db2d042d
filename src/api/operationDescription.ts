import type { Operation } from '../framework/declare/operations.ts'
import { limitsOf } from '../framework/operationLimits.ts'
import type { ChangeFeed } from '../framework/output/changeFeed.ts'

/** What one should know of an operation before calling it, in Markdown, from its declaration. */
export function operationDescription(operation: Operation | ChangeFeed): string {
  if (!('kind' in operation)) {
    return 'Changes of the last 30 days, oldest first, for the staff of the school. Begin with `cursor=latest` and go on with `next_cursor`: it is there also where nothing has changed. Each type needs the read scope of its resource.'
  }
  return [aboutKind(operation), aboutStates(operation), aboutCallers(operation), aboutVersions(operation), aboutLimits(operation)]
    .filter(Boolean)
    .join('\n\n')
}

function aboutKind(operation: Operation): string {
  const { resource } = operation
  switch (operation.kind) {
    case 'list':
      return `${resource.about} One page of those that the caller may see; \`Link\` and \`page\` lead to the others.${
        resource.isExported ? ' Staff can have the list as CSV or NDJSON: say so in `Accept`.' : ''
      }${aboutForms(resource)}`
    case 'get':
      return resource.about + aboutForms(resource)
    case 'create':
      return resource.about
    case 'update':
      return 'A merge patch (RFC 7396): what is left out stays, null clears, a list is replaced as a whole.'
    case 'replace':
      return 'The whole of it is sent: what is left out takes its default, or is nothing.'
    case 'collectionRead':
      return [operation.rules.about, operation.rules.rows && 'Also as CSV: say so in `Accept`.'].filter(Boolean).join(' ')
    default:
      return ''
  }
}

const aboutForms = ({ representations }: Operation['resource']): string =>
  representations.map(({ type }) => ` Also as \`${type}\`: say so in \`Accept\`.`).join('')

function aboutStates(operation: Operation): string {
  if (operation.kind !== 'action' && operation.kind !== 'remove') return ''
  const { from } = operation.rules
  const to = 'to' in operation.rules ? operation.rules.to : undefined
  const states = (from ?? []).map((state) => `\`${state}\``).join(' or ')
  if (to === undefined) return states === '' ? '' : `Possible in the state ${states}.`
  return `${states === '' ? 'Leads' : `Leads from ${states}`} to \`${to}\`. Where that is the state already, nothing changes.`
}

const people = { anonymous: 'visitors', learner: 'learners', lecturer: 'lecturers', staff: 'owners and admins' } as const

function aboutCallers({ scope, anonymous, roles }: Operation): string {
  const allowed = roles.filter((role) => role !== 'anonymous').map((role) => people[role])
  const visitors = {
    full: ' Without a token the public view is answered.',
    partial: ' Without a token a part of the public view is answered.',
    none: '',
  }[anonymous]
  return `With a token: scope \`${scope}\`, for ${allowed.join(', ')}, each as far as they may see and touch the rows.${visitors}`
}

function aboutVersions(operation: Operation): string {
  return 'needsIfMatch' in operation && operation.needsIfMatch ? 'Say which version is meant: its `ETag` as `If-Match`.' : ''
}

function aboutLimits(operation: Operation): string {
  const limits = limitsOf(operation, 'json')
  return limits.length === 0 ? '' : `Rate limits beside that of all requests: ${limits.join(', ')}.`
}
