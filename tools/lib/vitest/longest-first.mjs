import path from 'node:path'
import { BaseSequencer } from 'vitest/node'
import { readDurations } from '../costs/durations.mjs'
import { root } from '../paths.mjs'

/** @typedef {import('vitest/node').TestSpecification} TestSpecification */

/**
 * Begins with what takes longest, so that no worker ends long after the others; a file whose duration is not kept is short.
 * Files of one project stand together: a worker is kept, with the modules that it has read, while the next file is of the
 * same project.
 */
export class LongestFirst extends BaseSequencer {
  /** @override @param {TestSpecification[]} specs @returns {Promise<TestSpecification[]>} in the order in which they begin */
  async sort(specs) {
    const known = readDurations()
    const { projects } = this.ctx
    /** @param {TestSpecification} spec */
    const secondsOf = ({ moduleId }) => known.get(path.relative(root, moduleId)) ?? 0
    return specs.toSorted(
      (one, other) =>
        projects.indexOf(one.project) - projects.indexOf(other.project) ||
        secondsOf(other) - secondsOf(one) ||
        one.moduleId.localeCompare(other.moduleId),
    )
  }
}
