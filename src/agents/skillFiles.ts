import { createHash } from 'node:crypto'
import { Problem } from '../base/problem.ts'
import { type Skill, skills } from './skill.ts'
import { isUsable, type SkillFacts } from './skillCalls.ts'
import { descriptionOf, skillMd, skillPath } from './skillMd.ts'

export interface SkillFile {
  name: string
  description: string
  path: string
  text: string
}

export const skillPaths: ReadonlyMap<string, Skill> = new Map(skills.map((skill) => [skillPath(skill.name), skill]))

export async function skillFiles(facts: SkillFacts): Promise<SkillFile[]> {
  const usable = await Promise.all(skills.map((skill) => isUsable(skill, facts)))
  return skills
    .filter((_skill, index) => usable[index])
    .map((skill) => ({
      name: skill.name,
      description: descriptionOf(skill, facts),
      path: skillPath(skill.name),
      text: skillMd(skill, facts),
    }))
}

/**
 * Returns one `SKILL.md`.
 * @throws Problem not_found if the school cannot carry it out
 */
export async function skillFile(skill: Skill, facts: SkillFacts): Promise<string> {
  if (!(await isUsable(skill, facts))) throw new Problem('not_found')
  return skillMd(skill, facts)
}

/** `/.well-known/agent-skills/index.json` (Agent Skills Discovery 0.2.0). */
export async function skillIndex(facts: SkillFacts): Promise<string> {
  const files = await skillFiles(facts)
  return JSON.stringify({
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: files.map(({ name, description, path, text }) => ({
      name,
      type: 'skill-md',
      description,
      url: facts.issuer + path,
      digest: `sha256:${digestOf(text)}`,
    })),
  })
}

/** SHA-256 of the served bytes. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
