import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { functionPurposes } from './functionPurposes.ts'
import { code, codes, markdownTable, paragraphs } from './markdown.ts'
import type { Structure, Table } from './migratedDatabase.ts'

/** The comments of a table and of its columns. */
interface Comments {
  table: string
  columns: ReadonlyMap<string, string>
}

/** Returns docs/database.md: the structure from the migrated database, the purposes from the comments of prisma/schema.prisma. */
export function renderDatabase({ tables, functions }: Structure): string {
  const comments = commentsIn(readFileSync(resolve(import.meta.dirname, '../../prisma/schema.prisma'), 'utf8'))
  const names = functions.map(({ name }) => name)
  const unknown = names.filter((name) => !(name in functionPurposes))
  if (unknown.length > 0) throw new Error(`add the purpose of ${unknown.join(', ')} to scripts/documents/functionPurposes.ts`)
  const gone = Object.keys(functionPurposes).filter((name) => !names.includes(name))
  if (gone.length > 0)
    throw new Error(`the database has no function ${gone.join(', ')}: remove it from scripts/documents/functionPurposes.ts`)
  const users = (name: string) => tables.filter(({ triggers }) => triggers.some(({ calls }) => calls === name)).map((table) => table.name)
  return paragraphs([
    '<!-- Printed by npm run docs from prisma/schema.prisma and a database to which prisma/migrations were applied. -->',
    '# The database',
    `${tables.length} tables, their relations, indexes and triggers, and ${functions.length} functions, after the newest migration. The comments are in
\`prisma/schema.prisma\`; what functions do is in \`scripts/documents/functionPurposes.ts\`. Every table except \`school\` and the tables of the
installation begins with \`school_id\`, and relations include it: a row cannot refer to another school.`,
    '## Functions',
    'Processes keep some rows in memory. Triggers report changes of these rows, so that the next request reads them again, however they were changed: see decisions [12](decisions/0012-current-facts-in-memory.md) and [27](decisions/0027-responses-to-visitors-in-memory.md).',
    markdownTable(
      ['function', 'purpose', 'triggers of'],
      functions.map(({ name, signature }) => [code(signature), functionPurposes[name] ?? '', codes(users(name))]),
    ),
    '## Tables',
    ...tables.flatMap((table) => tableParts(table, comments.get(table.name))),
  ])
}

function tableParts({ name, columns, keys, indexes, triggers }: Table, comments: Comments | undefined): (string | undefined)[] {
  if (!comments?.table)
    throw new Error(`add a comment with the purpose of model ${name} to prisma/schema.prisma: a line above it that begins with ///`)
  return [
    `### ${name}`,
    comments.table,
    markdownTable(
      ['column', 'type', 'meaning'],
      columns.map((column) => [
        code(column.name),
        `${column.type.replace('timestamp(3) with time zone', 'time')}${column.isNullable ? ', can be null' : ''}`,
        comments.columns.get(column.name) ?? '',
      ]),
    ),
    list(
      'Keys',
      keys.map(({ kind, text }) => `${kind} ${code(text)}`),
    ),
    list(
      'Indexes',
      indexes.map(
        ({ keys: own, isUnique, where }) => `${isUnique ? 'unique ' : ''}${code(own)}${where === null ? '' : ` where ${code(where)}`}`,
      ),
    ),
    triggers.length > 0
      ? markdownTable(
          ['trigger', 'when', 'only if', 'calls'],
          triggers.map(({ name: trigger, when, condition, calls }) => [
            code(trigger),
            when,
            condition === null ? '' : code(withoutParentheses(condition)),
            code(calls),
          ]),
        )
      : undefined,
  ]
}

const list = (title: string, items: readonly string[]): string | undefined =>
  items.length > 0 ? `${title}: ${items.join(' · ')}` : undefined

/** Removes the parentheses that PostgreSQL adds around each part of a condition. */
export const withoutParentheses = (condition: string): string => (/ AND /.test(condition) ? condition : condition.replace(/[()]/g, ''))

function commentsIn(schema: string): Map<string, Comments> {
  const models = schema.matchAll(/^(?<about>(?:\/\/\/ .*\n)*)model (?<name>\w+) \{\n(?<body>[\s\S]*?)^\}/gm)
  return new Map(
    [...models].map(({ groups: { about = '', name = '', body = '' } = {} }) => {
      const columns = body.matchAll(/(?<about>(?:^ +\/\/\/ .*\n)+) +(?<column>\w+)/gm)
      return [
        name,
        {
          table: commentText(about),
          columns: new Map([...columns].map(({ groups }) => [groups?.column ?? '', commentText(groups?.about ?? '')])),
        },
      ]
    }),
  )
}

const commentText = (lines: string): string => lines.replace(/^ *\/\/\/ /gm, '').trim()
