// Cost of a test run: CPU time used on the host, and the time of each file and area.
import { readFileSync } from 'node:fs'
import os from 'node:os'

/**
 * @typedef {object} Cost
 * @property {string} file relative to the repository
 * @property {number} wallMs from the import of the file to the end of its last hook
 * @property {number} cpuMs CPU time of its worker and ended child processes, without the database; 0 if not measured
 */

/** Limit for files in the gate, in milliseconds. Split slower files or move them to another tier. */
export const LONG_FILE_MS = 30_000

/** Returns the CPU time used by all processes on this host since boot, in milliseconds. */
export const machineUsedMs = () => os.cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys, 0)

/** Unit of CPU time in /proc: 10 ms on all Linux platforms (`getconf CLK_TCK`). */
const TICK_MS = 10

/** Returns the CPU time used by ended child processes, in milliseconds, or 0 without /proc. */
export function endedChildrenMs() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // the second field is a name that may contain spaces and parentheses; cutime and cstime are fields 16 and 17
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS
  } catch {
    return 0
  }
}

/**
 * Returns the area of a file: `server/areas/compute` for `server/src/areas/compute/images.spec.ts`.
 *
 * @param {string} file
 */
export function areaOf(file) {
  const folders = file
    .split('/')
    .slice(0, -1)
    .filter((folder) => folder !== 'src')
  return folders.slice(0, ['areas', 'embedded', 'openstack'].includes(folders[1] ?? '') ? 3 : 2).join('/')
}

/**
 * @param {readonly Cost[]} costs @returns {Cost[]} the sum for each area, with its name in `file`, most expensive first
 */
export function byArea(costs) {
  /** @type {Map<string, Cost>} */
  const areas = new Map()
  for (const { file, wallMs, cpuMs } of costs) {
    const area = areaOf(file)
    const sum = areas.get(area) ?? { file: area, wallMs: 0, cpuMs: 0 }
    areas.set(area, { file: area, wallMs: sum.wallMs + wallMs, cpuMs: sum.cpuMs + cpuMs })
  }
  return mostExpensive([...areas.values()])
}

/** @param {readonly Cost[]} costs */
export const mostExpensive = (costs) => costs.toSorted((one, other) => other.wallMs - one.wallMs)

/** @param {Cost} cost @returns {string} a table row with wall time and CPU time in seconds, and the file or area */
export const costLine = ({ file, wallMs, cpuMs }) =>
  `${(wallMs / 1000).toFixed(1).padStart(9)} s${(cpuMs > 0 ? `${(cpuMs / 1000).toFixed(1)} s` : '').padStart(11)}  ${file}`
