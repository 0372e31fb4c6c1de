import { instances } from '@mainstay/contract/compute/instances'
import { ChosenPlacements } from '@mainstay/contract/compute/placements'
import * as z from 'zod'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { toast } from '../../../../notices/notices'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import type { EditProps } from './EditName'
import { PlacementsField } from '../../placements/PlacementsField'
import { useEngineChoosesPlacements } from '../use-engine-can'

const Placements = z.object({ traits: ChosenPlacements })

/** Which placements an instance has; those that operators gave it stay. */
export function EditPlacements({ instance: { id, name, traits }, closeTo }: EditProps) {
  const t = useT('instance')
  const canChoose = useEngineChoosesPlacements()
  const update = useCall(instances.update, {
    refresh: [instances.timeline],
    done: () => toast(t('instances.changed', { name })),
  })
  return (
    <FormDialog
      title={t('instances.editPlacements', { name })}
      verb={t('instances.save')}
      schema={Placements}
      start={{ traits }}
      send={(body) => update.run({ params: { id }, body })}
      closeTo={closeTo}
      barredBecause={canChoose ? undefined : t('instances.placementsFixed')}
    >
      <PlacementsField name="traits" />
    </FormDialog>
  )
}
