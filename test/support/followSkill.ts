import { expect } from 'vitest'
import { differences, type Workplace } from './literal.ts'
import type { Person } from './person.ts'
import { until } from './poll.ts'

interface Followed {
  /** The `SKILL.md`. */
  text: string
  person: Person
  /** Called before each command. */
  before?(command: string): Promise<void>
}

/**
 * Follows a skill in a workplace that shows statuses: runs its commands, each in a new shell, signs the person in, keeps the values that the
 * text names, and compares each response with the stated one. Returns the output of the last command.
 */
export async function followSkill(place: Workplace, { text, person, before }: Followed): Promise<string> {
  let last = ''
  const kept: Record<string, string> = {}
  let redirect: URL | undefined
  const pieces = text.split(/^```sh\n/m).slice(1)
  for (const piece of pieces) {
    const [command = ''] = piece.split('\n```')
    const rest = piece.slice(command.length)
    await before?.(command)
    const literal = command.replace(/(school\.sh finish ')[^']*'/, `$1${redirect?.href}'`)
    const { code, out, errors } = await place.run(literal, kept)
    last = out
    expect([literal, code, code === 0 ? '' : errors]).toEqual([literal, 0, ''])
    if (command.includes('school.sh begin')) {
      redirect = await person.authorize(out.trim(), { scopes: 'all' })
      if (!text.includes('school.sh finish')) {
        const { out: granted } = await place.run(`sh school.sh finish '${redirect}'`)
        expect(granted.split('\n').slice(1)).toEqual([''])
      }
    }
    const status = /^\n```\n\nResponse (\d+)/.exec(rest)?.[1]
    if (command.startsWith('curl') && command.includes('/api/v1/')) {
      expect([command, errors.slice(-5)]).toEqual([command, `<${status}>`])
    }
    const sample = /^\n```\n\nResponse \d+:\n\n```json\n(.*)\n```/.exec(rest)?.[1]
    if (sample !== undefined) {
      const filled = sample.replace(/\$([A-Z_]+)/g, (all, variable) => kept[variable] ?? all)
      // A change appears in the feed when every earlier transaction has ended.
      const isFeed = command.includes('cursor=$POSITION')
      const wrong = async (): Promise<string[]> =>
        differences(JSON.parse(isFeed ? (await place.run(literal, kept)).out : out), JSON.parse(filled))
      if (isFeed) await until(async () => (await wrong()).length === 0, { what: 'the change' })
      expect([command, await wrong()]).toEqual([command, []])
    }
    for (const [, member = '', variable = ''] of rest.matchAll(/Keep `([^`]+)` as `([A-Z_]+)`/g)) {
      kept[variable] = String(memberOf(JSON.parse(out), member))
    }
  }
  return last
}

/** Returns the member at a path such as `data[0].id`. */
function memberOf(value: unknown, path: string): unknown {
  const found = path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce<unknown>((at, name) => Reflect.get(Object(at), name), value)
  expect([path, typeof found]).toEqual([path, 'string'])
  return found
}
