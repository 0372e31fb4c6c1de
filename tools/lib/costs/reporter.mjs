import { writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { root } from '../paths.mjs'

/**
 * Writes what each file of a run cost, an array of `Cost`, to the file that MAINSTAY_COST_REPORT names. The JSON report has no
 * notes of skipped tests, so this puts them where `skipsByReason` looks.
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
