import type { Flavor } from '@mainstay/contract/compute/flavors'
import { MiB } from '@mainstay/contract/core/bytes'
import type { Network } from '@mainstay/contract/networking/networks'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useT } from '../../../../i18n/use-t'
import { FieldFault } from '../../../../patterns/form/FieldFault'
import { RadioCards } from '../../../../patterns/form/form-fields'
import { useBound } from '../../../../patterns/form/use-bound'
import { useWatched } from '../../../../patterns/form/use-watched'
import { ProjectQuota } from '../../../../patterns/ProjectQuota'
import { FlavorPicker } from '../../../../pickers/FlavorPicker'
import { NetworkPicker } from '../../../../pickers/NetworkPicker'
import { FormPart } from '../FormPart'

/** The flavor and the networks of a virtual machine that is restored, and the quota that it uses. */
export function MachineFields({ points }: { points: readonly VolumeBackup[] }) {
  return (
    <>
      <FlavorField />
      <NetworkFields />
      <Quota points={points} />
    </>
  )
}

function FlavorField() {
  const t = useT('storage')
  const { value, onChange, error } = useBound<Flavor | null>('flavor')
  return (
    <FormPart title={t('backups.machine.flavor')}>
      <FlavorPicker chosen={value?.id ?? null} onChoose={onChange} />
      <FieldFault>{error}</FieldFault>
    </FormPart>
  )
}

function NetworkFields() {
  const t = useT('storage')
  const connection = useWatched<'none' | 'chosen'>('connection')
  const { value: networks, onChange, error } = useBound<Network[]>('networks')
  return (
    <>
      <RadioCards
        name="connection"
        label={t('backups.machine.network')}
        items={[
          {
            id: 'none',
            label: t('backups.machine.noNetwork'),
            description: t('backups.machine.noNetworkHelp'),
          },
          { id: 'chosen', label: t('backups.machine.connect'), description: t('backups.machine.connectHelp') },
        ]}
      />
      {connection === 'chosen' && (
        <div>
          <NetworkPicker
            isMultiple
            chosen={networks.map(({ id }) => id)}
            onChoose={(network, isChosen) =>
              onChange(isChosen ? [...networks, network] : networks.filter(({ id }) => id !== network.id))
            }
          />
          <FieldFault>{error}</FieldFault>
        </div>
      )}
    </>
  )
}

function Quota({ points }: { points: readonly VolumeBackup[] }) {
  const t = useT('storage')
  const compute = useT('compute')
  const flavor = useWatched<Flavor | null>('flavor')
  return (
    <ProjectQuota
      projectId={points[0]?.project_id}
      rows={[
        { quota: 'vcpus', label: compute('pickers.vcpus'), added: flavor?.vcpus ?? 0 },
        { quota: 'ram', label: compute('pickers.memory'), added: (flavor?.ram ?? 0) * MiB },
        { quota: 'storage', label: t('volumes.storage'), added: points.reduce((sum, { size }) => sum + size, 0) },
        { quota: 'volumes', label: t('volumes.title'), added: points.length },
      ]}
    />
  )
}
