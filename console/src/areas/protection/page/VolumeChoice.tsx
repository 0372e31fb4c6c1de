import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { FieldFault } from '../../../patterns/form/FieldFault'
import { useBound } from '../../../patterns/form/use-bound'
import { PickTable } from '../../../pickers/PickTable'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { InfoIcon } from '../../../ui/icons'
import { Bytes } from '../../../ui/values/Bytes'

interface VolumeChoiceProps {
  plan: BackupPlan
  /** The plans of volumes that have one, by the ID of the volume. */
  planOf: ReadonlyMap<string, BackupPlan>
}

/** The volumes of the project. A volume of another plan is chosen with "Move here". */
export function VolumeChoice({ plan, planOf }: VolumeChoiceProps) {
  const t = useT('protection')
  const { value, onChange, error, isDisabled } = useBound<string[]>('ids')
  const list = useList(volumes.list, volumeKind, { stateIn: 'memory', only: { project_id: plan.project_id } })
  const otherPlan = ({ id }: Pick<Volume, 'id'>) => {
    const found = planOf.get(id)
    return found?.id === plan.id ? undefined : found
  }
  const moved = value.filter((id) => otherPlan({ id }) !== undefined).length
  const choose = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...value, id] : value.filter((other) => other !== id))
  return (
    <div>
      <PickTable
        label={t('plans.volumes')}
        list={list}
        chosen={value}
        onChoose={({ id }, isChosen) => choose(id, isChosen)}
        isMultiple
        disabledBecause={(volume) => {
          if (planOf.get(volume.id)?.id === plan.id) return t('volumes.inThisPlan')
          const other = otherPlan(volume)
          return other && t('volumes.inOther', { plan: other.name })
        }}
        empty={t('volumes.noneInProject')}
        columns={[
          { id: 'name', label: t('volumes.one'), render: ({ name }) => name },
          {
            id: 'server',
            label: t('volumes.server'),
            isWide: true,
            render: ({ attachments: [attachment] }) => attachment?.server_name ?? t('volumes.notAttached'),
          },
          { id: 'size', label: t('volumes.size'), isAtEnd: true, render: ({ size }) => <Bytes of={size} /> },
          {
            id: 'other',
            label: t('volumes.otherPlan'),
            isAtEnd: true,
            render: (volume) => {
              if (!otherPlan(volume)) return null
              const isChosen = value.includes(volume.id)
              return (
                <Button
                  variant="plain"
                  size="small"
                  isDisabled={isDisabled}
                  aria-label={t(isChosen ? 'volumes.keepOne' : 'volumes.moveOne', { volume: volume.name })}
                  onPress={() => choose(volume.id, !isChosen)}
                >
                  {t(isChosen ? 'volumes.keep' : 'volumes.moveHere')}
                </Button>
              )
            },
          },
        ]}
      />
      {moved > 0 && (
        <Banner tone="idle" icon={InfoIcon}>
          {t('volumes.moving', { count: moved })}
        </Banner>
      )}
      <FieldFault>{error}</FieldFault>
    </div>
  )
}
