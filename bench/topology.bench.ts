import { flavors } from '@mainstay/contract/compute/flavors'
import { instances } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { MiB } from '@mainstay/contract/core/bytes'
import { session } from '@mainstay/contract/identity/session'
import { networks } from '@mainstay/contract/networking/networks'
import { routers } from '@mainstay/contract/networking/routers'
import { topology } from '@mainstay/contract/networking/topology'
import type { Page } from '@playwright/test'
import { signIn, type ApiClient } from '../server/src/testing/api-client'
import { ADMIN_PASSWORD, startProgram } from '../server/src/testing/server-program'
import { quantile, type Row } from './protocol'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'
import { withConsole } from './support/with-console'

/**
 * Measures the topology page for a project with a thousand resources: the time until the diagram and the table are
 * shown.
 */

const [manyNetworks, manyRouters, manyMachines] = quick ? [4, 1, 45] : [40, 10, 950]
const TIMES = quick ? 2 : 7

export async function run(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const program = await startProgram({ folder: await newFolder(), hypervisor: 'simulated', world: 'demo' })
    try {
      const who = { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' }
      const api = await signIn(program.url, who)
      await fill(await signIn(program.url, { username: who.username, password: who.password }), api)
      const asked: number[] = []
      for (let time = 0; time < TIMES; time++) {
        const start = performance.now()
        const { nodes } = await api.call(topology.view)
        asked.push(performance.now() - start)
        if (nodes.length < manyMachines) throw new Error(`only ${nodes.length} things are connected`)
      }
      const seen = await withConsole(program.url, who, (page) => opened(page, program.url))
      const of = `topology of ${manyNetworks + manyRouters + manyMachines} things`
      return [
        { name: `${of}: answered, median`, unit: 'ms', value: quantile(asked, 0.5) },
        { name: `${of}: seen, median`, unit: 'ms', value: quantile(seen, 0.5) },
        { name: `${of}: seen, slowest`, unit: 'ms', value: Math.max(...seen) },
      ]
    } finally {
      await program.stop()
    }
  })
}

/** Creates networks, routers that connect them, and instances in them. */
async function fill(system: ApiClient, api: ApiClient): Promise<void> {
  const no = { limit: -1 }
  const { data: projects } = await system.call(session.projects)
  const { id } = projects.find(({ name }) => name === 'demo')!
  await system.call(quotas.set, {
    params: { id },
    body: {
      compute: { instances: no, cores: no, ram: no },
      storage: { volumes: no, storage_policies: { default: no } },
      network: { networks: no, subnets: no, ports: no, routers: no },
    },
  })
  const { data: sizes } = await api.call(flavors.list)
  const flavor = sizes.toSorted((one, other) => one.ram - other.ram)[0]!.id
  const made: string[] = []
  for (let at = 0; at < manyNetworks; at++) {
    const body = { name: `net-${at}`, subnets: [{ cidr: `10.${100 + at}.0.0/24` }] }
    made.push((await api.call(networks.createPrivate, { body })).id)
  }
  for (let at = 0; at < manyRouters; at++) {
    const { id: router } = await api.call(routers.create, { body: { name: `router-${at}` } })
    for (const network_id of made.filter((_, of) => of % manyRouters === at))
      await api.call(routers.addInterface, { params: { id: router }, body: { network_id } })
  }
  for (let at = 0; at < manyMachines; at += 10)
    await Promise.all(
      Array.from({ length: Math.min(10, manyMachines - at) }, (_, of) =>
        api.call(instances.create, {
          body: {
            name: `vm-${at + of}`,
            flavor,
            networks: [{ id: made[(at + of) % manyNetworks]! }],
            volumes: [{ source: 'blank', size: MiB * 1024, boot_index: 0 }],
          },
        }),
      ),
    )
}

/**
 * Returns the milliseconds from clicking the link on another page to the frame that shows the diagram and the table.
 */
async function opened(page: Page, url: string): Promise<number[]> {
  const times: number[] = []
  for (let time = 0; time < TIMES; time++) {
    await page.goto(new URL('/compute/networks', url).href)
    const link = page.getByRole('link', { name: 'Topology' })
    await link.waitFor()
    const took = await link.evaluate(
      // no named functions: the TypeScript loader would wrap them in a helper that does not exist in the page
      (element) =>
        new Promise<number>((resolve) => {
          const start = performance.now()
          new MutationObserver((_, observer) => {
            const isThere =
              document.querySelector('.react-flow__node') !== null &&
              document.querySelector('[data-topology-table] tbody tr') !== null
            if (!isThere) return
            observer.disconnect()
            requestAnimationFrame(() => resolve(performance.now() - start))
          }).observe(document.body, { subtree: true, childList: true })
          ;(element as HTMLElement).click()
        }),
    )
    times.push(took)
  }
  return times
}
