import type { Flavor } from '@mainstay/contract/compute/flavors'
import { ResourceName } from '@mainstay/contract/core/names'
import { says } from '@mainstay/contract/core/said'
import type { Network } from '@mainstay/contract/networking/networks'
import type { RestoreMachineDraft } from '@mainstay/contract/protection/machine-restores'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import * as z from 'zod'
import type { Translate } from '../../../../i18n/use-t'
import { restoredName } from '../backup-form'

const MOST_NETWORKS = 8

/** Form that restores a virtual machine as a new one. `networks` are used only if `connection` is `chosen`. */
export const machineForm = (t: Translate<'storage'>) =>
  z
    .object({
      name: ResourceName,
      flavor: z
        .custom<Flavor>()
        .nullable()
        .refine((flavor) => flavor !== null, t('backups.machine.flavorMissing')),
      connection: z.enum(['none', 'chosen']),
      networks: z.array(z.custom<Network>()),
    })
    .superRefine(({ connection, networks }, context) => {
      if (connection === 'none') return
      const wrong = (message: string) => context.addIssue({ code: 'custom', path: ['networks'], message })
      if (networks.length === 0) wrong(t('backups.machine.networkMissing'))
      if (networks.length > MOST_NETWORKS) wrong(says('compute.too_many_networks', { most: MOST_NETWORKS }))
    })
type MachineForm = z.input<ReturnType<typeof machineForm>>

/** The initial values. The virtual machine has no network, so that it does not answer in place of the original. */
export const startOfMachine = (
  point: Pick<VolumeBackup, 'name' | 'server_name'>,
  flavor: Flavor | null,
): MachineForm => ({ name: restoredName(point.server_name, point.name), flavor, connection: 'none', networks: [] })

/** The request body. */
export const machineDraftOf = ({
  name,
  flavor,
  connection,
  networks,
}: MachineForm): z.input<typeof RestoreMachineDraft> => ({
  name,
  flavor: flavor?.id ?? '',
  networks: connection === 'none' ? [] : networks.map(({ id }) => ({ id })),
})
