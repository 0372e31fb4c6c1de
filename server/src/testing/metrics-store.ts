import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { openMetricsStore, type MetricsStore } from '../metrics/store/metrics-store'
import { startVictoriaMetrics, VICTORIA_METRICS } from '../metrics/store/victoria-metrics'
import { silentLogger } from './silent-logger'

/** For specs of the console, which write metrics as the server does. */
export { lineOf } from '../metrics/sample'

let opened: Promise<MetricsStore> | null = null

/**
 * A metrics store shared by all specs in this process; it stops with the process and must not be closed. Specs do not
 * interfere as long as each one queries its own projects.
 */
export function testMetricsStore(): Promise<MetricsStore> {
  opened ??= emptyMetricsStore()
  return opened
}

/** A metrics store for specs that require it to contain no other metrics. It stops with the process. */
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
