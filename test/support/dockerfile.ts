/** Executes the steps of a Dockerfile in folders of this machine, without Docker. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

interface Instruction {
  name: string
  value: string
}

/** Returns the instructions of a Dockerfile, with continued lines joined. */
function parseDockerfile(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  return lines
    .join('\n')
    .replaceAll(/\\\n/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', value = ''] = /^\s*(\w+)\s+(.*)$/.exec(line) ?? []
      return { name: name.toUpperCase(), value: value.trim() }
    })
}

/** Returns whether a path of the build context is left out by the lines of .dockerignore: the last line that matches decides. */
export function ignoreRule(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isKept: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }))
  return (path) => rules.reduce((isIgnored, { isKept, pattern }) => (pattern.test(path) ? !isKept : isIgnored), false)
}

const patternOf = (glob: string): RegExp => {
  const text = glob.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll(/\*\*\/|\*/g, (found) => (found === '*' ? '[^/]*' : '(?:.*/)?'))
  // A line for a folder is also one for its contents.
  return new RegExp(`^${text}(?:/.*)?$`)
}

export interface Stage {
  /** The folder that takes the place of the root of the file system. */
  root: string
  /** The working directory, as it is in the image. */
  directory: string
  /** The base image. */
  base: string
  environment: Record<string, string>
  /** The command of the container, and that of its health check. */
  command: string[]
  healthCheck: string[]
}

export interface BuildOptions {
  /** The folder of the build context. */
  context: string
  dockerfile: string
  ignored: (path: string) => boolean
  /** A new folder for the stages. */
  output: string
  /** Folders of the image that its commands may name. */
  folders: readonly string[]
  /** Does something in place of a part of a RUN; returns false to let the shell run it. */
  instead(command: string, directory: string): boolean
  /** The environment of every command. */
  environment: Record<string, string>
}

/** Executes every stage and returns the last one. Owners of files are not changed, because that needs the users of the base image. */
export function buildImage({ context, dockerfile, ignored, output, folders, instead, environment }: BuildOptions): Stage {
  const variables: Record<string, string> = {}
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const { name, value } of parseDockerfile(dockerfile)) {
    if (name === 'ARG') {
      const [key = '', fallback = ''] = value.split('=')
      variables[key] = fallback
    } else if (name === 'FROM') {
      const [base = '', alias = `stage-${stages.size}`] = value.split(/\s+as\s+/i)
      const filled = base.replaceAll(/\$\{(\w+)\}/g, (_, key) => variables[key] ?? '')
      stage = { root: join(output, alias), directory: '/', base: filled, environment: {}, command: [], healthCheck: [] }
      stages.set(alias, stage)
      // Every base image has it.
      mkdirSync(join(stage.root, '/usr/local/bin'), { recursive: true })
    } else if (stage === undefined) throw new Error(`${name} comes before FROM`)
    else step(stage, { name, value })
  }
  if (!stage) throw new Error('no stage')
  return stage

  function step(current: Stage, { name, value }: Instruction): void {
    const inImage = (path: string): string => join(current.root, path.startsWith('/') ? path : join(current.directory, path))
    if (name === 'WORKDIR') {
      current.directory = value
      mkdirSync(inImage('.'), { recursive: true })
    } else if (name === 'ENV') {
      for (const pair of value.split(/\s+/)) {
        const [key = '', ...rest] = pair.split('=')
        current.environment[key] = moved(current, rest.join('='))
      }
    } else if (name === 'COPY') copy(value.split(/\s+/), inImage)
    else if (name === 'RUN') runStep(current, value)
    else if (name === 'CMD') current.command = JSON.parse(value)
    else if (name === 'HEALTHCHECK') current.healthCheck = JSON.parse(value.slice(value.indexOf('[')))
    else if (!['USER', 'VOLUME', 'EXPOSE', 'LABEL'].includes(name)) throw new Error(`this instruction is not known here: ${name}`)
  }

  /** Replaces the folders of the image in a text by those of the stage. */
  function moved({ root }: Stage, text: string): string {
    return folders.reduce(
      (before, folder) => before.replaceAll(new RegExp(`(?<![\\w/.])${folder}(?![\\w-])`, 'g'), join(root, folder)),
      text,
    )
  }

  function copy(words: string[], inImage: (path: string) => string): void {
    const from = /^--from=(.+)$/.exec(words[0] ?? '')?.[1]
    const given = from === undefined ? words : words.slice(1)
    const [sources, target = ''] = [given.slice(0, -1), given.at(-1)]
    const origin = from === undefined ? context : stages.get(from)?.root
    if (origin === undefined) throw new Error(`COPY --from=${from}: no such stage`)
    for (const source of sources) {
      const path = join(origin, source)
      const isFolder = existsSync(path) && statSync(path).isDirectory()
      const to = inImage(!isFolder && (sources.length > 1 || target.endsWith('/')) ? join(target, basename(source)) : target)
      const files = from === undefined ? contextFiles(source) : undefined
      if (files?.length === 0 || !existsSync(path)) throw new Error(`COPY ${source}: the build context has no such file`)
      for (const file of files ?? ['']) {
        const inside = file.slice(source.length)
        mkdirSync(dirname(to + inside), { recursive: true })
        if (from === undefined) cpSync(path + inside, to + inside)
        else execFileSync('cp', ['-al', isFolder ? `${path}/.` : path, to + (isFolder ? '/' : '')].map(existing))
      }
    }
  }

  function contextFiles(source: string): string[] {
    const path = join(context, source)
    if (!existsSync(path)) return []
    if (statSync(path).isFile()) return ignored(source) ? [] : [source]
    return readdirSync(path).flatMap((name) => contextFiles(`${source}/${name}`))
  }

  function runStep(current: Stage, value: string): void {
    const cwd = join(current.root, current.directory)
    const env = { ...environment, ...current.environment }
    if (value.startsWith('[')) {
      const [program = '', ...args]: string[] = JSON.parse(value)
      execFileSync(
        program,
        args.map((one) => moved(current, one)),
        { cwd, env, stdio: 'pipe' },
      )
      return
    }
    for (const command of value.split('&&').map((one) => one.trim())) {
      if (instead(command, cwd)) continue
      execFileSync('sh', ['-c', moved(current, command.replaceAll(/ -[og] node\b/g, ''))], { cwd, env, stdio: 'pipe' })
    }
  }
}

/** Creates the folder that a path with a final slash names. */
function existing(path: string): string {
  if (path.endsWith('/')) mkdirSync(path, { recursive: true })
  return path
}
