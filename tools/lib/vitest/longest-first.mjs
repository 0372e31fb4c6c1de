import path from 'node:path'
import { BaseSequencer } from 'vitest/node'
import { readDurations } from '../costs/durations.mjs'
import { root } from '../paths.mjs'

/** @typedef {import('vitest/node').TestSpecification} TestSpecification */

/**
 * Runs the longest files first, so that no worker finishes long after the others. Files without a stored duration count
 * as short. Files in the same project stay together, because a worker and the modules it has loaded are reused for
 * files in the same project.
 */
export class LongestFirst extends BaseSequencer {
  /**
   * @override @param {TestSpecification[]} specs @returns {Promise<TestSpecification[]>} in the order in which they run
   */
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
