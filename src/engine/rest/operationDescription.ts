import { type AcrossTypes, ifMatchText, type Operation } from '../declare/operations.ts'
import { limitsOf } from '../operationLimits.ts'

export const aboutCsvBody =
  'Also accepts a CSV file as exported, or as people write it (`Content-Type: text/csv`): at most 100 rows, with commas, semicolons or tabs, headings in any case, and lists such as `vip, new`. Existing objects are changed. Empty rows and other columns are ignored, which `csv` of the response says. An empty cell leaves the value; with `empty_cells=clear` it makes it null.'

export function operationDescription(operation: Operation | AcrossTypes): string {
  if (!('kind' in operation)) return operation.description
  return [aboutKind(operation), aboutStates(operation), aboutCallers(operation), aboutLimits(operation)].filter(Boolean).join('\n\n')
}

function aboutKind(operation: Operation): string {
  const { resource } = operation
  switch (operation.kind) {
    case 'list':
      return `${resource.isExported ? 'CSV and NDJSON are for staff.' : ''}${aboutForms(resource)}`.trim()
    case 'get':
      return aboutForms(resource).trim()
    case 'update':
      return `A merge patch (RFC 7396). ${sentenceOf(ifMatchText(operation))}`.trim()
    case 'replace':
      return 'Replaces the whole object: absent fields get their default or become null.'
    case 'collectionRead':
      return [operation.rules.about, operation.rules.rows && 'Also available as CSV: request `text/csv` with `Accept`.']
        .filter(Boolean)
        .join(' ')
    case 'collection':
      return operation.rules.csv ? aboutCsvBody : ''
    default:
      return ''
  }
}

const sentenceOf = (text: string): string => (text === '' ? '' : `${text}.`)

const aboutForms = ({ representations }: Operation['resource']): string =>
  representations.map(({ type }) => ` Also available as \`${type}\`: request it with \`Accept\`.`).join('')

function aboutStates(operation: Operation): string {
  if (operation.kind === 'create') {
    const { parentStatus } = operation.rules
    return parentStatus && operation.parent ? `Requires the status ${anyOf(parentStatus)} of the ${words(operation.parent.resource)}.` : ''
  }
  if (operation.kind !== 'action' && operation.kind !== 'remove') return ''
  const { from } = operation.rules
  const to = operation.kind === 'action' && operation.rules.to !== undefined ? [operation.rules.to].flat() : []
  if (!from) return ''
  if (to.length === 0) return `Requires the status ${anyOf(from)}.`
  const isRepeated = to.every((status) => !from.includes(status))
  return `Changes the status from ${anyOf(from)} to ${anyOf(to)}.${isRepeated ? ' Has no effect if that is the status already.' : ''}`
}

const anyOf = (statuses: readonly string[]): string => statuses.map((status) => `\`${status}\``).join(' or ')

const words = ({ object }: Operation['resource']): string => object.replaceAll('_', ' ')

const people = { anonymous: 'visitors', learner: 'learners', lecturer: 'lecturers', staff: 'owners and admins' } as const

function aboutCallers({ anonymous, roles }: Operation): string {
  const allowed = roles.filter((role) => role !== 'anonymous').map((role) => people[role])
  const visitors = {
    full: ' Without a token: the public view.',
    partial: ' Without a token: a part of the public view.',
    none: '',
  }[anonymous]
  const everybody = allowed.length === Object.keys(people).length - 1
  return `${everybody ? '' : `For ${allowed.join(', ')}.`}${visitors}`.trim()
}

/** Every write counts against the limit of writes. */
function aboutLimits(operation: Operation): string {
  const limits = limitsOf(operation, 'json').filter((limit) => limit !== 'write')
  return limits.length === 0 ? '' : `Rate limits: ${limits.join(', ')}.`
}
