import { randomUUID } from 'node:crypto'
import { session } from '@mainstay/contract/identity/session'
import { metricQueries } from '@mainstay/contract/monitoring/metric-queries'
import { startVictoriaMetrics, type StoreAddress } from '../server/src/metrics/store/victoria-metrics'
import { signIn } from '../server/src/testing/api-client'
import { ADMIN_PASSWORD, startProgram } from '../server/src/testing/server-program'
import { silentLogger } from '../server/src/testing/silent-logger'
import { quantile, type Row } from './protocol'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'

/** Measures the time to load the 30-day charts of an instance with continuous metrics and cold caches. */

const DAYS = 30
const DAY_SECONDS = 86_400
/** Time between two points on a chart. */
const STEP_SECONDS = 4 * 3600
const MACHINES = quick ? 2 : 10
const EVERY_SECONDS = 15
/** Samples per write request. */
const AT_ONCE = 10_000
const held = ['cpu_usage_ratio', 'mem_usage_bytes']
const growing = ['block_read_bytes_total', 'block_write_bytes_total', 'net_rx_bytes_total', 'net_tx_bytes_total']

/** Returns the queries that the console sends for an instance's page. */
const charts = (id: string): string[] => {
  const of = (name: string) => `mainstay_vm_${name}{server_id="${id}"}`
  return [...held.map(of), ...growing.map((name) => `sum(rate(${of(name)}[5m]))`)].map(
    (expression) => `avg_over_time((${expression})[${STEP_SECONDS}s:5m])`,
  )
}

export async function run(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const store = startVictoriaMetrics({ dataFolder: await newFolder(), log: silentLogger })
    if (!store) throw new Error('the package victoria-metrics is not installed')
    try {
      await store.ready
      const at = store.address()!
      const program = await startProgram({
        folder: await newFolder(),
        hypervisor: 'simulated',
        environment: { MAINSTAY_METRICS_URL: withPassword(at) },
      })
      try {
        const who = { username: 'admin', password: ADMIN_PASSWORD }
        const { data: projects } = await (await signIn(program.url, who)).call(session.projects)
        const project = projects[0]!
        const api = await signIn(program.url, { ...who, project: project.name })
        const machines = Array.from({ length: MACHINES }, () => randomUUID())
        const labels = { project_id: project.id, domain_id: project.domain_id }
        for (const server_id of machines) await fill(at, { ...labels, server_id })
        await fetch(`${at.url}/internal/force_flush`, { headers: at.headers })

        const times: number[] = []
        for (const machine of machines) {
          const end = Math.floor(Date.now() / 1000 / STEP_SECONDS) * STEP_SECONDS
          const window = { start: String(end - DAYS * DAY_SECONDS), end: String(end), step: String(STEP_SECONDS) }
          const began = performance.now()
          const answers = await Promise.all(
            charts(machine).map((query) => api.call(metricQueries.range, { query: { ...window, query } })),
          )
          times.push(performance.now() - began)
          for (const { data } of answers)
            if (
              data.resultType !== 'matrix' ||
              (data.result[0]?.values.length ?? 0) < (DAYS * DAY_SECONDS) / STEP_SECONDS - 2
            )
              throw new Error(`a chart has too few points: ${JSON.stringify(data).slice(0, 300)}`)
        }
        return [
          { name: 'charts of 30 days: answered, median', unit: 'ms', value: quantile(times, 0.5) },
          { name: 'charts of 30 days: answered, slowest', unit: 'ms', value: Math.max(...times) },
        ]
      } finally {
        await program.stop()
      }
    } finally {
      await store.close()
    }
  })
}

function withPassword({ url, headers }: StoreAddress): string {
  const [user = '', password = ''] = atob(headers['authorization']!.replace('Basic ', '')).split(':')
  return Object.assign(new URL(url), { username: user, password }).href
}

/** Writes 30 days of samples for one instance, as the collector would have stored them. */
async function fill({ url, headers }: StoreAddress, labels: Record<string, string>): Promise<void> {
  const end = Date.now()
  const all = (DAYS * DAY_SECONDS) / EVERY_SECONDS
  for (const name of [...held, ...growing])
    for (let from = 0; from < all; from += AT_ONCE) {
      const places = Array.from({ length: Math.min(AT_ONCE, all - from) }, (_, at) => from + at)
      const body = JSON.stringify({
        metric: { __name__: `mainstay_vm_${name}`, ...labels },
        values: places.map((at) => (growing.includes(name) ? at * 1000 : Math.abs(Math.sin(at / 500)))),
        timestamps: places.map((at) => end - (all - at) * EVERY_SECONDS * 1000),
      })
      const answer = await fetch(`${url}/api/v1/import`, { method: 'POST', headers, body })
      if (!answer.ok) throw new Error(`the store took no samples: ${answer.status} ${await answer.text()}`)
    }
}
