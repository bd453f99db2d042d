import { scriptName } from './authScript.ts'
import { afterRestart } from './authSteps.ts'
import { block, code, document, link, Markdown, markdown } from './markdown.ts'
import { paths } from './schoolFacts.ts'
import type { Skill, SkillCall } from './skill.ts'
import { type FoundCall, findCall, type SkillFacts } from './skillCalls.ts'

export function skillMd(skill: Skill, facts: SkillFacts): string {
  const steps = skill.steps.map((step) => ({ step, call: 'operation' in step ? findCall(step, facts) : undefined }))
  const withToken = steps.flatMap(({ step, call }) => (call && !('isAnonymous' in step && step.isAnonymous) ? [call] : []))
  const scopes = [...new Set(['openid', ...withToken.flatMap((call) => call.scopes)])]
  const commands: Readonly<Record<string, string>> = {
    save: `curl -sS ${facts.issuer}${paths.authMd} | sed -n '/^#!/,/^esac$/p' >${scriptName}`,
    begin: `sh ${scriptName} begin '${scopes.join(' ')}'`,
  }
  const hasKeys = skill.steps.some((step) => 'operation' in step && step.key !== undefined)
  return document([
    new Markdown(`---\nname: ${skill.name}\ndescription: ${JSON.stringify(descriptionOf(skill, facts))}\n---`),
    markdown`# ${skill.title}`,
    ...(skill.steps.some((step) => 'command' in step && step.command === 'begin') ? [] : [access(commands.begin ?? '', withToken, facts)]),
    markdown`Responses are shortened: … is any value. Write the values that you keep into the later commands, in place of ${code('$NAME')}.${hasKeys ? keys : new Markdown('')}`,
    afterRestart,
    ...steps.flatMap(({ step, call }, index) => [
      new Markdown(`**${index + 1}.** ${step.about}`),
      ...('command' in step && step.command !== undefined ? [block('sh', commands[step.command] ?? step.command)] : []),
      ...('operation' in step && call ? callBlocks(step, call, facts) : []),
    ]),
  ])
}

const keys = new Markdown(
  ' Choose a new Idempotency-Key for each thing that you create: a repeated key returns the first response. After an error, correct the request and keep the key.',
)

export const descriptionOf = ({ description }: Skill, { issuer }: Pick<SkillFacts, 'issuer'>): string =>
  `${description} For the school at ${issuer}.`

const audiences = { learner: 'everybody', lecturer: 'lecturers and staff', staff: 'staff' } as const

function access(begin: string, calls: readonly FoundCall[], { issuer }: SkillFacts): Markdown {
  const allowed = (['learner', 'lecturer', 'staff'] as const).find((role) => calls.every(({ roles }) => roles.includes(role))) ?? 'staff'
  const skill = link('get a token', issuer + skillPath('get-a-token'))
  return markdown`For ${audiences[allowed]}. First ${skill} with these scopes:\n\n${block('sh', begin)}`
}

function callBlocks(step: SkillCall, call: FoundCall, { issuer }: SkillFacts): Markdown[] {
  const kept = Object.entries(step.keep ?? {}).map(([name, member]) => `Keep ${code(member).text} as ${code(name).text}.`)
  return [
    block('sh', withYears(command(step, call, issuer))),
    ...(step.sample === undefined
      ? [markdown`Response ${call.status}${step.accept ? `, ${step.accept}` : ''}.`]
      : [markdown`Response ${call.status}:`, block('json', withYears(JSON.stringify(step.sample)))]),
    ...(kept.length > 0 ? [new Markdown(kept.join(' '))] : []),
  ]
}

function command({ path = {}, query, body, key, isAnonymous, accept }: SkillCall, call: FoundCall, issuer: string): string {
  const filled = call.path.replace(/\{(\w+)\}/g, (_all, name: string) => path[name] ?? '')
  const options = [
    call.method === 'GET' ? '' : ` -X ${call.method}`,
    ` "${issuer}${filled}${query === undefined ? '' : `?${query}`}"`,
    isAnonymous ? '' : ` -H "Authorization: Bearer $(sh ${scriptName} token)"`,
    accept === undefined ? '' : ` -H 'Accept: ${accept}'`,
    key === undefined ? '' : ` -H "Idempotency-Key: ${key}"`,
    body === undefined ? '' : ` -H 'Content-Type: application/json' \\\n  -d '${inShell(JSON.stringify(body))}'`,
  ]
  return `curl -sS${options.join('')}`
}

/** Ends the single quotes around each variable. */
const inShell = (json: string): string => withYears(json).replace(/\$[A-Z_]+/g, `'"$&"'`)

/** Dates of the examples stay useful: events are in the next year, reports are of the last one, and posts appear next week. */
function withYears(text: string): string {
  const now = new Date()
  const year = now.getUTCFullYear()
  const soon = `${new Date(now.getTime() + 7 * 86_400_000).toISOString().slice(0, 10)}T08:00:00Z`
  return text
    .replaceAll('$NEXT_YEAR', String(year + 1))
    .replaceAll('$LAST_YEAR', String(year - 1))
    .replaceAll('$SOON', soon)
}

export const skillPath = (name: string): string => paths.skills.replace('index.json', `${name}/SKILL.md`)
