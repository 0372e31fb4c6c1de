import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import type { MachineSize, MachineState } from '../hypervisor'

/** Machine state that outlives the server, like the process of a real machine. */
export interface Remembered {
  id: string
  state: MachineState
  name: string
  vcpus: number
  ramMiB: number
  /** Set by the last start. Machines of a world have none. */
  room?: MachineSize | null
  /** Size that the guest uses, if it is less than the size of the machine. */
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
 * Opens a log with one line per change, so that a change in a world of 100 000 machines requires only a single write. A
 * completed write has reached the kernel: it survives a kill of the server, but not a power failure.
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

/** Returns null for a last line that was cut off by a kill. */
function readLine(text: string): Line | null {
  if (text === '') return null
  try {
    return JSON.parse(text) as Line
  } catch {
    return null
  }
}
