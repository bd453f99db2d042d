import type { Operation } from '../framework/declare/operations.ts'
import { limitsOf } from '../framework/operationLimits.ts'
import type { ChangeFeed } from '../framework/output/changeFeed.ts'

/** Returns the description of an operation in Markdown, derived from its declaration. */
export function operationDescription(operation: Operation | ChangeFeed): string {
  if (!('kind' in operation)) {
    return 'Changes of the last 30 days, oldest first, for the staff of the school. Start with `cursor=latest` and continue with `next_cursor`, which is always present. Each type needs the read scope of its resource.'
  }
  return [aboutKind(operation), aboutStates(operation), aboutCallers(operation), aboutVersions(operation), aboutLimits(operation)]
    .filter(Boolean)
    .join('\n\n')
}

function aboutKind(operation: Operation): string {
  const { resource } = operation
  switch (operation.kind) {
    case 'list':
      return `${resource.about} Returns one page of those that the caller can see. Get the other pages with \`Link\` or \`page\`.${
        resource.isExported ? ' Staff can request the list as CSV or NDJSON with `Accept`.' : ''
      }${aboutForms(resource)}`
    case 'get':
      return resource.about + aboutForms(resource)
    case 'create':
      return resource.about
    case 'update':
      return 'A merge patch (RFC 7396): absent fields keep their value, null clears a field, and a list is replaced as a whole.'
    case 'replace':
      return 'Replaces the whole object: absent fields get their default or become null.'
    case 'collectionRead':
      return [operation.rules.about, operation.rules.rows && 'Also available as CSV: request `text/csv` with `Accept`.']
        .filter(Boolean)
        .join(' ')
    default:
      return ''
  }
}

const aboutForms = ({ representations }: Operation['resource']): string =>
  representations.map(({ type }) => ` Also available as \`${type}\`: request it with \`Accept\`.`).join('')

function aboutStates(operation: Operation): string {
  if (operation.kind !== 'action' && operation.kind !== 'remove') return ''
  const { from } = operation.rules
  const to = 'to' in operation.rules ? operation.rules.to : undefined
  const states = (from ?? []).map((state) => `\`${state}\``).join(' or ')
  if (to === undefined) return states === '' ? '' : `Requires the status ${states}.`
  return `Changes the status${states === '' ? '' : ` from ${states}`} to \`${to}\`. Has no effect if that is the status already.`
}

const people = { anonymous: 'visitors', learner: 'learners', lecturer: 'lecturers', staff: 'owners and admins' } as const

function aboutCallers({ scope, anonymous, roles }: Operation): string {
  const allowed = roles.filter((role) => role !== 'anonymous').map((role) => people[role])
  const visitors = {
    full: ' Without a token, the response is the public view.',
    partial: ' Without a token, the response is a part of the public view.',
    none: '',
  }[anonymous]
  return `With a token: requires the scope \`${scope}\`. Available to ${allowed.join(', ')}, for the objects that they can see and change.${visitors}`
}

function aboutVersions(operation: Operation): string {
  return 'needsIfMatch' in operation && operation.needsIfMatch ? 'Requires the `ETag` of the current version in `If-Match`.' : ''
}

function aboutLimits(operation: Operation): string {
  const limits = limitsOf(operation, 'json')
  return limits.length === 0 ? '' : `Rate limits in addition to the one for all requests: ${limits.join(', ')}.`
}
