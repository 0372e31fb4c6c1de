/** The last lines of this process's log, in its memory: what a problem report tells of what happened. */
export interface RecentLog {
  /** A line of JSON with its end. */
  write(line: string): void
  /** Oldest first. */
  lines(): readonly string[]
}

const MOST_LINES = 5000
const MOST_CHARACTERS = 2 * 1024 * 1024
/** A longer line is left out rather than cut in the middle of its JSON. */
const MOST_OF_LINE = 16 * 1024

/** Keeps so many lines and characters at most. */
export function createRecentLog(most = { lines: MOST_LINES, characters: MOST_CHARACTERS }): RecentLog {
  const kept: string[] = []
  let characters = 0
  return {
    write(line) {
      if (line.length > Math.min(MOST_OF_LINE, most.characters)) return
      kept.push(line)
      characters += line.length
      while (kept.length > most.lines || characters > most.characters) characters -= kept.shift()!.length
    },
    lines: () => [...kept],
  }
}
