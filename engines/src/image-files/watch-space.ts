import { statfs } from 'node:fs/promises'
import { diskFull } from './image-fault'

const lookEveryMs = 200

/** Watches the free disk space until stopped. `signal` aborts with `disk_full` when less than `reserveBytes` remain. */
export function watchSpace(folder: string, reserveBytes: number): { signal: AbortSignal; stop(): void } {
  const full = new AbortController()
  const look = () => {
    statfs(folder).then(
      ({ bavail, bsize }) => bavail * bsize < reserveBytes && full.abort(diskFull()),
      () => undefined,
    )
  }
  look()
  const timer = setInterval(look, lookEveryMs)
  timer.unref()
  return { signal: full.signal, stop: () => clearInterval(timer) }
}
