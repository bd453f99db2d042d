/** One part of a streamed response: the name of the member, and its rows in batches. */
export interface Section {
  name: string
  rows: AsyncIterable<readonly Record<string, unknown>[]>
}

/** Writes an object as JSON in pieces: first the members of `head`, then one list for each section. */
export async function* sectionsJson(head: Readonly<Record<string, unknown>>, sections: Iterable<Section>): AsyncGenerator<string> {
  const start = JSON.stringify(head).slice(0, -1)
  let separator = start === '{' ? '' : ','
  yield start
  for (const { name, rows } of sections) {
    yield `${separator}${JSON.stringify(name)}:[`
    separator = ','
    let isFirst = true
    for await (const batch of rows) {
      if (batch.length === 0) continue
      yield (isFirst ? '' : ',') + batch.map((row) => JSON.stringify(row)).join(',')
      isFirst = false
    }
    yield ']'
  }
  yield '}'
}

/** Reads the first piece, so that a failure is reported before the response begins. */
export async function primed(pieces: AsyncGenerator<string>): Promise<AsyncIterable<string>> {
  const first = await pieces.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* pieces
  })()
}
