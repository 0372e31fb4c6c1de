import type { Instance } from '@mainstay/contract/compute/instances'
import type { InstancePlan } from './plan'

// JSON strings are YAML strings, whatever is in them.
const quoted = (text: string) => JSON.stringify(text)

/**
 * Files of a NoCloud seed. What a person wrote is `user-data`, untouched; host name, key and account are in the
 * other files, so that a script of one's own does not lose them.
 * https://cloudinit.readthedocs.io/en/latest/reference/datasources/nocloud.html
 */
export function cloudSeed(
  { id, username }: Pick<Instance, 'id' | 'username'>,
  { hostname, publicKey, userData, nics }: InstancePlan,
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
  const networkConfig = [
    'version: 2',
    'ethernets:',
    ...nics.flatMap(({ mac }, at) => [
      `  nic${at}:`,
      '    match:',
      `      macaddress: ${quoted(mac)}`,
      '    dhcp4: true',
    ]),
  ]
  return {
    'meta-data': `${metaData.join('\n')}\n`,
    'user-data': userData ? Buffer.from(userData, 'base64') : '#cloud-config\n{}\n',
    'vendor-data': `${vendorData.join('\n')}\n`,
    ...(nics.length > 0 ? { 'network-config': `${networkConfig.join('\n')}\n` } : {}),
  }
}
