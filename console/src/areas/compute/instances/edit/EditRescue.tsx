import { instances, type Instance } from '@mainstay/contract/compute/instances'
import * as z from 'zod'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { useBound } from '../../../../patterns/form/use-bound'
import { ImagePicker } from '../../../../pickers/ImagePicker'
import { RadioCards } from '../../../../ui/fields/RadioCards'
import type { EditProps } from './EditName'
import { FieldFault } from '../../../../patterns/form/FieldFault'
import { whyNot } from '../instance-reasons'

type From = 'own' | 'template' | 'iso'

/** Selects what to boot in rescue mode instead of the instance's own volumes. */
export function EditRescue({ instance, closeTo }: EditProps) {
  const t = useT('instance')
  const list = useT('instances')
  const { id, name, image_id } = instance
  const rescue = useCall(instances.rescue, { refresh: [instances.timeline] })
  const schema = z
    .object({ from: z.enum(['own', 'template', 'iso']), image_id: z.string() })
    .refine((choice) => choice.from === 'own' || choice.image_id !== '', {
      path: ['image_id'],
      message: t('instances.rescue.choose'),
    })
  return (
    <FormDialog
      title={t('instances.rescue.title', { name })}
      verb={t('instances.rescue.verb')}
      schema={schema}
      start={{ from: image_id === null ? 'template' : 'own', image_id: '' }}
      send={({ from, image_id: chosen }) =>
        rescue.run({ params: { id }, body: { event: 'rescue', ...(from !== 'own' && { image_id: chosen }) } })
      }
      closeTo={closeTo}
      barredBecause={whyNot('rescue', instance, list)}
    >
      <p>{t('instances.rescue.how')}</p>
      <Choice instance={instance} />
    </FormDialog>
  )
}

function Choice({ instance: { image_id, image_name } }: { instance: Instance }) {
  const t = useT('instance')
  const from = useBound<From>('from')
  const { value, onChange, error } = useBound<string>('image_id')
  function startFrom(way: From) {
    from.onChange(way)
    // clear the selection: it is not an option of the list that is now shown
    onChange('')
  }
  return (
    <>
      <RadioCards<From>
        {...from}
        onChange={startFrom}
        label={t('instances.rescue.with')}
        items={[
          {
            id: 'own',
            label: t('instances.rescue.own'),
            description: t('instances.rescue.ownText', { image: image_name ?? '' }),
            disabledBecause: image_id === null ? t('instances.rescue.noOwn') : undefined,
          },
          { id: 'template', label: t('instances.rescue.image'), description: t('instances.rescue.imageText') },
          { id: 'iso', label: t('instances.rescue.iso'), description: t('instances.rescue.isoText') },
        ]}
      />
      <div>
        {from.value !== 'own' && (
          <ImagePicker
            key={from.value}
            type={from.value}
            chosen={value === '' ? null : value}
            onChoose={({ id }) => onChange(id)}
          />
        )}
        <FieldFault>{error}</FieldFault>
      </div>
    </>
  )
}
