import { readData } from '../base/text/views.ts'

/** One request of a skill. Method, address, scope and status come from the operation. */
export interface SkillCall {
  /** The purpose of the call, as an imperative sentence in Markdown. */
  about: string
  operation: string
  /** Values of the path parameters. `$COURSE` is a value that an earlier call kept. */
  path?: Readonly<Record<string, string>>
  query?: string
  body?: unknown
  key?: string
  isAnonymous?: boolean
  accept?: string
  /** The response, shortened: `…` is any value. */
  sample?: unknown
  /** Names under which later calls use members of the response: `{ COURSE: 'data[0].id' }`. */
  keep?: Readonly<Record<string, string>>
}

export interface Skill {
  name: string
  title: string
  description: string
  /** Calls of the API, other shell commands, and remarks. */
  steps: readonly (SkillCall | { about: string; command?: string })[]
}

const readSkill = (name: string): Skill => ({ name, ...readData<Omit<Skill, 'name'>>(`skills/${name}.yaml`) })

/** The skill with which everything begins. */
export const getAToken = readSkill('get-a-token')

/** Every skill, in the order in which the index lists them. Their steps are in views/skills. */
export const skills: readonly Skill[] = [
  getAToken,
  ...[
    'find-and-enrol',
    'publish-a-course',
    'import-a-curriculum',
    'sell',
    'import-people',
    'schedule-a-post',
    'change-the-site',
    'run-an-event',
    'read-the-figures',
    'keep-a-copy-in-sync',
    'take-something-back',
  ].map(readSkill),
]
