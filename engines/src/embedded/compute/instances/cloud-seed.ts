import type { Instance } from '@mainstay/contract/compute/instances'
import { networkConfig, type GuestLink } from '../../../networking/guest-config'
import type { Engine } from '../../engine'
import { linksOf } from '../../networking/ports'
import type { InstancePlan } from '../../rows/instance-plan'

// Every JSON string is a valid YAML string.
const quoted = (text: string) => JSON.stringify(text)

/**
 * Returns the files of a NoCloud seed. `user-data` is passed through unchanged. The host name, the SSH key and the
 * account are in the other files, so that a custom script does not override them.
 * https://cloudinit.readthedocs.io/en/latest/reference/datasources/nocloud.html
 */
export function cloudSeed(
  { id, username }: Pick<Instance, 'id' | 'username'>,
  { hostname, publicKey, userData }: Pick<InstancePlan, 'hostname' | 'publicKey' | 'userData'>,
  links: readonly GuestLink[],
): Record<string, string | Buffer> {
  const metaData = [
    `instance-id: ${quoted(id)}`,
    `local-hostname: ${quoted(hostname)}`,
    ...(publicKey ? ['public-keys:', `  - ${quoted(publicKey)}`] : []),
  ]
  const vendorData = [
    '#cloud-config',
    ...(username ? ['system_info:', '  default_user:', `    name: ${quoted(username)}`] : []),
  ]
  return {
    'meta-data': `${metaData.join('\n')}\n`,
    'user-data': userData ? Buffer.from(userData, 'base64') : '#cloud-config\n{}\n',
    'vendor-data': `${vendorData.join('\n')}\n`,
    ...(links.length > 0 && { 'network-config': networkConfig(links) }),
  }
}

/** Writes the seed for an instance that is about to start. */
export async function writeSeed(
  engine: Engine,
  row: Pick<Instance, 'id' | 'username' | 'network_data'>,
  plan: InstancePlan,
): Promise<void> {
  const links = await engine.records.transaction((tx) => linksOf(tx, row))
  await engine.hypervisor.disks.writeSeed(engine.files.seed(row.id), cloudSeed(row, plan, links))
}
