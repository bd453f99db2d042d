import { describe, expect, test } from 'vitest'
import { type z, z as zod } from 'zod'
import { apiDocuments } from '../../src/agents/api/apiDocuments.ts'
import { apiPath, type Operation } from '../../src/engine/declare/operations.ts'
import { isArray, isObjectSchema, membersOf, optionsOf, unwrapped } from '../../src/engine/declare/views.ts'
import { bodySchema, ownOutput } from '../../src/engine/output/publishedSchemas.ts'
import { operationsIn, resources } from '../../src/school/index.ts'

const operations = operationsIn(resources)
const documents = apiDocuments(operations)
const textOf = (name: string): string => documents.get(`/docs/${name}.md`)?.() ?? ''
const byResource = Map.groupBy(operations, ({ resource }) => resource.name)

/** A member of a declaration, the forms of unions under `forms`. */
interface Member {
  path: string
  values: readonly string[]
}

const isMoney = (schema: z.ZodType): boolean => isObjectSchema(schema) && Object.keys(membersOf(schema)).join() === 'amount,currency'

const valuesOf = (schema: z.ZodType): string[] =>
  schema instanceof zod.ZodEnum || schema instanceof zod.ZodLiteral
    ? [...(schema instanceof zod.ZodEnum ? schema.options : schema.values)].filter((value) => value !== null).map(String)
    : []

/** Returns every member of a schema down to its leaves, except inside unions. */
function membersIn(schema: z.ZodType, path: string): Member[] {
  const inner = unwrapped(schema)
  if (isMoney(inner)) return []
  if (isArray(inner)) return membersIn(inner.element, `${path}[]`)
  if (!isObjectSchema(inner)) return []
  return Object.entries(membersOf(inner)).flatMap(([name, member]) => {
    const own = path === '' ? name : `${path}.${name}`
    return [{ path: own, values: valuesOf(unwrapped(member)) }, ...membersIn(member, own)]
  })
}

/** Returns the objects of which a union accepts any, with the path of the union. */
function formsIn(schema: z.ZodType, path: string): { path: string; form: z.ZodObject }[] {
  const inner = unwrapped(schema)
  if (isArray(inner)) return formsIn(inner.element, `${path}[]`)
  if (inner instanceof zod.ZodUnion)
    return optionsOf(inner)
      .map(unwrapped)
      .filter(isObjectSchema)
      .map((form) => ({ path, form }))
  if (!isObjectSchema(inner)) return []
  return Object.entries(membersOf(inner)).flatMap(([name, member]) => formsIn(member, path === '' ? name : `${path}.${name}`))
}

/** Returns the name of every member at any depth. */
const namesIn = (schema: z.ZodType): string[] => {
  // A summary, such as that of all data of a person, says what it contains without each member.
  if (schema.meta()?.isSummarized) return []
  const inner = unwrapped(schema)
  if (isMoney(inner)) return []
  if (isArray(inner)) return namesIn(inner.element)
  if (inner instanceof zod.ZodUnion) return optionsOf(inner).flatMap(namesIn)
  if (!isObjectSchema(inner)) return []
  return Object.entries(membersOf(inner)).flatMap(([name, member]) => [name, ...valuesOf(unwrapped(member)), ...namesIn(member)])
}

/** The text without the marks of escaping. */
const plain = (text: string): string => text.replaceAll('\\', '')
const callOf = ({ method, path }: Operation): string => `${method} ${path.slice(apiPath.length)}`

describe.each([...byResource])('/docs/%s.md', (name, own) => {
  const text = plain(textOf(name))
  const lines = text.split('\n')

  test.each(own.filter((one) => bodySchema(one)).map((one) => [callOf(one), one] as const))(
    'has every member of the body of %s with its words',
    (_call, operation) => {
      const body = bodySchema(operation) as z.ZodObject
      for (const { path, values } of membersIn(body, '')) {
        const found = lines.filter((line) => line.includes(`\`${path}\``))
        expect([path, found.length > 0]).toEqual([path, true])
        for (const value of values) expect([path, value, found.some((line) => line.includes(value))]).toEqual([path, value, true])
      }
      for (const { path, form } of formsIn(body, '')) {
        const found = lines.find(
          (line) => line.includes(`\`${path}\``) && line.includes('{') && namesIn(form).every((word) => line.includes(word)),
        )
        expect([path, namesIn(form), found !== undefined]).toEqual([path, namesIn(form), true])
      }
    },
  )

  test.each(own.filter((one) => ownOutput(one)).map((one) => [callOf(one), one] as const))(
    'has every member of the response of %s with its words',
    (call, operation) => {
      const line = lines.find((one) => one.startsWith(`- \`${call}\`: \`{`)) ?? ''
      for (const word of namesIn(ownOutput(operation) as z.ZodObject)) expect([word, line.includes(word)]).toEqual([word, true])
    },
  )

  test('has every member of its rows', () => {
    if (own.every(({ kind }) => kind === 'collectionRead')) return
    const [{ resource } = { resource: undefined }] = own
    for (const { path } of membersIn(resource?.schema ?? zod.object({}), ''))
      expect([path, text.includes(`| \`${path}\` |`)]).toEqual([path, true])
  })
})
