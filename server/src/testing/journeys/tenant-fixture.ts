import process from 'node:process'
import { cloudAccess } from '@mainstay/engines/openstack/testing/cloud-access'
import { signInPlainly } from '@mainstay/engines/openstack/testing/plain-client'
import { sweep } from '@mainstay/engines/openstack/testing/sweep'
import { giveRole, prepareCloudFixture } from '@mainstay/engines/openstack/testing/cloud-fixture'
import { cloudEnvironment } from '../cloud-server'

/** A user who may upload images to a dedicated project in a cloud, and the names of the available resources. */
export interface TenantFixture {
  /** Environment variables with which a server connects to the cloud. */
  environment: Record<string, string>
  person: { name: string; password: string; domain: string }
  /** The project's network, which uses DHCP. */
  network: string
  flavor: string
  largerFlavor: string
  /** Deletes everything, including what was created in the project. */
  close(): Promise<void>
}

/** Creates the fixture in the cloud named by the environment. */
export async function openTenantFixture(): Promise<TenantFixture> {
  const { prefix, operator, ours } = await prepareCloudFixture(cloudAccess(process.env))
  await giveRole(await signInPlainly(operator.access), ours, 'image_upload')
  const { username: name, password, userDomain: domain } = ours.access
  return {
    environment: cloudEnvironment(),
    person: { name, password, domain },
    network: `${prefix}-net`,
    flavor: `${prefix}-small`,
    largerFlavor: `${prefix}-larger`,
    async close() {
      const left = await sweep(operator.access, prefix)
      if (left.length > 0) throw new Error(`not removed from the cloud:\n${left.join('\n')}`)
    },
  }
}
