import { Problem } from '../base/problem.ts'
import { nearest } from '../base/text/nearest.ts'

/**
 * Returns the title of a Markdown document and some of its sections. A section is named by the words of its heading, or the first of them:
 * `?section=fields,bodies`.
 * @throws Problem invalid_parameter if it has no such section
 */
export function documentSections(text: string, wanted: string): string {
  const [head = '', ...sections] = text.split(/^(?=## )/m)
  const named = sections.map((section) => ({ name: nameOf(section), section: section.trimEnd() }))
  const chosen = new Set(
    wanted
      .slice(0, longest)
      .split(',')
      .map((name) => find(named, name.trim().toLowerCase())),
  )
  return `${[head.split('\n', 1)[0], ...named.filter((one) => chosen.has(one)).map(({ section }) => section)].join('\n\n')}\n`
}

const longest = 200

interface NamedSection {
  name: string
  section: string
}

function find(named: readonly NamedSection[], name: string): NamedSection {
  const found = named.find((one) => one.name === name) ?? named.find((one) => name !== '' && one.name.startsWith(`${name}-`))
  if (found) return found
  const names = named.map((one) => one.name)
  const near = nearest(name, names)
  throw new Problem('invalid_parameter', {
    description: `section: there is no such section${near ? `: did you mean ${near}?` : '.'} This document has ${names.join(', ')}.`,
  })
}

/** Returns the words of the heading, of a link its label, with hyphens between them. */
const nameOf = (section: string): string =>
  (section.split('\n', 1)[0]?.split('](', 1)[0] ?? '')
    .toLowerCase()
    .match(/[\p{L}\p{N}_]+/gu)
    ?.join('-') ?? ''
