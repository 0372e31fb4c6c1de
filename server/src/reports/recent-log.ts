/** The last log lines of this process, kept in memory for problem reports. */
export interface RecentLog {
  /** A JSON line with its line break. */
  write(line: string): void
  /** The stored lines, oldest first. */
  lines(): readonly string[]
}

const MOST_LINES = 5000
const MOST_CHARACTERS = 2 * 1024 * 1024
/** Longer lines are left out, because truncating them would break the JSON. */
const MOST_OF_LINE = 16 * 1024

/** Keeps at most this many lines and characters. */
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
