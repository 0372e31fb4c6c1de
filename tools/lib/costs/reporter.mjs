import { writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { root } from '../paths.mjs'

/**
 * Writes the costs of all files as an array of `Cost` to the file in MAINSTAY_COST_REPORT. Also copies the notes on
 * skipped tests to the tests' metadata for `skipsByReason`, because the JSON report does not contain notes.
 */
export default class CostReporter {
  /** @type {import('./costs.mjs').Cost[]} */
  #costs = []

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic()
    this.#costs.push({
      file: path.relative(root, module.moduleId),
      wallMs: Math.round(environmentSetupDuration + prepareDuration + setupDuration + collectDuration + duration),
      cpuMs: module.meta().cpuMs ?? 0,
    })
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const result = test.result()
    if (result.state === 'skipped' && result.note) test.meta().skippedBecause ??= result.note
  }

  onTestRunEnd() {
    const report = process.env['MAINSTAY_COST_REPORT']
    if (report) writeFileSync(report, JSON.stringify(this.#costs))
  }
}
