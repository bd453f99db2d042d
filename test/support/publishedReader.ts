/** An agent that has the address of a school only: it reads the documents, and takes the names of its requests from them. */
export interface PublishedReader {
  /** Reads a document by its URL or path. */
  read(address: string): Promise<string>
  /** Returns the URL of the first link in /llms.txt or /api.md whose label is this one. */
  linkTo(label: string): Promise<string>
  /** Returns the operation of /api.md whose summary has these words and, of several, the shortest. */
  operation(...words: string[]): Promise<PublishedOperation>
  /** Returns the document of a resource, or these sections of it. */
  resource(name: string, sections?: string): Promise<ResourceDocument>
  /** Calls the API. `path` fills the parameters of the path in their order. */
  call(operation: PublishedOperation, options?: CallOptions): Promise<Reply>
  /** The token of the person, once the agent has it. */
  token: string | undefined
  /** The cost so far, by the name of the job. */
  costs: Map<string, Cost>
  /** Begins a job: what follows is counted for it. */
  begin(job: string): void
}

export interface PublishedOperation {
  method: string
  /** Path below the base path, with `{parameters}`. */
  path: string
  summary: string
}

export interface CallOptions {
  path?: readonly string[]
  query?: Readonly<Record<string, string>>
  body?: unknown
  headers?: Readonly<Record<string, string>>
}

export interface Reply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the agent reads whatever came
  json: any
}

export interface Cost {
  calls: number
  refused: number
  characters: number
  remarks: string[]
}

/** The document of a resource as tables of words. */
export interface ResourceDocument {
  text: string
  /** Returns the name of the first field whose meaning has these words. */
  field(...words: string[]): string
  /** Returns the names in the form of a union at a path that has this word. */
  form(path: string, word: string): string[]
  /** Returns the words that a field can have. */
  words(field: string): string[]
  /** Returns the name of the first member of the body of an operation whose type or meaning has these words. */
  member(operation: PublishedOperation, ...words: string[]): string
  /** Returns the name of the first parameter of a list whose meaning has these words; undefined if there is none. */
  parameter(...words: string[]): string | undefined
}

/** True if the text has the words, each at the beginning of a word. */
const has = (text: string, words: readonly string[]): boolean =>
  words.every((word) => new RegExp(`(?<!\\w)${RegExp.escape(word)}`, 'i').test(text))

/** Removes the marks of Markdown from a cell. */
const plain = (cell: string): string => cell.replaceAll('\\', '').replaceAll('`', '').trim()

/** Returns the rows of every table below a heading. A bar in a cell is escaped. */
function rowsUnder(text: string, heading: string): string[][] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .map((line) =>
      line
        .slice(2, -2)
        .split(/ (?<!\\)\| /)
        .map(plain),
    )
    .slice(1)
}

function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`no document has ${what}`)
  return value
}

function resourceDocument(text: string): ResourceDocument {
  const fields = rowsUnder(text, 'Fields')
  const bodies = (text.split('\n## Bodies\n')[1]?.split('\n## ')[0] ?? '').split('\n')
  return {
    text,
    field: (...words) => found(fields.find(([, , , , meaning = '']) => has(meaning, words))?.[0], `a field: ${words}`),
    form(path, word) {
      const row = found(
        fields.find(([name, type = '']) => name === path && type.startsWith('{') && new RegExp(`: ${word}[,}]`).test(type)),
        `the form ${word} of ${path}`,
      )
      return [...(row[1] ?? '').matchAll(/(\w+)\??: /g)].map(([, name = '']) => name)
    },
    words: (field) => found(fields.find(([name]) => name === field)?.[1], field).split(' | '),
    member({ method, path }, ...words) {
      const line = found(
        bodies.find((one) => one.startsWith(`- \`${method} ${path}\``)),
        `the body of ${method} ${path}`,
      )
      const members = [...line.replaceAll('\\', '').matchAll(/`([\w.[\]]+)`\*?(?: \(([^`]*?)\)(?=, `|$))?/g)].map(
        ([, name = '', about = '']) => ({
          name,
          about,
        }),
      )
      return found(members.find(({ name, about }) => has(`${name} ${about}`, words))?.name, `a member: ${words}`)
    },
    parameter: (...words) => rowsUnder(text, 'Filters and other parameters').find(([, , meaning = '']) => has(meaning, words))?.[0],
  }
}

/** Creates the reader of the school at an address. */
export function createPublishedReader(base: string): PublishedReader {
  const documents = new Map<string, string>()
  const costs = new Map<string, Cost>()
  let cost: Cost = { calls: 0, refused: 0, characters: 0, remarks: [] }
  let operations: PublishedOperation[] | undefined
  let api = ''
  const count = (status: number, text: string): void => {
    cost.calls += 1
    cost.characters += text.length
    if (status >= 400) cost.refused += 1
  }
  const reader: PublishedReader = {
    token: undefined,
    costs,
    begin(job) {
      cost = { calls: 0, refused: 0, characters: 0, remarks: [] }
      costs.set(job, cost)
    },
    async read(address) {
      const url = new URL(address, base).href
      const known = documents.get(url)
      if (known !== undefined) return known
      const response = await fetch(url, { headers: { accept: 'text/markdown, text/plain, application/json' } })
      const text = await response.text()
      count(response.status, text)
      documents.set(url, text)
      return text
    },
    async linkTo(label) {
      for (const address of ['/llms.txt', '/api.md']) {
        const escaped = RegExp.escape(label.replaceAll('_', '\\_'))
        const link = new RegExp(`\\[${escaped}\\]\\((http[^)]+)\\)`).exec(await reader.read(address))?.[1]
        if (link !== undefined) return link
      }
      throw new Error(`no link is called ${label}`)
    },
    async operation(...words) {
      const map = await reader.read(await reader.linkTo('api.md'))
      api = /path below `([^`]+)`/.exec(map)?.[1] ?? ''
      operations ??= [...map.matchAll(/^- `(\w+) ([^`]+)` [^:\n]*(?::\w+[^:\n]*)?: (.*)$/gm)].map(
        ([, method = '', path = '', summary = '']) => ({
          method,
          path,
          summary: plain(summary),
        }),
      )
      const fitting = operations.filter(({ summary }) => has(summary, words))
      return found(fitting.toSorted((one, other) => one.summary.length - other.summary.length)[0], `an operation: ${words}`)
    },
    resource: async (name, sections) =>
      resourceDocument(await reader.read(`${await reader.linkTo(name)}${sections === undefined ? '' : `?section=${sections}`}`)),
    async call({ method, path }, { path: values = [], query = {}, body, headers = {} } = {}) {
      const rest = [...values]
      const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(rest.shift() ?? ''))
      const response = await fetch(`${api}${filled}?${new URLSearchParams(query)}`, {
        method,
        headers: {
          ...(reader.token && { authorization: `Bearer ${reader.token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      count(response.status, text + (typeof body === 'string' ? body : JSON.stringify(body ?? '')))
      if (response.status >= 400) cost.remarks.push(`${method} ${filled}: ${response.status} ${text.slice(0, 300)}`)
      const isJson = response.headers.get('content-type')?.includes('json')
      return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : text }
    },
  }
  return reader
}
