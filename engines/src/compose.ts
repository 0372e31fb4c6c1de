import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { openEmbeddedCompute } from './embedded/embedded'
import { openEmbeddedIdentity } from './embedded/identity/identity'
export { resetAdministrator } from './embedded/identity/reset-administrator'
import { openQemu } from './embedded/qemu/qemu'
import { openSimulated } from './embedded/simulated/simulated'
import { enterWorld } from './embedded/worlds/worlds'
import { checkCloudOf } from './openstack/check'
import { printableSettings, readCloudSettings } from './openstack/configuration/cloud-settings'
import { openOpenstack } from './openstack/openstack'
import type { ComputeMissing, ComputePort } from './ports/compute'
import type { CloudChoice, CloudFinding, ComposeOptions, Engines } from './ports/engines'
import type { IdentityPort } from './ports/identity'
import type { Log } from './ports/records'

/** The engines of this installation, not yet watching. Throws errors for people where the choice cannot be fulfilled. */
export async function composeEngines(options: ComposeOptions): Promise<Engines> {
  if (options.cloud) return openOpenstack({ ...options, cloud: options.cloud })
  const { sql, adminPassword, passwordCost } = options
  const { identity, firstStart } = await openEmbeddedIdentity({
    sql,
    adminPassword,
    ...(passwordCost && { cost: passwordCost }),
  })
  if (firstStart) options.onFirstStart(firstStart)
  return { identity, compute: await openCompute(options, identity) }
}

/** How the cloud is reached, without secrets. Throws `EngineChoiceError` where that cannot be used. */
export const describeCloud = (choice: CloudChoice): object => printableSettings(readCloudSettings(choice))

/** Looks at the cloud and says what is good and what is missing. Throws `EngineChoiceError` like `describeCloud`. */
export const checkCloud = (choice: CloudChoice, log: Log): Promise<CloudFinding[]> =>
  checkCloudOf(readCloudSettings(choice), log)

async function openCompute(options: ComposeOptions, identity: IdentityPort): Promise<ComputePort | ComputeMissing> {
  const { records, jobs, log, folder } = options
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const hypervisor =
    options.hypervisor === 'simulated'
      ? openSimulated({ folder: path.join(folder, 'simulated'), delays: options.delays ?? {} })
      : await openQemu({ folder, log })
  if ('missing' in hypervisor) return { missing: true, advice: hypervisor.advice }
  const owner = { project_id: await identity.adminProjectId(), domain_id: 'default' }
  const compute = await openEmbeddedCompute({ records, jobs, hypervisor, folder, log, owner })
  return {
    ...compute,
    async open() {
      await compute.open()
      await enterWorld(options.world, { records, identity, compute, log })
    },
  }
}
