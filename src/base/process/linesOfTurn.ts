export interface LineWriter {
  write(line: string): unknown
}

/** POSIX writes up to this many bytes to a pipe as a whole: lines of several processes never mix. */
const pipeBytes = 4096

export interface LinesOfTurn {
  /** Writes a line together with the others of this turn of the event loop: a write to a pipe costs more than a line. */
  together: LineWriter
  /** Writes a line immediately, after those that wait. */
  immediately: LineWriter
  flush(): void
}

/** Returns two ways to write lines, which keep their order. A process that is killed loses the lines of the current turn only. */
export function linesOfTurn(output: LineWriter): LinesOfTurn {
  let waiting = ''
  let bytes = 0
  const flush = (): void => {
    if (bytes === 0) return
    const lines = waiting
    waiting = ''
    bytes = 0
    output.write(lines)
  }
  return {
    together: {
      write(line) {
        const more = Buffer.byteLength(line)
        if (bytes + more > pipeBytes) flush()
        if (bytes === 0) setImmediate(flush)
        waiting += line
        bytes += more
      },
    },
    immediately: {
      write(line) {
        flush()
        output.write(line)
      },
    },
    flush,
  }
}
