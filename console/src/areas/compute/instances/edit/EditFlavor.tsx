import type { Flavor } from '@mainstay/contract/compute/flavors'
import { canLiveResize } from '@mainstay/contract/compute/instance-rules'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { fitsLive, liveResizeLimits } from '@mainstay/contract/compute/live-resize-rules'
import { MiB } from '@mainstay/contract/core/bytes'
import { useState } from 'react'
import * as z from 'zod'
import { useCall } from '../../../../api/use-call'
import { useFormat } from '../../../../i18n/use-format'
import { useT, type Translate } from '../../../../i18n/use-t'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { useBound } from '../../../../patterns/form/use-bound'
import { FlavorPicker } from '../../../../pickers/FlavorPicker'
import type { PickColumn } from '../../../../pickers/PickTable'
import { Banner } from '../../../../ui/feedback/Banner'
import { RadioCards } from '../../../../ui/fields/RadioCards'
import type { EditProps } from './EditName'
import { FieldFault } from '../../../../patterns/form/FieldFault'
import { whyNoFlavor } from '../instance-reasons'
import { useEngineCan } from '../use-engine-can'
import { FlavorChange } from './FlavorChange'

type Way = 'live' | 'restart'

/** Resizes an instance that is shut down, or a running one either live, if allowed, or with a restart. */
export function EditFlavor({ instance, closeTo }: EditProps) {
  const t = useT('instance')
  const list = useT('instances')
  const canRestart = useEngineCan()('resizeWithRestart')
  const { id, name, flavor } = instance
  const isUp = instance.status === 'ACTIVE'
  const isLive = canLiveResize(instance)
  const resize = useCall(instances.resize, { refresh: [instances.timeline] })
  const schema = z.object({
    flavor: z.string().refine((chosen) => chosen !== (flavor.id ?? ''), t('instances.resize.another')),
    way: z.enum(['live', 'restart']),
  })
  return (
    <FormDialog
      title={t('instances.resize.title', { name })}
      verb={t('instances.resize.verb')}
      schema={schema}
      start={{ flavor: flavor.id ?? '', way: isLive ? 'live' : 'restart' }}
      send={({ flavor: chosen, way }) =>
        resize.run({ params: { id }, body: { event: 'resize', flavor: chosen, restart: isUp && way === 'restart' } })
      }
      closeTo={closeTo}
      barredBecause={whyNoFlavor(instance, canRestart, list)}
    >
      {isUp && !isLive && canRestart && <Banner tone="warn">{t('instances.resize.restarts')}</Banner>}
      <Choice instance={instance} isLive={isLive && canRestart} />
    </FormDialog>
  )
}

interface ChoiceProps {
  instance: Instance
  isLive: boolean
}

/**
 * If the instance can be resized live, the picker shows which flavors require a restart. For flavors that do not, the
 * user chooses how to resize.
 */
function Choice({ instance, isLive }: ChoiceProps) {
  const t = useT('instance')
  const format = useFormat()
  const { value, onChange, error } = useBound<string>('flavor')
  const way = useBound<Way>('way')
  const [fits, setFits] = useState(true)
  const [chosen, setChosen] = useState<Flavor>()
  const { max_vcpu, max_mem } = liveResizeLimits(instance)

  function choose(flavor: Flavor) {
    onChange(flavor.id)
    setChosen(flavor)
    if (!isLive) return
    const isWithin = fitsLive(instance, flavor)
    setFits(isWithin)
    way.onChange(isWithin ? 'live' : 'restart')
  }

  return (
    <>
      <div>
        <FlavorPicker
          chosen={value === '' ? null : value}
          onChoose={choose}
          disabledBecause={({ id }) => (id === instance.flavor.id ? t('instances.resize.present') : undefined)}
          more={isLive ? [restartColumn(instance, t)] : []}
        />
        <FieldFault>{error}</FieldFault>
      </div>
      {chosen && chosen.id !== instance.flavor.id && <FlavorChange instance={instance} chosen={chosen} />}
      {isLive && (
        <RadioCards<Way>
          {...way}
          label={t('instances.resize.how')}
          help={t('instances.resize.most', { vcpus: max_vcpu, memory: format.bytes(max_mem * MiB) })}
          items={[
            {
              id: 'live',
              label: t('instances.resize.live'),
              description: t('instances.resize.liveText'),
              disabledBecause: fits ? undefined : t('instances.resize.noRoom'),
            },
            { id: 'restart', label: t('instances.resize.restart'), description: t('instances.resize.restartText') },
          ]}
        />
      )}
    </>
  )
}

const restartColumn = (instance: Instance, t: Translate<'instance'>): PickColumn<Flavor> => ({
  id: 'restart',
  label: t('instances.resize.restartColumn'),
  render: (flavor) =>
    flavor.id === instance.flavor.id
      ? '–'
      : t(fitsLive(instance, flavor) ? 'instances.resize.restartNo' : 'instances.resize.restartYes'),
})
