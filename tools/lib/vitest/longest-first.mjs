import { BaseSequencer } from 'vitest/node'

/** Specs of few lines that take long: whole suites of an engine, on real machines and on PostgreSQL. */
const long = /\/embedded\.(qemu|records)\.spec\.ts$/

/** @typedef {import('vitest/node').TestSpecification} TestSpecification */

/** Begins with what takes longest, so that no worker ends long after the others; the rest begins as vitest has it. */
export class LongestFirst extends BaseSequencer {
  /** @override @param {TestSpecification[]} specs @returns {Promise<TestSpecification[]>} in the order in which they begin */
  async sort(specs) {
    const sorted = await super.sort(specs)
    /** @param {TestSpecification} spec */
    const isLong = ({ moduleId }) => long.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((spec) => !isLong(spec))]
  }
}
