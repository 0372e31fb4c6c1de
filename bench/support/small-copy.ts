import path from 'node:path'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { session } from '@mainstay/contract/identity/session'
import { openSimulated } from '@mainstay/engines/embedded/simulated/simulated'
import { machineStateOf } from '@mainstay/engines/embedded/worlds/rows'
import { createInventory } from '../../server/src/inventory/inventory'
import { openStore } from '../../server/src/store/store'
import { signIn, type ApiClient } from '../../server/src/testing/api-client'
import { silentLogger } from '../../server/src/testing/silent-logger'
import { ADMIN_PASSWORD, startProgram } from '../../server/src/testing/server-program'

/** Picks `wanted` instances, spread evenly across the caller's list. */
export async function someInstances(api: ApiClient, wanted: number): Promise<Instance[]> {
  const found: Instance[] = []
  const { data } = await api.call(instances.list, { query: { limit: 1000, sort: 'created_at' } })
  const step = Math.max(1, Math.floor(data.length / wanted))
  for (let at = 0; at < data.length && found.length < wanted; at += step) found.push(data[at]!)
  if (found.length < wanted) throw new Error(`found only ${found.length} instances to copy`)
  return found
}

/** Fills a data folder with these instances, all in the project "demo". */
export async function fillFolder(folder: string, rows: Instance[]): Promise<void> {
  const program = await startProgram({ folder })
  const api = await signIn(program.url, { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' })
  const owner = await projectOf(api)
  await program.stop()
  const store = await openStore({ databaseUrl: null, dataFolder: folder, log: silentLogger })
  const inventory = await createInventory({ store, log: silentLogger })
  await inventory.transaction(async (tx) => {
    for (const row of rows) await tx.put('server', { ...row, ...owner })
  })
  await store.pool.query('vacuum analyze')
  inventory.close()
  await store.close()
  const hypervisor = openSimulated({ folder: path.join(folder, 'engine', 'simulated') })
  hypervisor.simulate(
    rows.map(({ id, name, status, flavor }) => ({
      id,
      name,
      state: machineStateOf(status),
      vcpus: flavor.vcpus,
      ramMiB: flavor.ram,
    })),
  )
  await hypervisor.close()
}

/** Returns the project and domain that own resources created with this token. */
async function projectOf(api: ApiClient): Promise<{ project_id: string; domain_id: string }> {
  const { scope } = await api.call(session.meta)
  return { project_id: scope.project_id!, domain_id: scope.domain_id }
}
