import { createHash } from 'node:crypto'
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'

/** A skill of the school: the frontmatter of its `SKILL.md`, and the whole file. */
export interface ServedSkill {
  name: string
  description: string
  text: string
}

/** The extension for skills (SEP-2640): `skills/list`, `skills/get`, and each file as a resource. */
export const skillsCapability = { 'io.modelcontextprotocol/skills': {} } as const

/** The skills change with the configuration of the school. */
const cache = { ttlMs: 30_000, cacheScope: 'public' } as const

export function serveSkills(server: Server, skills: () => Promise<readonly ServedSkill[]>): void {
  server.setRequestHandler('skills/list', { params: anyParams }, async () => ({ skills: (await skills()).map(entryOf), ...cache }))
  server.setRequestHandler('skills/get', { params: anyParams }, async (params) => {
    const uri: unknown = Reflect.get(Object(params), 'uri')
    if (typeof uri !== 'string')
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'uri must be the text of an address. skills/list names all skills.')
    const skill = (await skills()).find((one) => skillUri(one) === uri)
    if (!skill)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no skill ${uri.slice(0, 100)}. skills/list names all of them.`)
    return { skill: entryOf(skill), ...cache }
  })
}

export const readSkill = async (uri: string, skills: () => Promise<readonly ServedSkill[]>): Promise<{ text: string } | undefined> =>
  uri.startsWith('skill://') ? (await skills()).find((skill) => skillUri(skill) === uri) : undefined

/** Returns the skills as entries of `resources/list`, for clients without the extension. */
export const skillListings = (skills: readonly ServedSkill[]) =>
  skills.map((skill) => ({ uri: skillUri(skill), name: skill.name, description: skill.description, mimeType: 'text/markdown' }))

const skillUri = ({ name }: ServedSkill): string => `skill://${name}/SKILL.md`

function entryOf(skill: ServedSkill) {
  const { name, description, text } = skill
  const bytes = Buffer.from(text)
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  return { uri: skillUri(skill), frontmatter: { name, description }, resources: [{ uri: skillUri(skill), digest, size: bytes.length }] }
}

/** The SDK needs a schema (standardschema.dev) for the parameters of methods that it does not know. */
const anyParams = { '~standard': { version: 1, vendor: 'schoolgate', validate: (value: unknown) => ({ value }) } } as const
