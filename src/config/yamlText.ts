import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument, type YAMLError } from 'yaml'
import type { Path } from './jsonSchema.ts'

export interface Finding {
  path: Path
  line: number
  expected: string
  nearest?: string | undefined
}

export interface YamlText {
  /** The content as plain values, without the parts that `findings` reports. */
  value: unknown
  findings: Finding[]
  isReadable: boolean
  /** Returns the line of a key, or of its nearest parent in the file. */
  lineOf(path: Path): number
}

const maxAliases = 50
const maxLevels = 20

/**
 * Reads one YAML 1.2 document. A section without content (`cors:`) is empty, not null, if `isSection` returns true.
 * The number of expanded aliases is limited: otherwise a few lines that refer to each other could fill the memory.
 */
export function readYaml(text: string, isSection: (path: Path) => boolean): YamlText {
  const counter = new LineCounter()
  const document = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false, lineCounter: counter })
  const lineAt = (offset: number): number => Math.max(1, counter.linePos(offset).line)
  const fieldErrors = [...document.errors, ...document.warnings]
  if (fieldErrors.length > 0) {
    return {
      value: undefined,
      findings: onePerLine(fieldErrors.map((error) => syntaxFinding(error, lineAt))),
      isReadable: false,
      lineOf: () => 1,
    }
  }
  const reader = new Reader(document, isSection, lineAt)
  const value = reader.read(document.contents, [])
  return { value, findings: reader.findings, isReadable: true, lineOf: (path) => reader.lineOf(path) }
}

/** Converts a document to plain values in one pass, and collects the line of every path. */
class Reader {
  readonly findings: Finding[] = []
  readonly #document: Document
  readonly #isSection: (path: Path) => boolean
  readonly #lineAt: (offset: number) => number
  readonly #lines = new Map<string, number>()
  #aliases = 0

  constructor(document: Document, isSection: (path: Path) => boolean, lineAt: (offset: number) => number) {
    this.#document = document
    this.#isSection = isSection
    this.#lineAt = lineAt
  }

  read(node: unknown, path: Path): unknown {
    if (path.length > maxLevels) return this.#find(path.slice(0, 2), `must not be nested deeper than ${maxLevels} levels`)
    if (isAlias(node)) {
      if (++this.#aliases > maxAliases)
        return this.#aliases === maxAliases + 1 ? this.#find(path, `uses more than ${maxAliases} aliases`) : undefined
      const target = node.resolve(this.#document)
      return target === undefined ? this.#find(path, 'refers to an anchor that is not defined above it') : this.read(target, path)
    }
    if (isMap(node)) return this.#readMap(node.items, path)
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        this.#mark([...path, index], item)
        return this.read(item, [...path, index])
      })
    }
    const value = isScalar(node) ? node.value : null
    return value === null && this.#isSection(path) ? {} : value
  }

  lineOf(path: Path): number {
    for (let length = path.length; length > 0; length--) {
      const line = this.#lines.get(JSON.stringify(path.slice(0, length)))
      if (line !== undefined) return line
    }
    return 1
  }

  #readMap(pairs: readonly Pair[], path: Path): Record<string, unknown> {
    const content = new Map<string, unknown>()
    for (const { key, value } of pairs) {
      if (!isScalar(key) || typeof key.value !== 'string') {
        const name = isScalar(key) ? ` (${String(key.value).slice(0, 60)})` : ''
        this.findings.push({
          path,
          line: this.#lineOfNode(key) ?? this.lineOf(path),
          expected: `has a key that is not text${name}: put it in quotes`,
        })
        continue
      }
      const here = [...path, key.value]
      if (content.has(key.value)) {
        this.findings.push({
          path: here,
          line: this.#lineOfNode(key) ?? 1,
          expected: `is a duplicate of line ${this.lineOf(here)}: remove one`,
        })
        continue
      }
      this.#mark(here, key)
      content.set(key.value, this.read(value, here))
    }
    return Object.fromEntries(content)
  }

  #find(path: Path, expected: string): undefined {
    this.findings.push({ path, line: this.lineOf(path), expected })
  }

  #mark(path: Path, node: unknown): void {
    const line = this.#lineOfNode(node)
    if (line !== undefined) this.#lines.set(JSON.stringify(path), line)
  }

  #lineOfNode(node: unknown): number | undefined {
    const range = (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) && node.range
    return range ? this.#lineAt(range[0]) : undefined
  }
}

const inPlainWords: Partial<Record<string, string>> = {
  TAB_AS_INDENT: 'is indented with a tab: use spaces',
  MULTIPLE_DOCS: 'contains a second document: remove the line with ---',
  TAG_RESOLVE_FAILED: 'has a tag, which is not supported: remove the word that begins with !',
}

function syntaxFinding({ code, message, pos }: YAMLError, lineAt: (offset: number) => number): Finding {
  const expected = inPlainWords[code] ?? `is not valid YAML: ${message.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200)}`
  return { path: [], line: lineAt(pos[0]), expected }
}

function onePerLine(findings: Finding[]): Finding[] {
  const seen = new Set<number>()
  return findings.filter(({ line }) => !seen.has(line) && seen.add(line))
}
