import { InstanceChange, instances } from '@mainstay/contract/compute/instances'
import { instanceCan } from '@mainstay/contract/compute/instance-rules'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { toast } from '../../../../notices/notices'
import { Checkbox } from '../../../../patterns/form/form-fields'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { useWatched } from '../../../../patterns/form/use-watched'
import { Facts } from '../../../../patterns/Facts'
import { Banner } from '../../../../ui/feedback/Banner'
import type { EditProps } from './EditName'
import { whyNot } from '../instance-reasons'
import { LiveResizeLimits } from '../LiveResizeLimits'

const Allowance = InstanceChange.pick({ allow_live_resize: true }).required()

/** Enables or disables live resize, and shows the maximum size. */
export function EditLiveResize({ instance, closeTo }: EditProps) {
  const t = useT('instance')
  const list = useT('instances')
  const { id, name, allow_live_resize } = instance
  const update = useCall(instances.update, {
    refresh: [instances.timeline],
    done: (changed) => toast(t('instances.changed', { name: changed.name })),
  })
  return (
    <FormDialog
      title={t('instances.liveResize.title', { name })}
      verb={t('instances.save')}
      schema={Allowance}
      start={{ allow_live_resize }}
      send={(body) => update.run({ params: { id }, body })}
      closeTo={closeTo}
      barredBecause={whyNot('rename', instance, list)}
    >
      <Checkbox name="allow_live_resize" help={t('instances.liveResize.help')}>
        {t('instances.liveResize')}
      </Checkbox>
      {instance.max_vcpu !== null && (
        <Facts rows={[[t('instances.liveResize.now'), <LiveResizeLimits key="room" instance={instance} />]]} />
      )}
      <LaterNote instance={instance} />
    </FormDialog>
  )
}

/** Explains that a change to the headroom of a running instance takes effect the next time it starts. */
function LaterNote({ instance }: Pick<EditProps, 'instance'>) {
  const t = useT('instance')
  const isWanted = useWatched<boolean>('allow_live_resize')
  if (!isWanted || instance.max_vcpu !== null || instanceCan('start', instance)) return null
  return <Banner tone="idle">{t('instances.liveResize.later')}</Banner>
}
