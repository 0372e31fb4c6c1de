import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/** Number of log files: `server.log` and its four predecessors, `server.log.1` to `server.log.4`. */
export const LOG_FILES = 5
const MOST_BYTES = 20 * 1024 * 1024

export interface LogFile {
  path: string
  /**
   * Appends a JSON line, including its line break. A line that cannot be written, for example on a full disk, is
   * dropped; this is reported once on standard error.
   */
  write(line: string): void
  /** The last complete lines of the file, oldest first, at most `bytes` in total. */
  earlier(bytes: number): string[]
  close(): void
}

/**
 * Opens the log in a folder, which is created with mode 700 if it is missing. Files are rotated before a line would
 * exceed `mostBytes`, and the oldest one is deleted. Writes are synchronous, so that no lines are lost in a crash.
 * Throws the file system error if the file cannot be opened.
 */
export function openLogFile(folder: string, mostBytes = MOST_BYTES): LogFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'server.log')
  const open = () => openSync(file, 'a+', 0o600)
  let handle = open()
  let size = fstatSync(handle).size
  let isWritable = true

  function rotate(): void {
    for (let number = LOG_FILES - 1; number > 0; number--) {
      const from = number === 1 ? file : `${file}.${number - 1}`
      try {
        renameSync(from, `${file}.${number}`)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
    const next = open()
    closeSync(handle)
    ;[handle, size] = [next, 0]
  }

  return {
    path: file,
    write(line) {
      const bytes = Buffer.from(line)
      try {
        if (size > 0 && size + bytes.length > mostBytes) rotate()
        size += writeSync(handle, bytes)
        isWritable = true
      } catch (error) {
        // the server keeps running without its log
        if (isWritable) process.stderr.write(`The log ${file} cannot be written: ${(error as Error).message}\n`)
        isWritable = false
      }
    },
    earlier(bytes) {
      const { size: whole } = fstatSync(handle)
      const tail = Buffer.alloc(Math.min(whole, bytes))
      const read = readSync(handle, tail, 0, tail.length, whole - tail.length)
      const lines = tail.toString('utf8', 0, read).split('\n').slice(0, -1)
      return (read < whole ? lines.slice(1) : lines).filter(isWhole).map((line) => `${line}\n`)
    },
    close: () => closeSync(handle),
  }
}

/** A host crash may have truncated a line. */
function isWhole(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
