import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { openMetricsStore, type MetricsStore } from '../metrics/store/metrics-store'
import { startVictoriaMetrics, VICTORIA_METRICS } from '../metrics/store/victoria-metrics'
import { silentLogger } from './silent-logger'

/** For specs of the console, which push figures as the server does. */
export { lineOf } from '../metrics/sample'

let opened: Promise<MetricsStore> | null = null

/**
 * One store of figures for all specs of this process, begun by the first that asks for it; it ends with the process.
 * Specs do not see each other's figures as long as they ask for projects of their own. None closes it.
 */
export function testMetricsStore(): Promise<MetricsStore> {
  opened ??= emptyMetricsStore()
  return opened
}

/** A store for a spec that expects no figures but its own. It ends with the process. */
export async function emptyMetricsStore(): Promise<MetricsStore> {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'mainstay-test-metrics-'))
  const running = startVictoriaMetrics({ dataFolder, log: silentLogger })
  if (!running) throw new Error(`install the package ${VICTORIA_METRICS}: npm test -- --only system`)
  process.once('exit', () => {
    const pid = running.pid()
    if (pid !== null) process.kill(pid, 'SIGKILL')
    rmSync(dataFolder, { recursive: true, force: true, maxRetries: 5 })
  })
  await running.ready
  return openMetricsStore({ address: running.address, close: async () => undefined })
}
