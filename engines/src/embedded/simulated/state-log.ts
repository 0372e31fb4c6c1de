import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import type { MachineSize, MachineState } from '../hypervisor'

/** What outlives the server, as a real machine's process would. */
export interface Remembered {
  id: string
  state: MachineState
  name: string
  vcpus: number
  ramMiB: number
  /** As of its last start; a machine of a world has none. */
  room?: MachineSize | null
  /** What its guest uses, where that is less. */
  guest?: MachineSize
  /** Milliseconds since 1970. */
  since: number
}
type Line = Remembered | { id: string; state: 'gone' }

export interface StateLog {
  all: Map<string, Remembered>
  write(lines: Line[]): void
  close(): void
}

/**
 * One line for each change, so that a world of 100 000 machines costs one write when one of them changes. A write
 * has reached the kernel when it returns; that is what a killed server needs, and no more is simulated.
 */
export function openStateLog(path: string): StateLog {
  const all = new Map<string, Remembered>()
  const take = (line: Line) => (line.state === 'gone' ? all.delete(line.id) : all.set(line.id, line))
  if (existsSync(path)) {
    for (const text of readFileSync(path, 'utf8').split('\n')) {
      const line = readLine(text)
      if (line) take(line)
    }
    const aside = `${path}.new`
    writeFileSync(aside, [...all.values()].map((line) => `${JSON.stringify(line)}\n`).join(''))
    renameSync(aside, path)
  }
  const file = openSync(path, 'a', 0o600)
  return {
    all,
    write(lines) {
      for (const line of lines) take(line)
      writeSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    },
    close: () => closeSync(file),
  }
}

/** Null for a last line that a kill cut short. */
function readLine(text: string): Line | null {
  if (text === '') return null
  try {
    return JSON.parse(text) as Line
  } catch {
    return null
  }
}
