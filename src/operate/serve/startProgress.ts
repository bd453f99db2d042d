import type { Log } from '../../base/log/log.ts'
import type { OnMigrated } from '../../database/migrations/migrate.ts'
import type { Output } from './openLog.ts'

/** Reports what a start is doing while nothing can be requested yet. */
export interface StartProgress {
  step(text: string): void
  migrated: OnMigrated
  /** Removes the line of the terminal, so that other text can follow. */
  end(): void
}

const [eraseLine, betweenLinesMs] = ['\r\u001B[2K', 2000]

/** Shows the progress in one line of a terminal, which the next step replaces. */
export function terminalProgress(output: Output): StartProgress {
  const show = (text: string): void => void output.write(`${eraseLine}${text} …`)
  return {
    step: show,
    migrated: ({ name, done, of }) => show(`Preparing the database: migration ${done} of ${of} (${name})`),
    end: () => void output.write(eraseLine),
  }
}

/** Writes the progress to the log: each step, and of the migrations the last one and at most one every two seconds. */
export function loggedProgress(log: Log): StartProgress {
  let writtenAt = performance.now()
  return {
    step: (text) => log.info({ step: text }, 'starting'),
    migrated({ name, done, of }) {
      const now = performance.now()
      if (done < of && now - writtenAt < betweenLinesMs) return
      writtenAt = now
      log.info({ migration: name, done, of }, 'migrating')
    },
    end() {},
  }
}
