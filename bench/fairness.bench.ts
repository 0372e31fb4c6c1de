import { setTimeout as sleep } from 'node:timers/promises'
import { session } from '@mainstay/contract/identity/session'
import { signIn } from '../server/src/testing/api-client'
import { ADMIN_PASSWORD, startProgram } from '../server/src/testing/server-program'
import { quantile, type Row } from './protocol'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'
import { openReader } from './support/requests'

/** Number of expensive list requests that one tenant keeps in flight. */
const GREEDY = 100
const path = '/api/v2/compute/servers'
const dear = `${path}?limit=1000&with_count=true&search=e`
const ordinary = `${path}?limit=100&with_count=true&sort=name`

const ROUNDS = quick ? 20 : 60

export async function run(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const server = await startProgram({ folder: await newFolder(), world: 'busy', readyWithinMs: 600_000 })
    try {
      return await measureFairness(server.url)
    } finally {
      await server.stop()
    }
  })
}

/** Measures the latency of one tenant's list while another tenant keeps 100 expensive list requests in flight. */
async function measureFairness(url: string): Promise<Row[]> {
  const admin = { username: 'admin', password: ADMIN_PASSWORD }
  const { data: projects } = await (await signIn(url, admin)).call(session.projects)
  const [greedy, modest] = await Promise.all(
    ['demo', projects.find(({ name }) => name !== 'demo' && name !== 'admin')!.name].map((project) =>
      signIn(url, { ...admin, project }),
    ),
  )
  const reader = openReader(url, modest!.token)
  const times = async () => {
    const measured: number[] = []
    for (let round = 0; round < ROUNDS; round++) measured.push((await reader.get(ordinary)).ms)
    return quantile(measured, 0.95)
  }
  await times()
  const alone = await times()
  let isOver = false
  const asking = Array.from({ length: GREEDY }, async () => {
    const many = openReader(url, greedy!.token)
    // the server rejects requests that waited too long; responses are discarded to keep this process's CPU load low
    while (!isOver) await many.drain(dear).catch(() => sleep(100))
    many.close()
  })
  const beside = await times()
  isOver = true
  await Promise.all(asking)
  reader.close()
  return [
    {
      name: 'fairness, lists of one tenant while another asks for 100 dear ones: p95',
      unit: 'ms',
      value: beside,
      against: { name: 'alone', value: alone },
    },
  ]
}
