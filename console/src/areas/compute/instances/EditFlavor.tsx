import { instances } from '@mainstay/contract/compute/instances'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useBound } from '../../../patterns/form/use-bound'
import { FlavorPicker } from '../../../pickers/FlavorPicker'
import { Banner } from '../../../ui/Banner'
import type { EditProps } from './EditName'
import { FieldFault } from './FieldFault'
import { isLiveResize, whyNot } from './instance-reasons'

/** Another flavor: at once where the guest allows it, else while it is shut down. */
export function EditFlavor({ instance, closeTo }: EditProps) {
  const t = useT('compute')
  const { id, name, flavor } = instance
  const resize = useCall(instances.resize, { refresh: [instances.events] })
  const schema = z.object({
    flavor: z.string().refine((chosen) => chosen !== (flavor.id ?? ''), t('instances.resize.another')),
  })
  return (
    <FormDialog
      title={t('instances.resize.title', { name })}
      verb={t('instances.resize.verb')}
      schema={schema}
      start={{ flavor: flavor.id ?? '' }}
      send={(body) => resize.run({ params: { id }, body })}
      closeTo={closeTo}
      barredBecause={whyNot('resize', instance, t)}
    >
      {isLiveResize(instance) && <Banner tone="idle">{t('instances.resize.live')}</Banner>}
      <Choice present={flavor.id} />
    </FormDialog>
  )
}

function Choice({ present }: { present: string | null }) {
  const t = useT('compute')
  const { value, onChange, error } = useBound<string>('flavor')
  return (
    <div>
      <FlavorPicker
        chosen={value === '' ? null : value}
        onChoose={({ id }) => onChange(id)}
        disabledBecause={({ id }) => (id === present ? t('instances.resize.present') : undefined)}
      />
      <FieldFault>{error}</FieldFault>
    </div>
  )
}
