// What a run of tests costs: processor time of the machine, and of each file and area.
import { readFileSync } from 'node:fs'
import os from 'node:os'

/**
 * @typedef {object} Cost
 * @property {string} file relative to the repository
 * @property {number} wallMs from its import to the end of its last hook
 * @property {number} cpuMs of its worker and of ended programs that it started, not of the database; 0 where nothing measures it
 */

/** A file of the gate that takes longer has too much in it, or belongs to another tier, milliseconds. */
export const LONG_FILE_MS = 30_000

/** Processor time of all programs of this machine since it started, milliseconds. */
export const machineUsedMs = () => os.cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys, 0)

/** Linux counts processor time in /proc in hundredths of a second on all its platforms (`getconf CLK_TCK`). */
const TICK_MS = 10

/** Processor time of the programs that this process started and that have ended, milliseconds; 0 where there is no /proc. */
export function endedChildrenMs() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // the second field is a name that may hold spaces and parentheses; cutime and cstime are the 16th and the 17th
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS
  } catch {
    return 0
  }
}

/** `server/src/areas/compute/images.spec.ts` is of `server/areas/compute`. @param {string} file */
export function areaOf(file) {
  const folders = file
    .split('/')
    .slice(0, -1)
    .filter((folder) => folder !== 'src')
  return folders.slice(0, ['areas', 'embedded', 'openstack'].includes(folders[1] ?? '') ? 3 : 2).join('/')
}

/** @param {readonly Cost[]} costs @returns {Cost[]} a sum for each area, named in `file`, the most expensive first */
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

/** @param {Cost} cost @returns {string} a line of a table: wall and processor time in seconds, and whose they are */
export const costLine = ({ file, wallMs, cpuMs }) =>
  `${(wallMs / 1000).toFixed(1).padStart(9)} s${(cpuMs > 0 ? `${(cpuMs / 1000).toFixed(1)} s` : '').padStart(11)}  ${file}`
